// Sums over responses in ordered categories, against what is declared and against the question written out: a search over covariates
// and categories, with extreme positions, frames, bounds and weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"
#include "support/unit_search.hpp"

namespace sotto {
namespace {

constexpr std::size_t kNumbers = 2;  // besides the intercept and thresholds

Glm ordinal(std::size_t thresholds) {
  std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
  const auto others = static_cast<Eigen::Index>(thresholds) - 1;
  DomainComponent own{{}, Matrix::Zero(others + 1, others)};
  for (Eigen::Index k = 0; k < others; ++k) {
    own.columns.push_back(1 + k);
    own.vertices(k + 1, k) = 1;
  }
  components.push_back(own);
  for (std::size_t j = 0; j < kNumbers; ++j)
    components.push_back({{1 + others + static_cast<Eigen::Index>(j)}, Matrix{{-1.0}, {1.0}}});
  return Glm(family::CumulativeLogit(), Domain(std::move(components)), {0, static_cast<double>(thresholds)},
             {thresholds, 1});
}

struct Person {
  double x[kNumbers];
  double category;
};

struct OrderedPass {
  std::size_t thresholds;
  std::optional<Measurements> measured;
  Eigen::Index dim;

  OrderedPass(std::size_t thresholds, const Query& query, Adjacency adjacency)
      : thresholds(thresholds),
        measured(
            measure_all_rows({AnyModel(ordinal(thresholds)),
                              {.adjacency = adjacency, .rows_per_unit = thresholds, .pieces = thresholds},
                              1})(query)),
        dim(ordinal(thresholds).domain().columns()) {}

  [[nodiscard]] double sensitivity() const { return measured->parts[0].charge.sensitivity; }
  [[nodiscard]] Position contribution(const Person& person) const {
    Rows rows(thresholds, static_cast<std::size_t>(dim) + 1);
    for (std::size_t k = 0; k < thresholds; ++k) {
      rows.at(k, 0) = 1;
      if (k > 0) rows.at(k, k) = 1;
      for (std::size_t j = 0; j < kNumbers; ++j) rows.at(k, thresholds + j) = person.x[j];
      rows.at(k, static_cast<std::size_t>(dim)) = person.category;
      rows.weight(k) = 1;
    }
    return sotto::contribution(measured->parts[0], rows).cast<double>();
  }
};

Person somebody(std::size_t thresholds, ChainRng& rng) {
  Person person{{}, static_cast<double>(rng.below(thresholds + 1))};
  if (rng.below(2) == 0) person.category = rng.below(2) == 0 ? 0 : static_cast<double>(thresholds);
  for (double& x : person.x) x = rng.below(2) == 0 ? (rng.below(2) == 0 ? -1 : 1) : rng.normal();
  return person;
}

BoundedWeighting ordered_weighting(std::size_t thresholds, ChainRng& rng) {
  const Eigen::Index dim = ordinal(thresholds).domain().columns();
  const auto anywhere = [&] {
    return std::pow(10.0, rng.below(4) == 0 ? 60 * (rng.uniform() - 0.5) : rng.normal());
  };
  BoundedWeighting weighting{1.5 * rng.normals(dim), Matrix(dim, dim), anywhere(), anywhere(), 1};
  if (rng.below(6) == 0) weighting.at *= 1e6;
  weighting.thresholds = Position(static_cast<Eigen::Index>(thresholds));
  for (double& weight : weighting.thresholds) weight = anywhere();
  const double scale = anywhere();
  for (double& entry : weighting.frame.reshaped()) entry = scale * rng.normal();
  return weighting;
}

template <class MakeQuery>
void expect_thresholds_within(const MakeQuery& make, double nearly, std::uint64_t seed) {
  const UnitSearch<OrderedPass, decltype(&ordered_weighting), decltype(&somebody)> search(ordered_weighting,
                                                                                          somebody);
  search.expect_within({2, 3, 9}, make, nearly, seed);
}

TEST(OrderedSums, nobody_moves_a_score_further_than_declared) { expect_thresholds_within(kAskScore, 0.8, 1); }
TEST(OrderedSums, nobody_moves_an_information_further_than_declared) {
  expect_thresholds_within(kAskInformation, 0.6, 2);
}
TEST(OrderedSums, nobody_moves_score_squares_further_than_declared) {
  expect_thresholds_within(kAskSquares, 0.6, 3);
}
TEST(OrderedSums, nobody_moves_squares_of_shortened_scores_further_than_declared) {
  expect_thresholds_within(kAskShortenedSquares, 0.6, 3);
}
TEST(OrderedSums, nobody_moves_light_rows_further_than_declared) {
  expect_thresholds_within(kAskLightRows, 0.5, 4);
}
TEST(OrderedSums, nobody_moves_curves_further_than_declared) {
  expect_thresholds_within(
      [](const BoundedWeighting& w) {
        const Eigen::Index last = w.at.size() - 1;
        return Query(
            CurvesQuery{w.at,
                        1,
                        0,
                        {{last - 1, CurveShape::square, 0, 0.5}, {last, CurveShape::levelling, 0.2, 0.7}},
                        2,
                        Rho(1),
                        w.thresholds});
      },
      0.1, 5);
}
ThresholdEffectsQuery threshold_effects_of(const BoundedWeighting& w, Matrix contrasts) {
  const Eigen::Index last = w.at.size() - 1;
  return {w.at,
          {last - 1, last},
          Position{{0, 0.2}},
          Position{{0.5, 0.7}},
          std::move(contrasts),
          w.thresholds,
          0.3,
          w.score_bound,
          Rho(1)};
}
TEST(OrderedSums, nobody_moves_threshold_effects_further_than_declared) {
  expect_thresholds_within(
      [](const BoundedWeighting& w) {
        ChainRng rng(1);
        Matrix contrasts(w.thresholds.size(), 2);
        for (double& entry : contrasts.reshaped()) entry = rng.normal();
        return Query(threshold_effects_of(w, w.thresholds.mean() * contrasts));
      },
      0.8, 7);
}
TEST(OrderedSums, nobody_moves_counts_further_than_declared) {
  expect_thresholds_within(
      [](const BoundedWeighting& w) {
        const auto top = static_cast<double>(w.thresholds.size());
        return Query(HistogramQuery{HistogramOf::response, Position(),
                                    Position::LinSpaced(w.thresholds.size() + 2, -0.5, top + 0.5), Rho(1)});
      },
      0.5, 6);
}

TEST(OrderedSums, weights_must_be_those_of_all_thresholds) {
  const Eigen::Index dim = ordinal(3).domain().columns();
  BoundedWeighting weighting{Position::Zero(dim), Matrix::Identity(dim, dim), 1, 1, 1};
  const auto is_answered = [&] {
    return OrderedPass(3, BoundedScoreQuery{weighting, Rho(1)}, Adjacency::substitute).measured.has_value();
  };
  EXPECT_FALSE(is_answered());
  weighting.thresholds = Position{{1, 2, 1}};
  EXPECT_TRUE(is_answered());
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    weighting.thresholds[1] = wrong;
    EXPECT_FALSE(is_answered()) << wrong;
  }
}

// s and its mean matrix as release/regression_query.hpp has them; over the law at the position s has mean zero, whatever its weight.
TEST(OrderedSums, add_up_what_the_question_says) {
  constexpr std::size_t kThresholds = 3;
  const Position at{{0.4, -1.2, -2.5, 0.7, -0.3}};
  const Eigen::Index dim = at.size();
  ChainRng rng(7);
  Matrix frame(dim, dim);
  for (double& entry : frame.reshaped()) entry = rng.normal();
  const Person person{{0.5, -0.8}, 0};
  for (const auto& [bound, trace] : {std::pair{20.0, 200.0}, {1.0, 10.0}, {0.05, 0.5}, {10.0, 0.5}}) {
    const BoundedWeighting weighting{at, frame, bound, trace, 1, 0, Position{{1, 0.5, 2}}};
    const OrderedPass score(kThresholds, BoundedScoreQuery{weighting, Rho(1)}, Adjacency::substitute);
    const OrderedPass information(kThresholds, BoundedInformationQuery{weighting, Rho(1)},
                                  Adjacency::substitute);
    const OrderedPass squares(kThresholds, ScoreSquaresQuery{weighting, Rho(1)}, Adjacency::substitute);
    Matrix z(dim, kThresholds);
    Position means(kThresholds), residuals(kThresholds);
    for (Eigen::Index k = 0; k < 3; ++k) {
      Position x{{1, 0, 0, person.x[0], person.x[1]}};
      if (k > 0) x[k] = 1;
      z.col(k) = frame * x;
      means[k] = 1 / (1 + std::exp(-x.dot(at)));
    }
    const auto score_of = [&](double category) {
      for (Eigen::Index k = 0; k < 3; ++k)
        residuals[k] = weighting.thresholds[k] * ((category > static_cast<double>(k) ? 1 : 0) - means[k]);
      return Position(z * residuals);
    };
    double largest = 0;
    for (int k = 0; k <= 3; ++k) largest = std::max(largest, score_of(k).norm());
    const Position slopes = weighting.thresholds.array() * means.array() * (1 - means.array());
    const Matrix mean_matrix = z * slopes.asDiagonal() * z.transpose();
    const double c = std::min({1.0, bound / largest, trace / mean_matrix.trace()});
    Position zero = Position::Zero(dim);
    for (int k = 0; k <= 3; ++k) {
      const Position s = c * score_of(k);
      const Position released = score.contribution({{person.x[0], person.x[1]}, static_cast<double>(k)});
      const double grid = s.norm() / released.norm();
      EXPECT_LT((grid * released - s).norm(), 1e-3 * s.norm());
      const double probability = (k == 0 ? 1 : means[k - 1]) - (k == 3 ? 0 : means[k]);
      zero += probability * released;
      const Position square = squares.contribution({{person.x[0], person.x[1]}, static_cast<double>(k)});
      EXPECT_NEAR(square.norm() / squares.sensitivity() * std::sqrt(2.0) * bound * bound, s.squaredNorm(),
                  1e-3 * s.squaredNorm());
    }
    EXPECT_LT(zero.norm(), 1e-3 * score.sensitivity());
    const Position released = information.contribution(person);
    const double size = information.sensitivity() / (std::sqrt(2.0) * trace);  // of the grid
    EXPECT_NEAR(released.norm() / size, c * mean_matrix.norm(), 2e-3 * c * mean_matrix.norm());
    EXPECT_NEAR(released[0] / released.norm(), mean_matrix(0, 0) / mean_matrix.norm(), 2e-3);
    EXPECT_NEAR(released[1] / released.norm(), std::sqrt(2.0) * mean_matrix(0, 1) / mean_matrix.norm(), 2e-3);
  }
}

/// P(y > k) of three thresholds.
Position beyond_thresholds(const Position& at, const Person& person) {
  Position means(3);
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double eta = at[0] + (k > 0 ? at[k] : 0) + at[3] * person.x[0] + at[4] * person.x[1];
    means[k] = 1 / (1 + std::exp(-eta));
  }
  return means;
}

// v as release/regression_query.hpp has it; over the law at the position it has mean zero, whatever its weight.
TEST(OrderedSums, threshold_effects_add_up_what_the_question_says) {
  const Position at{{0.4, -1.2, -2.5, 0.7, -0.3}};
  const Matrix contrasts{{1, 0.3}, {-0.5, 1.2}, {0.8, -2}};
  const Position tails{{0.6, -1, 1.5}};
  const Person person{{0.5, -0.8}, 0};
  const Position q{{0.5 / 0.5, (-0.8 - 0.2) / 0.7}};
  for (const double bound : {20.0, 1.0}) {
    const BoundedWeighting weighting{at, Matrix(), bound, 1, 1, 0, tails};
    const ThresholdEffectsQuery query = threshold_effects_of(weighting, contrasts);
    const OrderedPass pass(3, query, Adjacency::substitute);
    const Position means = beyond_thresholds(at, person);
    const auto vector_of = [&](int category) {
      Position v = Position::Zero(5);
      for (Eigen::Index k = 0; k < 3; ++k) {
        const double r = (category > k ? 1 : 0) - means[k];
        v.head(2) += contrasts(k, 0) * r * q;
        v.segment(2, 2) += contrasts(k, 1) * r * q;
        v[4] += tails[k] * (std::pow(1 - 2 * means[k], 2) - query.level) * r;
      }
      return v;
    };
    double largest = 0;
    for (int k = 0; k <= 3; ++k) largest = std::max(largest, vector_of(k).norm());
    Position zero = Position::Zero(5);
    for (int k = 0; k <= 3; ++k) {
      const Position v = std::min(1.0, bound / largest) * vector_of(k);
      const Position released = pass.contribution({{person.x[0], person.x[1]}, static_cast<double>(k)}) *
                                (2 * bound / pass.sensitivity());
      EXPECT_LT((released - v).norm(), 1e-6 * bound);
      zero += ((k == 0 ? 1 : means[k - 1]) - (k == 3 ? 0 : means[k])) * released;
    }
    EXPECT_LT(zero.norm(), 1e-6 * bound);
  }
}

// c psi q as release/regression_query.hpp has it, once a response; over the law at the position it has mean zero.
TEST(OrderedSums, curves_add_up_what_the_question_says) {
  const Position at{{0.4, -1.2, -2.5, 0.7, -0.3}};
  const Position weights{{1, 0.5, 2}};
  const Person person{{0.5, -0.8}, 0};
  const Position q{{1 - CurvesQuery::kMeanSquare, (2.0 - 1) / (2.0 + 1)}};
  for (const double bound : {20.0, 0.3}) {
    const CurvesQuery query{
        at,    1,      0,      {{3, CurveShape::square, 0, 0.5}, {4, CurveShape::levelling, -1, 0.1}},
        bound, Rho(1), weights};
    const OrderedPass pass(3, query, Adjacency::substitute);
    const Position means = beyond_thresholds(at, person);
    const auto psi_of = [&](int category) {
      double psi = 0;
      for (Eigen::Index k = 0; k < 3; ++k) psi += weights[k] * ((category > k ? 1 : 0) - means[k]);
      return psi;
    };
    const double c = std::min(1.0, bound / (std::max(-psi_of(0), psi_of(3)) * q.norm()));
    Position zero = Position::Zero(2);
    for (int k = 0; k <= 3; ++k) {
      const Position released = pass.contribution({{person.x[0], person.x[1]}, static_cast<double>(k)}) *
                                (2 * bound / pass.sensitivity());
      EXPECT_LT((released - c * psi_of(k) * q).norm(), 1e-6 * bound);
      zero += ((k == 0 ? 1 : means[k - 1]) - (k == 3 ? 0 : means[k])) * released;
    }
    EXPECT_LT(zero.norm(), 1e-6 * bound);
  }
}

TEST(OrderedSums, threshold_effects_are_asked_of_ordered_categories_alone) {
  const BoundedWeighting weighting{Position::Zero(5), Matrix(), 1, 1, 1, 0, Position::Ones(3)};
  ThresholdEffectsQuery query = threshold_effects_of(weighting, Matrix::Ones(3, 1));
  const auto is_answered = [&](const AnyModel& model) {
    return measure_all_rows({model, {.rows_per_unit = 3, .pieces = 3}, 1})(query).has_value();
  };
  EXPECT_TRUE(is_answered(ordinal(3)));
  EXPECT_FALSE(is_answered(Glm(family::Bernoulli(), ordinal(3).domain(), {0, 1})));
  query.contrasts = Matrix::Ones(2, 1);
  EXPECT_FALSE(is_answered(ordinal(3)));
}

}  // namespace
}  // namespace sotto
