#include "sotto/math/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Complex = std::complex<long double>;

Complex root(std::size_t k, std::size_t n) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) / static_cast<long double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

// By the definition, in wider arithmetic.
std::vector<Complex> by_definition(const std::vector<double>& data) {
  const std::size_t n = data.size();
  std::vector<Complex> result(n / 2 + 1);
  for (std::size_t m = 0; m <= n / 2; ++m) {
    for (std::size_t j = 0; j < n; ++j) result[m] += static_cast<long double>(data[j]) * root(j * m, n);
  }
  return result;
}

std::vector<double> random_data(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<double> data(n);
  // Of very different sizes: errors are relative to the sum.
  for (double& x : data)
    x = std::uniform_real_distribution(-1.0, 1.0)(rng) * std::exp2(-static_cast<double>(rng() % 20));
  return data;
}

double sum_of_sizes(const std::vector<double>& data) {
  double sum = 0;
  for (const double x : data) sum += std::abs(x);
  return sum;
}

double norm(const std::vector<double>& data) {
  double sum = 0;
  for (const double x : data) sum += x * x;
  return std::sqrt(sum);
}

TEST(Fourier, transforms_match_their_definition) {
  for (std::size_t n = 2; n <= 2048; n *= 2) {
    const std::vector<double> data = random_data(n, n);
    const std::vector<Complex> truth = by_definition(data);
    const std::vector<std::complex<double>> found = real_to_complex(data);
    ASSERT_EQ(found.size(), n / 2 + 1);
    for (std::size_t m = 0; m <= n / 2; ++m) {
      EXPECT_LT(std::abs(Complex(found[m]) - truth[m]), fourier_error(n) * sum_of_sizes(data))
          << n << " " << m;
    }
    const std::vector<double> back = complex_to_real(found, n);
    ASSERT_EQ(back.size(), n);
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(back[j], data[j], 1e-14) << n << " " << j;
  }
}

// Single places give exact answers in any order of size; two of them show every root of unity that is used.
TEST(Fourier, errors_stay_below_the_bound) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 13, std::size_t{1} << 18}) {
    for (const std::size_t place : {std::size_t{1}, n / 2 - 1, n / 3, n - 1}) {
      std::vector<double> data(n, 0.0);
      data[0] = 0.25;
      data[place] = 0.75;
      const std::vector<std::complex<double>> found = real_to_complex(data);
      long double worst = 0;
      for (std::size_t m = 0; m <= n / 2; ++m) {
        worst = std::max(worst, std::abs(Complex(found[m]) - (0.25L + 0.75L * root(place * m, n))));
      }
      EXPECT_LT(worst, fourier_error(n));
      EXPECT_LT(worst, 8 * std::numeric_limits<double>::epsilon())
          << "a twiddle factor is worse than rounded";
      const std::vector<double> back = complex_to_real(found, n);
      std::vector<double> gap(n);
      for (std::size_t j = 0; j < n; ++j) gap[j] = back[j] - data[j];
      EXPECT_LT(norm(gap), 2 * fourier_error(n) * norm(data));
    }
  }
}

TEST(Fourier, large_transforms_come_back) {
  const std::size_t n = std::size_t{1} << 20;
  const std::vector<double> data = random_data(n, 5);
  std::vector<double> gap = complex_to_real(real_to_complex(data), n);
  for (std::size_t j = 0; j < n; ++j) gap[j] -= data[j];
  EXPECT_LT(norm(gap), fourier_error(n) * norm(data));
}

TEST(Fourier, other_sizes_are_refused) {
  EXPECT_THROW((void)real_to_complex(std::vector<double>(1)), Error);
  EXPECT_THROW((void)real_to_complex(std::vector<double>(12)), Error);
  EXPECT_THROW((void)complex_to_real(std::vector<std::complex<double>>(4), 8), Error);
}

}  // namespace
}  // namespace sotto
