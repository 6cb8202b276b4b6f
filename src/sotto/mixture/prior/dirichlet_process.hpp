// Dirichlet process: concentration fixed, or with a gamma prior.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "sotto/base/error.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/mixture/prior/unoccupied_mass.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Gamma(shape, rate) prior of a concentration.
struct ConcentrationPrior {
  double shape = 2;
  double rate = 2;
};

class DirichletProcess {
 public:
  [[nodiscard]] static bool light_tail() { return true; }

  explicit DirichletProcess(double concentration, std::optional<ConcentrationPrior> prior = std::nullopt)
      : concentration_(concentration), prior_(prior) {
    if (!(concentration > 0 && std::isfinite(concentration)))
      throw Error(ErrorCode::configuration, "the concentration must be a finite number > 0");
    if (prior && !(prior->shape > 0 && prior->rate > 0))
      throw Error(ErrorCode::configuration, "the gamma prior of the concentration needs shape and rate > 0");
  }

  void reserve(std::size_t) {}
  [[nodiscard]] double concentration() const { return concentration_; }
  [[nodiscard]] double size_shift() const { return 0; }
  [[nodiscard]] double new_weight(std::size_t) const { return concentration_; }

  /// Computes   alpha^k prod (n_h - 1)! / (alpha)_(n)
  /// Source     [BFR24, equation 6], with the rising factorial of n (erratum E24)
  [[nodiscard]] double log_eppf(std::span<const int> sizes) const {
    double n = 0;
    double sum = 0;
    for (const int size : sizes) n += size, sum += std::log(concentration_) + std::lgamma(size);
    return sum + std::lgamma(concentration_) - std::lgamma(concentration_ + n);
  }

  /// Draws the concentration given k clusters of n data, by the beta-variable augmentation.
  /// Source     [EW95, section 6]
  void update(std::size_t k, std::size_t n, ChainRng& rng) {
    if (!prior_) return;
    const double clusters = static_cast<double>(k);
    const double data = static_cast<double>(n);
    const double log_eta = std::log(std::fmax(draw_beta(concentration_ + 1, data, rng), 1e-300));
    const double rate = prior_->rate - log_eta;
    const double odds = (prior_->shape + clusters - 1) / (data * rate);
    const bool more = rng.uniform() * (1 + odds) < odds;
    concentration_ = std::fmax(draw_gamma(prior_->shape + clusters - (more ? 0 : 1), rate, rng), 1e-12);
  }

  /// The weights of the occupied atoms and of the rest: Dirichlet(n_1, ..., n_k, alpha). The rest is
  /// again a Dirichlet process with the same concentration.
  /// Source     [Fer73]
  UnoccupiedMass draw_weights(std::span<const int> sizes, std::span<double> weights, ChainRng& rng) const {
    double rest = draw_gamma(concentration_, 1, rng);
    double total = rest;
    for (std::size_t h = 0; h < sizes.size(); ++h) total += weights[h] = draw_gamma(sizes[h], 1, rng);
    for (std::size_t h = 0; h < sizes.size(); ++h) weights[h] /= total;
    return {.mass = rest / total};
  }

  /// The share that the next atom takes of the stick that is left, given k occupied atoms and j new ones
  /// before it.
  double draw_stick(std::size_t, std::size_t, std::size_t, ChainRng& rng) const {
    return 1 - std::pow(positive_uniform(rng), 1 / concentration_);
  }

 private:
  double concentration_;
  std::optional<ConcentrationPrior> prior_;
};

}  // namespace sotto::mixture
