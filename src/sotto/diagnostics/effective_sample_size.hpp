// Effective sample size: how many independent draws the draws of a chain are worth.
#pragma once

#include "sotto/base/position.hpp"

namespace sotto {

/// Autocovariances of each chain: shape (draws, chains), row t at lag t, each sum divided by the number of
/// draws.
[[nodiscard]] Matrix autocovariance(const Matrix& x);

/// Effective sample size of the mean of x as it is: no split, no ranks. `x` has shape (draws, chains). NaN
/// where `can_be_diagnosed` is false.
/// Computes   S / tau, tau = -1 + 2 sum of Geyer's initial positive, then monotone, sequence of combined
///            autocorrelations, tau >= 1 / log10 S
/// Source     [VGSCB21, equations (8) to (13)], [G92, section 3.3]
/// Checked by tests/diagnostics/reference_test.cpp: ess_agrees_with_arviz
[[nodiscard]] double plain_ess(const Matrix& x);

/// Of the mean: split chains. Used for Monte Carlo errors.
[[nodiscard]] double ess_mean(const Matrix& x);
/// Of the location: split chains, rank-normalised.
[[nodiscard]] double ess_bulk(const Matrix& x);
/// Of a quantile: split chains, indicator x <= quantile.
[[nodiscard]] double ess_quantile(const Matrix& x, double probability);
/// The smaller of those of the 5 % and the 95 % quantile.
[[nodiscard]] double ess_tail(const Matrix& x);

}  // namespace sotto
