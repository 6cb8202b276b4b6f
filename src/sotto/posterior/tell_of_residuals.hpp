// What release-once saw of how responses vary around the fit.
#pragma once

#include "sotto/posterior/once_checks.hpp"

namespace sotto {

/// What responses with a logarithm for link are, in words.
[[nodiscard]] inline const char* counted(const OnceFacts& facts) {
  return facts.steps ? "responses" : "counts";
}

/// Adds to `verdict` what is said of skewed residuals, long tails, counts that vary more than the model says, and of rows so far from
/// the others that the noise hides them.
void tell_of_residuals(const OnceRelease& release, OnceVerdict& verdict);

}  // namespace sotto
