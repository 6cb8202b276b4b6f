#include "sotto/prior/coefficient_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

const CoefficientPrior kPriors[] = {{PriorFamily::normal, 0.5, 2},
                                    {PriorFamily::student_t, -1, 0.7, 3},
                                    {PriorFamily::laplace, 1, 1.5},
                                    {PriorFamily::flat, 0, 1}};

TEST(CoefficientPrior, slope_is_the_derivative) {
  for (const CoefficientPrior& prior : kPriors) {
    for (const double x : {-2.1, 0.3, 4.0}) {
      const double h = 1e-5;
      const double numeric = (prior.log_density(x + h) - prior.log_density(x - h)) / (2 * h);
      EXPECT_NEAR(prior.slope(x), numeric, 1e-8) << prior.text() << ' ' << x;
    }
  }
}

TEST(CoefficientPrior, quantiles_integrate_the_density) {
  for (const CoefficientPrior& prior : kPriors) {
    if (prior.family == PriorFamily::flat) continue;
    // The share of mass below the 5 % quantile, by the midpoint rule on a wide range.
    double below = 0;
    double all = 0;
    const double edge = prior.quantile(0.05);
    for (double x = -2000 + 0.0005; x < 2000; x += 0.001) {
      const double p = std::exp(prior.log_density(x));
      all += p;
      if (x < edge) below += p;
    }
    EXPECT_NEAR(below / all, 0.05, 1e-3) << prior.text();
  }
}

TEST(CoefficientPrior, product_adds_up) {
  const LogPrior prior = product({kPriors[0], kPriors[1]});
  Position x(2);
  x << 0.1, -0.4;
  EXPECT_DOUBLE_EQ(prior.log_density(x), kPriors[0].log_density(0.1) + kPriors[1].log_density(-0.4));
  EXPECT_DOUBLE_EQ(prior.gradient(x)[1], kPriors[1].slope(-0.4));
}

TEST(CoefficientPrior, refuses_a_scale_that_is_not_positive) {
  EXPECT_THROW(product({{PriorFamily::normal, 0, 0}}), Error);
  EXPECT_THROW(product({{PriorFamily::student_t, 0, 1, -1}}), Error);
}

}  // namespace
}  // namespace sotto
