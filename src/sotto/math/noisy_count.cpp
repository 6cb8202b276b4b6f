#include "sotto/math/noisy_count.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

double log_normal_density(double x, double variance) {
  return -x * x / (2 * variance) - std::log(2 * std::numbers::pi * variance) / 2;
}

}  // namespace

double log_noisy_count_density(double noisy, double mean, double noise_sd) {
  constexpr double kMostTerms = 400;
  constexpr double kReach =
      9;  // standard deviations; of a Poisson law's, and a number of counts for its upper tail
  const double by_normal = log_normal_density(noisy - mean, mean + noise_sd * noise_sd);
  const double low = std::fmax(noisy - kReach * noise_sd, mean - kReach * std::sqrt(mean) - kReach);
  const double high = std::fmin(noisy + kReach * noise_sd, mean + kReach * std::sqrt(mean) + 2 * kReach);
  // Where no count is near both, those between them.
  const double first = std::floor(std::fmax(0, std::fmin(low, high)));
  const double last = std::ceil(std::fmax(0, std::fmax(low, high)));
  if (last - first > kMostTerms) return by_normal;
  const double variance = noise_sd * noise_sd;
  const double log_mean = std::log(mean);
  const auto term = [&](double c) {
    const double log_count = (c > 0 ? c * log_mean : 0) - mean - std::lgamma(c + 1);
    return log_count + log_normal_density(noisy - c, variance);
  };
  double largest = -HUGE_VAL;
  for (double c = first; c <= last; ++c) largest = std::fmax(largest, term(c));
  double sum = 0;
  for (double c = first; c <= last; ++c) sum += std::exp(term(c) - largest);
  return largest + std::log(sum);
}

}  // namespace sotto
