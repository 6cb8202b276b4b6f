// A mixing prior that is chosen at run time.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include "sotto/mixture/prior/dirichlet_process.hpp"
#include "sotto/mixture/prior/finite_mixture.hpp"
#include "sotto/mixture/prior/pitman_yor.hpp"

namespace sotto::mixture {

/// Satisfies `MixingPrior` (mixing.hpp says what each function means) by handing on to the one that was chosen.
class AnyMixing {
 public:
  using Choice = std::variant<DirichletProcess, PitmanYor, FiniteMixture>;
  explicit AnyMixing(Choice choice) : choice_(std::move(choice)) {}

  void reserve(std::size_t n) {
    std::visit([&](auto& chosen) { chosen.reserve(n); }, choice_);
  }
  [[nodiscard]] bool light_tail() const {
    return std::visit([](const auto& chosen) { return chosen.light_tail(); }, choice_);
  }
  [[nodiscard]] double concentration() const {
    return std::visit([](const auto& chosen) { return chosen.concentration(); }, choice_);
  }
  [[nodiscard]] double size_shift() const {
    return std::visit([](const auto& chosen) { return chosen.size_shift(); }, choice_);
  }
  [[nodiscard]] double new_weight(std::size_t k) const {
    return std::visit([&](const auto& chosen) { return chosen.new_weight(k); }, choice_);
  }
  [[nodiscard]] double log_eppf(std::span<const int> sizes) const {
    return std::visit([&](const auto& chosen) { return chosen.log_eppf(sizes); }, choice_);
  }
  void update(std::size_t k, std::size_t n, ChainRng& rng) {
    std::visit([&](auto& chosen) { chosen.update(k, n, rng); }, choice_);
  }
  UnoccupiedMass draw_weights(std::span<const int> sizes, std::span<double> weights, ChainRng& rng) const {
    return std::visit([&](const auto& chosen) { return chosen.draw_weights(sizes, weights, rng); }, choice_);
  }
  double draw_stick(std::size_t k, std::size_t j, std::size_t left, ChainRng& rng) const {
    return std::visit([&](const auto& chosen) { return chosen.draw_stick(k, j, left, rng); }, choice_);
  }

 private:
  Choice choice_;
};

}  // namespace sotto::mixture
