#include "sotto/math/count_effect.hpp"

#include <cmath>

namespace sotto {
namespace {

// Of a log-normal effect's logarithm, in its standard deviations: a gamma effect's part, and the steps between parts.
constexpr double kWithin = 0.25;
constexpr double kStep = 0.33;
constexpr double kFarthestEffect = 3;  // and as far again as the effect moves the mean

}  // namespace

std::vector<CountPart> parts_of(const CountEffect& effect) {
  const double sd = effect.log_sd;
  if (!(sd > 0)) {
    if (!(effect.few > 0)) return {{1, 1, effect.dispersion}};
    return {{1 - effect.few, 1, effect.dispersion}, {effect.few, effect.times, effect.dispersion}};
  }
  const double between = sd * std::sqrt(1 - kWithin * kWithin);
  const double dispersion = std::expm1(kWithin * kWithin * sd * sd);
  std::vector<CountPart> parts;
  double shares = 0;
  double mean = 0;
  for (double log_factor = -kFarthestEffect * sd; log_factor <= (kFarthestEffect + sd) * sd;
       log_factor += kStep * sd) {
    const double z = log_factor / between;
    parts.push_back({std::exp(-z * z / 2), std::exp(log_factor), dispersion});
    shares += parts.back().share;
    mean += parts.back().share * parts.back().factor;
  }
  for (CountPart& part : parts) {
    part.share /= shares;
    part.factor /= mean / shares;
  }
  return parts;
}

double cumulative_probability(const std::vector<CountPart>& parts, double mean, double k) {
  double sum = 0;
  for (const auto& [share, factor, dispersion] : parts)
    sum += share * cumulative_probability(CountLaw{factor * mean, dispersion}, k);
  return sum;
}

double clipped_mean(const std::vector<CountPart>& parts, double mean, double low, double high) {
  double sum = 0;
  for (const auto& [share, factor, dispersion] : parts)
    sum += share * clipped_count({factor * mean, dispersion}, low, high).mean;
  return sum;
}

}  // namespace sotto
