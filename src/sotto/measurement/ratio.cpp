#include "sotto/measurement/ratio.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

std::optional<ContributionRange> contribution_range(const Interval& range) {
  const double lower = std::floor(std::min(range.lower, 0.0) / kLogDensityGrid * (1 + 0x1p-20)) - 16;
  const double upper = std::ceil(std::max(range.upper, 0.0) / kLogDensityGrid * (1 + 0x1p-20)) + 16;
  if (!(-lower < kLargestContribution) || !(upper < kLargestContribution)) return std::nullopt;
  return ContributionRange{static_cast<std::int64_t>(lower), static_cast<std::int64_t>(upper)};
}

std::optional<GaussianNoise> ratio_noise(const ContributionRange& range, const PrivacyUnit& unit, Rho cost,
                                         double noise_sd) {
  const std::int64_t one_row = unit.adjacency == Adjacency::substitute ? range.upper - range.lower
                                                                       : std::max(-range.lower, range.upper);
  GaussianNoise noise;
  noise.sensitivity = static_cast<double>(unit.rows_per_unit) * static_cast<double>(one_row);
  noise.grid = GridStep(kLogDensityGrid);
  const GaussianNoise::Integer multiple = GaussianNoise::Integer(1) << 40;
  if (noise_sd > 0) {
    if (!(noise_sd < 0x1p11)) return std::nullopt;
    noise.variance = GaussianNoise::Integer(std::ceil(noise_sd * noise_sd / kLogDensityGrid)) * multiple;
    return noise;
  }
  const auto variance = GaussianNoise::variance_for(noise.sensitivity, cost, multiple);
  if (!variance) return std::nullopt;
  noise.variance = *variance;
  return noise;
}

std::optional<ContributionRange> contribution_range(const RatioQuery& query, const OwnerContext& context) {
  context.check_position(query.from);
  context.check_position(query.to);
  const Interval change = context.model.ratio_range(query.from, query.to);
  const Interval scaled{change.lower * context.likelihood_power, change.upper * context.likelihood_power};
  const auto range = contribution_range(scaled);
  if (range || !context.clamps_ratios || !std::isfinite(scaled.width())) return range;
  const auto most = static_cast<std::int64_t>(kLargestContribution) - 1;
  return ContributionRange{-most, most};
}

std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release_ratio(const GaussianNoise& noise) {
  return [noise](NoiseMechanism& mechanism, Receipt receipt, const ExactSum& sum) -> Answer {
    return mechanism.release(std::move(receipt), sum, noise, [&](const NoisyIntegers& noisy) {
      const double g = noise.grid.value();
      return NoisyRatio{noisy.values[0] * g, noisy.variance * g * g};
    });
  };
}

template <>
std::optional<Measurements> measure(const RatioQuery& query, const OwnerContext& context) {
  const auto range = contribution_range(query, context);
  if (!range) return std::nullopt;
  const auto noise = ratio_noise(*range, context.unit, query.cost, query.noise_sd);
  if (!noise) return std::nullopt;
  const RatioTask task{&query.from, &query.to, range->lower, range->upper};
  const double scale = context.likelihood_power / kLogDensityGrid;
  Measurement ratio{
      .charge = noise->charge("log-likelihood ratio"),
      .pass =
          RowPass{.entries = 1,
                  .run = tiles_per_run(std::max({std::int64_t{1}, -range->lower, range->upper})),
                  .add =
                      [model = context.model, task, scale](const Rows& rows, std::size_t first,
                                                           std::size_t count, std::span<std::int64_t> sums) {
                        model.add_ratios(rows, first, count, std::span(&task, 1), scale, sums);
                      }},
      .release = release_ratio(*noise)};
  return Measurements{.parts = {std::move(ratio)}};
}

}  // namespace sotto
