// Gaussian noise correlated between the steps of a run: the matrix mechanism with a Toeplitz strategy, as in DP-FTRL.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/gaussian.hpp"
#include "sotto/event/sampling.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

/// Told is C x + noise, all of whose entries have this standard deviation in units of the clip norm: x has a line for every step,
/// to which a row that takes part adds a vector of norm 1 at most, and C is lower triangular with the same numbers along every
/// diagonal, `strategy` from the main one on and 0 beyond. A row takes part so many times at most, so many steps apart at least.
struct MatrixEvent {
  double sigma = 1;
  std::vector<double> strategy = {1};
  std::uint64_t steps = 1;
  std::uint64_t participations = 1;
  std::uint64_t separation = 1;

  bool operator==(const MatrixEvent&) const = default;
  static constexpr const char* name = "matrix";
  static auto fields() {
    using E = MatrixEvent;
    return std::tuple(Field<E, double>{"sigma", &E::sigma, "sigma"},
                      Field<E, std::vector<double>>{"strategy", &E::strategy, "strategy"},
                      Field<E, std::uint64_t>{"steps", &E::steps, "steps"},
                      Field<E, std::uint64_t>{"participations", &E::participations, "participations", false},
                      Field<E, std::uint64_t>{"separation", &E::separation, "separation", false});
  }
  static NoiseField<MatrixEvent> noise() { return {&MatrixEvent::sigma}; }
  void check() const {
    require_noise(1, sigma);
    require(!strategy.empty() && strategy.size() <= steps, "strategy must have 1 to `steps` numbers");
    for (const double c : strategy) {
      require(c == 0 || is_positive(std::abs(c)), "strategy must hold 0 or numbers of size 1e-100 to 1e100");
    }
    require(strategy.front() != 0, "the first number of strategy must not be 0");
    require(steps >= 1 && is_exact(steps), "steps must lie in [1, 2^53]");
    require(participations >= 1 && separation >= 1 && is_exact(separation),
            "participations and separation must be at least 1");
    require(
        times() <= 1e4 && times() * static_cast<double>(strategy.size()) <= 1e8,
        "so many participations in so long a strategy are not looked at: at most 1e4, and 1e8 as a product");
  }
  [[nodiscard]] MatrixEvent group(double rows) const {
    MatrixEvent more = *this;
    more.sigma = sigma / rows * (1 - 1e-15);
    return more;
  }

  /// Source [DMRST22, CMRT23]; docs/accounting.md, "Matrix mechanisms"
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    return release(adjacency, side).loss(adjacency, side);
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    return release(adjacency, Side::upper).renyi(adjacency);
  }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    return release(adjacency, Side::upper).rho(adjacency);
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    return release(adjacency, Side::upper).pure_epsilon(adjacency);
  }

  /// How far C x moves at most with one row more; some row attains the lower side.
  [[nodiscard]] double sensitivity(Side side) const { return side == Side::upper ? at_most() : attained(); }

 private:
  [[nodiscard]] GaussianEvent release(Adjacency adjacency, Side side) const {
    return {whole_shift(adjacency) * sensitivity(side), sigma};
  }
  /// How often a row can take part within all steps.
  [[nodiscard]] double times() const {
    return std::min(static_cast<double>(participations),
                    std::floor(static_cast<double>(steps - 1) / static_cast<double>(separation)) + 1);
  }
  /// Entries of the column that starts at the row's m-th participation, the earliest: 0 from there on.
  [[nodiscard]] std::size_t length(double m) const {
    const double left = static_cast<double>(steps) - m * static_cast<double>(separation);
    return static_cast<std::size_t>(std::min(left, static_cast<double>(strategy.size())));
  }

  /// Products of columns by how far apart they are. What stands d participations later is at most the largest number so far
  /// down the strategy or farther.
  [[nodiscard]] double at_most() const {
    std::vector<double> ahead(strategy.size());
    for (std::size_t t = strategy.size(); t-- > 0;)
      ahead[t] = std::max(std::abs(strategy[t]), t + 1 < ahead.size() ? ahead[t + 1] : 0.0);
    double squares = 0;
    for (double d = 0; d < times(); ++d) {
      const double away = d * static_cast<double>(separation);
      double product = 0;
      std::size_t t = 0;
      for (double m = times() - 1; m >= d; --m) {
        for (; t < length(m) && static_cast<double>(t) + away < static_cast<double>(strategy.size()); ++t) {
          const std::size_t later = t + static_cast<std::size_t>(away);
          product += std::abs(strategy[t]) * (d == 0 ? std::abs(strategy[t]) : ahead[later]);
        }
        squares += d == 0 ? product : 2 * product;
      }
    }
    return std::sqrt(squares) * (1 + rounding());
  }

  /// The row adds the same vector as early as it may, again and again.
  [[nodiscard]] double attained() const {
    if (separation >= strategy.size()) return at_most() * (1 - 2 * rounding());  // columns do not overlap
    const auto apart = static_cast<std::size_t>(separation);
    const auto often = static_cast<std::size_t>(times());
    const std::size_t end = std::min<std::size_t>(steps, (often - 1) * apart + strategy.size());
    double squares = 0;
    for (std::size_t i = 0; i < end; ++i) {
      double sum = 0;
      double size = 0;
      for (std::size_t m = std::min(i / apart, often - 1) + 1; m-- > 0 && i - m * apart < strategy.size();) {
        sum += strategy[i - m * apart];
        size += std::abs(strategy[i - m * apart]);
      }
      const double surely = std::max(std::abs(sum) - rounding() * size, 0.0);
      squares += surely * surely;
    }
    return std::sqrt(squares) * (1 - rounding());
  }

  /// Relative to a sum of positive terms.
  [[nodiscard]] double rounding() const {
    return 4e-16 * (static_cast<double>(strategy.size()) + times() * times() + 16);
  }
};

}  // namespace sotto
