#include "sotto/measurement/variance_completed_ratio.hpp"

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

constexpr double kLeastBound = 64;

double largest_bound(std::size_t rows, std::size_t batch) {
  if (batch < 1 || batch > rows)
    throw Error(ErrorCode::configuration, "a batch holds between 1 and all rows");
  return std::sqrt(static_cast<double>(batch)) / static_cast<double>(rows) / kLogDensityGrid * (1 - 0x1p-40);
}

}  // namespace

VarianceCompletedPlan VarianceCompletedPlan::for_share(std::size_t rows, std::size_t batch, double share) {
  const double bound = std::floor(share * largest_bound(rows, batch));
  if (!(share <= 1 && bound >= kLeastBound)) {
    throw Error(
        ErrorCode::configuration,
        "a row's log ratio would be smaller than the grid can tell: take a larger batch or fewer steps");
  }
  return {rows, batch, static_cast<std::int64_t>(bound)};
}

double VarianceCompletedPlan::least_share(std::size_t rows, std::size_t batch) {
  return (kLeastBound + 1) / largest_bound(rows, batch);
}

Event VarianceCompletedPlan::event(std::uint64_t count) const {
  return {VarianceCompletedBarkerEvent{rows, batch, static_cast<double>(bound) * kLogDensityGrid}, count};
}

GaussianNoise VarianceCompletedPlan::noise(Integer variance) const {
  const double reach = static_cast<double>(bound) * static_cast<double>(rows) / static_cast<double>(batch);
  GaussianNoise noise;
  noise.grid = GridStep(kLogDensityGrid);
  noise.sensitivity = std::ceil(2 * reach * (1 + 0x1p-40)) + 1;
  noise.variance = std::move(variance);
  return noise;
}

Charge VarianceCompletedPlan::charge() const {
  const Integer reach = Integer(bound) * rows;
  const Integer b = batch;
  Charge charge =
      noise(floor_ratio(total() * b - reach * reach, b)).charge("log-likelihood ratio of a batch");
  charge.mechanism =
      "discrete Gaussian of at least this scale, topping a secret batch of fixed size up to variance 2";
  return charge;
}

Int128 variance_completed_center(const VarianceCompletedPlan& plan, std::span<const std::int64_t> changes) {
  Integer sum = 0;
  for (const std::int64_t change : changes) sum += change;
  return static_cast<Int128>(floor_ratio(Integer(plan.rows) * sum, Integer(plan.batch)));
}

Integer variance_completed_variance(const VarianceCompletedPlan& plan,
                                    std::span<const std::int64_t> changes) {
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
  return floor_ratio(total() * cube - spread, cube);
}

}  // namespace sotto
