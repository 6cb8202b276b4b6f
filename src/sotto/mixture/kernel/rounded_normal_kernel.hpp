// Normal kernel rounded to the whole numbers of the declared domain, with a normal-inverse-gamma base measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/kernel/normal_base.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/normal_interval.hpp"

namespace sotto::mixture {

/// How often each whole number occurs, and their moments.
struct CountsStatistic {
  NormalStatistic moments;
  double first = 0;  ///< the number of the first of `times`
  std::vector<double> times;
  void add(double y) {
    moments.add(y);
    if (times.empty()) first = y;
    if (y < first) {
      times.insert(times.begin(), static_cast<std::size_t>(first - y), 0.0);
      first = y;
    }
    const auto at = static_cast<std::size_t>(y - first);
    if (at >= times.size()) times.resize(at + 1, 0.0);
    times[at] += 1;
  }
};

/// f(y | theta) = P(y - 1/2 < N(mean, sd^2) < y + 1/2) / P(first - 1/2 < N(mean, sd^2) < last + 1/2) for y = first .. last, 0
/// elsewhere: counts that vary less than Poisson ones, as much, or more.
/// Source     [CD11], whose thresholds are those of ordinary rounding here
class RoundedNormalKernel {
 public:
  // The row in the table of kernels.
  static constexpr std::string_view kName = "rounded-normal";
  static constexpr bool kDiscrete = true;
  /// Errors: configuration unless the domain has 2 to 10001 whole numbers.
  [[nodiscard]] static RoundedNormalKernel make(const ColumnSettings& column,
                                                const BaseParameters& asked = {}) {
    const double first = std::ceil(column.lower);
    const double last = std::floor(column.upper);
    require_counts(first, last);
    const NormalBaseNumbers base = base_numbers({first - 0.5, last + 0.5}, asked);
    return {base.widest, first, last, base.scales};
  }
  [[nodiscard]] BaseParameters base() const { return base_parameters(normal_.base()); }
  [[nodiscard]] Position shown(Eigen::Index) const {
    return Position::LinSpaced(static_cast<Eigen::Index>(last_ - first_) + 1, first_, last_);
  }
  [[nodiscard]] double legal(double y) const { return std::clamp(std::round(y), first_, last_); }

  using Datum = double;
  struct Parameter : NormalParameter {
    double log_inside = 0;  ///< log of the normal's probability of the domain, half a step around it included
  };
  using Statistic = CountsStatistic;

  RoundedNormalKernel(const NormalInverseGamma& prior, double first, double last, int scales = 1)
      : normal_(prior, scales), first_(first), last_(last) {
    require_counts(first, last);
  }

  [[nodiscard]] Parameter complete(const NormalParameter& theta) const {
    return {theta, log_within(first_ - 0.5, last_ + 0.5, theta)};
  }
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    if (!(y >= first_ && y <= last_)) return -HUGE_VAL;
    return log_within(y - 0.5, y + 0.5, theta) - theta.log_inside;
  }
  double draw(const Parameter& theta, ChainRng& rng) const {
    return legal(draw_normal_in(theta.mean, theta.sd, first_ - 0.5, last_ + 0.5, rng));
  }
  Parameter draw_prior(ChainRng& rng) const { return complete(normal_.draw_prior(rng)); }
  /// The kernel before it is rounded, on the whole line, with the same base measure.
  [[nodiscard]] const NormalKernel& untruncated() const { return normal_; }
  [[nodiscard]] double cumulative(double y, const Parameter& theta) const {
    if (y < first_) return 0;
    if (y >= last_) return 1;
    return std::fmin(1, std::exp(log_within(first_ - 0.5, std::floor(y) + 0.5, theta) - theta.log_inside));
  }
  [[nodiscard]] double mean(const Parameter& theta) const {
    double sum = 0;
    for (double y = first_; y <= last_; ++y) sum += y * std::exp(log_density(y, theta));
    return std::clamp(sum, first_, last_);
  }

  /// Two Metropolis-Hastings steps: one proposes from the posterior of a normal of which the numbers themselves were drawn, with the
  /// variance that rounding adds; one walks in mean and log standard deviation. Both accept by the exact ratio.
  /// Computes   target(theta) proportional to NIG(theta | prior) prod f(y | theta)
  /// Checked by tests/mixture/kernels_test.cpp: rounded_updates_leave_the_posterior_invariant
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) const {
    NormalStatistic spread = s.moments;
    spread.squares += spread.count / 12;
    double likelihood = log_likelihood(theta, s);
    const Parameter fresh = complete(normal_.update({}, spread, rng));
    const double fresh_likelihood = log_likelihood(fresh, s);
    const double ratio = fresh_likelihood - mixture::log_likelihood(fresh, spread) -
                         (likelihood - mixture::log_likelihood(theta, spread));
    if (std::log(positive_uniform(rng)) < ratio) {
      theta = fresh;
      likelihood = fresh_likelihood;
    }
    const ScaledBase& base = normal_.base();
    const Parameter near = complete(base.walk(theta, spread, rng));
    const double change =
        base.log_density(near) + log_likelihood(near, s) - base.log_density(theta) - likelihood;
    if (std::log(positive_uniform(rng)) < change) theta = near;
    return theta;
  }

 private:
  static void require_counts(double first, double last) {
    if (!(last > first && last - first <= 10'000))
      throw Error(ErrorCode::configuration, "counts need a domain with 2 to 10001 whole numbers");
  }
  [[nodiscard]] static double log_within(double lower, double upper, const NormalParameter& theta) {
    return log_interval((lower - theta.mean) / theta.sd, (upper - theta.mean) / theta.sd);
  }
  [[nodiscard]] double log_likelihood(const Parameter& theta, const Statistic& s) const {
    double sum = 0;
    for (std::size_t k = 0; k < s.times.size(); ++k)
      if (s.times[k] > 0) sum += s.times[k] * log_density(s.first + static_cast<double>(k), theta);
    return sum;
  }

  NormalKernel normal_;
  double first_;
  double last_;
};

}  // namespace sotto::mixture
