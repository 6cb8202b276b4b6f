// What the books say: charges, and what they come to. Plain values that anybody may read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

/// What one Gaussian-like release costs, and what for.
struct Charge {
  std::string query;      ///< e.g. "log-likelihood ratio"
  std::string mechanism;  ///< e.g. "discrete Gaussian"
  Rho rho{0};             ///< sensitivity^2 / (2 variance), rounded up
  /// Bound on how far the loss of the discrete noise may exceed the continuous Gaussian's; adds to epsilon.
  /// sensitivity * sqrt(dim) * grid / variance, rounded up
  double slack = 0;
  /// What the cost follows from, as facts about integers; 0 where releases of one kind differ and only the
  /// ratio is set.
  double sensitivity = 0;  ///< L2, in grid steps: an integer, or the rounded-up norm of an integer vector
  double noise_sd = 0;     ///< in grid steps
  double grid = 0;         ///< one step in the query's own unit
  Event event = {};        ///< the release as any accountant prices it
};

/// What was just put on the books: `count` releases like `charge`, and what they cost together where only their composition
/// has a price.
struct Booking {
  const Charge& charge;
  std::size_t count = 1;
  std::optional<Epsilon> composed{};
};

/// A line of the books: charges for one kind of query by one mechanism that differ by a millionth at most, as
/// those of one asked-for cost do once variances are rounded to the grid; once there are kMostLines lines, all
/// charges of a kind. `charge` holds the dearest cost among them, so count times it is an upper bound, and the
/// sensitivity, noise and grid of the one with the largest sensitivity in the query's own unit.
struct LedgerEntry {
  Charge charge;
  std::size_t count = 1;
};

/// The books at one moment.
struct Spending {
  Epsilon epsilon;  ///< the filter's limit: what is promised
  Delta delta;
  Rho rho{0};                               ///< charged in all
  double slack = 0;                         ///< charged in all
  Rho limit{0};                             ///< what all charges together may cost, whatever their answers
  double limit_slack = 0;                   ///< likewise their slack: constants of the promise
  std::optional<Epsilon> precomposed = {};  ///< of releases priced together, at `delta`
  std::vector<LedgerEntry> entries = {};

  /// The epsilon of what was spent, at a delta.
  [[nodiscard]] Epsilon spent_epsilon(Delta at) const;
};

}  // namespace sotto
