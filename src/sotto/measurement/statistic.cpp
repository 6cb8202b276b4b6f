#include "sotto/measurement/statistic.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"

namespace sotto {

StatisticNoise statistic_noise(std::size_t entries, const VectorBound& bound, const PrivacyUnit& unit,
                               Rho cost) {
  constexpr double kUp = 1 + 0x1p-40;
  const double one_row =
      unit.adjacency == Adjacency::substitute ? std::max(bound.diameter, bound.norm) : bound.norm;
  StatisticNoise result{.noise = {}, .quantum = 0};
  GaussianNoise& noise = result.noise;
  noise.entries = entries;
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

Measurements measure_kept_statistic(const Query& query, const PrivacyUnit& unit, std::size_t entries,
                                    const VectorBound& bound, std::shared_ptr<const ExactSum> sum) {
  const auto* asked = std::get_if<StatisticQuery>(&query);
  if (asked == nullptr) {
    throw Error(ErrorCode::configuration,
                "this owner knows sufficient statistics only: choose method penalty-exponential-family");
  }
  const StatisticNoise priced = statistic_noise(entries, bound, unit, asked->cost);
  Measurement statistic{
      .charge = priced.noise.charge("sufficient statistic"),
      .pass = OwnPass([sum = std::move(sum)](const Rows&, EntropySource&) { return *sum; }),
      .release = [priced](NoiseMechanism& mechanism, Receipt receipt, const ExactSum& exact) -> Answer {
        return mechanism.release(std::move(receipt), exact, priced.noise, [&](const NoisyIntegers& noisy) {
          const double g = priced.noise.grid.value();
          const auto size = static_cast<Eigen::Index>(noisy.values.size());
          return NoisyStatistic{Eigen::Map<const Position>(noisy.values.data(), size) * g,
                                Position::Constant(size, noisy.variance * g * g),
                                Position::Constant(size, priced.quantum)};
        });
      }};
  return {.parts = {std::move(statistic)}};
}

template <>
std::optional<Measurements> measure(const StatisticQuery&, const OwnerContext&) {
  throw Error(ErrorCode::configuration,
              "this run answers no sufficient statistic: choose method penalty-exponential-family");
}

}  // namespace sotto
