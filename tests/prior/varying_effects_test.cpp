#include "sotto/prior/varying_effects.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using boost::math::quadrature::gauss_kronrod;

// Positions have the differences of three levels to the first in their last three coordinates.
const VaryingEffects kGroup({1, 2, 3}, 0.8);
const Position kNear{{7, 0.1, -0.05, 0.02}};
const Position kFar{{7, 3, -2, 1}};

/// Of u_1 .. u_4 given tau with u_1 integrated out, times tau's prior: by definition, not by formula.
double by_definition(const Position& at) {
  const auto of_tau = [&](double tau) {
    const auto of_first = [&](double first) {
      double sum = first * first;
      for (const double b : {at[1], at[2], at[3]}) sum += (b + first) * (b + first);
      return std::exp(-sum / (2 * tau * tau)) / std::pow(tau, 4);
    };
    const double centre = -(at[1] + at[2] + at[3]) / 4;
    return gauss_kronrod<double, 61>::integrate(of_first, centre - 8 * tau, centre + 8 * tau, 5, 1e-12) /
           std::pow(1 + tau * tau / (3 * 0.8 * 0.8), 2);
  };
  return std::log(
      gauss_kronrod<double, 61>::integrate([&](double l) { return std::exp(l) * of_tau(std::exp(l)); },
                                           -7 + std::log(.8), 4 + std::log(.8), 10, 1e-12));
}

TEST(VaryingEffects, tau_is_integrated_out) {
  EXPECT_NEAR(kGroup.log_density(kFar) - kGroup.log_density(kNear),
              by_definition(kFar) - by_definition(kNear), 1e-3);
  // More levels than the grid's widest step is good for.
  std::vector<Eigen::Index> many(299);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<Eigen::Index>(k);
  const VaryingEffects group(many, 1);
  const auto at = [](double sd) {
    Position b(299);
    for (Eigen::Index k = 0; k < b.size(); ++k) b[k] = k % 2 == 0 ? sd : -sd;
    return b;
  };
  // tau is known to 4 %: Laplace's approximation is good to a thousandth of the log density's change.
  const double change = group.log_density(at(0.5)) - group.log_density(at(0.25));
  EXPECT_NEAR(change, 299 * std::log(0.5) + 2 * std::log((1 + 0.0625 / 3) / (1 + 0.25 / 3)) + std::log(2),
              0.05);
}

// At squares between the table's points and beyond its ends.
TEST(VaryingEffects, a_table_holds_the_integral) {
  for (const double scale : {1e-6, 0.8, 1e5}) {
    const VaryingEffects group({0, 1, 2}, scale);
    for (double size = 1e-6 * scale; size < 1e6 * scale; size *= 1.7) {
      const auto direct = [&](double tau) {
        const double squares = size * size * (3 - 9.0 / 4);
        return std::exp(-3 * std::log(tau) - squares / (2 * tau * tau) + std::log(tau / scale)) /
               std::pow(1 + tau * tau / (3 * scale * scale), 2);
      };
      double sum = 0;
      for (double l = -7; l <= 4; l += 0.2) sum += direct(scale * std::exp(l));
      EXPECT_NEAR(group.log_density(Position{{size, size, size}}), std::log(sum),
                  1e-6 * (1 + std::abs(std::log(sum))))
          << size << ' ' << scale;
    }
  }
}

TEST(VaryingEffects, slope_is_the_derivative) {
  for (const Position& at : {kNear, kFar}) {
    Position slope = Position::Zero(4);
    kGroup.add_slope(at, slope);
    EXPECT_EQ(slope[0], 0);
    for (Eigen::Index j = 1; j < 4; ++j) {
      const double h = 1e-5;
      Position above = at, below = at;
      above[j] += h;
      below[j] -= h;
      EXPECT_NEAR(slope[j], (kGroup.log_density(above) - kGroup.log_density(below)) / (2 * h),
                  1e-4 * (1 + std::abs(slope[j])));
    }
  }
}

// 40,000 pairs (tau, u) from the prior, less what is in the intercept, then drawn again given the differences: the joint law
// must stay. Five standard errors of each mean, false alarm below 1e-5 in all.
TEST(VaryingEffects, draws_given_the_differences) {
  ChainRng rng(4);
  constexpr int n = 40000;
  const auto tests = [](double tau, double first) {
    return Position{{std::log(tau), std::tanh(first), std::log(tau) * std::log(tau),
                     std::tanh(first) / (1 + tau), std::tanh(first * first)}};
  };
  Position sum = Position::Zero(5);
  Position squares = Position::Zero(5);
  for (int i = 0; i < n; ++i) {
    const double t =
        rng.normal() /
        std::sqrt((std::pow(rng.normal(), 2) + std::pow(rng.normal(), 2) + std::pow(rng.normal(), 2)) / 3);
    const double tau = 0.8 * std::abs(t);
    if (tau < 0.8 * std::exp(-6.5) || tau > 0.8 * std::exp(3.5)) continue;  // beyond the grid
    const Position u = tau * rng.normals(4);
    const Position at{{0, u[1] - u[0], u[2] - u[0], u[3] - u[0]}};
    const auto [sd, first] = kGroup.draw(at, rng);
    const Position change = tests(sd, first) - tests(tau, u[0]);
    sum += change;
    squares += change.cwiseAbs2();
  }
  for (Eigen::Index j = 0; j < 5; ++j) {
    EXPECT_LT(std::abs(sum[j]), 5 * std::sqrt(squares[j])) << j;
    EXPECT_GT(squares[j], 1) << "they are drawn anew";
  }
}

TEST(VaryingEffects, refuse_what_means_nothing) {
  EXPECT_THROW(VaryingEffects({}, 1), Error);
  EXPECT_THROW(VaryingEffects({1}, 0), Error);
}

}  // namespace
}  // namespace sotto
