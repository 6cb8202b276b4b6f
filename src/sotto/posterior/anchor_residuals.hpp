// What a normal model's residuals at the anchor have a mean square of, given a position and the score that was released.
#pragma once

#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/pooled_release.hpp"

namespace sotto {

/// E[mean square | phi, score] = sigma^2 (1 - fitted / rows) + |from + turn phi|^2, in the coordinates of `PooledRelease`.
///
/// Without noise the score says where least squares are: residuals of such a fit have rows - dim degrees of freedom, and how far the
/// anchor lies from it is known. Where noise hides the score, nothing is fitted, and what adds to sigma^2 is how far phi moves the
/// linear predictor.
/// Source     docs/release-once.md, "sigma"
/// Checked by tests/posterior/anchor_residuals_test.cpp: are_what_is_expected_given_the_score,
///            without_noise_are_those_of_least_squares
struct AnchorResiduals {
  Position from;
  Matrix turn;
  double fitted;

  [[nodiscard]] double added_square(const Position& phi) const { return (from + turn * phi).squaredNorm(); }
};

/// `clear_spread`: the score's sampling covariance, without doubts of clips; `base`: about where phi lies, which the information's noise
/// is multiplied by.
[[nodiscard]] AnchorResiduals anchor_residuals(const PooledRelease& release, const Matrix& clear_spread,
                                               const NormalBase& base);

}  // namespace sotto
