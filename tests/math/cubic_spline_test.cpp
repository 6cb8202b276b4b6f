#include "sotto/math/cubic_spline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/cardinal_b_spline.hpp>
#include <cmath>
#include <utility>
#include <vector>

namespace sotto {
namespace {

std::vector<double> places() {
  std::vector<double> all{0, 1, 1e-300, 0.25, 0.5, 0.75, 1 - 0x1p-53};
  for (int i = 1; i < 100; ++i) all.push_back(i / 100.0);
  return all;
}

// Without inner knots: Bernstein's polynomials.
TEST(CubicSpline, without_inner_knots_it_is_a_polynomial) {
  constexpr double kChoose[] = {1, 3, 3, 1};
  for (const double u : places()) {
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(cubic_b_spline(u, 0, i), kChoose[i] * std::pow(u, i) * std::pow(1 - u, 3 - i), 1e-15) << u;
  }
}

// Away from the ends all are one function, shifted.
TEST(CubicSpline, away_from_the_ends_it_is_cardinal) {
  constexpr int kInner = 6;
  for (const double u : places()) {
    for (int i = 3; i <= kInner; ++i)
      EXPECT_NEAR(cubic_b_spline(u, kInner, i), boost::math::cardinal_b_spline<3>(u * (kInner + 1) - (i - 1)),
                  1e-14)
          << u << ' ' << i;
  }
}

// With every spline at the mean of its inner three knots they add up to the place itself, ends included.
TEST(CubicSpline, all_add_up_to_one_and_to_the_place) {
  for (int inner = 0; inner <= 17; ++inner) {
    const auto knot = [&](int i) { return std::clamp(i - 3, 0, inner + 1) / (inner + 1.0); };
    for (const double u : places()) {
      double sum = 0;
      double mean = 0;
      for (int i = 0; i < inner + 4; ++i) {
        const double value = cubic_b_spline(u, inner, i);
        EXPECT_GE(value, -1e-16);
        sum += value;
        mean += value * (knot(i + 1) + knot(i + 2) + knot(i + 3)) / 3;
      }
      EXPECT_NEAR(sum, 1, 1e-14) << inner << ' ' << u;
      EXPECT_NEAR(mean, u, 1e-14) << inner << ' ' << u;
    }
  }
}

// In SciPy: BSpline.design_matrix([u], [0] * 4 + [1 / 3, 2 / 3] + [1] * 4, 3). In R: bs(u, df = 5, Boundary.knots = c(0, 1)) with
// these inner knots, but for the first column.
TEST(CubicSpline, as_elsewhere) {
  const std::pair<double, std::vector<double>> expected[] = {
      {0.1, {0.343, 0.54225, 0.11025, 0.0045, 0, 0}},
      {0.5, {0, 0.03125, 0.46875, 0.46875, 0.03125, 0}},
      {0.77, {0, 0, 0.0547515, 0.41301675, 0.50244075, 0.029791}},
      {1, {0, 0, 0, 0, 0, 1}}};
  for (const auto& [u, values] : expected) {
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(cubic_b_spline(u, 2, static_cast<int>(i)), values[i], 1e-14) << u << ' ' << i;
  }
}

}  // namespace
}  // namespace sotto
