// A second accountant, sharing no code with the first: contour integrals of moment generating functions.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "sotto/accountant/pld/tight.hpp"

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

// delta(epsilon) of `count` releases with discrete Gaussian noise, each moved by the integer vector v: the noise part v . X
// of the losses is enumerated.
double lattice_delta(double sigma, const std::vector<int>& v, int count, long double epsilon) {
  const int reach = static_cast<int>(9 * sigma) + 9;
  std::vector<long double> noise;
  long double total = 0;
  for (int j = -reach; j <= reach; ++j) {
    noise.push_back(std::exp(-static_cast<long double>(j) * j / (2 * sigma * sigma)));
    total += noise.back();
  }
  std::vector<long double> sum = {1};  // of v . X over the releases, from its smallest value
  long double norm = 0;
  int least = 0;
  for (int release = 0; release < count; ++release) {
    for (const int shift : v) {
      std::vector<long double> next(sum.size() + static_cast<std::size_t>(2 * reach * shift), 0.0L);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        for (std::size_t j = 0; j < noise.size(); ++j)
          next[i + j * static_cast<std::size_t>(shift)] += sum[i] * noise[j] / total;
      }
      sum = std::move(next);
      norm += shift * shift;
      least -= reach * shift;
    }
  }
  long double delta = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const long double place = least + static_cast<long double>(i);
    const long double loss = (norm + 2 * place) / (2 * static_cast<long double>(sigma) * sigma);
    if (loss > epsilon) delta -= sum[i] * std::expm1(epsilon - loss);
  }
  return static_cast<double>(delta);
}

// Non-increasing vectors of positive integers with squared norm `left` at most, and at most `most` of them.
void vectors(int largest, int left, int most, std::vector<int>& v, std::vector<std::vector<int>>& all) {
  if (!v.empty()) all.push_back(v);
  if (most == 0) return;
  for (int next = largest; next > 0; --next) {
    if (next * next > left) continue;
    v.push_back(next);
    vectors(next, left - next * next, most - 1, v, all);
    v.pop_back();
  }
}

// No direction in which a query can move costs more than the upper bound; the lower bound is one of them.
TEST(Oracle, discrete_noise_on_several_coordinates_costs_no_more_in_any_direction) {
  const int sensitivity = 3;
  std::vector<std::vector<int>> all;
  std::vector<int> v;
  vectors(sensitivity, sensitivity * sensitivity, 5, v, all);
  ASSERT_EQ(all.size(), 13U);
  for (const double sigma : {0.9, 2.5, 6.0}) {
    for (const int count : {1, 3}) {
      for (const double epsilon : {0.0, 0.1, 0.7, 2.0, 6.0}) {
        SCOPED_TRACE(testing::Message() << "sigma " << sigma << " count " << count << " epsilon " << epsilon);
        const Event event{DiscreteGaussianEvent{sensitivity, sigma, 5}, static_cast<std::uint64_t>(count)};
        const Bounds bounds = tight_delta(event, Adjacency::substitute, Epsilon(epsilon));
        double worst = 0;
        for (const std::vector<int>& shift : all)
          worst = std::max(worst, lattice_delta(sigma, shift, count, epsilon));
        if (worst < 1e-14) continue;  // cut off by `reach`
        EXPECT_LE(bounds.lower, worst * (1 + 1e-12));
        EXPECT_GE(bounds.upper, worst * (1 - 1e-12));
      }
    }
  }
}

// Rounding of many coordinates and releases averages out.
TEST(Oracle, rounding_of_discrete_noise_averages_out) {
  const Event event = parse_event("discrete-gaussian:sigma=1,grid=1000,dim=100,count=1000");
  const Bounds epsilon = tight_epsilon(event, Adjacency::substitute, Delta(1e-6));
  EXPECT_LE(epsilon.upper - epsilon.lower, 1e-3 * epsilon.upper);
}

}  // namespace
}  // namespace sotto
