#include "sotto/math/clipped_count.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <exception>
#include <numbers>

namespace sotto {
namespace {

// No row's value may end a pass: errors of special functions become numbers.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::denorm_error<boost::math::policies::ignore_error>,
    boost::math::policies::rounding_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

constexpr double kLargestPredictor = 30;
constexpr double kLargePoisson = 1e4;
constexpr double kLargeNegativeBinomial = 1e6;
constexpr double kTells = 1e-5;      // excess variance over the mean that matters
constexpr double kMostSummed = 100;  // terms; beyond, the incomplete beta function takes less time
constexpr double kLeastFirst = 1e-280;
constexpr double kFarTail = 9;  // standard deviations: less than 1e-18 lies beyond

/// Q(a, x) for large a by the uniform expansion's leading terms; x within a few standard deviations of a, else 0 or 1.
double large_gamma_q(double a, double x) {
  const double mu = (x - a) / a;
  if (!(mu < 0.5)) return 0;
  if (!(mu > -0.5)) return 1;
  const double eta = std::copysign(std::sqrt(std::max(-2 * boost::math::log1pmx(mu, Quiet()), 0.0)), mu);
  const double z = eta * std::sqrt(a / 2);
  if (z > kFarTail) return 0;
  if (z < -kFarTail) return 1;
  const double correction = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta / 864));
  return std::clamp(std::erfc(z) / 2 + correction * std::exp(-z * z) / std::sqrt(2 * std::numbers::pi * a),
                    0.0, 1.0);
}

double poisson(double mean, double k) {
  return mean > kLargePoisson ? large_gamma_q(k + 1, mean) : boost::math::gamma_q(k + 1, mean, Quiet());
}

/// Sum of the probabilities of 0 to k, each from the one before; 0 where that of 0 is too small a number to begin with.
double summed_negative_binomial(const CountLaw& law, double k) {
  const double shape = 1 / law.dispersion;
  const double excess = law.dispersion * law.mean;
  const double ratio = excess / (1 + excess);
  double p = std::exp(-shape * std::log1p(excess));
  if (p < kLeastFirst) return 0;
  double sum = p;
  for (double j = 0; j < k; ++j) {
    p *= ratio * (j + shape) / (j + 1);
    sum += p;
  }
  return sum;
}

double negative_binomial(const CountLaw& law, double k) {
  if (k <= kMostSummed) {
    const double sum = summed_negative_binomial(law, k);
    if (sum > 0) return sum;
  }
  const double inflation = 1 + law.dispersion * law.mean;
  if (law.mean > kLargeNegativeBinomial) {  // a gamma distribution of the same mean and variance
    return boost::math::gamma_p(law.mean / inflation, (k + 0.5) / inflation, Quiet());
  }
  return boost::math::ibeta(1 / law.dispersion, k + 1, 1 / inflation, Quiet());
}

}  // namespace

double count_mean(double predictor) {
  return std::exp(std::clamp(predictor, -kLargestPredictor, kLargestPredictor));
}

double cumulative_probability(const CountLaw& law, double k) {
  if (k < 0) return 0;
  const double sd = std::sqrt(law.mean + law.dispersion * law.mean * law.mean);
  const double far = 40 * sd + 60 * (1 + law.dispersion * law.mean);  // less than 1e-20 lies beyond
  if (k > law.mean + far) return 1;
  if (law.dispersion == 0 && k < law.mean - far) return 0;
  const bool tells = law.dispersion * law.mean > kTells || law.dispersion > 10 * kTells;
  double p = 0;
  try {
    p = tells ? negative_binomial(law, k) : poisson(law.mean, k);
  } catch (const std::exception&) {  // Quiet does not hold in all of Boost: no row's count may end a pass
    return 0;
  }
  return p > 0 ? std::min(p, 1.0) : 0.0;  // also for what is not a number
}

ClippedCount clipped_count(const CountLaw& law, double low, double high) {
  const double start = std::max(low, 0.0);
  if (!(high > start)) return {std::max(high, low), 0};
  const bool tilts = law.dispersion > 0;
  const CountLaw tilted{law.mean * (1 + law.dispersion), law.dispersion / (1 + law.dispersion)};
  struct Edge {
    double whole, part, below, upto, tilted_below, tilted_upto;
  };
  const auto edge = [&](double t) {
    Edge e{std::floor(t), t - std::floor(t), 0, 0, 0, 0};
    e.below = cumulative_probability(law, e.whole - 1);
    e.upto = cumulative_probability(law, e.whole);
    e.tilted_below = tilts ? cumulative_probability(tilted, e.whole - 1) : e.below;
    e.tilted_upto = tilts ? cumulative_probability(tilted, e.whole) : e.upto;
    return e;
  };
  const Edge from = edge(start);
  const Edge to = edge(high);
  const auto least = [&](const Edge& e, double t) { return law.mean * e.tilted_below + t * (1 - e.upto); };
  // Mass of [y, y + 1] above an edge: the edge's own cell by its part, and all cells beyond.
  const auto covered = [](const Edge& e) {
    return e.tilted_below + e.part * (e.tilted_upto - e.tilted_below);
  };
  const double mean = least(to, high) - least(from, start) + start;
  return {std::clamp(mean, start, high), law.mean * std::clamp(covered(to) - covered(from), 0.0, 1.0)};
}

}  // namespace sotto
