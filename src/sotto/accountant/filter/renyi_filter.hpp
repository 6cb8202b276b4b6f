// A filter for releases of which a Renyi cost is known at one order, chosen adaptively.
#pragma once

#include "sotto/base/numbers.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

/// Grants charges while the sum of their costs at a fixed order stays within what passes (epsilon, delta) at that order.
/// Costs may depend on the answers before; the order may not: it is chosen when the filter is opened.
/// Computes   grants while sum cost_i <= epsilon - log((a - 1) / a) + log(delta a) / (a - 1), rounded down
/// Source     fully adaptive composition at a fixed order [FZ21, Theorem 3.1]; conversion [CKS20, Proposition 12]
/// Checked by tests/accountant/filter_test.cpp: renyi_filter_fails_closed, every_limit_is_within_the_promise
class RenyiFilter {
 public:
  /// Throws Error(configuration) if epsilon is infinite, delta 0 or the order not in (1, 1e12].
  RenyiFilter(Epsilon epsilon, Delta delta, double order);
  /// Opened at the order at which most copies of `typical` fit. Throws as renyi_cost does.
  [[nodiscard]] static RenyiFilter for_event(Epsilon epsilon, Delta delta, const Event& typical,
                                             Adjacency adjacency);
  /// True if the charge was booked; false, and nothing changes, if it does not fit or is NaN, infinite or negative. A
  /// charge too small to change the sum costs one unit in its last place: nothing but an exact zero is free.
  [[nodiscard]] bool spend(double cost);
  [[nodiscard]] double order() const { return order_; }
  /// Largest total cost; negative if not even nothing passes at this order, and then nothing is granted.
  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] double spent() const { return spent_; }
  /// What was spent so far, converted at the filter's order: for reports; the promise is the filter's own.
  [[nodiscard]] Epsilon spent_epsilon(Delta delta) const;

 private:
  double order_;
  double limit_;
  double spent_ = 0;
};

}  // namespace sotto
