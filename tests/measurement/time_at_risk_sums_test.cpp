// Sums over the pieces of one time at risk, against what is declared of all of them together: a search over covariates, times and
// events, with extreme positions, frames and bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/time_at_risk.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"
#include "support/unit_search.hpp"

namespace sotto {
namespace {

constexpr std::size_t kCovariates = 2;  // besides the intercept

/// The intercept, the pieces but the first, numbers in [-1, 1].
Glm model_of(std::size_t pieces) {
  std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
  const auto others = static_cast<Eigen::Index>(pieces) - 1;
  if (others > 0) {
    DomainComponent piece{{}, Matrix::Zero(others + 1, others)};
    for (Eigen::Index k = 0; k < others; ++k) {
      piece.columns.push_back(1 + k);
      piece.vertices(k + 1, k) = 1;
    }
    components.push_back(piece);
  }
  for (std::size_t j = 0; j < kCovariates; ++j)
    components.push_back({{1 + others + static_cast<Eigen::Index>(j)}, Matrix{{-1.0}, {1.0}}});
  return Glm(family::PiecewiseExponential(), Domain(std::move(components)), PieceResponse::kCodes,
             {pieces, 1});
}

/// One row of a table.
struct Life {
  double x[kCovariates];
  double time;
  bool event;
};

struct Pass {
  std::size_t pieces;
  std::optional<Measurements> measured;
  Eigen::Index dim;

  Pass(std::size_t pieces, const Query& query, Adjacency adjacency)
      : pieces(pieces),
        measured(measure_all_rows({AnyModel(model_of(pieces)),
                                   {.adjacency = adjacency, .rows_per_unit = pieces, .pieces = pieces},
                                   1})(query)),
        dim(model_of(pieces).domain().columns()) {}

  [[nodiscard]] double sensitivity() const { return measured->parts[0].charge.sensitivity; }
  [[nodiscard]] Position contribution(const Life& life) const {
    const TimeAtRisk time{ends()};
    Rows rows(pieces, static_cast<std::size_t>(dim) + 1);
    for (std::size_t k = 0; k < pieces; ++k) {
      const auto response = time.response(k, life.time, life.event);
      if (!response) break;
      rows.at(k, 0) = 1;
      if (k > 0) rows.at(k, k) = 1;
      for (std::size_t j = 0; j < kCovariates; ++j) rows.at(k, pieces + j) = life.x[j];
      rows.at(k, static_cast<std::size_t>(dim)) = response->coded();
      rows.weight(k) = 1;
    }
    return sotto::contribution(measured->parts[0], rows).cast<double>();
  }
  [[nodiscard]] std::vector<double> ends() const {
    std::vector<double> all;
    for (std::size_t k = 1; k <= pieces; ++k) all.push_back(static_cast<double>(k));
    return all;
  }
};

Life some_life(std::size_t pieces, ChainRng& rng) {
  Life life{{}, static_cast<double>(pieces) * rng.uniform(), rng.below(2) == 0};
  for (double& x : life.x) x = rng.below(2) == 0 ? (rng.below(2) == 0 ? -1 : 1) : rng.normal();
  if (rng.below(2) == 0) life.time = std::floor(life.time);
  if (rng.below(3) == 0) life.time = static_cast<double>(pieces);
  if (rng.below(4) == 0) life.time = std::nextafter(std::floor(life.time), HUGE_VAL);
  return life;
}

BoundedWeighting weighting_somewhere(std::size_t pieces, ChainRng& rng) {
  const Eigen::Index dim = model_of(pieces).domain().columns();
  const auto anywhere = [&] {
    return std::pow(10.0, rng.below(4) == 0 ? 60 * (rng.uniform() - 0.5) : rng.normal());
  };
  BoundedWeighting weighting{1.5 * rng.normals(dim), Matrix(dim, dim), anywhere(), anywhere(),
                             std::pow(4.0, static_cast<double>(rng.below(5)) - 1)};
  const std::size_t kind = rng.below(12);
  if (kind == 0) weighting.at *= 1e6;
  if (kind == 1) weighting.at *= 1e17;  // digits of one piece are lost in another's predictor
  if (kind == 2) weighting.at[0] = 40;
  const double scale = anywhere();
  for (double& entry : weighting.frame.reshaped()) entry = scale * rng.normal();
  if (rng.below(4) == 0) {  // to where frames and bounds are refused
    const double far = std::pow(10.0, 130 * (rng.uniform() - 0.5));
    weighting.frame *= far;
    weighting.score_bound *= far;
    weighting.information_bound *= rng.below(2) == 0 ? far * far : 1;
  }
  return weighting;
}

template <class MakeQuery>
void expect_all_pieces_within(const MakeQuery& make, double nearly, std::uint64_t seed) {
  const UnitSearch<Pass, decltype(&weighting_somewhere), decltype(&some_life)> search(weighting_somewhere,
                                                                                      some_life);
  search.expect_within({1, 2, 5, 12}, make, nearly, seed);
}

TEST(TimeAtRiskSums, no_life_moves_a_score_further_than_declared) {
  expect_all_pieces_within(kAskScore, 0.8, 1);
}
TEST(TimeAtRiskSums, no_life_moves_an_information_further_than_declared) {
  expect_all_pieces_within(kAskInformation, 0.6, 2);
}
TEST(TimeAtRiskSums, no_life_moves_score_squares_further_than_declared) {
  expect_all_pieces_within(kAskSquares, 0.5, 3);
}
TEST(TimeAtRiskSums, no_life_moves_squares_of_shortened_scores_further_than_declared) {
  expect_all_pieces_within(kAskShortenedSquares, 0.5, 5);
}
TEST(TimeAtRiskSums, no_life_moves_light_rows_further_than_declared) {
  expect_all_pieces_within(kAskLightRows, 0.7, 4);
}
TEST(TimeAtRiskSums, no_life_moves_curves_further_than_declared) {
  expect_all_pieces_within(
      [](const BoundedWeighting& w) {
        const Eigen::Index last = w.at.size() - 1;
        return Query(CurvesQuery{w.at,
                                 w.clip,
                                 0,
                                 {{last - 1, CurveShape::square, 0, 0.5},
                                  {last, CurveShape::levelling, -1, 0.7},
                                  {0, CurveShape::square, 0, 1}},
                                 w.score_bound,
                                 Rho(1)});
      },
      0.5, 7);
}
TEST(TimeAtRiskSums, no_life_moves_moments_further_than_declared) {
  expect_all_pieces_within(
      [](const BoundedWeighting& w) {
        return Query(MomentsQuery{w.frame, w.score_bound, Rho(1)});
      },
      0.3, 5);
}
TEST(TimeAtRiskSums, no_life_moves_a_total_further_than_declared) {
  for (const TotalOf quantity :
       {TotalOf::rows, TotalOf::times, TotalOf::events, TotalOf::time_at_risk, TotalOf::last_piece})
    expect_all_pieces_within(
        [&](const BoundedWeighting&) {
          return Query(TotalQuery{quantity, Rho(1)});
        },
        0.05, 6);
}
// Over times whose law is the position's: what comes after the stop is left out whether it is an event or none.
TEST(TimeAtRiskSums, a_score_has_mean_zero_wherever_a_time_stops_to_count) {
  constexpr std::size_t kPieces = 5;
  constexpr std::size_t kTimes = 20000;
  const Position at{{0.2, 0.4, -1.5, 1.0, 0.3, 0.5, -0.25}};
  const double x[kCovariates] = {0.5, 1};
  const auto dim = at.size();
  for (const double stop : {0.3, 1.0, 3.0, 8.0, 1e6}) {
    const Pass pass(kPieces, BoundedScoreQuery{{at, Matrix::Identity(dim, dim), 50, 1e6, stop}, Rho(1)},
                    Adjacency::substitute);
    Position mean = Position::Zero(dim);
    Position size = Position::Zero(dim);
    const auto add = [&](double time, bool event, double probability) {
      const auto moved = pass.contribution({{x[0], x[1]}, time, event});
      for (Eigen::Index j = 0; j < dim; ++j) {
        mean[j] += probability * moved[j];
        size[j] += probability * std::abs(moved[j]);
      }
    };
    double cumulated = 0;
    for (std::size_t i = 0; i < kTimes; ++i) {
      const double width = static_cast<double>(kPieces) / kTimes;
      const double time = (static_cast<double>(i) + 0.5) * width;
      const auto piece = static_cast<Eigen::Index>(time);
      const double predictor = at[0] + (piece > 0 ? at[piece] : 0) + x[0] * at[dim - 2] + x[1] * at[dim - 1];
      const double hazard = std::exp(predictor) * width;
      add(time, true, std::exp(-cumulated) * -std::expm1(-hazard));
      cumulated += hazard;
    }
    add(static_cast<double>(kPieces), false, std::exp(-cumulated));
    for (Eigen::Index j = 0; j < dim; ++j) EXPECT_LE(std::abs(mean[j]), 2e-3 * size[j]) << stop << " " << j;
    EXPECT_GT(stop > 3 ? size.minCoeff() : size[0], 0);
  }
}

// The last piece's vector points away from the others', and the event comes as it begins: M is 3, not the 2.5 that all are at risk of.
TEST(TimeAtRiskSums, earlier_pieces_and_a_late_event_add_up) {
  constexpr std::size_t kPieces = 5;
  const Eigen::Index dim = model_of(kPieces).domain().columns();
  Position at = Position::Zero(dim);
  at[0] = std::log(0.5);
  Matrix frame = Matrix::Zero(dim, dim);
  frame(0, 0) = 1;
  frame(0, kPieces - 1) = -2;
  const Pass pass(kPieces, BoundedScoreQuery{{at, frame, 1, 1e6, 6}, Rho(1)}, Adjacency::add_remove);
  ASSERT_TRUE(pass.measured);
  const auto moved = pass.contribution({{0, 0}, std::nextafter(4.0, 5.0), true});
  const double ratio = moved.norm() / pass.sensitivity();
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0.99);
}

// Three deaths are expected in each piece, and none comes: all that was at risk adds up to 15, and the last piece's 3 are more than an
// event in it would add.
TEST(TimeAtRiskSums, a_whole_life_without_an_event_adds_up_to_all_that_was_at_risk) {
  constexpr std::size_t kPieces = 5;
  const Eigen::Index dim = model_of(kPieces).domain().columns();
  Position at = Position::Zero(dim);
  at[0] = std::log(3);
  Matrix frame = Matrix::Zero(dim, dim);
  frame(0, 0) = 1;
  const Pass pass(kPieces, BoundedScoreQuery{{at, frame, 1, 1e6, 100}, Rho(1)}, Adjacency::add_remove);
  ASSERT_TRUE(pass.measured);
  const auto moved = pass.contribution({{0, 0}, static_cast<double>(kPieces), false});
  const double ratio = moved.norm() / pass.sensitivity();
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0.99);
}

// Digits of a weight times a square that lies below the least double would be lost, and with them the bound of all pieces.
TEST(TimeAtRiskSums, frames_and_bounds_beyond_reach_are_refused) {
  constexpr std::size_t kPieces = 5;
  const Eigen::Index dim = model_of(kPieces).domain().columns();
  const auto taken = [&](double scale, double score, double information) {
    const BoundedWeighting weighting{Position::Zero(dim), scale * Matrix::Identity(dim, dim), score,
                                     information, 3};
    const Query queries[] = {BoundedScoreQuery{weighting, Rho(1)}, BoundedInformationQuery{weighting, Rho(1)},
                             ScoreSquaresQuery{weighting, Rho(1)}, LightRowsQuery{weighting, Rho(1)},
                             MomentsQuery{weighting.frame, information, Rho(1)}};
    int count = 0;
    for (const Query& query : queries) count += Pass(kPieces, query, Adjacency::add_remove).measured ? 1 : 0;
    return count;
  };
  EXPECT_EQ(taken(1, 1, 1), 5);
  EXPECT_EQ(taken(0x1p199, 0x1p199, 0x1p-199), 5);
  EXPECT_EQ(taken(0x1p550, 0x1p199, 0x1p199), 0);
  EXPECT_EQ(taken(1, 0x1p-201, 1), 1) << "moments have no score";
  EXPECT_EQ(taken(1, 1, 0x1p300), 0);
}

// Rows of a unit that are not declared to be pieces of one time have a bound each.
TEST(TimeAtRiskSums, only_what_is_declared_to_be_pieces_shares_a_bound) {
  ChainRng rng(1);
  const Query query = BoundedScoreQuery{weighting_somewhere(5, rng), Rho(1)};
  const auto sensitivity = [&](std::size_t pieces) {
    return measure_all_rows({AnyModel(model_of(5)), {.rows_per_unit = 5, .pieces = pieces}, 1})(query)
        ->parts[0]
        .charge.sensitivity;
  };
  EXPECT_GT(sensitivity(1), 4 * sensitivity(5));
}

TEST(TimeAtRiskSums, totals_are_of_events_and_of_time) {
  const auto total = [](TotalOf quantity, const Life& life) {
    const Pass pass(5, TotalQuery{quantity, Rho(1)}, Adjacency::substitute);
    return pass.contribution(life)[0] * pass.measured->parts[0].charge.grid;
  };
  EXPECT_EQ(total(TotalOf::rows, {{}, 2.5, true}), 3);
  EXPECT_EQ(total(TotalOf::times, {{}, 2.5, true}), 1);
  EXPECT_EQ(total(TotalOf::events, {{}, 2.5, true}), 1);
  EXPECT_EQ(total(TotalOf::events, {{}, 2.5, false}), 0);
  EXPECT_EQ(total(TotalOf::time_at_risk, {{}, 2.5, true}), 2.5);
  EXPECT_EQ(total(TotalOf::last_piece, {{}, 2.5, true}), 0);
  EXPECT_EQ(total(TotalOf::last_piece, {{}, 4.25, true}), 0.25);
  const TotalQuery ones{TotalOf::ones, Rho(1)};
  EXPECT_FALSE(Pass(5, ones, Adjacency::substitute).measured);
}

}  // namespace
}  // namespace sotto
