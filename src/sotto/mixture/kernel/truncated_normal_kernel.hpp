// Normal kernel truncated to the declared domain, with a normal-inverse-gamma base measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/kernel/normal_base.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/normal_cells.hpp"
#include "sotto/mixture/normal_interval.hpp"

namespace sotto::mixture {

/// f(y | theta) = N(y | mean, sd^2) / P(lower < N(mean, sd^2) < upper) on the domain, 0 elsewhere. With it
/// every imputed datum lies in the domain (erratum E28).
class TruncatedNormalKernel {
 public:
  // The row in the table of kernels.
  static constexpr std::string_view kName = "normal";
  static constexpr bool kDiscrete = false;
  [[nodiscard]] static TruncatedNormalKernel make(const ColumnSettings& column,
                                                  const BaseParameters& asked = {}) {
    const Interval domain = Grid({column.lower, column.upper}).domain();
    const NormalBaseNumbers base = base_numbers(domain, asked);
    return {base.widest, domain, base.scales};
  }
  [[nodiscard]] BaseParameters base() const { return base_parameters(normal_.base()); }
  [[nodiscard]] Position shown(Eigen::Index points) const {
    return Position::LinSpaced(points, domain_.lower, domain_.upper);
  }
  [[nodiscard]] double legal(double y) const { return std::clamp(y, domain_.lower, domain_.upper); }

  using Datum = double;
  struct Parameter : NormalParameter {
    double log_inside = 0;  ///< log of the normal's probability of the domain
  };
  using Statistic = NormalStatistic;

  TruncatedNormalKernel(const NormalInverseGamma& prior, Interval domain, int scales = 1)
      : normal_(prior, scales), domain_(domain) {
    if (!(domain.lower < domain.upper) || !std::isfinite(domain.width()))
      throw Error(ErrorCode::configuration, "a truncated kernel needs finite bounds with lower < upper");
  }

  [[nodiscard]] const Interval& domain() const { return domain_; }
  [[nodiscard]] const NormalInverseGamma& prior() const { return normal_.prior(); }
  [[nodiscard]] Parameter complete(const NormalParameter& theta) const {
    return {theta,
            log_interval((domain_.lower - theta.mean) / theta.sd, (domain_.upper - theta.mean) / theta.sd)};
  }
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    if (!(y >= domain_.lower && y <= domain_.upper)) return -HUGE_VAL;
    return normal_.log_density(y, theta) - theta.log_inside;
  }
  double draw(const Parameter& theta, ChainRng& rng) const {
    return draw_normal_in(theta.mean, theta.sd, domain_.lower, domain_.upper, rng);
  }
  Parameter draw_prior(ChainRng& rng) const { return complete(normal_.draw_prior(rng)); }
  /// The kernel on the whole line with the same base measure.
  [[nodiscard]] const NormalKernel& untruncated() const { return normal_; }
  [[nodiscard]] double cumulative(double y, const Parameter& theta) const {
    if (!(y > domain_.lower)) return 0;
    if (y >= domain_.upper) return 1;
    const double log_below =
        log_interval((domain_.lower - theta.mean) / theta.sd, (y - theta.mean) / theta.sd);
    return std::fmin(1, std::exp(log_below - theta.log_inside));
  }
  /// Its averages over the cells of an even grid over the domain, times a weight; false where they would be inaccurate.
  bool add_cells(
      const Position& grid, const Parameter& theta, double weight,
      Eigen::Ref<Position> out) const {  // NOLINT(performance-unnecessary-value-param): written through
    const double step = domain_.width() / static_cast<double>(grid.size() - 1);
    if (!has_fine_cells(theta.mean, theta.sd, step, domain_)) return false;
    if (weight > 0) add_normal_cells(theta.mean, theta.sd, std::log(weight) - theta.log_inside, grid, out);
    return true;
  }
  /// Computes   m + sd (phi(l) - phi(u)) / P(l < N(0, 1) < u)
  [[nodiscard]] double mean(const Parameter& theta) const {
    const auto phi = [&](double y) {
      const double x = (y - theta.mean) / theta.sd;
      return std::exp(-0.5 * x * x - theta.log_inside) / std::sqrt(2 * std::numbers::pi);
    };
    return std::clamp(theta.mean + theta.sd * (phi(domain_.lower) - phi(domain_.upper)), domain_.lower,
                      domain_.upper);
  }

  /// Two Metropolis-Hastings steps: one proposes from the posterior that ignores the truncation, one
  /// walks in the mean and log variance. Both accept by the exact ratio.
  /// Computes   target(theta) proportional to NIG(theta | prior) prod N(y | theta) / inside(theta)^n
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) const {
    const Parameter fresh = complete(normal_.update(theta, s, rng));
    if (std::log(positive_uniform(rng)) < s.count * (theta.log_inside - fresh.log_inside)) theta = fresh;
    const Parameter near = complete(normal_.base().walk(theta, s, rng));
    if (std::log(positive_uniform(rng)) < log_target(near, s) - log_target(theta, s)) theta = near;
    return theta;
  }

 private:
  /// Of (mean, log sd).
  [[nodiscard]] double log_target(const Parameter& theta, const Statistic& s) const {
    return normal_.base().log_density(theta) + log_likelihood(theta, s) - s.count * theta.log_inside;
  }

  NormalKernel normal_;
  Interval domain_;
};

}  // namespace sotto::mixture
