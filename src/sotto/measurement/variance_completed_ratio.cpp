#include "sotto/measurement/variance_completed_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/base/error.hpp"
#include "sotto/measurement/secret_batches.hpp"

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
      "discrete Gaussian of at least this scale, completing a secret batch of fixed size to variance 2";
  charge.event = event(1);
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

namespace {

const RatioQuery& checked(const Query& query) {
  const RatioQuery& ratio = ratio_of_batch(query);
  if (std::abs(ratio.noise_sd * ratio.noise_sd - kVarianceCompletedVariance) > 1e-9) {
    throw Error(ErrorCode::configuration,
                "batches are completed to a variance of 2: set noise_variance to 2");
  }
  return ratio;
}

/// The changes of a batch, as integers that only a mechanism opens.
ExactSum sealed(const std::vector<std::int64_t>& changes) {
  ExactSum integers(changes.size());
  integers.add(std::span<const std::int64_t>(changes));
  return integers;
}

Answer release_completed(NoiseMechanism& mechanism, Receipt receipt, const ExactSum& sealed_changes,
                         const VarianceCompletedPlan& plan) {
  const SecretScale scale = [&](std::span<const Int128> entries) {
    const std::vector<std::int64_t> changes(entries.begin(), entries.end());
    return std::pair(variance_completed_center(plan, changes),
                     plan.noise(variance_completed_variance(plan, changes)));
  };
  return mechanism.release_with_secret_scale(
      std::move(receipt), sealed_changes, scale, [](const NoisyIntegers& noisy) {
        return NoisyRatio{noisy.values[0] * kLogDensityGrid, kVarianceCompletedVariance};
      });
}

}  // namespace

Measure measure_variance_completed_ratios(const Rows& rows, OwnerContext context,
                                          const VarianceCompletedPlan& plan, std::size_t count,
                                          Ledger& ledger) {
  if (!context.unit.rows_are_public()) {
    throw Error(ErrorCode::configuration,
                "batches of fixed size protect single rows under adjacency substitute only: choose another "
                "method");
  }
  if (plan.rows != rows.rows()) throw Error(ErrorCode::internal, "a plan for another number of rows");
  const Epsilon composed(
      upper_epsilon(plan.event(count), context.unit.adjacency, ledger.delta(), BoundKind::rdp));
  auto precomposed = ledger.precompose(plan.charge(), count, composed, Rho(0));
  if (!precomposed)
    throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer steps");
  auto batches = std::make_shared<const SecretBatches>(rows, context, plan.batch);
  return [batches, context = std::move(context), plan,
          paid = std::make_shared<PrecomposedBudget>(std::move(*precomposed))](
             const Query& asked) -> std::optional<Measurements> {
    const RatioQuery& query = checked(asked);
    const auto range = contribution_range(query, context);
    if (!range || std::max(-range->lower, range->upper) > plan.bound) return std::nullopt;
    Measurement ratio{
        .charge = plan.charge(),
        .precomposed = paid.get(),
        .pass = OwnPass([batches, &query, range = *range, paid](const Rows&, EntropySource& entropy) {
          return sealed(batches->draw(query, range, entropy));
        }),
        .release = [plan](NoiseMechanism& mechanism, Receipt receipt, const ExactSum& changes) {
          return release_completed(mechanism, std::move(receipt), changes, plan);
        }};
    return Measurements{.parts = {std::move(ratio)}};
  };
}

}  // namespace sotto
