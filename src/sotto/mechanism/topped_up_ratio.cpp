#include "sotto/mechanism/topped_up_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Integer = GaussianNoise::Integer;

// Towards minus infinity; `denominator` > 0.
Integer floor_ratio(const Integer& numerator, const Integer& denominator) {
  Integer quotient = numerator / denominator;
  if (numerator < 0 && quotient * denominator != numerator) --quotient;
  return quotient;
}

// 2 / g^2, g = 2^-40.
Integer total() { return Integer(1) << 81; }

GaussianNoise noise_of(const ToppedUpPlan& plan, Integer variance) {
  GaussianNoise noise;
  noise.grid = GridStep(kLogDensityGrid);
  noise.sensitivity = std::ceil(2 * static_cast<double>(plan.bound) * static_cast<double>(plan.rows) /
                                static_cast<double>(plan.batch) * (1 + 0x1p-40)) +
                      1;
  noise.variance = std::move(variance);
  return noise;
}

}  // namespace

ToppedUpPlan ToppedUpPlan::for_share(std::size_t rows, std::size_t batch, double share) {
  if (batch < 1 || batch > rows)
    throw Error(ErrorCode::configuration, "a batch holds between 1 and all rows");
  const double most = std::sqrt(static_cast<double>(batch)) / static_cast<double>(rows) / kLogDensityGrid;
  const double bound = std::floor(share * most * (1 - 0x1p-40));
  if (!(share <= 1 && bound >= 1)) {
    throw Error(
        ErrorCode::configuration,
        "a row's log ratio would be smaller than the grid's step: take a larger batch or fewer steps");
  }
  return {rows, batch, static_cast<std::int64_t>(bound)};
}

Event ToppedUpPlan::event(std::uint64_t count) const {
  return {ToppedUpBarkerEvent{rows, batch, static_cast<double>(bound) * kLogDensityGrid}, count};
}

Int128 topped_up_center(const ToppedUpPlan& plan, std::span<const std::int64_t> changes) {
  Integer sum = 0;
  for (const std::int64_t change : changes) sum += change;
  return static_cast<Int128>(floor_ratio(Integer(plan.rows) * sum, Integer(plan.batch)));
}

GaussianNoise topped_up_noise(const ToppedUpPlan& plan, std::span<const std::int64_t> changes) {
  Integer sum = 0;
  Integer squares = 0;
  for (const std::int64_t change : changes) {
    sum += change;
    squares += Integer(change) * change;
  }
  const Integer n = plan.rows;
  const Integer b = plan.batch;
  // W over the common denominator b^3.
  const Integer spread = n * (n - b) * (b * squares - sum * sum);
  const Integer cube = b * b * b;
  return noise_of(plan, floor_ratio(total() * cube - spread, cube));
}

Charge topped_up_charge(const ToppedUpPlan& plan) {
  const Integer n = plan.rows;
  const Integer b = plan.batch;
  const Integer reach = Integer(plan.bound) * n;
  const Integer least = floor_ratio(total() * b - reach * reach, b);
  Charge charge = noise_of(plan, least).charge("log-likelihood ratio of a batch");
  charge.mechanism = "discrete Gaussian on a secret batch of fixed size, topped up to variance 2";
  return charge;
}

}  // namespace sotto
