// Categorical kernel with a symmetric Dirichlet base measure.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/mixture/multinomial.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// f(y | p) = p_y for y = 0 .. levels - 1; p ~ Dirichlet(weight, ..., weight).
class CategoricalKernel {
 public:
  // The row in the table of kernels.
  static constexpr std::string_view kName = "categorical";
  static constexpr bool kDiscrete = true;
  [[nodiscard]] static CategoricalKernel make(const ColumnSettings& column,
                                              const BaseParameters& asked = {}) {
    const auto levels = static_cast<int>(std::min<std::size_t>(column.levels.size(), kMostLevels + 1));
    double weight = 1.0 / std::max(1, levels);
    set_base(asked, {{"weight", &weight}});
    return {levels, weight};
  }
  [[nodiscard]] BaseParameters base() const { return {{"weight", weight_}}; }
  [[nodiscard]] Position shown(Eigen::Index) const { return Position::LinSpaced(levels_, 0, levels_ - 1); }
  [[nodiscard]] int legal(int y) const { return y; }

  static constexpr int kMostLevels = 32;
  using Datum = int;
  struct Parameter {
    std::array<double, kMostLevels> probability{};      ///< the first `levels` are used
    std::array<double, kMostLevels> log_probability{};  ///< finite also where the probability underflows
  };
  struct Statistic {
    double count = 0;
    std::array<double, kMostLevels> counts{};
    void add(int y) { count += 1, counts[static_cast<std::size_t>(y)] += 1; }
    void remove(int y) { count -= 1, counts[static_cast<std::size_t>(y)] -= 1; }
  };

  CategoricalKernel(int levels, double weight) : levels_(levels), weight_(weight) {
    if (levels < 2 || levels > kMostLevels || !(weight > 0))
      throw Error(ErrorCode::configuration,
                  "a categorical kernel needs 2 to 32 levels and a Dirichlet weight > 0");
  }

  [[nodiscard]] int levels() const { return levels_; }
  [[nodiscard]] double log_density(int y, const Parameter& theta) const {
    return y >= 0 && y < levels_ ? theta.log_probability[static_cast<std::size_t>(y)] : -HUGE_VAL;
  }
  int draw(const Parameter& theta, ChainRng& rng) const {
    double at = rng.uniform();
    int y = 0;
    while (y + 1 < levels_ && (at -= theta.probability[static_cast<std::size_t>(y)]) >= 0) ++y;
    return y;
  }
  Parameter draw_prior(ChainRng& rng) const { return draw(Statistic{}, rng); }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const { return draw(s, rng); }
  /// The statistic of `count` draws.
  Statistic draw_statistic(const Parameter& theta, std::size_t count, ChainRng& rng) const {
    std::array<double, kMostLevels> cumulated{};
    std::array<std::size_t, kMostLevels> counts{};
    const auto levels = static_cast<std::size_t>(levels_);
    double total = 0;
    for (std::size_t y = 0; y < levels; ++y) cumulated[y] = total += theta.probability[y];
    draw_multinomial(count, {cumulated.data(), levels}, {counts.data(), levels}, rng);
    Statistic s;
    s.count = static_cast<double>(count);
    for (std::size_t y = 0; y < levels; ++y) s.counts[y] = static_cast<double>(counts[y]);
    return s;
  }
  /// Computes   log Gamma(K w) - log Gamma(K w + n) + sum_k (log Gamma(w + n_k) - log Gamma(w))
  [[nodiscard]] double log_marginal(const Statistic& s) const {
    double sum = std::lgamma(levels_ * weight_) - std::lgamma(levels_ * weight_ + s.count);
    for (std::size_t y = 0; y < static_cast<std::size_t>(levels_); ++y)
      if (s.counts[y] > 0) sum += std::lgamma(weight_ + s.counts[y]) - std::lgamma(weight_);
    return sum;
  }

 private:
  Parameter draw(const Statistic& s, ChainRng& rng) const {
    Parameter theta;
    double top = -HUGE_VAL;
    const auto levels = static_cast<std::size_t>(levels_);
    for (std::size_t y = 0; y < levels; ++y)
      top = std::fmax(top, theta.log_probability[y] = draw_log_gamma(weight_ + s.counts[y], rng));
    double total = 0;
    for (std::size_t y = 0; y < levels; ++y) total += std::exp(theta.log_probability[y] - top);
    for (std::size_t y = 0; y < levels; ++y) {
      theta.log_probability[y] -= top + std::log(total);
      theta.probability[y] = std::exp(theta.log_probability[y]);
    }
    return theta;
  }

  int levels_;
  double weight_;
};

}  // namespace sotto::mixture
