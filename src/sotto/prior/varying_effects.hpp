// Varying effects: levels of a category deviate from an intercept, or a slope, by normal amounts whose spread is itself unknown.
#pragma once

#include <boost/math/interpolators/cubic_hermite.hpp>
#include <optional>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// u_k ~ N(0, tau^2) for each of K levels, tau ~ half-t(3, 0, scale). A design has columns for all levels but the first, whose
/// deviation stands in the intercept, or the slope: the columns' coefficients are b_k = u_k - u_1. The intercept's or slope's own
/// prior is wide beside the deviations, so what it adds to them is left out.
/// Source     half-t priors of a group's spread [G06]
class VaryingEffects {
 public:
  static constexpr double kFreedom = 3;  ///< of the half-t
  static constexpr double kUsualScale =
      2.5;  ///< of tau, in units of a normal response's residuals, or as it is

  /// `columns`: positions' coordinates b_2 .. b_K; `scale` > 0.
  VaryingEffects(std::vector<Eigen::Index> columns, double scale);

  [[nodiscard]] const std::vector<Eigen::Index>& columns() const { return columns_; }
  [[nodiscard]] double scale() const { return scale_; }
  /// Of b given tau: precision (I - 1 1' / K) / tau^2. Here of tau = scale, as a normal stand-in.
  [[nodiscard]] Matrix stand_in() const;
  [[nodiscard]] double squares(const Position& at) const;  ///< sum of (u_k - mean u)^2
  /// Of b, up to a constant: tau is integrated out.
  /// Computes   the trapezoidal rule over log tau, in steps small beside its posterior's width, where squares are usual between
  ///            points of a table of it by cubic interpolation
  /// Checked by tests/prior/varying_effects_test.cpp: tau_is_integrated_out, a_table_holds_the_integral
  [[nodiscard]] double log_density(const Position& at) const;
  /// Adds the derivative of log_density.
  void add_slope(const Position& at, Position& slope) const;

  struct Drawn {
    double sd;     ///< tau
    double first;  ///< u_1
  };
  /// Given b.
  /// Checked by tests/prior/varying_effects_test.cpp: draws_given_the_differences
  [[nodiscard]] Drawn draw(const Position& at, ChainRng& rng) const;

 private:
  /// The posterior of tau given b, in steps of its logarithm.
  struct Grid {
    std::vector<double> log_tau, probability;
    double step, log_total;  ///< log_total: of the weights that became probabilities
  };
  [[nodiscard]] Grid grid(double squares) const;
  /// Mean of 1 / tau^2.
  [[nodiscard]] static double precision(const Grid& tau);

  std::vector<Eigen::Index> columns_;
  double scale_;
  double levels_;
  std::optional<boost::math::interpolators::cardinal_cubic_hermite<std::vector<double>>>
      table_;  // log density, by the logarithm of the squares
};

}  // namespace sotto
