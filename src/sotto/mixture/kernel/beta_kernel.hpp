// Beta kernel on a bounded domain, with independent gamma base measures; atoms move by a preconditioned MALA
// step.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

struct BetaParameter {
  double a = 1;
  double b = 1;
  double log_constant = 0;  ///< log Gamma(a + b) - log Gamma(a) - log Gamma(b)
};

/// a ~ Gamma(shape_a, rate_a), b ~ Gamma(shape_b, rate_b); or narrower: `scales` such laws, each with a quarter of the probability of
/// the one before, and its rates divided by 16, so that kernels are a quarter as wide.
struct BetaBase {
  static constexpr int kMostScales = 8;
  double shape_a = 2;
  double rate_a = 2;
  double shape_b = 2;
  double rate_b = 2;
  int scales = 1;
};

/// f(y | a, b) = Beta(x | a, b) / width, x = (y - lower) / width in [0, 1].
class BetaKernel {
 public:
  // The row in the table of kernels.
  static constexpr std::string_view kName = "beta";
  static constexpr bool kDiscrete = false;
  static constexpr bool kCellsByDensity = true;  ///< the incomplete beta function is dear
  /// Kernels about as wide as the normal's, and like these of four scales: one alone leaves no probability for groups that are narrower
  /// than a sixtieth of the domain. The published gamma(2, 2) has next to no mass on kernels as narrow as the data it was used for, and
  /// much on densities that are infinite at the ends.
  [[nodiscard]] static BetaKernel make(const ColumnSettings& column, const BaseParameters& asked = {}) {
    BetaBase base{.shape_a = 2, .rate_a = 1.0 / 15, .shape_b = 2, .rate_b = 1.0 / 15};
    double scales = 4;
    set_base(asked, {{"shape_a", &base.shape_a},
                     {"rate_a", &base.rate_a},
                     {"shape_b", &base.shape_b},
                     {"rate_b", &base.rate_b},
                     {"scales", &scales}});
    if (!(scales >= 1 && scales <= BetaBase::kMostScales && scales == std::floor(scales)))
      throw Error(ErrorCode::configuration,
                  fmt::format("--base: scales is a whole number from 1 to {}", BetaBase::kMostScales));
    base.scales = static_cast<int>(scales);
    return BetaKernel(base, Grid({column.lower, column.upper}).domain());
  }
  [[nodiscard]] BaseParameters base() const {
    return {{"shape_a", base_.shape_a},
            {"rate_a", base_.rate_a},
            {"shape_b", base_.shape_b},
            {"rate_b", base_.rate_b},
            {"scales", static_cast<double>(base_.scales)}};
  }
  [[nodiscard]] Position shown(Eigen::Index points) const {
    return Position::LinSpaced(points, domain_.lower, domain_.upper);
  }
  [[nodiscard]] double legal(double y) const {
    const double inset = 1e-3 * domain_.width();
    return std::clamp(y, domain_.lower + inset, domain_.upper - inset);
  }

  using Datum = double;
  using Parameter = BetaParameter;

  struct Statistic {
    double count = 0;
    double log_left = 0;   ///< sum of log x
    double log_right = 0;  ///< sum of log(1 - x)
    double lower = 0;      ///< of the domain
    double width = 1;
    void add(double y) {
      const double x = inner((y - lower) / width);
      count += 1, log_left += std::log(x), log_right += std::log1p(-x);
    }
  };

  explicit BetaKernel(const BetaBase& base, Interval domain = {0, 1}, int steps = 2)
      : base_(base), domain_(domain), log_width_(std::log(domain.width())), steps_(steps) {
    if (!(base.shape_a > 0 && base.rate_a > 0 && base.shape_b > 0 && base.rate_b > 0 && steps > 0))
      throw Error(ErrorCode::configuration, "the beta kernel's base needs shapes, rates and steps > 0");
  }

  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    if (!(y >= domain_.lower && y <= domain_.upper)) return -HUGE_VAL;
    const double x = inner((y - domain_.lower) / domain_.width());
    return theta.log_constant - log_width_ + (theta.a - 1) * std::log(x) + (theta.b - 1) * std::log1p(-x);
  }
  [[nodiscard]] double cumulative(double y, const Parameter& theta) const {
    if (!(y > domain_.lower)) return 0;
    if (y >= domain_.upper) return 1;
    using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    return boost::math::ibeta(theta.a, theta.b, (y - domain_.lower) / domain_.width(), Doubles());
  }
  [[nodiscard]] double mean(const Parameter& theta) const {
    return domain_.lower + domain_.width() * theta.a / (theta.a + theta.b);
  }
  double draw(const Parameter& theta, ChainRng& rng) const {
    return domain_.lower + domain_.width() * inner(draw_beta(theta.a, theta.b, rng));
  }
  [[nodiscard]] Statistic empty_statistic() const {
    return {.lower = domain_.lower, .width = domain_.width()};
  }
  Parameter draw_prior(ChainRng& rng) const {
    double narrower = 1;
    if (base_.scales > 1) {
      double at = rng.uniform() * (1 - std::pow(0.25, base_.scales)) / 0.75;
      double weight = 1;
      for (int k = 1; k < base_.scales && (at -= weight) >= 0; ++k) weight /= 4, narrower *= 16;
    }
    return complete(draw_gamma(base_.shape_a, base_.rate_a / narrower, rng),
                    draw_gamma(base_.shape_b, base_.rate_b / narrower, rng));
  }
  void adapt(bool on) { adapting_ = on; }
  [[nodiscard]] double step() const { return std::exp(log_step_); }

  /// Metropolis-adjusted Langevin steps on (log a, log b), given a scale of the base that is drawn given (a, b).
  /// Computes   x' ~ N(x + (e^2/2) G(x)^{-1} grad(x), e^2 G(x)^{-1}), accepted with the ratio of target
  ///            times reverse proposal; G is the Fisher information plus the prior's curvature, e the
  ///            adapted step
  /// Source     [GC11, simplified manifold MALA]; [BFR24, appendix B.1] with a fixed step and no metric
  /// Checked by tests/mixture/kernels_test.cpp: langevin_steps_leave_the_posterior_invariant
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) {
    if (s.count == 0) return draw_prior(rng);
    const double narrower = draw_scale(theta, rng);
    Local here = local(theta, s, narrower);
    for (int step = 0; step < steps_; ++step) {
      const double e = std::exp(log_step_);
      // Draw with the Cholesky factor of G^{-1}.
      const double z1 = rng.normal();
      const double z2 = rng.normal();
      const double c11 = std::sqrt(here.inverse11);
      const double c21 = here.inverse12 / c11;
      const double c22 = std::sqrt(here.inverse22 - c21 * c21);
      const double u = here.mean(e, 1) + e * c11 * z1;
      const double v = here.mean(e, 2) + e * (c21 * z1 + c22 * z2);
      double ratio = 0;
      if (std::abs(u) < 15 && std::abs(v) < 15) {
        const Parameter next = complete(std::exp(u), std::exp(v));
        const Local there = local(next, s, narrower);
        ratio =
            std::exp(std::fmin(0.0, there.log_target - here.log_target +
                                        there.log_proposal(here.u, here.v, e) - here.log_proposal(u, v, e)));
        if (rng.uniform() < ratio) theta = next, here = there;
      }
      if (adapting_) log_step_ += (ratio - 0.574) / std::sqrt(static_cast<double>(++adaptations_) + 10);
    }
    return theta;
  }

 private:
  /// Keeps logarithms finite; a beta variate may round to 0 or 1.
  static double inner(double x) { return std::fmin(std::fmax(x, 1e-300), 1 - 0x1p-53); }
  static Parameter complete(double a, double b) {
    a = std::fmax(a, 1e-6);
    b = std::fmax(b, 1e-6);
    return {a, b, std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)};
  }

  /// Target, gradient and metric at one point, in log coordinates.
  struct Local {
    double u, v, log_target, gradient1, gradient2;
    double metric11, metric12, metric22, inverse11, inverse12, inverse22, log_determinant;
    [[nodiscard]] double mean(double e, int coordinate) const {
      const double half = 0.5 * e * e;
      return coordinate == 1 ? u + half * (inverse11 * gradient1 + inverse12 * gradient2)
                             : v + half * (inverse12 * gradient1 + inverse22 * gradient2);
    }
    [[nodiscard]] double log_proposal(double to_u, double to_v, double e) const {
      const double x = to_u - mean(e, 1);
      const double y = to_v - mean(e, 2);
      return 0.5 * log_determinant -
             0.5 * (metric11 * x * x + 2 * metric12 * x * y + metric22 * y * y) / (e * e);
    }
  };
  /// By how much the rates of the law are divided that (a, b) is from.
  double draw_scale(const Parameter& theta, ChainRng& rng) const {
    if (base_.scales == 1) return 1;
    std::array<double, BetaBase::kMostScales> cumulated{};
    const double rate = base_.rate_a * theta.a + base_.rate_b * theta.b;
    double total = 0;
    double narrower = 1;
    // Against the widest law, of which each next one is less by 4 and, of its constant, by 16^(shape_a + shape_b).
    for (int k = 0; k < base_.scales; ++k, narrower *= 16) {
      const double log_ratio = -k * (std::log(4.0) + (base_.shape_a + base_.shape_b) * std::log(16.0)) -
                               rate * (1 / narrower - std::pow(16.0, 1 - base_.scales));
      cumulated[static_cast<std::size_t>(k)] = total += std::exp(log_ratio);
    }
    const double at = rng.uniform() * total;
    narrower = 1;
    for (int k = 0; k + 1 < base_.scales && cumulated[static_cast<std::size_t>(k)] <= at; ++k) narrower *= 16;
    return narrower;
  }

  [[nodiscard]] Local local(const Parameter& theta, const Statistic& s, double narrower) const {
    const double rate_a = base_.rate_a / narrower;
    const double rate_b = base_.rate_b / narrower;
    // In doubles throughout: the accuracy of long doubles is lost in the step anyway.
    using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    const auto digamma = [](double x) { return boost::math::digamma(x, Doubles()); };
    const auto trigamma = [](double x) { return boost::math::trigamma(x, Doubles()); };
    const double a = theta.a;
    const double b = theta.b;
    Local at{};
    at.u = std::log(a);
    at.v = std::log(b);
    at.log_target = s.count * theta.log_constant + a * (s.log_left - rate_a) + b * (s.log_right - rate_b) +
                    base_.shape_a * at.u + base_.shape_b * at.v;
    const double both = digamma(a + b);
    at.gradient1 = a * (s.count * (both - digamma(a)) + s.log_left - rate_a) + base_.shape_a;
    at.gradient2 = b * (s.count * (both - digamma(b)) + s.log_right - rate_b) + base_.shape_b;
    const double joint = trigamma(a + b);
    at.metric11 = s.count * a * a * (trigamma(a) - joint) + rate_a * a + 0.5;
    at.metric22 = s.count * b * b * (trigamma(b) - joint) + rate_b * b + 0.5;
    at.metric12 = -s.count * a * b * joint;
    const double determinant = at.metric11 * at.metric22 - at.metric12 * at.metric12;
    at.inverse11 = at.metric22 / determinant;
    at.inverse22 = at.metric11 / determinant;
    at.inverse12 = -at.metric12 / determinant;
    at.log_determinant = std::log(determinant);
    return at;
  }

  BetaBase base_;
  Interval domain_;
  double log_width_;
  int steps_;
  bool adapting_ = false;
  double log_step_ = 0;
  std::size_t adaptations_ = 0;
};

}  // namespace sotto::mixture
