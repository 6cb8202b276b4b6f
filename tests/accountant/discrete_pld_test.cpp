// Discretised loss distributions stay on their side of the curve, at every epsilon and for every grid.
#include "sotto/accountant/pld/discrete_pld.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accountant/pld/loss_curve.hpp"
#include "sotto/math/fourier.hpp"

namespace sotto {
namespace {

using Wide = long double;

Wide upper_tail(Wide z) { return std::erfc(z / std::sqrt(2.0L)) / 2; }

// H(e^epsilon) of (1 - q) N(0) + q N(1) against N(0), noise sigma: outputs above x have loss above epsilon.
Wide remove_curve(Wide sigma, Wide q, Wide epsilon) {
  const Wide inside = std::expm1(epsilon) / q + 1;
  const Wide x = inside > 0 ? 0.5L + sigma * sigma * std::log(inside) : -60 * sigma;
  const Wide base = upper_tail(x / sigma);
  // P - e^epsilon Q without cancellation of what they share
  return q * (upper_tail((x - 1) / sigma) - base) - std::expm1(epsilon) * base;
}

double grid_curve(const DiscretePld& grid, double epsilon) {
  Wide sum = grid.infinite;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.loss(i) > epsilon) sum -= grid.mass[i] * std::expm1(static_cast<Wide>(epsilon) - grid.loss(i));
  }
  return static_cast<double>(sum);
}

TEST(DiscretePld, polygons_enclose_the_curve) {
  struct Case {
    double sigma, q, step;
  };
  for (const Case& c : {Case{1, 0.1, 0.01}, Case{1, 0.1, 0.3}, Case{0.5, 1e-6, 1e-3}, Case{0.5, 1e-6, 3e-5},
                        Case{4, 0.01, 1e-5}, Case{0.3, 1e-4, 0.1}, Case{100, 0.5, 1e-4}, Case{2, 1, 0.05}}) {
    SCOPED_TRACE(testing::Message() << "sigma " << c.sigma << " q " << c.q << " step " << c.step);
    const DominatingPair pair(DominatingPair::Noise::gaussian, c.sigma, 1, c.q, 0);
    const TailCut tails{1e-25, 1e-25, -1e308};
    const DiscretePld above = discretise(pair, c.step, Side::upper, tails);
    const DiscretePld below = discretise(pair, c.step, Side::lower, tails);
    const double top = pair.upper_loss(1e-20);
    for (int i = -20; i <= 40; ++i) {
      const double epsilon = i < 0 ? c.step * (i + 20.37) / 5 : top * i / 40.0;
      const auto truth = static_cast<double>(remove_curve(c.sigma, c.q, epsilon));
      // The masses are right to 1e-12 of the tails; composition charges for that.
      const double slack = 1e-12 * (truth + grid_curve(above, 0));
      EXPECT_GE(grid_curve(above, epsilon), truth - slack) << epsilon;
      EXPECT_LE(grid_curve(below, epsilon), truth + slack) << epsilon;
    }
  }
}

// Where losses end, density changes within a step. Q-mass is 1 on the upper side, above by an error of second order (here
// step^2 / 12 = 1e-13 times the density's change) on the lower.
TEST(DiscretePld, the_ends_of_losses_cost_nothing_in_first_order) {
  for (const bool add : {false, true}) {
    const double q = 3.7e-5;
    const DominatingPair pair(DominatingPair::Noise::gaussian, 0.78, 1, add ? 0 : q, add ? q : 0);
    for (const Side side : {Side::upper, Side::lower}) {
      const DiscretePld grid = discretise(pair, 1e-6, side, {1e-13, 1e-17});
      Wide excess = 0;  // of Q-mass over P-mass
      for (std::size_t i = 0; i < grid.mass.size(); ++i)
        excess += grid.mass[i] * std::expm1(-static_cast<Wide>(grid.loss(i)));
      EXPECT_NEAR(static_cast<double>(excess), 0, 2e-10) << (add ? "add" : "remove");
    }
  }
}

// The curve of the outputs with losses up to a cut.
TEST(DiscretePld, large_losses_are_left_out) {
  const double q = 1e-3;
  const double cut = 0.0123;
  const DominatingPair pair(DominatingPair::Noise::gaussian, 0.7, 1, q, 0);
  const PairMass above = pair.between(pair.cut(cut), pair.cut_above_everything());
  for (const double step : {1e-3, 1e-4, 7e-6}) {
    const TailCut tails{1e-25, 1e-25, -1e308, cut};
    const DiscretePld upper = discretise(pair, step, Side::upper, tails);
    const DiscretePld lower = discretise(pair, step, Side::lower, tails);
    for (double epsilon = -1.2 * q; epsilon < cut; epsilon += cut / 97) {
      const double truth = static_cast<double>(remove_curve(0.7, q, epsilon)) -
                           (above.difference - std::expm1(epsilon) * above.q);
      EXPECT_GE(grid_curve(upper, epsilon), truth - 1e-16);
      EXPECT_LE(grid_curve(lower, epsilon), truth + 1e-16);
    }
    EXPECT_LE(grid_curve(upper, cut + step), 0);
    EXPECT_LE(grid_curve(lower, cut), 0);
  }
}

// A coin of losses -0.1 and 0.1, thrown 1,000 times: a binomial sum. The window is narrow, so that much lies outside of it, and all
// losses above the last epsilons do.
TEST(ComposedLoss, what_lies_outside_its_window_is_not_lost) {
  constexpr int n = 1000;
  const double head = 1 / (1 + std::exp(-0.1));
  const auto truth_at = [&](double epsilon) {
    Wide sum = 0;
    for (int k = n; k >= 0 && 0.2 * k - 0.1 * n > epsilon; --k) {
      const Wide log_mass = std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                            k * std::log(static_cast<Wide>(head)) +
                            (n - k) * std::log1p(-static_cast<Wide>(head));
      sum -= std::exp(log_mass) * std::expm1(epsilon - (0.2L * k - 0.1L * n));
    }
    return static_cast<double>(sum);
  };
  const double tilt = 1;
  const TiltedPower coins{tilted({-0.1, 0.2, 0, {1 - head, head}}, tilt), n};
  for (const double exponent : {4.0, 8.0, 16.0}) {
    const auto above = compose({coins}, tilt, exponent, 0x1p16, Side::upper);
    const auto below = compose({coins}, tilt, exponent, 0x1p16, Side::lower);
    ASSERT_TRUE(above && below);
    ASSERT_LT(above->mass.size(), n / 2);
    const LossCurve upper(*above, tilt, Side::upper);
    const LossCurve lower(*below, tilt, Side::lower);
    for (double epsilon = 0.03; epsilon < 60; epsilon += 0.5) {
      EXPECT_GE(upper.delta(epsilon), truth_at(epsilon)) << exponent << " " << epsilon;
      EXPECT_LE(lower.delta(epsilon), truth_at(epsilon)) << exponent << " " << epsilon;
    }
  }
}

// Of a loss that is all but certain the transform is exact; the way back from it is not.
TEST(ComposedLoss, rounding_on_the_way_back_counts_as_noise) {
  for (const std::size_t size : {64, 1024, 65536}) {
    TiltedLoss loss{.offset = 0, .step = 10 / static_cast<double>(size), .first = 0, .mass = {}};
    loss.mass.assign(size, 0);
    loss.mass.front() = 1;
    loss.mass.back() = 1e-12;
    const auto sum = compose({{loss, 1}}, 1, 60, 0x1p20, Side::upper);
    ASSERT_TRUE(sum);
    ASSERT_EQ(sum->mass.size(), size);
    EXPECT_GE(sum->noise, fourier_error(size));
    EXPECT_LE(sum->noise, 10 * fourier_error(size));
  }
}

TEST(DiscretePld, moving_to_another_grid_keeps_the_side) {
  const DiscretePld atoms{-0.35, 0.7, 0, {0.2, 0, 0.3, 0.5}};
  const double tilt = 3;
  for (const double step : {0.013, 0.1, 0.9}) {
    const TiltedLoss above = regrid(tilted(atoms, tilt), step, tilt, Side::upper);
    const TiltedLoss below = regrid(tilted(atoms, tilt), step, tilt, Side::lower);
    for (double epsilon = 0; epsilon < 2; epsilon += 0.01) {
      const double truth = grid_curve(atoms, epsilon);
      EXPECT_GE(LossCurve(above, tilt, Side::upper).delta(epsilon), truth) << step << " " << epsilon;
      EXPECT_LE(LossCurve(below, tilt, Side::lower).delta(epsilon), truth) << step << " " << epsilon;
    }
    EXPECT_LE(LossCurve(above, tilt, Side::upper).delta(0.5),
              grid_curve(atoms, 0.5) + 0.6 * step * step + 1e-8);
  }
}

}  // namespace
}  // namespace sotto
