#include "sotto/math/count_effect.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

// Of a log-normal effect's logarithm, in its standard deviations: a gamma effect's part, and the steps between parts.
constexpr double kWithin = 0.25;
constexpr double kStep = 0.33;
constexpr double kFarthestEffect = 3;  // and as far again as the effect moves the mean

// Of a Weibull effect of mean 1: where the first slice ends, the slices' ratio, and how many of the effects lie beyond the last.
constexpr double kFirstSlice = 0.05;
constexpr double kSlice = 1.4;
constexpr double kBeyondSlices = 1e-6;

std::vector<CountPart> weibull_parts(double shape) {
  const double mean = std::tgamma(1 + 1 / shape);
  /// E[W^r 1{W < w}] of W of scale 1.
  const auto below = [shape](double r, double w) {
    return std::tgamma(1 + r / shape) * boost::math::gamma_p(1 + r / shape, std::pow(w, shape));
  };
  const double last = std::pow(-std::log(kBeyondSlices), 1 / shape);
  std::vector<CountPart> parts;
  double from = 0;
  for (double to = kFirstSlice * mean; from < last; from = to, to *= kSlice) {
    if (to > last) to = std::numeric_limits<double>::infinity();
    const double share = below(0, to) - below(0, from);
    const double first = below(1, to) - below(1, from);
    const double second = below(2, to) - below(2, from);
    parts.push_back({share, first / share / mean, std::max(second * share / (first * first) - 1, 0.0)});
  }
  return parts;
}

}  // namespace

std::vector<CountPart> parts_of(const CountEffect& effect) {
  if (effect.weibull_shape > 0) return weibull_parts(effect.weibull_shape);
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
