// Normal kernel with a normal-inverse-gamma base measure.
#pragma once

#include <cmath>
#include <numbers>

#include "sotto/base/error.hpp"
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

/// f(y | theta) = N(y | mean, sd^2) on the whole line.
class NormalKernel {
 public:
  using Datum = double;
  using Parameter = NormalParameter;
  using Statistic = NormalStatistic;

  explicit NormalKernel(const NormalInverseGamma& prior) : prior_(prior) {
    if (!(prior.precision > 0 && prior.shape > 0 && prior.rate > 0 && std::isfinite(prior.mean)))
      throw Error(ErrorCode::configuration,
                  "the normal-inverse-gamma base needs precision, shape and rate > 0");
  }

  [[nodiscard]] const NormalInverseGamma& prior() const { return prior_; }
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    const double x = (y - theta.mean) / theta.sd;
    return -0.5 * x * x - theta.log_sd - 0.5 * std::log(2 * std::numbers::pi);
  }
  double draw(const Parameter& theta, ChainRng& rng) const { return theta.mean + theta.sd * rng.normal(); }
  Parameter draw_prior(ChainRng& rng) const { return draw_normal_parameter(prior_, rng); }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const {
    return draw_normal_parameter(posterior(prior_, s), rng);
  }
  /// The atom with its mean moved, and how much likelier the base measure has it there: the logarithm of the ratio.
  [[nodiscard]] Parameter shifted(Parameter theta, double by) const {
    theta.mean += by;
    return theta;
  }
  [[nodiscard]] double log_shift_ratio(const Parameter& theta, double by) const {
    const double apart = theta.mean - prior_.mean;
    return -0.5 * prior_.precision * by * (2 * apart + by) / (theta.sd * theta.sd);
  }
  /// The statistic of `count` >= 2 draws: their average is normal, the squares about it are variance times chi-squared(count - 1).
  Statistic draw_statistic(const Parameter& theta, std::size_t count, ChainRng& rng) const {
    const auto n = static_cast<double>(count);
    const double sum = n * theta.mean + std::sqrt(n) * theta.sd * rng.normal();
    const double within = theta.sd * theta.sd * draw_gamma((n - 1) / 2, 0.5, rng);
    return {.count = n, .sum = sum, .squares = within + sum / n * sum};
  }

  /// Computes   -(n/2) log(2 pi) + (1/2) log(lambda/lambda_n) + a log b - a_n log b_n + log Gamma(a_n)
  ///            - log Gamma(a)
  /// Source     [Mur07, section 3.4]
  [[nodiscard]] double log_marginal(const Statistic& s) const {
    const NormalInverseGamma p = posterior(prior_, s);
    return -0.5 * s.count * std::log(2 * std::numbers::pi) + 0.5 * std::log(prior_.precision / p.precision) +
           prior_.shape * std::log(prior_.rate) - p.shape * std::log(p.rate) + std::lgamma(p.shape) -
           std::lgamma(prior_.shape);
  }

 private:
  NormalInverseGamma prior_;
};

}  // namespace sotto::mixture
