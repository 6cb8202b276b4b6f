// Draws of a normal model's sigma, given each draw of the position and the released clipped second moment of residuals.
#pragma once

#include <optional>

#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/residual_tails.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// The residuals at the anchor have variance sigma^2 + |phi|^2, phi the position's offset from it in the frame; their
/// clipped second moment is normal around n E clip(N(0, that), -+h)^2 with sampling variance and noise.
/// `tails`: those that were found; what lies beyond the clip is added, with its doubt; `rows`: their number, and the variance of noise on it;
/// `alike`: rows whose residuals may be one another's, those of an average unit: no more of them are taken as independent.
/// `log_prior`: of log(sigma); none: flat.
/// Checked by tests/posterior/sigma_draws_test.cpp: are_right_whatever_the_clip_is, cover
[[nodiscard]] Position draw_sigma(const OnceRound& last, const ResidualTails& tails, double rows,
                                  double rows_variance, double alike, const Matrix& frame,
                                  const Matrix& positions, const std::optional<CoefficientPrior>& log_prior,
                                  ChainRng& rng);

}  // namespace sotto
