// Noise for one integer statistic, fixed before any row is read.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "sotto/accountant/spending.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

/// Bounds of real arithmetic are raised by this, more than the rounding of the few operations that it covers: they hold of what is
/// computed.
inline constexpr double kRoundUp = 1 + 0x1p-48;

/// All of it is public.
struct GaussianNoise {
  using Integer = boost::multiprecision::cpp_int;
  Integer variance;         ///< in squared grid steps
  double sensitivity = 0;   ///< in grid steps: an integer, or the rounded-up norm of an integer vector
  std::size_t entries = 1;  ///< of the statistic
  GridStep grid{1};         ///< in the statistic's unit

  [[nodiscard]] Rho rho() const;       ///< sensitivity^2 / (2 variance), rounded up
  [[nodiscard]] double slack() const;  ///< sensitivity sqrt(entries) / variance, rounded up
  /// Both, and what they follow from.
  /// Source     [CKS20, Theorem 14]; slack: docs/accounting.md
  /// Checked by tests/measurement/gaussian_noise_test.cpp: cost_matches_formula
  [[nodiscard]] Charge charge(std::string query) const;

  /// About the least variance that costs no more than `cost` and is a whole multiple of `multiple` squared
  /// grid steps. None when it exceeds what the sampler draws. Errors: configuration when the cost is not > 0.
  static std::optional<Integer> variance_for(double sensitivity, Rho cost, const Integer& multiple);
};

}  // namespace sotto
