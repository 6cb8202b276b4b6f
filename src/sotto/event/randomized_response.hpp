// Randomised response: one of several answers, at random instead of the true one with some probability.
#pragma once

#include <cmath>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// With `probability` the answer is replaced by a uniformly drawn one.
struct RandomizedResponseEvent {
  double probability = 0.5;
  std::uint64_t levels = 2;

  bool operator==(const RandomizedResponseEvent&) const = default;
  static constexpr const char* name = "randomized-response";
  static auto fields() {
    using E = RandomizedResponseEvent;
    return std::tuple(Field<E, double>{"probability", &E::probability, "probability"},
                      Field<E, std::uint64_t>{"levels", &E::levels, "levels", false});
  }
  void check() const {
    require(probability >= 1e-15 && probability <= 1, "probability must lie in [1e-15, 1]");
    require(levels >= 2 && levels <= (1ULL << 40), "levels must lie in [2, 2^40]");
  }

  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side) const {
    if (adjacency != Adjacency::substitute) return no_row_left_out();
    if (probability == 1) return LossView{NoLoss{}, {}};
    const double other = probability / static_cast<double>(levels);
    return LossView{
        LatticeLoss{
            0, epsilon(), -1, {other, (static_cast<double>(levels) - 2) * other, 1 - probability + other}},
        {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_row_left_out();
    return RenyiCurve{
        [p = probability, k = static_cast<double>(levels)](double a) { return response_renyi(p, k, a); },
        nullptr};
  }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_row_left_out();
    return rho_of_pure(epsilon());
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_row_left_out();
    return epsilon();
  }

 private:
  [[nodiscard]] double epsilon() const {
    return std::log1p((1 - probability) / (probability / static_cast<double>(levels)));
  }
  static Refusal no_row_left_out() {
    return {"randomized-response always answers for every row: use --adjacency substitute"};
  }
};

}  // namespace sotto
