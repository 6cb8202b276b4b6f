// Sums over units whose rows stand side by side, against what is declared of one unit: a search over the number of its rows, their
// covariates and responses, with extreme positions, frames and bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/bounded_row.hpp"
#include "support/contribution.hpp"
#include "support/unit_search.hpp"

namespace sotto::unit_sums {
namespace {

constexpr std::size_t kDim = 3;
constexpr std::size_t kMost = 6;  // rows of a unit
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// `kind` takes the place of pieces in the search.
constexpr std::size_t kBinary = 0, kCounts = 1, kNormal = 2;

Interval responses(std::size_t kind) {
  return kind == kBinary ? Interval{0, 1} : kind == kCounts ? Interval{0, 20} : Interval{-3, 5};
}

Glm model_of(std::size_t kind) {
  std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
  for (Eigen::Index j = 1; j < static_cast<Eigen::Index>(kDim); ++j)
    components.push_back({{j}, Matrix{{-1.0}, {1.0}}});
  const GlmFamily family = kind == kBinary   ? GlmFamily(family::Bernoulli())
                           : kind == kCounts ? GlmFamily(family::Poisson())
                                             : GlmFamily(family::Normal{0.7});
  return Glm(family, Domain(std::move(components)), responses(kind));
}

PrivacyUnit unit_of(Adjacency adjacency) {
  return {.adjacency = adjacency, .rows_per_unit = kMost, .is_row = false, .side_by_side = true};
}

struct Unit {
  double x[kMost * (kDim - 1)];  // covariates row by row
  std::vector<double> y;         // as many as it has rows
};

/// Units one after the other, from row `first` on.
Rows rows_of(const std::vector<Unit>& units, std::size_t first = 0) {
  std::size_t count = first;
  for (const Unit& unit : units) count += unit.y.size();
  Rows rows(count, kDim + 1);
  rows.stand_by_units();
  std::size_t at = first;
  for (const Unit& unit : units) {
    if (!unit.y.empty()) rows.start_unit(at);
    for (std::size_t i = 0; i < unit.y.size(); ++i, ++at) {
      rows.at(at, 0) = 1;
      for (std::size_t j = 1; j < kDim; ++j) rows.at(at, j) = unit.x[i * (kDim - 1) + j - 1];
      rows.at(at, kDim) = unit.y[i];
      rows.weight(at) = 1;
    }
  }
  return rows;
}

struct Pass {
  std::optional<Measurements> measured;

  Pass(std::size_t kind, const Query& query, Adjacency adjacency)
      : measured(measure_all_rows({AnyModel(model_of(kind)), unit_of(adjacency), 1})(query)) {}

  [[nodiscard]] double sensitivity() const { return measured->parts[0].charge.sensitivity; }
  [[nodiscard]] Position contribution(const Unit& unit) const {
    return sotto::contribution(measured->parts[0], rows_of({unit})).cast<double>();
  }
};

/// Corners and points between; now and then what no decoded row holds.
Unit some_unit(std::size_t kind, ChainRng& rng) {
  Unit unit{{}, std::vector<double>(rng.below(kMost + 1))};
  const bool one_kind = rng.below(2) == 0;  // rows that pull one way
  for (std::size_t j = 0; j < std::size(unit.x); ++j) {
    double& x = unit.x[j];
    x = rng.below(2) == 0 ? (rng.below(2) == 0 ? -1 : 1) : rng.normal();
    if (one_kind && j >= kDim - 1) x = unit.x[j - (kDim - 1)];
    if (rng.below(200) == 0) x = 1e200 * rng.normal();
  }
  const Interval range = responses(kind);
  const double all = rng.uniform();
  for (double& y : unit.y) {
    y = range.lower + range.width() * (one_kind ? std::round(all) : rng.uniform());
    if (kind != kNormal) y = std::round(y);
    if (rng.below(100) == 0) y = kNaN;
  }
  return unit;
}

BoundedWeighting weighting_somewhere(std::size_t, ChainRng& rng) {
  const auto anywhere = [&] {
    return std::pow(10.0, rng.below(4) == 0 ? 60 * (rng.uniform() - 0.5) : rng.normal());
  };
  BoundedWeighting weighting{1.5 * rng.normals(kDim), Matrix(kDim, kDim), anywhere(), anywhere(), anywhere()};
  if (rng.below(6) == 0) weighting.at *= 1e6;
  if (rng.below(2) == 0) weighting.dispersion = anywhere();
  const double scale = anywhere();
  for (double& entry : weighting.frame.reshaped()) entry = scale * rng.normal();
  return weighting;
}

template <class MakeQuery>
void expect_units_within(const MakeQuery& make, double nearly, std::uint64_t seed,
                         std::initializer_list<std::size_t> kinds = {kBinary, kCounts, kNormal}) {
  const UnitSearch<Pass, decltype(&weighting_somewhere), decltype(&some_unit)> search(weighting_somewhere,
                                                                                      some_unit);
  search.expect_within(kinds, make, nearly, seed);
}

TEST(UnitSums, no_unit_moves_a_score_further_than_declared) { expect_units_within(kAskScore, 0.9, 1); }

TEST(UnitSums, no_unit_moves_an_information_further_than_declared) {
  expect_units_within(kAskInformation, 0.8, 2);
}

TEST(UnitSums, no_unit_moves_squares_further_than_declared) { expect_units_within(kAskSquares, 0.8, 3); }

TEST(UnitSums, no_unit_moves_squares_of_shortened_scores_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(ScoreSquaresQuery{w, Rho(1), 0.2 * w.score_bound});
      },
      0.8, 16);
}

TEST(UnitSums, no_unit_moves_light_rows_further_than_declared) { expect_units_within(kAskLightRows, 0.7, 4); }

TEST(UnitSums, no_unit_moves_moments_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(MomentsQuery{w.frame, w.information_bound, Rho(1)});
      },
      0.8, 5);
}

TEST(UnitSums, no_unit_moves_residual_squares_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(ResidualSquaresQuery{w.at, w.clip, Rho(1)});
      },
      0.9, 6, {kNormal});
}

TEST(UnitSums, no_unit_moves_histograms_further_than_declared) {
  for (const HistogramOf quantity : {HistogramOf::response, HistogramOf::unit_rows}) {
    expect_units_within(
        [quantity](const BoundedWeighting&) {
          return Query(HistogramQuery{quantity, Position(), Position{{0, 1, 2, 3, 7}}, Rho(1)});
        },
        0.9, 7);
  }
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(HistogramQuery{HistogramOf::residual, w.at, Position{{-2, -1, 0, 1, 2}}, Rho(1), 0.1});
      },
      0.9, 8, {kNormal});
}

TEST(UnitSums, no_unit_moves_column_histograms_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting&) {
        return Query(ColumnHistogramsQuery{{1, 2}, {{-1, 1}, {-2, 2}}, 4, Rho(1)});
      },
      0.9, 9);
}

TEST(UnitSums, no_unit_moves_curves_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(CurvesQuery{w.at,
                                 w.clip,
                                 std::min(w.dispersion, 1e5),
                                 {{1, CurveShape::levelling, 0.1, 0.5}, {2, CurveShape::square, 0, 1}},
                                 w.score_bound,
                                 Rho(1)});
      },
      0.9, 10);
}

TEST(UnitSums, no_unit_moves_a_remainder_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(RemainderQuery{w, 1.5 * w.clip, 0.3 * w.score_bound, Rho(1)});
      },
      0.7, 11, {kCounts, kNormal});
}

TEST(UnitSums, no_unit_moves_grouped_residuals_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting& w) {
        return Query(GroupedResidualsQuery{w.at,
                                           Position{{-1, 0, 0.5, 1, 4}},
                                           {{{1}, Position{{0}}}, {{2, 1}, Position{{0.2, 0.1}}, 0.3}},
                                           Rho(1)});
      },
      0.9, 13, {kCounts, kNormal});
}

TEST(UnitSums, no_unit_moves_totals_further_than_declared) {
  expect_units_within(
      [](const BoundedWeighting&) {
        return Query(TotalQuery{TotalOf::rows, Rho(1)});
      },
      0.9, 12);
  expect_units_within(
      [](const BoundedWeighting&) {
        return Query(TotalQuery{TotalOf::ones, Rho(1)});
      },
      0.9, 12, {kBinary});
}

/// Vectors of one unit before rounding, as release/regression_query.hpp says it.
struct Said {
  Position score, light;
  Matrix information;
};

Said said_of(const Unit& unit, const BoundedWeighting& w, Link link) {
  const std::size_t rows = unit.y.size();
  double reach = 0;
  double trace = 0;
  Said said{Position::Zero(kDim), Position::Zero(kDim + 1), Matrix::Zero(kDim, kDim)};
  for (std::size_t i = 0; i < rows; ++i) {
    Position x(kDim);
    x << 1, unit.x[2 * i], unit.x[2 * i + 1];
    const Position z = w.frame * x;
    const auto r = testing_reference::bounded_residual(
        link, unit.y[i], testing_reference::mean_at(link, x.dot(w.at)), w.clip, w.dispersion);
    reach += r.largest * z.norm();
    trace += r.largest_slope * z.squaredNorm();
    said.score += r.psi * z;
    said.information += r.slope * z * z.transpose();
  }
  const double c = std::min({1.0, w.score_bound / reach, w.information_bound / trace});
  said.light << (c < 0.5 ? 0.5 : 0), std::min(c, 1 - c) * said.score / w.score_bound;
  said.score *= c;
  said.information *= c;
  return said;
}

TEST(UnitSums, add_up_what_the_question_says) {
  constexpr double kShort = 1.5;
  const auto squares_of = [](const Position& score) { return Matrix(score * score.transpose()); };
  ChainRng rng(13);
  for (const auto& [kind, link] :
       {std::pair{kBinary, Link::logit}, std::pair{kCounts, Link::log}, std::pair{kNormal, Link::identity}}) {
    BoundedWeighting w{0.4 * rng.normals(kDim), Matrix(kDim, kDim), 4, 6, 1.7};
    for (double& entry : w.frame.reshaped()) entry = rng.normal();
    if (kind == kCounts) w.dispersion = 0.2;
    std::vector<Unit> units;
    Position score = Position::Zero(kDim);
    Position light = Position::Zero(kDim + 1);
    Matrix information = Matrix::Zero(kDim, kDim);
    Matrix squares = information;
    Matrix shortened = information;
    std::size_t bound = 0;
    for (int u = 0; u < 40; ++u) {
      Unit unit{{}, std::vector<double>(1 + rng.below(kMost))};
      for (double& x : unit.x) x = 2 * rng.uniform() - 1;
      for (double& y : unit.y)
        y = kind == kNormal ? 2 * rng.normal() : static_cast<double>(rng.below(kind == kBinary ? 2 : 6));
      const Said said = said_of(unit, w, link);
      bound += said.light[0] > 0 ? 1 : 0;
      score += said.score;
      information += said.information;
      squares += said.score * said.score.transpose();
      shortened += squares_of(said.score * std::min(1.0, kShort / said.score.norm()));
      light += said.light;
      units.push_back(std::move(unit));
    }
    EXPECT_GT(bound, 3u);
    EXPECT_LT(bound, 37u);
    const Rows rows = rows_of(units);
    const auto sum = [&, kind = kind](const Query& query) {
      const Measurement part =
          measure_all_rows({AnyModel(model_of(kind)), unit_of(Adjacency::substitute), 1})(query)->parts[0];
      return Position(contribution(part, rows).cast<double>() * part.charge.grid);
    };
    const auto triangle = [](const Matrix& m) {
      Position entries(kDim * (kDim + 1) / 2);
      entries << m(0, 0), std::sqrt(2.0) * m(0, 1), std::sqrt(2.0) * m(0, 2), m(1, 1),
          std::sqrt(2.0) * m(1, 2), m(2, 2);
      return entries;
    };
    constexpr double kRounding = 1e-5;
    EXPECT_LT((sum(BoundedScoreQuery{w, Rho(1)}) - score).norm(), kRounding);
    EXPECT_LT((sum(BoundedInformationQuery{w, Rho(1)}) - triangle(information)).norm(), kRounding);
    EXPECT_LT((sum(ScoreSquaresQuery{w, Rho(1)}) - triangle(squares)).norm(), kRounding);
    EXPECT_LT((sum(ScoreSquaresQuery{w, Rho(1), kShort}) - triangle(shortened)).norm(), kRounding);
    EXPECT_LT((sum(LightRowsQuery{w, Rho(1)}) - light).norm(), kRounding);
  }
}

TEST(UnitSums, histograms_and_moments_are_means_over_a_units_rows) {
  const Unit three{{1, 1, 1, -1, -1, 1}, {0, 1, 1}};
  const Unit one{{0, 0}, {1}};
  const Rows rows = rows_of({three, one});
  const auto sum = [&](const Query& query) {
    const Measurement part =
        measure_all_rows({AnyModel(model_of(kBinary)), unit_of(Adjacency::substitute), 1})(query)->parts[0];
    return Position(contribution(part, rows).cast<double>() * part.charge.grid);
  };
  const Position responses =
      sum(HistogramQuery{HistogramOf::response, Position(), Position{{-0.5, 0.5, 1.5}}, Rho(1)});
  EXPECT_NEAR(responses[0], 1.0 / 3, 1e-8);
  EXPECT_NEAR(responses[1], 2.0 / 3 + 1, 1e-8);
  const Position sizes =
      sum(HistogramQuery{HistogramOf::unit_rows, Position(), Position{{1, 2, 3, 4}}, Rho(1)});
  EXPECT_EQ(sizes, (Position{{1, 0, 1}}));
  EXPECT_NEAR(sum(TotalQuery{TotalOf::ones, Rho(1)})[0], 2.0 / 3 + 1, 1e-8);
  EXPECT_EQ(sum(TotalQuery{TotalOf::rows, Rho(1)})[0], 2);
  const Position moments = sum(MomentsQuery{Matrix::Identity(kDim, kDim), 100, Rho(1)});
  EXPECT_NEAR(moments[0], 2, 1e-6);                    // of the intercept
  EXPECT_NEAR(moments[3], 1, 1e-6);                    // x1^2
  EXPECT_NEAR(moments[4], -std::sqrt(2.0) / 3, 1e-6);  // x1 x2
}

// A neighbour's unit moves all that come after it to other places in memory.
TEST(UnitSums, what_a_unit_adds_does_not_depend_on_where_it_stands) {
  ChainRng rng(14);
  for (const std::size_t kind : {kBinary, kCounts, kNormal}) {
    for (int trial = 0; trial < 20; ++trial) {
      const BoundedWeighting w = weighting_somewhere(kind, rng);
      Unit unit = some_unit(kind, rng);
      if (unit.y.empty()) unit.y = {1};
      for (const Query& query : {kAskScore(w), kAskInformation(w), kAskSquares(w), kAskLightRows(w),
                                 Query(MomentsQuery{w.frame, w.information_bound, Rho(1)})}) {
        const auto measured =
            measure_all_rows({AnyModel(model_of(kind)), unit_of(Adjacency::substitute), 1})(query);
        if (!measured) continue;
        const auto here = contribution(measured->parts[0], rows_of({unit}));
        for (std::size_t first = 1; first <= 2 * kTile; ++first)
          EXPECT_EQ(contribution(measured->parts[0], rows_of({unit}, first)), here) << first;
      }
    }
  }
}

// Products of larger matrices are computed in other ways.
TEST(UnitSums, what_a_row_adds_does_not_depend_on_its_lane_whatever_the_dimension) {
  ChainRng rng(15);
  for (const std::size_t dim : {2, 5, 9, 16, 31, 64}) {
    const auto d = static_cast<Eigen::Index>(dim);
    std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
    for (Eigen::Index j = 1; j < d; ++j) components.push_back({{j}, Matrix{{-1.0}, {1.0}}});
    const AnyModel model(Glm(family::Poisson(), Domain(std::move(components)), {0, 20}));
    BoundedWeighting w{0.2 * rng.normals(d), Matrix(d, d), 4, 6, 1.7};
    for (double& entry : w.frame.reshaped()) entry = rng.normal();
    const Position x = rng.normals(d);
    for (const Query& query : {kAskScore(w), kAskInformation(w), Query(MomentsQuery{w.frame, 100, Rho(1)})}) {
      const Measurement part = measure_all_rows({model, {Adjacency::add_remove, 1}, 1})(query)->parts[0];
      const auto alone = [&](std::size_t lane) {
        Rows rows(kTile, dim + 1);
        for (std::size_t j = 0; j < dim; ++j) rows.at(lane, j) = x[static_cast<Eigen::Index>(j)];
        rows.at(lane, dim) = 3;
        rows.weight(lane) = 1;
        return contribution(part, rows);
      };
      for (std::size_t lane = 1; lane < kTile; ++lane)
        EXPECT_EQ(alone(lane), alone(0)) << dim << ", " << lane;
    }
  }
}

// Rows that do not stand by units would each be taken for a unit, at the price of one.
TEST(UnitSums, rows_that_do_not_stand_by_units_are_refused) {
  const BoundedWeighting w{Position::Zero(kDim), Matrix::Identity(kDim, kDim), 1, 1, 1};
  const auto measured =
      measure_all_rows({AnyModel(model_of(kBinary)), unit_of(Adjacency::substitute), 1})(kAskScore(w));
  const Rows rows(4, kDim + 1);
  EXPECT_THROW((void)contribution(measured->parts[0], rows), Error);
}

}  // namespace
}  // namespace sotto::unit_sums
