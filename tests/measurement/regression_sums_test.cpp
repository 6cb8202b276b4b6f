// The sensitivities of release-once's questions, against the integers that rows really contribute: random search and hill
// climbing over pairs of rows, with extreme bounds, frames and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/bounded_row.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kDim = 3;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Case {
  GlmFamily family;
  Interval response;
  Link link;
};
const Case kCases[] = {{family::Bernoulli(), {0, 1}, Link::logit},
                       {family::Poisson(), {0, 20}, Link::log},
                       {family::Poisson(), {0, 1e9}, Link::log},
                       {family::Normal(), {-3, 5}, Link::identity},
                       {family::Normal{0.7}, {-1e150, 1e150}, Link::identity}};

Glm model_of(const Case& one) {
  std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
  for (Eigen::Index j = 1; j < kDim; ++j) components.push_back({{j}, Matrix{{-1.0}, {1.0}}});
  return Glm(one.family, Domain(std::move(components)), one.response);
}

struct Row {
  Position x;
  double y;
};

/// Corners, the origin, points between; now and then what no decoded row holds.
Row some_row(const Case& one, ChainRng& rng) {
  Row row{Position(kDim), 0};
  const std::size_t kind = rng.below(8);
  for (double& value : row.x) {
    value = kind < 4    ? (rng.below(2) == 0 ? -1.0 : 1.0)
            : kind == 4 ? 0.0
            : kind == 5 ? 1e200 * rng.normal()
                        : rng.normal();
  }
  if (kind == 7 && rng.below(4) == 0) row.x[0] = kNaN;
  row.y = one.response.lower + one.response.width() * rng.uniform();
  if (rng.below(2) == 0) row.y = rng.below(2) == 0 ? one.response.lower : one.response.upper;
  if (one.link != Link::identity) row.y = std::round(row.y);
  if (rng.below(50) == 0) row.y = kNaN;
  return row;
}

Row nudged(Row row, const Case& one, ChainRng& rng) {
  row.x[static_cast<Eigen::Index>(rng.below(kDim))] += rng.normal() * std::pow(10.0, -3 * rng.uniform());
  if (one.link == Link::identity) {
    row.y =
        std::clamp(row.y + 0.1 * one.response.width() * rng.normal(), one.response.lower, one.response.upper);
  } else if (rng.below(2) == 0) {
    row.y = std::clamp(row.y + (rng.below(2) == 0 ? 1.0 : -1.0), one.response.lower, one.response.upper);
  }
  return row;
}

BoundedWeighting some_weighting(ChainRng& rng) {
  const auto anywhere = [&] {
    return std::pow(10.0, rng.below(4) == 0 ? 120 * (rng.uniform() - 0.5) : rng.normal());
  };
  BoundedWeighting weighting{1.5 * rng.normals(kDim), Matrix(kDim, kDim), anywhere(), anywhere(), anywhere()};
  if (rng.below(6) == 0) weighting.at *= 1e6;
  if (rng.below(2) == 0) weighting.dispersion = anywhere();
  const double scale = anywhere();
  for (double& entry : weighting.frame.reshaped()) entry = scale * rng.normal();
  return weighting;
}

/// A question's own pass over one row, and what it says one row can do.
class Asked {
 public:
  Asked(const Case& one, const Query& query, Adjacency adjacency)
      : measured_(measure_all_rows({AnyModel(model_of(one)), {adjacency, 1}, 1})(query)) {}

  [[nodiscard]] bool answered() const { return measured_.has_value(); }
  [[nodiscard]] double sensitivity() const { return measured_->parts[0].charge.sensitivity; }
  [[nodiscard]] std::vector<double> contribution(const Row& row) const {
    Rows rows(1, kDim + 1);
    for (Eigen::Index j = 0; j < kDim; ++j) rows.at(0, static_cast<std::size_t>(j)) = row.x[j];
    rows.at(0, kDim) = row.y;
    rows.weight(0) = 1;
    const auto& pass = std::get<RowPass>(measured_->parts[0].pass);
    std::vector<std::int64_t> sums(pass.entries, 0);
    pass.add(rows, 0, 1, std::span(sums));
    return {sums.begin(), sums.end()};
  }

 private:
  std::optional<Measurements> measured_;
};

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double entry : v) sum += entry * entry;
  return std::sqrt(sum);
}
double distance(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= b[j];
  return norm(a);
}

/// Searches for the pair of rows (add/remove: the row) that moves the sum most; returns the largest move over the declared.
double search(const Case& one, const Query& query, Adjacency adjacency, ChainRng& rng) {
  const Asked asked(one, query, adjacency);
  if (!asked.answered()) return 0;
  const bool pairs = adjacency == Adjacency::substitute;
  double worst = 0;
  for (int start = 0; start < 6; ++start) {
    Row a = some_row(one, rng);
    Row b = some_row(one, rng);
    const auto move = [&](const Row& left, const Row& right) {
      const auto v = asked.contribution(left);
      return pairs ? std::max(distance(v, asked.contribution(right)), norm(v)) : norm(v);
    };
    double best = move(a, b);
    for (int step = 0; step < 40; ++step) {
      const Row to = rng.below(4) == 0 ? some_row(one, rng) : nudged(a, one, rng);
      const Row other = rng.below(4) == 0 ? some_row(one, rng) : nudged(b, one, rng);
      const double value = move(to, other);
      if (value >= best) {
        best = value;
        a = to;
        b = other;
      }
    }
    worst = std::max(worst, best / asked.sensitivity());
  }
  return worst;
}

template <class MakeQuery>
void expect_bounds_hold(const MakeQuery& make, double nearly, std::uint64_t seed,
                        const std::vector<int>& out_of_reach = {}) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    for (const Case& one : kCases) {
      ChainRng rng(seed);
      double worst = 0;
      for (int trial = 0; trial < 60; ++trial)
        worst = std::max(worst, search(one, make(rng), adjacency, rng));
      EXPECT_LE(worst, 1) << static_cast<int>(one.link) << " " << one.response.upper;
      const bool reachable =
          std::find(out_of_reach.begin(), out_of_reach.end(), &one - kCases) == out_of_reach.end();
      if (nearly > 0 && reachable) {
        EXPECT_GT(worst, nearly) << static_cast<int>(one.link) << " " << one.response.upper;
      }
    }
  }
}

TEST(RegressionSums, no_row_moves_a_score_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        return BoundedScoreQuery{some_weighting(rng), Rho(1)};
      },
      0.9, 1);
}
TEST(RegressionSums, no_row_moves_an_information_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        return BoundedInformationQuery{some_weighting(rng), Rho(1)};
      },
      0.9, 2, {4});  // no residual below the clip where responses reach 1e150
}
TEST(RegressionSums, no_row_moves_score_squares_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        return ScoreSquaresQuery{some_weighting(rng), Rho(1)};
      },
      0.8, 3);
}
TEST(RegressionSums, no_row_moves_moments_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        const BoundedWeighting w = some_weighting(rng);
        return MomentsQuery{w.frame, w.score_bound, Rho(1)};
      },
      0.9, 4);
}
TEST(RegressionSums, no_row_moves_residual_squares_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        const BoundedWeighting w = some_weighting(rng);
        return ResidualSquaresQuery{w.at, w.clip, Rho(1)};
      },
      0, 5);
}
TEST(RegressionSums, no_row_moves_a_histogram_further_than_declared) {
  const auto ask = [](HistogramOf quantity) {
    return [quantity](ChainRng& rng) -> Query {
      return HistogramQuery{quantity, rng.normals(kDim), Position{{-1, 0, 0.5, 1, 4, 9}}, Rho(1)};
    };
  };
  expect_bounds_hold(ask(HistogramOf::response), 0.9, 6);
  expect_bounds_hold(ask(HistogramOf::log_response), 0.9, 6, {4});  // in the last bin, or no number
  expect_bounds_hold(ask(HistogramOf::residual), 0.9, 6);
  expect_bounds_hold(
      [&](ChainRng& rng) {
        auto split = std::get<HistogramQuery>(ask(HistogramOf::residual)(rng));
        split.split = rng.normal();
        return Query(split);
      },
      0.9, 6);
  expect_bounds_hold(ask(HistogramOf::absolute_residual), 0.9, 6, {4});  // all of them in the last bin
}
TEST(RegressionSums, a_row_is_counted_in_one_half_of_a_split_histogram) {
  HistogramQuery query{HistogramOf::residual, Position{{0, 1, 0}}, Position{{-9, 0, 9}}, Rho(1)};
  query.split = 0.5;
  const Asked asked(kCases[3], query, Adjacency::substitute);
  const double one = asked.contribution({Position{{0, 0, 0}}, 1})[1];
  EXPECT_GT(one, 0);
  using Counts = std::vector<double>;
  EXPECT_EQ(asked.contribution({Position{{0, 0, 0}}, 1}), (Counts{0, one, 0, 0}));
  EXPECT_EQ(asked.contribution({Position{{0, 1, 0}}, 2}), (Counts{0, 0, 0, one}));
  EXPECT_EQ(asked.contribution({Position{{0, 1, 0}}, 0}), (Counts{0, 0, one, 0}));
}
TEST(RegressionSums, what_no_law_of_counts_is_computed_for_is_not_asked) {
  const Position zero = Position::Zero(kDim);
  for (const double dispersion : {1e7, 3e295, HUGE_VAL, kNaN, -1.0}) {
    BoundedWeighting weighting{zero, Matrix::Identity(kDim, kDim), 1, 1, 1};
    weighting.dispersion = dispersion;
    EXPECT_FALSE(Asked(kCases[1], BoundedScoreQuery{weighting, Rho(1)}, Adjacency::substitute).answered());
    const CurvesQuery curves{zero, 1, dispersion, {{.column = 1}}, 1, Rho(1)};
    EXPECT_FALSE(Asked(kCases[1], curves, Adjacency::substitute).answered());
  }
  const CurvesQuery wide{zero, HUGE_VAL, 0, {{.column = 1}}, 1, Rho(1)};
  EXPECT_FALSE(Asked(kCases[1], wide, Adjacency::substitute).answered());
}
TEST(RegressionSums, curves_are_not_asked_where_bounds_lose_digits) {
  for (const double bound : {0.0, -1.0, 1e300, 0x1p-890, HUGE_VAL, kNaN}) {
    const CurvesQuery curves{Position::Zero(kDim), 1, 0, {{.column = 1}}, bound, Rho(1)};
    EXPECT_FALSE(Asked(kCases[1], curves, Adjacency::substitute).answered()) << bound;
  }
}
TEST(RegressionSums, a_contribution_counts_as_far_as_its_length_is_a_number_and_its_weight_keeps_digits) {
  EXPECT_EQ(weight_within(2, 0), 1);
  EXPECT_EQ(weight_within(2, 2), 1);
  EXPECT_EQ(weight_within(2, 8), 0.25);
  EXPECT_EQ(weight_within(2, HUGE_VAL), 0);
  EXPECT_EQ(weight_within(2, kNaN), 0);
  EXPECT_EQ(weight_within(1e-200, 1e90), 0);
}
TEST(RegressionSums, no_row_moves_curves_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        const BoundedWeighting w = some_weighting(rng);
        const CurveShape shape = rng.below(2) == 0 ? CurveShape::square : CurveShape::levelling;
        return CurvesQuery{
            w.at,         w.clip,
            w.dispersion, {{1, shape, rng.normal(), 0.3}, {2, CurveShape::square, rng.normal(), 2}},
            0.3,          Rho(1)};
      },
      0.9, 4);
}
RemainderQuery some_remainder(ChainRng& rng) {
  const BoundedWeighting w = some_weighting(rng);
  const double wider = 1 + std::pow(10.0, rng.below(4) == 0 ? 20 * (rng.uniform() - 0.5) : rng.normal());
  const double bound = rng.below(2) == 0 ? (wider - 1) * w.score_bound : std::pow(10.0, rng.normal());
  return {w, wider * w.clip, bound, Rho(1)};
}
TEST(RegressionSums, no_row_moves_a_remainder_further_than_declared) {
  expect_bounds_hold([](ChainRng& rng) { return Query(some_remainder(rng)); }, 0.9, 11,
                     {0});  // not asked of these
}
TEST(RegressionSums, no_row_moves_light_rows_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        return LightRowsQuery{some_weighting(rng), Rho(1)};
      },
      0.9, 12);
}
TEST(RegressionSums, no_row_moves_column_histograms_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng&) -> Query {
        return ColumnHistogramsQuery{{0, 1, 2}, {{-1, 2}, {-0.5, 0.5}, {-1e-9, 1e-9}}, 16, Rho(1)};
      },
      0.9, 9);
}
TEST(RegressionSums, no_row_moves_grouped_residuals_further_than_declared) {
  expect_bounds_hold(
      [](ChainRng& rng) -> Query {
        return GroupedResidualsQuery{rng.normals(kDim),
                                     Position{{-1, 0, 0.5, 1, 4, 9}},
                                     {{{0}, Position{{0}}}, {{2, 1}, Position{{0.1, 0}}, 3}},
                                     Rho(1)};
      },
      0.9, 13, {0});  // not asked of these
}
TEST(RegressionSums, a_row_is_counted_once_in_every_grouping) {
  const GroupedResidualsQuery query{Position{{0, 1, 0}},
                                    Position{{-9, 0, 9}},
                                    {{{1}, Position{{0.5}}}, {{2, 0}, Position{{1, 2}}}},
                                    Rho(1)};
  const Asked asked(kCases[3], query, Adjacency::substitute);
  const auto bins_of = [&](const Position& x, double y) {
    const auto entries = asked.contribution({x, y});
    std::vector<std::size_t> bins;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (entries[k] != 0) bins.push_back(k);
    }
    return bins;
  };
  using Bins = std::vector<std::size_t>;
  EXPECT_EQ(bins_of(Position{{0, 0.5, 1}}, 1), (Bins{1, 5}));   // both first groups, above the mean
  EXPECT_EQ(bins_of(Position{{2, 0.4, 1}}, 0), (Bins{2, 4}));   // the first column that reaches its cut
  EXPECT_EQ(bins_of(Position{{2, 0.4, 0}}, 0), (Bins{2, 6}));   // the second one
  EXPECT_EQ(bins_of(Position{{1, 0.4, 0}}, 30), (Bins{3, 9}));  // none; beyond the last edge
}
TEST(RegressionSums, ends_of_a_window_are_counted_apart) {
  const Asked asked(kCases[0], ColumnHistogramsQuery{{0, 2}, {{-1, 1}, {0, 0.5}}, 4, Rho(1)},
                    Adjacency::substitute);
  const auto bins_of = [&](double x, double z) {
    const auto entries = asked.contribution({Position{{x, 0, z}}, 0});
    std::vector<std::size_t> bins;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (entries[k] != 0) bins.push_back(k);
    }
    return bins;
  };
  using Bins = std::vector<std::size_t>;
  EXPECT_EQ(bins_of(-1, 0.5), (Bins{0, 11}));
  EXPECT_EQ(bins_of(1, 0), (Bins{5, 6}));
  EXPECT_EQ(bins_of(-0.9, 0.45), (Bins{1, 10}));
  EXPECT_EQ(bins_of(-2, 1), (Bins{0, 11}));
  EXPECT_EQ(bins_of(0, 0.25), (Bins{3, 9}));
}
TEST(RegressionSums, no_row_moves_a_total_further_than_declared) {
  expect_bounds_hold([](ChainRng&) -> Query { return TotalQuery{TotalOf::rows, Rho(1)}; }, 0.9, 7);
  expect_bounds_hold([](ChainRng&) -> Query { return TotalQuery{TotalOf::ones, Rho(1)}; }, 0, 8);
}

// In [-1, 1] an exchange would move the sum by two, and the price is that of one.
TEST(RegressionSums, ones_are_counted_of_responses_between_0_and_1_alone) {
  const auto answered = [](const Interval& response) {
    const Case one{family::Normal(), response, Link::identity};
    return Asked(one, TotalQuery{TotalOf::ones, Rho(1)}, Adjacency::substitute).answered();
  };
  EXPECT_TRUE(answered({0, 1}));
  EXPECT_TRUE(answered({0.25, 0.5}));
  EXPECT_FALSE(answered({-1, 1}));
  EXPECT_FALSE(answered({-1e-9, 0.5}));
  EXPECT_FALSE(answered({0, 1.000001}));
}

TEST(RegressionSums, units_of_several_rows_cost_so_many_times_the_sensitivity) {
  ChainRng rng(9);
  const BoundedScoreQuery query{some_weighting(rng), Rho(1)};
  const auto sensitivity = [&](std::size_t rows) {
    return measure(query, OwnerContext{AnyModel(model_of(kCases[0])), {Adjacency::substitute, rows}, 1})
        ->parts[0]
        .charge.sensitivity;
  };
  EXPECT_GE(sensitivity(5), 5 * sensitivity(1) * (1 - 1e-12));
}

// Entries against the plain arithmetic of support/bounded_row.hpp, for one row of each family.
TEST(RegressionSums, scores_and_informations_are_the_definition) {
  ChainRng rng(10);
  for (const Case& one : kCases) {
    if (one.response.upper > 100) continue;
    for (int trial = 0; trial < 50; ++trial) {
      BoundedWeighting w{rng.normals(kDim), Matrix(kDim, kDim), 0.5 + rng.uniform(), 0.5 + rng.uniform(),
                         0.5 + 2 * rng.uniform()};
      for (double& entry : w.frame.reshaped()) entry = rng.normal();
      Row row{rng.normals(kDim), one.response.upper};
      if (rng.below(2) == 0) row.y = one.response.lower;
      if (rng.below(2) == 0) w.dispersion = rng.uniform();
      const Position z = w.frame * row.x;
      const auto r = testing_reference::bounded_residual(
          one.link, row.y, testing_reference::mean_at(one.link, row.x.dot(w.at)), w.clip, w.dispersion);
      const double c = std::min({1.0, w.score_bound / (r.largest * z.norm()),
                                 w.information_bound / (r.largest_slope * z.squaredNorm())});
      const Asked score(one, BoundedScoreQuery{w, Rho(1)}, Adjacency::substitute);
      const auto entries = score.contribution(row);
      const double grid = std::ldexp(1.0, std::ilogb(w.score_bound) - 29);
      for (Eigen::Index j = 0; j < kDim; ++j) {
        EXPECT_NEAR(entries[static_cast<std::size_t>(j)] * grid, c * r.psi * z[j], 2e-7);
      }
      const Asked information(one, BoundedInformationQuery{w, Rho(1)}, Adjacency::substitute);
      const double coarse = std::ldexp(1.0, std::ilogb(w.information_bound * (1 + 0x1p-48)) - 29);
      EXPECT_NEAR(information.contribution(row)[0] * coarse, c * r.slope * z[0] * z[0], 2e-7);

      const Asked light(one, LightRowsQuery{w, Rho(1)}, Adjacency::substitute);
      const double step = std::ldexp(1.0, -29);
      EXPECT_NEAR(light.contribution(row)[0] * step, c < 0.5 ? 0.5 : 0, 2e-7);
      EXPECT_NEAR(light.contribution(row)[1] * step, std::min(c, 1 - c) * r.psi * z[0] / w.score_bound, 2e-7);

      if (one.link == Link::logit) continue;
      // Bounds on what a wider clip adds: half and twice of what one row may add.
      const double wide = w.clip * (1 + 2 * rng.uniform());
      const double mean = testing_reference::mean_at(one.link, row.x.dot(w.at));
      const auto added = [&](double y) {
        return testing_reference::bounded_residual(one.link, y, mean, wide, w.dispersion).psi -
               testing_reference::bounded_residual(one.link, y, mean, w.clip, w.dispersion).psi;
      };
      const double far = one.link == Link::log ? std::ceil(mean + 1e4) : mean + 1e4;
      const double most =
          std::max(std::abs(added(far)), std::abs(added(one.link == Link::log ? 0 : mean - 1e4)));
      const double bound = (rng.below(2) == 0 ? 0.5 : 2) * most * z.norm();
      const Asked remainder(one, RemainderQuery{w, wide, bound, Rho(1)}, Adjacency::substitute);
      const double fine = std::ldexp(1.0, std::ilogb(bound) - 29);
      EXPECT_NEAR(remainder.contribution(row)[0] * fine,
                  std::min(c, bound / (most * z.norm())) * added(row.y) * z[0], 1e-6 * (1 + most));
    }
  }
}

}  // namespace
}  // namespace sotto
