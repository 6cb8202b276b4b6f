// Privacy loss distributions on an arithmetic grid: proven upper and lower versions of a continuous one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sotto/accountant/pld/dominating_pair.hpp"
#include "sotto/accountant/pld/lower_polygon.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

/// P-probabilities of the losses offset + (first + i) * step. Read as a privacy curve u -> sum_i mass_i (1 -
/// u e^-loss_i)_+
/// + infinite, with u = e^epsilon.
struct DiscretePld {
  double offset = 0;
  double step = 1;
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinite = 0;  ///< probability of an infinite loss; upper side only
  double margin = 0;    ///< bound on how far rounding has moved losses, in steps

  [[nodiscard]] double loss(std::size_t i) const {
    return offset + static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
  }
};

/// How much of the tails may be cut off: probabilities under P, and a loss below which detail does not matter.
/// Outputs with losses above `most_loss` are left out altogether.
struct TailCut {
  double below = 0;
  double above = 0;
  double least_loss = -1e308;
  double most_loss = std::numeric_limits<double>::infinity();
};

/// Losses are kept at fewer steps than this from 0, so that their indices are exact.
inline constexpr double kMostIndex = 0x1p60;
/// The largest relative error of one rounding.
inline constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
/// Beyond it e^loss leaves the range of numbers: an upper bound then counts all probability, a lower one none.
inline constexpr double kLargestLoss = 700;

/// How far a discretised loss may be off by rounding of bin masses, in steps (exact lattices: the second), and the
/// relative error of all tail sums. Composition shifts the loss of every step outward by the first and scales by
/// e^(count * third).
inline constexpr double kStepMargin = 1e-7;
inline constexpr double kLatticeMargin = 1e-14;
inline constexpr double kMassMargin = 1e-12;

/// A grid whose curve lies on the given side of the pair's curve at every epsilon, hence also after
/// composition.
/// Computes   upper: the polygon through the curve's points at the grid's losses; lower: the convex polygon
///            with kinks on the grid below the tangents at the midpoints
/// Source     upper: connect-the-dots [DGKKM22]; lower: docs/accounting.md, "The lower polygon"
/// Checked by tests/accountant/oracle_test.cpp: lies_inside_the_bounds
[[nodiscard]] DiscretePld discretise(const DominatingPair& pair, double step, Side side, TailCut tails);

/// The excess over a loss of a set of outputs, moved up (outward = 1) or down (-1) by its rounding error.
[[nodiscard]] LossBin excess_over(const PairMass& mass, double loss, double outward);

}  // namespace sotto
