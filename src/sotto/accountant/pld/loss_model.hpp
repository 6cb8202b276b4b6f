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
  double rho = 0;    ///< total of the Gaussian parts
  double slack = 0;  ///< total of theirs: how far losses and logarithms of probabilities may be off
  /// All steps are epsilon-private, with these epsilons in all; rounded up. Infinite where one is not.
  double pure_epsilon = std::numeric_limits<double>::infinity();
};

/// Pairs whose largest curve bounds the events from above (Side::upper) or is attained by some query
/// (Side::lower). One model, or two where exchanging the two data sets matters. Throws Error(usage) with the reason where an
/// event has no proven loss.
[[nodiscard]] std::vector<LossModel> loss_models(const std::vector<Event>& leaves, Adjacency adjacency,
                                                 Side side);

}  // namespace sotto
