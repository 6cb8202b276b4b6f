// Gaussian noise on every node of a binary tree over sums, from which all partial sums follow.
#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

#include "sotto/event/gaussian.hpp"

namespace sotto {

/// Noise of this standard deviation, in units of what one neighbour may change of one node. A row is in one leaf and in all nodes
/// above it; a row that is exchanged may leave one leaf for another, and changes the nodes above both.
struct TreeEvent {
  double sigma = 1;
  std::uint64_t leaves = 1;

  bool operator==(const TreeEvent&) const = default;
  static constexpr const char* name = "tree";
  static auto fields() {
    return std::tuple(Field<TreeEvent, double>{"sigma", &TreeEvent::sigma, "sigma"},
                      Field<TreeEvent, std::uint64_t>{"leaves", &TreeEvent::leaves, "leaves"});
  }
  static NoiseField<TreeEvent> noise() { return {&TreeEvent::sigma}; }
  void check() const {
    require_noise(1, sigma);
    require(leaves >= 1 && is_exact(leaves), "leaves must lie in [1, 2^53]");
  }
  [[nodiscard]] TreeEvent group(double rows) const { return {sigma / rows * (1 - 1e-15), leaves}; }

  /// Source [CSS11]
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    return path(adjacency).loss(adjacency, side);
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const { return path(adjacency).renyi(adjacency); }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const { return path(adjacency).rho(adjacency); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    return path(adjacency).pure_epsilon(adjacency);
  }

 private:
  /// One Gaussian release whose sensitivity is that of all nodes together: two leaves have the root in common.
  [[nodiscard]] GaussianEvent path(Adjacency adjacency) const {
    int levels = 1;
    while ((1ULL << (levels - 1)) < leaves) ++levels;
    const int nodes = adjacency == Adjacency::add_remove ? levels : 2 * levels - 1;
    return {std::sqrt(nodes) * (1 + 1e-15), sigma};
  }
};

}  // namespace sotto
