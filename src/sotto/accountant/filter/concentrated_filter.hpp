// A filter and odometer for releases that are zero-concentrated but not Gaussian.
#pragma once

#include "sotto/base/numbers.hpp"

namespace sotto {

/// Grants charges, chosen adaptively, while their sum stays within a fixed rho; every Renyi order is then bounded at
/// once, so the conversion may pick the best order afterwards.
/// Computes   grants while sum rho_i <= largest rho whose conversion passes (epsilon, delta)
/// Source     fully adaptive composition in zero-concentrated privacy [FZ21, Theorem 3.1]; conversion [CKS20, Corollary 13]
/// Checked by tests/accountant/filter_test.cpp: concentrated_filter_fails_closed, every_limit_is_within_the_promise
class ConcentratedFilter {
 public:
  ConcentratedFilter(Epsilon epsilon, Delta delta);
  /// True if the charge was booked; false, and nothing changes, if it does not fit or is NaN, infinite or negative. A
  /// charge too small to change the sum costs one unit in its last place: nothing but an exact zero is free.
  [[nodiscard]] bool spend(double rho);
  [[nodiscard]] Rho limit() const { return Rho(limit_); }
  [[nodiscard]] Rho spent() const { return Rho(spent_); }
  [[nodiscard]] Epsilon spent_epsilon(Delta delta) const;

 private:
  double limit_ = 0;
  double spent_ = 0;
};

}  // namespace sotto
