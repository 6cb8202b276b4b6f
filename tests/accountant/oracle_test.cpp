// A second accountant, sharing no code with the first: contour integrals of moment generating functions.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "sotto/accountant/tight.hpp"

namespace sotto {
namespace {

using Complex = std::complex<long double>;

// delta(epsilon) = (1 / 2 pi i) integral of M(z)^count e^(-z epsilon) / (z (z + 1)) dz on Re z = tilt, for the pair
// (1 - q) N(0) + q N(1) against N(0) with noise sigma. Both integrals by the trapezoidal rule, whose error falls
// exponentially with the step for analytic integrands.
double contour_delta(long double sigma, long double q, int count, long double epsilon, long double tilt) {
  std::vector<long double> loss;
  std::vector<long double> log_mass;
  const long double dx = sigma / 24;
  for (long double x = -16 * sigma; x < 30 * sigma; x += dx) {
    const long double ratio = std::log1p(q * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
    loss.push_back(ratio);
    log_mass.push_back(ratio - x * x / (2 * sigma * sigma) + std::log(dx / (sigma * std::sqrt(2 * M_PIl))));
  }
  const auto log_moment = [&](Complex z) {
    Complex sum = 0;
    for (std::size_t i = 0; i < loss.size(); ++i) sum += std::exp(z * loss[i] + log_mass[i]);
    return std::log(sum);
  };
  const long double width =
      1 / std::sqrt(static_cast<long double>(count)) * sigma / q;  // of |M|^count, about
  const long double step = std::min<long double>(width, 4 * tilt) / 24;
  long double total = 0;
  for (int j = 0; j < 4000; ++j) {
    const Complex z(tilt, step * (j + 0.5L));
    const Complex value =
        std::exp(static_cast<long double>(count) * log_moment(z) - z * epsilon) / (z * (z + Complex(1)));
    total += value.real();
    if (j > 50 && std::abs(value) < 1e-14L * std::abs(total)) break;
  }
  return static_cast<double>(total * step / M_PIl);
}

TEST(Oracle, reproduces_independent_values) {
  EXPECT_NEAR(contour_delta(4, 0.01L, 10000, 1, 15) / 4.243484252431285e-6, 1, 1e-7);
}

TEST(Oracle, lies_inside_the_bounds) {
  struct Case {
    double sigma, rate;
    int count;
    double epsilon, tilt;
  };
  for (const Case& c : {Case{4, 0.01, 10000, 1, 15}, Case{4, 0.01, 1000, 1, 110}, Case{3, 0.05, 1000, 2, 7},
                        Case{2, 0.01, 10000, 1.5, 4.5}, Case{6, 0.2, 300, 2.5, 8}}) {
    SCOPED_TRACE(testing::Message() << "sigma " << c.sigma << " rate " << c.rate << " count " << c.count);
    const double truth = contour_delta(c.sigma, c.rate, c.count, c.epsilon, c.tilt);
    const Event event{SubsampledGaussianEvent{1, c.sigma, c.rate, Sampling::poisson},
                      static_cast<std::uint64_t>(c.count)};
    const Bounds bounds = tight_delta(event, Adjacency::add_remove, Epsilon(c.epsilon));
    EXPECT_LE(bounds.lower, truth * (1 + 1e-9));  // here "remove" is the larger direction
    EXPECT_GE(bounds.upper, truth * (1 - 1e-9));
    EXPECT_LE(bounds.upper / bounds.lower, 1.001);
  }
}

// Binary randomised response composed: a binomial sum.
TEST(Oracle, binomial_sum_lies_inside_the_bounds) {
  const double e0 = 0.2;
  const int n = 50;
  const long double high = 1 / (1 + std::exp(-static_cast<long double>(e0)));
  const long double epsilon = 3.1L;
  long double delta = 0;
  for (int k = 0; k <= n; ++k) {
    const long double loss = (2 * k - n) * static_cast<long double>(e0);
    if (loss <= epsilon) continue;
    const long double weight =
        std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                 k * std::log(high) + (n - k) * std::log(1 - high));
    delta += weight * -std::expm1(epsilon - loss);
  }
  const Bounds bounds = tight_delta({PureEvent{e0}, n}, Adjacency::substitute, Epsilon(3.1));
  EXPECT_LE(bounds.lower, static_cast<double>(delta));
  EXPECT_GE(bounds.upper, static_cast<double>(delta));
  EXPECT_LE(bounds.upper / bounds.lower, 1.001);
}

}  // namespace
}  // namespace sotto
