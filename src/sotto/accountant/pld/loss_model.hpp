// From events to the loss distributions that bound them: one model per dominating (or attained) pair.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "sotto/accountant/pld/discrete_pld.hpp"
#include "sotto/accountant/pld/saddle_point.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

/// One kind of step: either a continuous pair, discretised when the step is known, or an exact lattice of
/// losses.
struct LossPart {
  std::optional<DominatingPair> pair;
  DiscretePld lattice;
  LossSketch sketch;  ///< of the lattice
  std::uint64_t count = 1;
  double most_loss =
      std::numeric_limits<double>::infinity();  ///< outputs of the pair with larger ones left out
  /// Composed with itself on its own grid first: it has atoms that would not lie on a common grid.
  [[nodiscard]] bool has_own_grid() const { return !pair || pair->has_end_atoms(); }
};

/// A product of pairs.
struct LossModel {
  std::vector<LossPart> parts;
  double rho = 0;  ///< total of the Gaussian parts
  /// By how much the total loss may be off because discrete noise was taken as continuous: at most so much; and, its mean
  /// being 0, by more than t on one side with probability at most exp(-t^2 / (2 rounding_proxy)).
  double most_rounding = 0;
  double rounding_proxy = 0;
};

/// Pairs whose largest curve bounds the events from above (Side::upper) or is attained by some query
/// (Side::lower). One model, or two where exchanging the two data sets matters. Throws Error(usage) with the reason where an
/// event has no proven loss.
[[nodiscard]] std::vector<LossModel> loss_models(const std::vector<Event>& leaves, Adjacency adjacency,
                                                 Side side);

}  // namespace sotto
