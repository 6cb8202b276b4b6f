// Normal kernel of the data themselves with the base measure that is conjugate after Gaussian noise.
#pragma once

#include <cmath>

#include "sotto/mixture/algorithm/imputation.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"

namespace sotto {

/// f(y | theta) = N(y | mean, sd^2), where (mean, t^2 = sd^2 + noise) has the base measure of InflatedNormalKernel: the model of
/// Neal 2 and 3 on the releases, for algorithms that impute the data. One prior across samplers (erratum E29).
/// Checked by tests/cli/mixture_figures_test.cpp: table_1_algorithms_for_one_model_agree
class DeflatedNormalKernel {
 public:
  using Datum = double;
  using Parameter = mixture::NormalParameter;  ///< of y
  using Statistic = mixture::NormalStatistic;

  explicit DeflatedNormalKernel(const mixture::InflatedNormalKernel& inflated) : inflated_(inflated) {}

  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    return -0.5 * std::pow((y - theta.mean) / theta.sd, 2) - theta.log_sd -
           0.5 * std::log(2 * std::numbers::pi);
  }
  double draw(const Parameter& theta, ChainRng& rng) const { return theta.mean + theta.sd * rng.normal(); }
  Parameter draw_prior(ChainRng& rng) const { return inflated_.deflate(inflated_.draw_prior(rng)); }

  /// The mean given the variance is normal; log variance walks, at several lengths.
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) const {
    for (const double length : {2.0, 1.0, 0.5, 0.25}) {
      const double log_sd = theta.log_sd + length / std::sqrt(1 + s.count / 8) * rng.normal();
      const Parameter next{theta.mean, std::exp(log_sd), log_sd};
      if (mixture::accept(log_target(next, s) - log_target(theta, s), rng)) theta = next;
      const double variance = theta.sd * theta.sd;
      const double prior = inflated_.prior().precision / (variance + inflated_.noise());
      const double precision = prior + s.count / variance;
      theta.mean = (prior * inflated_.prior().mean + s.sum / variance) / precision +
                   rng.normal() / std::sqrt(precision);
    }
    return theta;
  }

 private:
  /// Of (mean, log sd): t^2 ~ inverse gamma, mean | t^2 ~ N(m, t^2 / precision), dt^2 = 2 sd^2 d log sd.
  [[nodiscard]] double log_target(const Parameter& theta, const Statistic& s) const {
    const mixture::NormalInverseGamma& prior = inflated_.prior();
    const double variance = theta.sd * theta.sd;
    const double inflated = variance + inflated_.noise();
    const double apart = theta.mean - prior.mean;
    const double squares = s.squares - 2 * theta.mean * s.sum + s.count * theta.mean * theta.mean;
    return -(prior.shape + 1.5) * std::log(inflated) -
           (prior.rate + 0.5 * prior.precision * apart * apart) / inflated - 0.5 * squares / variance +
           (2 - s.count) * theta.log_sd;
  }

  mixture::InflatedNormalKernel inflated_;
};

}  // namespace sotto
