#include "sotto/measurement/price.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/sum/passes.hpp"

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

StatisticNoise statistic_noise(std::span<const double> reach, const PrivacyUnit& unit, Rho cost) {
  constexpr double kUp = 1 + 0x1p-40;
  double squares = 0;
  for (const double r : reach.subspan(1)) squares += r * r;
  const double alone = std::sqrt(reach[0] * reach[0] + squares);
  const double one_row =
      unit.adjacency == Adjacency::substitute ? std::max(2 * std::sqrt(squares), alone) : alone;
  StatisticNoise result{.noise = {}, .quantum = 0};
  GaussianNoise& noise = result.noise;
  noise.entries = reach.size();
  noise.grid = GridStep(kStatisticGrid);
  noise.sensitivity = static_cast<double>(unit.rows_per_unit) * one_row / kStatisticGrid * kUp;
  if (!(cost.value() > 0))
    throw Error(ErrorCode::configuration, "a query must cost more than nothing: raise its cost");
  const int exponent = std::ilogb(noise.sensitivity * noise.sensitivity / (2 * cost.value()));
  const int m = std::max(0, exponent - 10);
  const auto variance = GaussianNoise::variance_for(noise.sensitivity, cost, GaussianNoise::Integer(1) << m);
  if (!variance) throw Error(ErrorCode::configuration, "the noise is too large for the grid: raise the cost");
  noise.variance = *variance;
  result.quantum = std::ldexp(1 / kStatisticGrid, -m);
  return result;
}

std::optional<GaussianNoise> vector_noise(const VectorBound& bound, std::size_t entries,
                                          const PrivacyUnit& unit, Rho cost) {
  const double diameter = std::max(bound.diameter, bound.norm);  // a row that is left out contributes zero
  if (!(bound.norm > 0) || !std::isfinite(diameter)) return std::nullopt;
  GaussianNoise noise;
  noise.entries = entries;
  noise.grid = GridStep(std::ldexp(1.0, std::ilogb(bound.norm) - 29));  // every entry is below 2^30 steps
  const double one_row =
      (unit.adjacency == Adjacency::substitute ? diameter : bound.norm) / noise.grid.value() * (1 + 0x1p-40) +
      std::sqrt(static_cast<double>(entries));
  noise.sensitivity = static_cast<double>(unit.rows_per_unit) * one_row;
  const auto variance = GaussianNoise::variance_for(noise.sensitivity, cost, 1);
  if (!variance) return std::nullopt;
  noise.variance = *variance;
  return noise;
}

std::optional<GaussianNoise> batch_noise(const VectorBound& bound, std::size_t entries,
                                         const PrivacyUnit& unit, double multiplier) {
  if (unit.rows_per_unit != 1) {
    throw Error(ErrorCode::configuration,
                "batches protect units of one row: choose another method or protect rows");
  }
  if (!(bound.norm > 0) || !std::isfinite(bound.norm)) return std::nullopt;
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

Charge batch_charge(std::size_t entries, const PrivacyUnit& unit, double multiplier) {
  const double rows = unit.adjacency == Adjacency::substitute ? 2 : 1;
  const double variance = multiplier * multiplier;
  return {"batch gradient", "discrete Gaussian on a secret Poisson batch",
          Rho(rows * rows / (2 * variance) * (1 + 0x1p-40)),
          rows * std::sqrt(static_cast<double>(entries)) / (variance * 0x1p29) * (1 + 0x1p-40)};
}

Event batch_run(double rate, double multiplier, std::uint64_t count, Rho others) {
  Event batches = batch_event(rate, multiplier, count);
  if (others.value() == 0) return batches;
  const Event rest{GaussianEvent{.sensitivity = 1, .sigma = 1 / std::sqrt(2 * others.value())}, 1};
  return {CompositionEvent{{std::move(batches), rest}}, 1};
}

}  // namespace sotto
