// How far off intervals are under priors that are wide where the releases say little: whether they hold the truth as often as they say.
#pragma once

#include "sotto/posterior/once_posterior.hpp"

namespace sotto {

/// Of each coefficient, in its standard deviations: by how much its intervals lie too high. At a position, t = J^-1 (G h - score) over its
/// standard deviation there, J the derivative of G h, is standard normal if the position is the truth. The mean of t over the posterior
/// is what its intervals are off by; 0 of scores that do not bend, under a flat prior.
/// Scores of rare responses bend: they tell how many there are, m, and how these go with columns, so a prior that is flat in d coefficients
/// has density m^-d on m. Where noise leaves m in doubt that counts: intercepts come out low.
struct MatchingShift {
  Position all;
  /// Less what the slope of the prior's logarithm does to a normal posterior, which is what priors are for: what a flat one would do.
  Position of_volume;
};

/// Coefficients of groups have none: their levels' spread is part of the model.
/// Computes   means over a thousand draws at the most, a hundred of eighty columns and more
/// Source     to first order the shift of a flat prior is the divergence of V e_j / sd_j, V the information's inverse [P65]; by
///            parts over the posterior that is the mean of t, which is no expansion
/// Checked by tests/posterior/matching_shift_test.cpp: is_that_of_a_count, is_how_far_off_rare_intercepts_are
[[nodiscard]] MatchingShift matching_shift(const OnceRelease& release, const OncePosterior& posterior);

}  // namespace sotto
