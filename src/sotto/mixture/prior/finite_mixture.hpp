// Finite mixture with a random number of components: weights Dirichlet(gamma, ..., gamma), number - 1
// Poisson.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/mixture/prior/unoccupied_mass.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

class FiniteMixture {
 public:
  [[nodiscard]] static bool light_tail() { return true; }

  /// `gamma` > 0: the Dirichlet parameter of each component; `expected_further` > 0: mean of (components -
  /// 1).
  FiniteMixture(double gamma, double expected_further) : gamma_(gamma), rate_(expected_further) {
    if (!(gamma > 0 && expected_further > 0 && std::isfinite(gamma) && expected_further < 1e4))
      throw Error(ErrorCode::configuration,
                  "a finite mixture needs a concentration > 0 and between 1 and 1e4 expected components, 1 "
                  "not included");
  }

  /// Tabulates log V_n(t), the weight of t clusters among n data, for t = 1 .. min(n, 256) + 1. A chain with
  /// more clusters pays for one sum per call instead.
  void reserve(std::size_t n) {
    n_ = n;
    log_v_.clear();
    for (std::size_t t = 1; t <= std::min<std::size_t>(n, 256) + 1; ++t) log_v_.push_back(sum_v(t));
  }

  [[nodiscard]] double concentration() const { return gamma_; }
  [[nodiscard]] double size_shift() const { return gamma_; }
  /// Computes   gamma V_n(k+1) / V_n(k); with k = 0 any positive number will do
  /// Source     [MH18, section 4.2]
  [[nodiscard]] double new_weight(std::size_t k) const {
    return k == 0 ? 1 : gamma_ * std::exp(log_v(k + 1) - log_v(k));
  }

  /// Computes   V_n(k) prod_h gamma^(n_h) (rising factorial)
  /// Source     [MH18, equation 3.2]
  [[nodiscard]] double log_eppf(std::span<const int> sizes) const {
    double sum = log_v(sizes.size());
    for (const int size : sizes) sum += std::lgamma(gamma_ + size) - std::lgamma(gamma_);
    return sum;
  }

  void update(std::size_t, std::size_t, ChainRng&) {}

  /// Number of components K given k occupied among n data, by inversion of its distribution.
  /// Computes   p(K | k) proportional to p(K) K! / (K - k)! * Gamma(gamma K) / Gamma(n + gamma K)
  /// Source     [FMG21, equation 2.8]
  [[nodiscard]] std::size_t draw_components(std::size_t k, ChainRng& rng) const {
    double at = rng.uniform();
    const double total = log_v(k);
    std::size_t components = k;
    for (;; ++components) {
      const double log_term = term(k, components);
      at -= std::exp(log_term - total);
      if (at < 0 || (components > k + 64 && log_term - total < -60)) return components;
    }
  }

  /// The weights of the occupied components, given a drawn number of components; the rest is shared by the
  /// empty ones.
  UnoccupiedMass draw_weights(std::span<const int> sizes, std::span<double> weights, ChainRng& rng) const {
    const std::size_t empty = draw_components(sizes.size(), rng) - sizes.size();
    double rest = 0;
    if (empty > 0) rest = draw_gamma(gamma_ * static_cast<double>(empty), 1, rng);
    double total = rest;
    for (std::size_t h = 0; h < sizes.size(); ++h)
      total += weights[h] = draw_gamma(sizes[h] + gamma_, 1, rng);
    for (std::size_t h = 0; h < sizes.size(); ++h) weights[h] /= total;
    return {.mass = rest / total, .atoms = empty};
  }

  /// Beta(gamma, gamma (left - 1)): one of `left` exchangeable components; the last one takes all.
  double draw_stick(std::size_t, std::size_t, std::size_t left, ChainRng& rng) const {
    return left <= 1 ? 1 : draw_beta(gamma_, gamma_ * static_cast<double>(left - 1), rng);
  }

 private:
  /// log of p(K) K! / (K - t)! * Gamma(gamma K) / Gamma(n + gamma K)
  [[nodiscard]] double term(std::size_t t, std::size_t components) const {
    const double k = static_cast<double>(components);
    const double log_p = (k - 1) * std::log(rate_) - rate_ - std::lgamma(k);
    return log_p + std::lgamma(k + 1) - std::lgamma(k - static_cast<double>(t) + 1) +
           std::lgamma(gamma_ * k) - std::lgamma(static_cast<double>(n_) + gamma_ * k);
  }
  [[nodiscard]] double sum_v(std::size_t t) const {
    double top = -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::size_t components = t;; ++components) {
      const double log_term = term(t, components);
      if (log_term > top) {
        sum = sum * std::exp(top - log_term) + 1;
        top = log_term;
      } else {
        sum += std::exp(log_term - top);
      }
      if (static_cast<double>(components) > static_cast<double>(t) + 2 * rate_ && log_term < top - 45) break;
    }
    return top + std::log(sum);
  }
  [[nodiscard]] double log_v(std::size_t t) const { return t <= log_v_.size() ? log_v_[t - 1] : sum_v(t); }

  double gamma_;
  double rate_;
  std::size_t n_ = 0;
  std::vector<double> log_v_;
};

}  // namespace sotto::mixture
