#include "sotto/measurement/batch_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accountant/account.hpp"
#include "sotto/base/error.hpp"
#include "sotto/data/secret_batch.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/gradient.hpp"
#include "sotto/measurement/vector_noise.hpp"

namespace sotto {

std::optional<GaussianNoise> batch_noise(const VectorBound& bound, std::size_t entries,
                                         const PrivacyUnit& unit, double multiplier) {
  if (unit.rows_per_unit != 1) {
    throw Error(ErrorCode::configuration,
                "batches protect units of one row: choose another method or protect rows");
  }
  if (!(bound.norm >= kLeastNorm) || !std::isfinite(bound.norm)) return std::nullopt;
  GaussianNoise noise;
  noise.entries = entries;
  noise.grid = GridStep(std::ldexp(1.0, std::ilogb(bound.norm) - 29));
  const double one_row =
      bound.norm / noise.grid.value() * (1 + 0x1p-40) + std::sqrt(static_cast<double>(entries)) / 2;
  const double sd = NoiseMultiplier(multiplier).value() * one_row * (1 + 0x1p-48);
  noise.sensitivity = unit.adjacency == Adjacency::substitute ? 2 * one_row : one_row;
  const double variance = sd * sd * (1 + 0x1p-48);
  if (!(variance < 0x1p103)) return std::nullopt;  // the sampler takes 2^104
  noise.variance = GaussianNoise::Integer(std::ceil(variance));
  return noise;
}

Charge batch_charge(std::size_t entries, const PrivacyUnit& unit, double multiplier, double rate) {
  const double rows = unit.adjacency == Adjacency::substitute ? 2 : 1;
  const double variance = multiplier * multiplier;
  return {.query = "batch gradient",
          .mechanism = "discrete Gaussian on a secret Poisson batch",
          .rho = Rho(rows * rows / (2 * variance) * (1 + 0x1p-40)),
          .slack = rows * std::sqrt(static_cast<double>(entries)) / (variance * 0x1p29) * (1 + 0x1p-40),
          .event = batch_event(rate, multiplier, 1)};
}

namespace {

Error not_paid() {
  return {ErrorCode::configuration,
          "batches must be paid for as a whole before the first: name their rate, noise and number"};
}

std::optional<Measurements> measure_batch(const BatchGradientQuery& query, const OwnerContext& context,
                                          const BatchPlan& plan,
                                          const std::shared_ptr<PrecomposedBudget>& paid) {
  if (query.rate != plan.rate || query.noise_multiplier != plan.noise_multiplier) throw not_paid();
  const Position scale = scale_of(query.scale, context);
  const auto entries = static_cast<std::size_t>(context.model.dim());
  const VectorBound bound = gradient_bound(query.at, scale, context);
  const auto noise = batch_noise(bound, entries, context.unit, query.noise_multiplier);
  if (!noise) return std::nullopt;
  const auto task = gradient_task(query.at, scale, bound, noise->grid, context);
  if (!task) return std::nullopt;
  Measurement gradient{.charge = noise->charge("batch gradient"),
                       .precomposed = paid.get(),
                       .pass = OwnPass([model = context.model, rate = plan.rate, task = *task, entries, paid](
                                           const Rows& all, EntropySource& entropy) {
                         const Rows batch = poisson_batch(all, rate, entropy, model.keeps_places());
                         return sum_tiles(
                             batch.tiles(), kGradientRun, entries, 1,
                             [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                               model.add_gradients(batch, first, count, std::span(&task, 1), sums);
                             });
                       }),
                       .release = release_gradient(*noise, scale * query.rate)};
  return Measurements{.parts = {std::move(gradient)}};
}

}  // namespace

template <>
std::optional<Measurements> measure(const BatchGradientQuery&, const OwnerContext&) {
  throw not_paid();
}

Measure measure_batches(const OwnerContext& context, const BatchPlan& plan, Ledger& ledger,
                        std::optional<Epsilon> composed) {
  if (!composed) {
    const Event run = beside(batch_event(plan.rate, plan.noise_multiplier, plan.count), plan.others);
    composed = Epsilon(upper_epsilon(run, context.unit.adjacency, ledger.delta(), BoundKind::tight));
  }
  auto paid = ledger.precompose(batch_charge(static_cast<std::size_t>(context.model.dim()), context.unit,
                                             plan.noise_multiplier, plan.rate),
                                plan.count, *composed, plan.others);
  if (!paid)
    throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer or more noise");
  return [context, plan, paid = std::make_shared<PrecomposedBudget>(std::move(*paid)),
          all_rows = measure_all_rows(context)](const Query& query) {
    const auto* batch = std::get_if<BatchGradientQuery>(&query);
    return batch != nullptr ? measure_batch(*batch, context, plan, paid) : all_rows(query);
  };
}

}  // namespace sotto
