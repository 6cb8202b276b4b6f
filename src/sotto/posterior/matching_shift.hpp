// How far off intervals are under priors that are wide where the releases say little: whether they hold the truth as often as they say.
#pragma once

#include "sotto/posterior/once_posterior.hpp"

namespace sotto {

/// Of each parameter that is reported. At a position, t = L F^-1 J' C^-1 (G h - score) over its standard deviation there, J the derivative of
/// G h by what is unknown, C the score's covariance, F = J' C^-1 J and L what parameters are of positions, is standard normal if the position is the truth. So t's quantiles over the posterior tell how often
/// its intervals hold the truth: .9 of 90 % ones where scores do not bend and the prior is flat.
/// Scores of rare responses bend: they tell how many there are, m, and how these go with columns, so a prior that is flat in d coefficients
/// has density m^-d on m. Where noise leaves m in doubt that counts: intercepts come out low.
struct MatchingShift {
  Position median;  ///< of t: in a parameter's standard deviations, by how much its intervals lie too high
  Position held;    ///< how often 90 % intervals hold the truth
  /// Of `median`, what the slope of the prior's logarithm does to a normal posterior, which is what priors are for.
  Position of_slope;
};

/// `reported`: shape (parameters, dim); of an identity link, and with groups, whose prior is part of the model: 0, .9, 0.
/// Computes   t of a thousand draws at the most, of a hundred of eighty columns and more
/// Source     to first order the shift of a flat prior is the divergence of V e_j / sd_j, V the information's inverse [P65]; by parts
///            over the posterior that is the mean of t, which is no expansion
/// Checked by tests/posterior/matching_shift_test.cpp: is_that_of_a_count, is_how_far_off_rare_intercepts_are,
///            is_of_what_is_reported
[[nodiscard]] MatchingShift matching_shift(const OnceRelease& release, const OncePosterior& posterior,
                                           const Matrix& reported);

}  // namespace sotto
