// Poisson kernel truncated to the whole numbers of the declared domain, with a gamma base measure.
#pragma once

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/kernel/poisson_kernel.hpp"

namespace sotto::mixture {

/// f(y | rate) = Poisson(y | rate) / P(first <= Poisson(rate) <= last) for y = first .. last, 0 elsewhere: every imputed and every
/// synthetic count lies in the domain.
class TruncatedPoissonKernel {
 public:
  // The row in the table of kernels.
  static constexpr std::string_view kName = "poisson";
  static constexpr bool kDiscrete = true;
  /// Rates spread over the domain: exponential with mean upper / 2. Errors: configuration unless the domain has 2 to 10001 counts.
  [[nodiscard]] static TruncatedPoissonKernel make(const ColumnSettings& column,
                                                   const BaseParameters& asked = {}) {
    double shape = 1;
    double rate = 2 / column.upper;
    set_base(asked, {{"shape", &shape}, {"rate", &rate}});
    return {shape, rate, std::fmax(0, std::ceil(column.lower)), std::floor(column.upper)};
  }
  [[nodiscard]] BaseParameters base() const { return {{"shape", shape_}, {"rate", rate_}}; }
  [[nodiscard]] Position shown(Eigen::Index) const {
    return Position::LinSpaced(static_cast<Eigen::Index>(last_ - first_) + 1, first_, last_);
  }
  [[nodiscard]] double legal(double y) const { return std::clamp(std::round(y), first_, last_); }

  using Datum = double;
  using Statistic = PoissonKernel::Statistic;
  struct Parameter : PoissonParameter {
    double log_inside = 0;  ///< log of the Poisson probability of the domain
  };

  TruncatedPoissonKernel(double shape, double rate, double first, double last)
      : poisson_(shape, rate), shape_(shape), rate_(rate), first_(first), last_(last) {
    if (!(first >= 0 && last > first && last - first <= 10'000))
      throw Error(ErrorCode::configuration, "counts need a domain with 2 to 10001 whole numbers >= 0");
  }

  [[nodiscard]] Parameter complete(const PoissonParameter& theta) const { return {theta, log_inside(theta)}; }
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    if (!(y >= first_ && y <= last_)) return -HUGE_VAL;
    return poisson_.log_density(y, theta) - theta.log_inside;
  }
  /// By rejection where that is quick, else by inversion from the end nearer to the rate.
  double draw(const Parameter& theta, ChainRng& rng) const {
    if (theta.log_inside > -3)
      for (;;)
        if (const double y = poisson_.draw(theta, rng); y >= first_ && y <= last_) return y;
    const bool up = theta.rate < first_ + (last_ - first_) / 2;
    double y = up ? first_ : last_;
    double term = poisson_.log_density(y, theta);
    double at = rng.uniform() * std::exp(theta.log_inside - term);  // in units of the first term
    term = 1;
    for (; (at -= term) >= 0 && y != (up ? last_ : first_); y += up ? 1 : -1)
      term *= up ? theta.rate / (y + 1) : y / theta.rate;
    return y;
  }
  Parameter draw_prior(ChainRng& rng) const { return complete(poisson_.draw_prior(rng)); }
  /// The kernel on all counts with the same base measure.
  [[nodiscard]] const PoissonKernel& untruncated() const { return poisson_; }
  [[nodiscard]] double cumulative(double y, const Parameter& theta) const {
    double sum = 0;
    for (double count = first_; count <= std::fmin(y, last_); ++count)
      sum += std::exp(log_density(count, theta));
    return std::fmin(sum, 1);
  }
  [[nodiscard]] double mean(const Parameter& theta) const {
    double sum = 0;
    for (double count = first_; count <= last_; ++count) sum += count * std::exp(log_density(count, theta));
    return std::clamp(sum, first_, last_);
  }

  /// Two Metropolis-Hastings steps, as those of the truncated normal kernel: a proposal from the posterior that ignores the
  /// truncation, and a walk in the log rate. Both accept by the exact ratio.
  /// Computes   target(rate) proportional to Gamma(rate | shape, b) prod Poisson(y | rate) / inside(rate)^n
  /// Checked by tests/mixture/kernels_test.cpp: truncated_updates_leave_the_posterior_invariant
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) const {
    const Parameter fresh = complete(poisson_.update(theta, s, rng));
    if (std::log(positive_uniform(rng)) < s.count * (theta.log_inside - fresh.log_inside)) theta = fresh;
    const double log_rate = theta.log_rate + 1.2 / std::sqrt(shape_ + s.sum) * rng.normal();
    const Parameter near = complete({std::exp(log_rate), log_rate});
    if (std::log(positive_uniform(rng)) < log_target(near, s) - log_target(theta, s)) theta = near;
    return theta;
  }

 private:
  [[nodiscard]] double log_target(const Parameter& theta, const Statistic& s) const {  // in the log rate
    return (shape_ + s.sum) * theta.log_rate - (rate_ + s.count) * theta.rate - s.count * theta.log_inside;
  }
  [[nodiscard]] double log_inside(const PoissonParameter& theta) const {
    using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    const double below = first_ > 0 ? boost::math::gamma_q(first_, theta.rate, Doubles()) : 0;
    const double inside = boost::math::gamma_q(last_ + 1, theta.rate, Doubles()) - below;
    if (inside > 1e-6) return std::log(inside);
    // Far out: the terms fall geometrically from the end nearer to the rate.
    const bool up = theta.rate < first_ + (last_ - first_) / 2;
    double sum = 1;
    double term = 1;
    for (double y = up ? first_ : last_; y != (up ? last_ : first_) && term > 1e-17 * sum; y += up ? 1 : -1)
      sum += term *= up ? theta.rate / (y + 1) : y / theta.rate;
    return poisson_.log_density(up ? first_ : last_, theta) + std::log(sum);
  }

  PoissonKernel poisson_;
  double shape_;
  double rate_;
  double first_;
  double last_;
};

}  // namespace sotto::mixture
