// Cubic B-splines on [0, 1].
#pragma once

namespace sotto {

/// Of the `inner` + 4 cubic B-splines whose inner knots lie at equal steps and whose ends are knots four times, the one at `index`, from 0.
/// Each lies in [0, 1], and they add up to 1.
/// Computes   the recurrence over degrees
/// Source     [DB72, Section 3]
/// Checked by tests/math/cubic_spline_test.cpp: away_from_the_ends_it_is_cardinal, all_add_up_to_one_and_to_the_place
[[nodiscard]] double cubic_b_spline(double u, int inner, int index);

}  // namespace sotto
