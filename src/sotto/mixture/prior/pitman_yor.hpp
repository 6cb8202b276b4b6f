// Pitman-Yor process with fixed strength and discount.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "sotto/base/error.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/mixture/prior/unoccupied_mass.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

class PitmanYor {
 public:
  [[nodiscard]] static bool light_tail() { return false; }

  /// 0 <= discount < 1 and strength > -discount.
  PitmanYor(double strength, double discount) : strength_(strength), discount_(discount) {
    if (!(discount >= 0 && discount < 1 && strength > -discount && std::isfinite(strength)))
      throw Error(ErrorCode::configuration, "Pitman-Yor needs 0 <= discount < 1 and strength > -discount");
  }

  void reserve(std::size_t) {}
  [[nodiscard]] double concentration() const { return strength_; }
  [[nodiscard]] double discount() const { return discount_; }
  [[nodiscard]] double size_shift() const { return -discount_; }
  [[nodiscard]] double new_weight(std::size_t k) const {
    return strength_ + discount_ * static_cast<double>(k);
  }

  /// Computes   prod_{j=1}^{k-1} (theta + j d) / (theta + 1)_(n-1) * prod_h (1 - d)_(n_h - 1)
  /// Source     [Pit95, proposition 9]
  [[nodiscard]] double log_eppf(std::span<const int> sizes) const {
    double n = 0;
    double sum = 0;
    for (std::size_t h = 0; h < sizes.size(); ++h) {
      if (h > 0) sum += std::log(strength_ + static_cast<double>(h) * discount_);
      sum += std::lgamma(sizes[h] - discount_) - std::lgamma(1 - discount_);
      n += sizes[h];
    }
    return sum + std::lgamma(strength_ + 1) - std::lgamma(strength_ + n);
  }

  void update(std::size_t, std::size_t, ChainRng&) {}

  /// Dirichlet(n_1 - d, ..., n_k - d, theta + k d); the rest is a Pitman-Yor process with strength
  /// theta + k d.
  /// Source     [Pit96, corollary 20]
  UnoccupiedMass draw_weights(std::span<const int> sizes, std::span<double> weights, ChainRng& rng) const {
    const double rest = draw_gamma(new_weight(sizes.size()), 1, rng);
    double total = rest;
    for (std::size_t h = 0; h < sizes.size(); ++h)
      total += weights[h] = draw_gamma(sizes[h] - discount_, 1, rng);
    for (std::size_t h = 0; h < sizes.size(); ++h) weights[h] /= total;
    return {.mass = rest / total};
  }

  /// The share that the next atom takes of the stick that is left, given k occupied atoms and j new ones
  /// before it.
  double draw_stick(std::size_t k, std::size_t j, std::size_t, ChainRng& rng) const {
    return draw_beta(1 - discount_, strength_ + discount_ * static_cast<double>(k + j + 1), rng);
  }

 private:
  double strength_;
  double discount_;
};

}  // namespace sotto::mixture
