// Normal kernel of releases made with Gaussian noise: its variance is the noise's plus the data's, so the
// base measure of the sum is truncated and everything stays conjugate.
#pragma once

#include <cmath>
#include <numbers>

#include "sotto/base/error.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"

namespace sotto::mixture {

/// log S(a, x), S(a, x) = sum_k x^k / (a (a+1) ... (a+k)), for a > 0, x >= 0: the lower incomplete
/// gamma function is x^a e^{-x} S(a, x). For large x by the continued fraction of the upper one.
/// Source     [AS64, 6.5.29 and 6.5.31]
inline double log_incomplete_sum(double a, double x) {
  if (x < a + 10 * std::sqrt(a) + 100) {
    double term = 1 / a;
    double sum = term;
    for (double k = 1; term > sum * 1e-17; ++k) sum += term *= x / (a + k);
    return std::log(sum);
  }
  // gamma(a, x) = Gamma(a) - Gamma(a, x), and the second is at most e^{-x} x^a (1/x)(1 + ...) << the first.
  double fraction = 0;
  for (double k = 60; k >= 1; --k) fraction = k * (k - a) / (x + 2 * k + 1 - a - fraction);
  const double log_upper = -std::log(x + 1 - a - fraction);  // of Gamma(a, x) e^x x^{-a}
  const double log_whole = std::lgamma(a) + x - a * std::log(x);
  return log_whole + std::log1p(-std::exp(log_upper - log_whole));
}

/// A gamma(shape, 1) variate conditioned on (0, bound], exactly.
inline double draw_gamma_below(double shape, double bound, ChainRng& rng) {
  // Where the bound keeps a good share of the mass, draw until it is met.
  if (bound > shape)
    for (;;)
      if (const double x = draw_gamma(shape, 1, rng); x <= bound) return x;
  // Else write x = bound * e^{-t}: density proportional to exp(-shape t - bound e^{-t}), t > 0. As e^{-t} >=
  // 1 - t, an exponential with rate shape - bound is an envelope; with the rate shape - bound near 0 use rate
  // `shape`.
  const double rate = shape - bound;
  if (rate > 0.3 * std::sqrt(shape))
    for (;;) {
      const double t = -std::log(positive_uniform(rng)) / rate;
      if (std::log(positive_uniform(rng)) <= -bound * (std::expm1(-t) + t)) return bound * std::exp(-t);
    }
  for (;;)
    if (const double x = draw_gamma(shape, 1, rng); x <= bound) return x;
}

/// g(z | theta) = N(z | mean, t^2), t^2 = noise + variance of the data. `sd` is t. G0: t^2 ~ inverse
/// gamma(shape, rate) conditioned on t^2 >= noise; mean | t^2 ~ N(mean, t^2 / precision). Use it on
/// releases as if they were confidential data (Neal 2, 3, split-merge, or any algorithm): the data y
/// are N(mean, t^2 - noise) given their atom. The model is that of a Gaussian channel whose data are
/// not clamped.
/// Source     [BFR24, section 3.3]; the mean is mean_i (E24); marginal likelihood as in E31
/// Checked by tests/mixture/kernels_test.cpp: marginal_likelihoods_match_the_base_measure, updates_draw_from_the_posterior
class InflatedNormalKernel {
 public:
  using Datum = double;
  using Parameter = NormalParameter;
  using Statistic = NormalStatistic;

  /// `noise`: the channel's variance, > 0.
  InflatedNormalKernel(const NormalInverseGamma& prior, double noise)
      : normal_(prior), noise_(noise), log_prior_sum_(0) {
    if (!(noise > 0 && std::isfinite(noise)))
      throw Error(ErrorCode::configuration, "the inflated normal kernel needs a noise variance > 0");
    log_prior_sum_ = log_incomplete_sum(prior.shape, prior.rate / noise);
  }

  [[nodiscard]] double noise() const { return noise_; }
  [[nodiscard]] const NormalInverseGamma& prior() const { return normal_.prior(); }
  [[nodiscard]] double log_density(double z, const Parameter& theta) const {
    return normal_.log_density(z, theta);
  }
  double draw(const Parameter& theta, ChainRng& rng) const { return normal_.draw(theta, rng); }
  Parameter draw_prior(ChainRng& rng) const { return draw(prior(), rng); }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const {
    return draw(posterior(prior(), s), rng);
  }
  /// The data's own parameter: same mean, variance t^2 - noise.
  [[nodiscard]] Parameter deflate(const Parameter& theta) const {
    const double variance = std::fmax(theta.sd * theta.sd - noise_, 1e-12 * noise_);
    return {theta.mean, std::sqrt(variance), std::log(variance) / 2};
  }

  /// Computes   -(n/2) log(2 pi e^2) + (1/2) log(lambda/lambda_n) - (b_n - b)/e^2 + log S(a_n, b_n/e^2)
  ///            - log S(a, b/e^2), e^2 the noise variance; no difference of nearly equal incomplete
  ///            gamma functions
  /// Source     erratum E31
  [[nodiscard]] double log_marginal(const Statistic& s) const {
    const NormalInverseGamma p = posterior(prior(), s);
    return -0.5 * s.count * std::log(2 * std::numbers::pi * noise_) +
           0.5 * std::log(prior().precision / p.precision) - (p.rate - prior().rate) / noise_ +
           log_incomplete_sum(p.shape, p.rate / noise_) - log_prior_sum_;
  }

 private:
  /// t^2 = rate / x with x ~ gamma(shape, 1) conditioned on x <= rate / noise.
  Parameter draw(const NormalInverseGamma& law, ChainRng& rng) const {
    const double variance = law.rate / draw_gamma_below(law.shape, law.rate / noise_, rng);
    const double sd = std::sqrt(variance);
    return {law.mean + sd * rng.normal() / std::sqrt(law.precision), sd, std::log(variance) / 2};
  }

  NormalKernel normal_;
  double noise_;
  double log_prior_sum_;
};

}  // namespace sotto::mixture
