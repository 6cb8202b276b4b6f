// Any mechanism that is private in the Gaussian sense.
#pragma once

#include <tuple>

#include "sotto/event/gaussian.hpp"

namespace sotto {

/// Two neighbours are no easier to tell apart than N(0, 1) and N(mu, 1).
struct GaussianGivenEvent {
  double mu = 1;

  bool operator==(const GaussianGivenEvent&) const = default;
  static constexpr const char* name = "gdp";
  static auto fields() {
    return std::tuple(Field<GaussianGivenEvent, double>{"mu", &GaussianGivenEvent::mu, "mu"});
  }
  void check() const { require(mu == 0 || is_positive(mu), "mu must be 0 or lie in [1e-100, 1e100]"); }
  /// Source [DRS22, section 2]
  [[nodiscard]] GaussianGivenEvent group(double rows) const { return {mu * rows * (1 + 1e-15)}; }

  /// By definition no curve lies above that of noise of standard deviation 1 / mu, which attains it.
  /// Source [DRS22, section 2]
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    return guarantee().loss(adjacency, side);
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const { return guarantee().renyi(adjacency); }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const { return guarantee().rho(adjacency); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"a gdp guarantee is not epsilon-private"};
  }

 private:
  [[nodiscard]] GaussianEvent guarantee() const { return {mu, 1}; }
};

}  // namespace sotto
