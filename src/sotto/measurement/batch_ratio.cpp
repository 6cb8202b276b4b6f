#include "sotto/measurement/batch_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "sotto/accountant/account.hpp"
#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/secret_batches.hpp"

namespace sotto {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr const char* kName = "subsampled log-likelihood ratio";

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
  const double width = static_cast<double>(range.upper) - static_cast<double>(range.lower);
  const double b = static_cast<double>(batch);
  const double weight = static_cast<double>(rows) / b;
  const double curve = kLogDensityGrid / 2 * weight * (weight - 1) * (1 - 1 / b);
  return std::ceil((weight + curve * width) * width * kUp) + 2;
}

std::optional<GaussianNoise> batch_ratio_noise(const ContributionRange& range, std::size_t batch,
                                               std::size_t rows, const PrivacyUnit& unit, Rho cost,
                                               double least_sensitivity) {
  if (!unit.rows_are_public()) {
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
  return {.query = kName,
          .mechanism = "discrete Gaussian on a secret batch of fixed size",
          .rho = Rho(1 / (2 * tau) * kUp),
          .slack = 1 / (tau * kLeastPrecomposedSensitivity) * kUp};
}

Event batch_ratio_event(double tau, std::size_t batch, std::size_t rows, std::size_t count) {
  return {SubsampledPenaltyEvent{.tau = tau, .rate = static_cast<double>(batch) / static_cast<double>(rows)},
          count};
}

Event batch_ratio_run(const BatchRatioPlan& plan, std::size_t rows) {
  return beside(batch_ratio_event(plan.tau, plan.batch, rows, plan.count), plan.others);
}

namespace {

Measurements measure_one(const std::shared_ptr<const SecretBatches>& batches, const RatioQuery& query,
                         const ContributionRange& range, const GaussianNoise& noise,
                         const std::shared_ptr<PrecomposedBudget>& paid) {
  Measurement ratio{.charge = noise.charge(kName),
                    .precomposed = paid.get(),
                    .pass = OwnPass([batches, &query, range, paid](const Rows&, EntropySource& entropy) {
                      ExactSum sum(1);
                      sum.add(0, batch_statistic(batches->draw(query, range, entropy), batches->rows()));
                      return sum;
                    }),
                    .release = release_ratio(noise)};
  return {.parts = {std::move(ratio)}};
}

}  // namespace

Measure measure_batch_ratios(const Rows& rows, OwnerContext context, std::size_t batch) {
  auto batches = std::make_shared<const SecretBatches>(rows, context, batch);
  return [batches, context = std::move(context)](const Query& asked) -> std::optional<Measurements> {
    const RatioQuery& query = ratio_of_batch(asked);
    const auto range = contribution_range(query, context);
    if (!range) return std::nullopt;
    const auto noise = batch_ratio_noise(*range, batches->batch(), batches->rows(), context.unit, query.cost);
    if (!noise) return std::nullopt;
    return measure_one(batches, query, *range, *noise, nullptr);
  };
}

Measure measure_batch_ratios(const Rows& rows, OwnerContext context, const BatchRatioPlan& plan,
                             Ledger& ledger) {
  const Epsilon composed(upper_epsilon(batch_ratio_run(plan, rows.rows()), context.unit.adjacency,
                                       ledger.delta(), BoundKind::rdp));
  Charge each = batch_ratio_charge(plan.tau);
  each.event = batch_ratio_event(plan.tau, plan.batch, rows.rows(), 1);
  auto precomposed = ledger.precompose(std::move(each), plan.count, composed, plan.others);
  if (!precomposed)
    throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer or more noise");
  auto batches = std::make_shared<const SecretBatches>(rows, context, plan.batch);
  const Measure all_rows = measure_all_rows(context);
  return [batches, all_rows, context = std::move(context), cost = Rho(1 / (2 * plan.tau)),
          paid = std::make_shared<PrecomposedBudget>(std::move(*precomposed))](
             const Query& asked) -> std::optional<Measurements> {
    if (!std::holds_alternative<RatioQuery>(asked)) return all_rows(asked);
    const RatioQuery& query = ratio_of_batch(asked);
    if (query.cost != cost)
      throw Error(ErrorCode::configuration,
                  "the ratios of this run were paid for at another cost: ask for that one");
    const auto range = contribution_range(query, context);
    if (!range) return std::nullopt;
    const auto noise = batch_ratio_noise(*range, batches->batch(), batches->rows(), context.unit, query.cost,
                                         kLeastPrecomposedSensitivity);
    if (!noise) return std::nullopt;
    return measure_one(batches, query, *range, *noise, paid);
  };
}

}  // namespace sotto
