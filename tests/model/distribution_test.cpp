// Distributions of one column as models of rows: their densities, and bounds that hold for every row and are reached.
#include <gtest/gtest.h>

#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <vector>

#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/distribution/gamma.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace distribution_law {
namespace {

/// By differences.
template <RowModel M>
void expect_gradient(const M& model, double value, const Position& at) {
  constexpr double kStep = 1e-6;
  const std::span row(&value, 1);
  Position gradient(at.size());
  model.gradient(row, at, gradient);
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const Position move = kStep * Position::Unit(at.size(), j);
    const double slope =
        (model.log_density(row, at + move) - model.log_density(row, at - move)) / (2 * kStep);
    EXPECT_NEAR(gradient[j], slope, 1e-6 * (1 + std::abs(slope)));
  }
}

TEST(Distribution, categorical_is_the_law_of_its_name) {
  const distribution::Categorical model(4);
  const Position at{{0.3, -2, 1}};
  double total = 0;
  for (const double level : {0.0, 1.0, 2.0, 3.0}) {
    total += std::exp(model.log_density(std::span(&level, 1), at));
    expect_gradient(model, level, at);
  }
  EXPECT_NEAR(total, 1, 1e-12);
  const double second = 2;
  const double first = 0;
  EXPECT_NEAR(model.log_density(std::span(&second, 1), at) - model.log_density(std::span(&first, 1), at), -2,
              1e-12);
  for (const double none : {-1.0, 4.0, 0.5, double{NAN}}) {
    EXPECT_EQ(model.log_density(std::span(&none, 1), at), 0);
    expect_gradient(model, none, at);
  }
}

TEST(Distribution, gamma_is_the_law_of_its_name) {
  const distribution::Gamma model({0.01, 50});
  const Position at{{std::log(3.0), std::log(0.7)}};
  const Position there{{std::log(2.0), std::log(1.9)}};
  const auto log_density = [](double y, double mean, double shape) {
    return std::log(boost::math::pdf(boost::math::gamma_distribution<>(shape, mean / shape), y));
  };
  for (const double y : {0.02, 1.0, 3.0, 40.0}) {
    EXPECT_NEAR(model.log_density(std::span(&y, 1), there) - model.log_density(std::span(&y, 1), at),
                log_density(y, 2, 1.9) - log_density(y, 3, 0.7), 1e-9);
    expect_gradient(model, y, at);
  }
}

/// Over legal rows and rows that are none; `least`: what of a bound some row reaches.
template <RowModel M>
void expect_bounds(const M& model, const std::vector<double>& values, double least, std::uint64_t seed) {
  ChainRng rng(seed);
  for (int trial = 0; trial < 300; ++trial) {
    const Position from = rng.normals(model.dim());
    const Position to = from + 0.5 * rng.normals(model.dim());
    const Position scale = rng.normals(model.dim()).array().exp();
    const Interval range = model.ratio_range(from, to);
    const VectorBound bound = model.gradient_bound(from, scale);
    Interval seen{0, 0};
    double longest = 0;
    Position gradient(model.dim());
    for (const double& value : values) {
      const std::span row(&value, 1);
      const double ratio = model.log_density(row, to) - model.log_density(row, from);
      seen = hull(seen, {ratio, ratio});
      model.gradient(row, from, gradient);
      longest = std::fmax(longest, gradient.cwiseProduct(scale).norm());
    }
    EXPECT_LE(range.lower, seen.lower + 1e-12);
    EXPECT_GE(range.upper, seen.upper - 1e-12);
    EXPECT_NEAR(seen.lower, range.lower, 0.01 * range.width());
    EXPECT_NEAR(seen.upper, range.upper, 0.01 * range.width());
    EXPECT_LE(longest, bound.norm * (1 + 1e-12));
    EXPECT_GE(longest, least * bound.norm);
    EXPECT_EQ(bound.diameter, 2 * bound.norm);
  }
}

TEST(Distribution, bounds_enclose_every_row_and_are_reached) {
  expect_bounds(distribution::Categorical(5), {0, 1, 2, 3, 4, 5, -1, NAN}, 1 - 1e-9, 1);
  std::vector<double> values = {-1, 0, 1e9, NAN};
  for (double y = 0.1; y <= 9; y *= 1.01) values.push_back(y);
  values.push_back(9);
  // Both derivatives are largest at once only at an end: elsewhere the bound is up to sqrt(2) too wide.
  expect_bounds(distribution::Gamma({0.1, 9}), values, 0.7, 2);
}

// The same integers as row by row, also where tasks clamp and shorten.
TEST(Distribution, levels_are_counted_as_rows_would_be) {
  const distribution::Categorical model(3);
  const PerRow<distribution::Categorical> by_rows(model);
  const std::vector<double> values = {0, 1, 1, 2, 2, 2, 5, NAN, 1, 0, 2};
  Rows rows(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows.at(i, 0) = values[i];
    rows.weight(i) = i == 3 ? 0 : 1;
  }
  const Position from{{0.3, -1}};
  const Position to{{-0.2, 1.5}};
  const std::vector<RatioTask> ratios = {{&from, &to, -1000000, 1000000}, {&to, &from, -1000, 700}};
  const std::vector<GradientTask> gradients = {{&from, Position{{1000, 500}}, 1e9, 2e9},
                                               {&to, Position{{1000, 2000}}, 600, 1200}};
  const auto sums = [&](const auto& counted, auto add, std::size_t size) {
    std::vector<std::int64_t> all(size, 0);
    add(counted, std::span<std::int64_t>(all));
    return all;
  };
  const auto add_ratios = [&](const auto& m, std::span<std::int64_t> out) {
    m.add_ratios(rows, 0, rows.tiles(), ratios, 4096, out);
  };
  const auto add_gradients = [&](const auto& m, std::span<std::int64_t> out) {
    m.add_gradients(rows, 0, rows.tiles(), gradients, out);
  };
  EXPECT_EQ(sums(model, add_ratios, 2), sums(by_rows, add_ratios, 2));
  EXPECT_EQ(sums(model, add_gradients, 4), sums(by_rows, add_gradients, 4));
  EXPECT_NE(sums(model, add_ratios, 2)[0], 0);
}

// A leapfrog step may end there.
TEST(Distribution, a_gamma_shape_that_is_no_number_has_no_finite_bound) {
  const distribution::Gamma model({0.1, 9});
  const double y = 2;
  for (const double log_shape : {-800.0, 800.0, std::nan("")}) {
    const Position at{{0.5, log_shape}};
    EXPECT_FALSE(std::isfinite(model.gradient_bound(at, Position::Ones(2)).norm)) << log_shape;
    Position gradient(2);
    EXPECT_NO_THROW(model.gradient(std::span(&y, 1), at, gradient)) << log_shape;
  }
}

TEST(Distribution, gamma_needs_bounds_that_hold_a_logarithm) {
  EXPECT_THROW(distribution::Gamma({0, 9}), Error);
  EXPECT_THROW(distribution::Gamma({0.1, HUGE_VAL}), Error);
}

}  // namespace
}  // namespace distribution_law
}  // namespace sotto
