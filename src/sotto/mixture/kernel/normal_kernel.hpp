// Normal kernel with a normal-inverse-gamma base measure.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/algorithm/sample_categorical.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Mean and standard deviation, with the logarithm of the latter kept beside it.
struct NormalParameter {
  double mean = 0;
  double sd = 1;
  double log_sd = 0;
};

/// G0: mean | variance ~ N(mean, variance / precision), variance ~ inverse gamma(shape, rate).
struct NormalInverseGamma {
  double mean = 0;
  double precision = 0.1;
  double shape = 3;
  double rate = 3;
};

/// Count, sum and sum of squares. Sums are taken about an origin near the data, against cancellation.
struct NormalStatistic {
  double count = 0;
  double sum = 0;
  double squares = 0;
  void add(double y) { count += 1, sum += y, squares += y * y; }
  void remove(double y) { count -= 1, sum -= y, squares -= y * y; }
};

/// Computes   -n log sd - (sum of (y - mean)^2) / (2 sd^2)
inline double log_likelihood(const NormalParameter& theta, const NormalStatistic& s) {
  const double average = s.count < 0.5 ? 0 : s.sum / s.count;
  const double within = std::fmax(0.0, s.squares - s.sum * average);
  const double apart = theta.mean - average;
  return -s.count * theta.log_sd - (within + s.count * apart * apart) / (2 * theta.sd * theta.sd);
}

/// The posterior of a normal-inverse-gamma given a statistic.
/// Computes   lambda_n = lambda + n, m_n = (lambda m + S1) / lambda_n, a_n = a + n/2, b_n = b + (Q +
///            lambda n (ybar - m)^2 / lambda_n) / 2, Q = S2 - n ybar^2
/// Source     [Mur07, section 3]
inline NormalInverseGamma posterior(const NormalInverseGamma& prior, const NormalStatistic& s) {
  if (s.count < 0.5) return prior;
  const double precision = prior.precision + s.count;
  const double average = s.sum / s.count;
  const double within = std::fmax(0.0, s.squares - s.sum * average);
  const double apart = average - prior.mean;
  return {.mean = (prior.precision * prior.mean + s.sum) / precision,
          .precision = precision,
          .shape = prior.shape + s.count / 2,
          .rate = prior.rate + (within + prior.precision * s.count * apart * apart / precision) / 2};
}

inline NormalParameter draw_normal_parameter(const NormalInverseGamma& law, ChainRng& rng) {
  const double variance = law.rate / draw_gamma(law.shape, 1, rng);
  const double sd = std::sqrt(variance);
  return {.mean = law.mean + sd * rng.normal() / std::sqrt(law.precision),
          .sd = sd,
          .log_sd = std::log(variance) / 2};
}

/// A base measure of several scales: the first, and others each of a quarter of the standard deviation and a quarter of the
/// probability of the one before, with means as far apart. A single inverse gamma leaves next to nothing for kernels much narrower
/// than itself.
class ScaledBase {
 public:
  static constexpr int kMostScales = 8;

  explicit ScaledBase(const NormalInverseGamma& widest, int scales = 1)
      : laws_(static_cast<std::size_t>(scales)) {
    double total = 0;
    for (int k = 0; k < scales; ++k) total += std::ldexp(1.0, -2 * k);
    double narrower = 1;
    for (std::size_t k = 0; k < laws_.size(); ++k, narrower /= 16) {
      laws_[k] = widest;
      laws_[k].rate *= narrower;
      laws_[k].precision *= narrower;
      log_weights_[k] = -std::log(total) - 2 * static_cast<double>(k) * std::numbers::ln2;
    }
  }

  [[nodiscard]] const NormalInverseGamma& widest() const { return laws_.front(); }
  [[nodiscard]] const std::vector<NormalInverseGamma>& laws() const { return laws_; }

  /// From the data alone of the statistic: one of the scales' posteriors, with the probability that the scale has given them.
  [[nodiscard]] NormalInverseGamma draw_posterior(const NormalStatistic& s, ChainRng& rng) const {
    if (laws_.size() == 1) return posterior(laws_.front(), s);
    Logarithms terms = log_weights_;
    for (std::size_t k = 0; k < laws_.size(); ++k) terms[k] += log_marginal(laws_[k], s);
    return posterior(laws_[sample_categorical(std::span(terms).first(laws_.size()), rng)], s);
  }
  /// A step in mean and log standard deviation about as long as the posterior of any one scale is wide, alike there and back.
  [[nodiscard]] NormalParameter walk(const NormalParameter& theta, const NormalStatistic& s,
                                     ChainRng& rng) const {
    const auto scale =
        laws_.size() == 1 ? 0 : static_cast<std::size_t>(rng.uniform() * static_cast<double>(laws_.size()));
    const NormalInverseGamma law = posterior(laws_[scale], s);
    const double width = std::sqrt(law.rate / law.shape / law.precision);
    const double log_sd = theta.log_sd + 0.7 / std::sqrt(law.shape) * rng.normal();
    return {.mean = theta.mean + 1.5 * width * rng.normal(), .sd = std::exp(log_sd), .log_sd = log_sd};
  }
  [[nodiscard]] double log_marginal(const NormalStatistic& s) const {
    return log_sum([&](const NormalInverseGamma& law) { return log_marginal(law, s); });
  }
  /// Of (mean, log sd), but for a constant.
  [[nodiscard]] double log_density(const NormalParameter& theta) const {
    const double variance = theta.sd * theta.sd;
    return log_sum([&](const NormalInverseGamma& law) {
      const double apart = theta.mean - law.mean;
      return std::log(law.precision) / 2 + law.shape * std::log(law.rate) -
             (2 * law.shape + 1) * theta.log_sd - (law.rate + 0.5 * law.precision * apart * apart) / variance;
    });
  }

 private:
  using Logarithms = std::array<double, kMostScales>;

  /// Computes   -(n/2) log(2 pi) + (1/2) log(lambda/lambda_n) + a log b - a_n log b_n + log Gamma(a_n)
  ///            - log Gamma(a)
  /// Source     [Mur07, section 3.4]
  static double log_marginal(const NormalInverseGamma& prior, const NormalStatistic& s) {
    const NormalInverseGamma p = posterior(prior, s);
    return -0.5 * s.count * std::log(2 * std::numbers::pi) + 0.5 * std::log(prior.precision / p.precision) +
           prior.shape * std::log(prior.rate) - p.shape * std::log(p.rate) + std::lgamma(p.shape) -
           std::lgamma(prior.shape);
  }
  double log_sum(const auto& log_of) const {
    if (laws_.size() == 1) return log_of(laws_.front());
    Logarithms terms{};
    double top = -HUGE_VAL;
    for (std::size_t k = 0; k < laws_.size(); ++k)
      top = std::fmax(top, terms[k] = log_weights_[k] + log_of(laws_[k]));
    double sum = 0;
    for (std::size_t k = 0; k < laws_.size(); ++k) sum += std::exp(terms[k] - top);
    return top + std::log(sum);
  }

  std::vector<NormalInverseGamma> laws_;
  Logarithms log_weights_{};
};

/// f(y | theta) = N(y | mean, sd^2) on the whole line.
class NormalKernel {
 public:
  using Datum = double;
  using Parameter = NormalParameter;
  using Statistic = NormalStatistic;

  explicit NormalKernel(const NormalInverseGamma& prior, int scales = 1) : base_(prior, scales) {
    if (!(prior.precision > 0 && prior.shape > 0 && prior.rate > 0 && std::isfinite(prior.mean)))
      throw Error(ErrorCode::configuration,
                  "the normal-inverse-gamma base needs precision, shape and rate > 0");
  }

  [[nodiscard]] const NormalInverseGamma& prior() const { return base_.widest(); }
  [[nodiscard]] const ScaledBase& base() const { return base_; }
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    const double x = (y - theta.mean) / theta.sd;
    return -0.5 * x * x - theta.log_sd - 0.5 * std::log(2 * std::numbers::pi);
  }
  double draw(const Parameter& theta, ChainRng& rng) const { return theta.mean + theta.sd * rng.normal(); }
  Parameter draw_prior(ChainRng& rng) const {
    return draw_normal_parameter(base_.draw_posterior({}, rng), rng);
  }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const {
    return draw_normal_parameter(base_.draw_posterior(s, rng), rng);
  }
  /// The atom with its mean moved, and how much likelier the base measure has it there: the logarithm of the ratio.
  [[nodiscard]] Parameter shifted(Parameter theta, double by) const {
    theta.mean += by;
    return theta;
  }
  [[nodiscard]] double log_shift_ratio(const Parameter& theta, double by) const {
    return base_.log_density(shifted(theta, by)) - base_.log_density(theta);
  }
  /// The statistic of `count` >= 2 draws: their average is normal, the squares about it are variance times chi-squared(count - 1).
  Statistic draw_statistic(const Parameter& theta, std::size_t count, ChainRng& rng) const {
    const auto n = static_cast<double>(count);
    const double sum = n * theta.mean + std::sqrt(n) * theta.sd * rng.normal();
    const double within = theta.sd * theta.sd * draw_gamma((n - 1) / 2, 0.5, rng);
    return {.count = n, .sum = sum, .squares = within + sum / n * sum};
  }
  [[nodiscard]] double log_marginal(const Statistic& s) const { return base_.log_marginal(s); }

 private:
  ScaledBase base_;
};

}  // namespace sotto::mixture
