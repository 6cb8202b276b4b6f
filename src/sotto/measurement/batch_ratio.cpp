#include "sotto/measurement/batch_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Integer = boost::multiprecision::cpp_int;

}  // namespace

Int128 batch_statistic(std::span<const std::int64_t> changes, std::size_t rows) {
  Integer sum = 0;
  Integer squares = 0;
  for (const std::int64_t change : changes) {
    sum += change;
    squares += Integer(change) * change;
  }
  const Integer n = rows;
  const Integer b = changes.size();
  // Over the common denominator 2^41 b^3; g = 2^-40.
  const Integer numerator = ((n * sum * b * b) << 41) - n * (n - b) * (b * squares - sum * sum);
  const Integer denominator = (b * b * b) << 41;
  Integer quotient = numerator / denominator;  // towards zero
  if (numerator < 0 && quotient * denominator != numerator) --quotient;
  return static_cast<Int128>(quotient);
}

double batch_sensitivity(const ContributionRange& range, std::size_t batch, std::size_t rows) {
  constexpr double kUp = 1 + 0x1p-40;
  const double lower = static_cast<double>(range.lower);
  const double upper = static_cast<double>(range.upper);
  const double b = static_cast<double>(batch);
  const double weight = static_cast<double>(rows) / b;
  const double curve = kLogDensityGrid / 2 * weight * (weight - 1);
  double worst = 0;
  for (const double others : {(b - 1) * lower, (b - 1) * upper}) {
    const auto h = [&](double x) { return weight * x - curve * ((1 - 1 / b) * x * x - 2 / b * others * x); };
    double highest = std::max(h(lower), h(upper));
    if (batch > 1) {
      const double vertex = (weight / curve + 2 / b * others) / (2 * (1 - 1 / b));
      if (vertex > lower && vertex < upper) highest = std::max(highest, h(vertex));
    }
    worst = std::max(worst, highest - std::min(h(lower), h(upper)));
  }
  return std::ceil(worst * kUp) + 2;
}

std::optional<GaussianNoise> batch_ratio_noise(const ContributionRange& range, std::size_t batch,
                                               std::size_t rows, const PrivacyUnit& unit, Rho cost,
                                               double least_sensitivity) {
  if (unit.adjacency != Adjacency::substitute || unit.rows_per_unit != 1) {
    throw Error(
        ErrorCode::configuration,
        "batches of fixed size protect single rows under adjacency substitute only: choose another method");
  }
  GaussianNoise noise;
  noise.sensitivity = std::max(least_sensitivity, batch_sensitivity(range, batch, rows));
  noise.grid = GridStep(kLogDensityGrid);
  const auto variance = GaussianNoise::variance_for(noise.sensitivity, cost, GaussianNoise::Integer(1) << 40);
  if (!variance) return std::nullopt;
  noise.variance = *variance;
  return noise;
}

Charge batch_ratio_charge(double tau) {
  constexpr double kUp = 1 + 0x1p-40;
  return {"priced", "discrete Gaussian on a secret batch of fixed size", Rho(1 / (2 * tau) * kUp),
          1 / (tau * kLeastPrecomposedSensitivity) * kUp};
}

}  // namespace sotto
