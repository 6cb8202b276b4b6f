#include "sotto/mixture/density_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"

namespace sotto::mixture {
namespace {

double normal(double x, double mean, double sd) {
  return std::exp(-0.5 * (x - mean) * (x - mean) / (sd * sd)) / (sd * std::sqrt(2 * std::numbers::pi));
}

// Random curves: the stated share of the draws lies wholly in the simultaneous band, fewer in the pointwise
// one.
TEST(DensityBands, cover_what_they_say) {
  ChainRng rng(1);
  const int draws = 2000;
  const int points = 40;
  Matrix curves(draws, points);
  for (int s = 0; s < draws; ++s) {
    const double a = rng.normal();
    const double b = rng.normal();
    for (int x = 0; x < points; ++x) curves(s, x) = std::exp(std::sin(0.2 * x) * a + std::cos(0.3 * x) * b);
  }
  const DensityBands bands = density_bands(curves, 0.9);
  int within = 0;
  int within_pointwise = 0;
  std::vector<int> at_point(points);
  for (int s = 0; s < draws; ++s) {
    bool inside = true;
    bool inside_pointwise = true;
    for (int x = 0; x < points; ++x) {
      inside = inside && curves(s, x) >= bands.simultaneous_lower[x] &&
               curves(s, x) <= bands.simultaneous_upper[x];
      const bool here = curves(s, x) >= bands.lower[x] && curves(s, x) <= bands.upper[x];
      inside_pointwise = inside_pointwise && here;
      at_point[x] += here ? 1 : 0;
    }
    within += inside ? 1 : 0;
    within_pointwise += inside_pointwise ? 1 : 0;
  }
  EXPECT_GE(within, 0.9 * draws);
  EXPECT_LE(within, 0.92 * draws);
  EXPECT_LT(within_pointwise, 0.85 * draws);
  for (const int count : at_point) EXPECT_NEAR(count, 0.9 * draws, 3);
  EXPECT_NEAR(bands.mean[5], curves.col(5).mean(), 1e-12);
}

// The width of the prior's bands is found without the bands.
TEST(DensityBands, width_alone_is_that_of_the_bands) {
  ChainRng rng(6);
  const Position grid = even_grid({0, 3}, 7);
  Matrix curves(301, 7);
  for (Eigen::Index x = 0; x < curves.cols(); ++x)
    for (Eigen::Index s = 0; s < curves.rows(); ++s) curves(s, x) = std::exp(rng.normal());
  for (const double level : {0.5, 0.9, 0.95, 0.999}) {
    const DensityBands bands = density_bands(curves, level);
    for (const bool discrete : {false, true})
      EXPECT_EQ(relative_width(curves, level, grid, discrete),
                relative_width(bands.lower, bands.upper, grid, discrete));
  }
}

// The fast averages against differences of the distribution function, for means in the domain, at its ends and far outside; narrow
// atoms and means far outside are left to those differences.
TEST(NormalCells, are_differences_of_the_distribution_function) {
  const TruncatedNormalKernel kernel(NormalInverseGamma{}, {-10, 10});
  for (const Eigen::Index points : {11, 201, 1000}) {
    const Position grid = kernel.shown(points);
    const double step = 20.0 / static_cast<double>(points - 1);
    for (const double mean : {-4000.0, -31.0, -10.0, -9.93, 0.017, 5.0, 10.0, 14.0}) {
      for (const double sd : {1.99 * step, 2.0 * step, 1.25, 7.0, 900.0}) {
        const auto theta = kernel.complete({.mean = mean, .sd = sd, .log_sd = std::log(sd)});
        Position fast = Position::Zero(points);
        const bool fine = kernel.add_cells(grid, theta, 1, fast);
        EXPECT_EQ(fine, step <= 0.5 * sd && std::abs(mean) <= 10 + 4 * sd) << mean << " " << sd;
        if (!fine) continue;
        Position slow(points);
        average_density(kernel, grid, theta, slow);
        const double largest = slow.maxCoeff();
        // Differences lose what rounding the distribution function to 1e-16 takes from a cell.
        for (Eigen::Index x = 0; x < points; ++x)
          EXPECT_NEAR(fast[x], slow[x], 1e-8 * largest + 1e-14 / step)
              << points << " points, mean " << mean << ", sd " << sd << ", cell " << x;
        EXPECT_NEAR(integral(grid, fast), 1, 1e-8) << points << ", mean " << mean << ", sd " << sd;
        Position twice = fast;
        kernel.add_cells(grid, theta, 0.25, twice);
        EXPECT_NEAR((twice - 1.25 * fast).cwiseAbs().maxCoeff(), 0, 1e-12 * largest);
      }
    }
  }
}

TEST(DensityBands, equal_draws_and_two_draws) {
  const Matrix same = Matrix::Constant(5, 3, 0.25);
  const DensityBands bands = density_bands(same, 0.95);
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(bands.simultaneous_lower[x], 0.25);
    EXPECT_EQ(bands.simultaneous_upper[x], 0.25);
  }
  Matrix two(2, 1);
  two << 1, 3;
  EXPECT_EQ(density_bands(two, 0.5).simultaneous_lower[0], 1);
  EXPECT_EQ(density_bands(two, 0.5).simultaneous_upper[0], 3);
  EXPECT_THROW((void)density_bands(Matrix::Zero(1, 3), 0.9), Error);
}

// Closed form for two normals: H^2 = 1 - exp(-d^2 / 8) for equal sd 1.
TEST(Hellinger, matches_the_closed_form) {
  const Position grid = even_grid({-12, 14}, 2000);
  Position f(grid.size());
  Position g(grid.size());
  for (Eigen::Index x = 0; x < grid.size(); ++x) f[x] = normal(grid[x], 0, 1), g[x] = normal(grid[x], 1.5, 1);
  EXPECT_NEAR(hellinger_distance(grid, f, g), std::sqrt(1 - std::exp(-1.5 * 1.5 / 8)), 1e-9);
  EXPECT_NEAR(hellinger_distance(grid, f, f), 0, 1e-7);
}

// The predictive of the normal-inverse-gamma prior is Student's t; 5 standard errors at most at any of 30
// points.
TEST(PriorPredictive, is_students_t) {
  const NormalInverseGamma prior{.mean = 1, .precision = 0.1, .shape = 3, .rate = 3};
  const NormalKernel kernel(prior);
  const Position grid = even_grid({-8, 10}, 30);
  ChainRng rng(2);
  const int draws = 40000;
  const Position density = prior_predictive(kernel, grid, rng, draws);
  for (Eigen::Index x = 0; x < grid.size(); ++x) {
    const double freedom = 2 * prior.shape;
    const double scale = std::sqrt(prior.rate * (1 + 1 / prior.precision) / prior.shape);
    const double t = (grid[x] - prior.mean) / scale;
    const double exact = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                         (std::sqrt(freedom * std::numbers::pi) * scale) *
                         std::pow(1 + t * t / freedom, -(freedom + 1) / 2);
    // f(x | theta) is at most about 0.6 here, so its variance is at most 0.6 exact.
    EXPECT_NEAR(density[x], exact, 5 * std::sqrt(0.6 * exact / draws));
  }
}

TEST(Predictive, draws_follow_the_weights) {
  const NormalKernel kernel(NormalInverseGamma{});
  const MixingMeasure<NormalParameter> measure{{0.2, 0.8}, {{-50, 1, 0}, {50, 1, 0}}};
  ChainRng rng(5);
  int left = 0;
  for (int i = 0; i < 10'000; ++i) left += draw_predictive(kernel, measure, rng) < 0 ? 1 : 0;
  EXPECT_NEAR(left, 2000, 3.9 * 40);
  const Position grid = even_grid({-50, 50}, 101);
  Position density(grid.size());
  density_on_grid(kernel, measure, grid, density);
  EXPECT_NEAR(density[100] / density[0], 4, 1e-9);
}

}  // namespace
}  // namespace sotto::mixture
