// The score is not quite linear in the position: what that does to a pooled release, as far as the stand-in knows.
#pragma once

#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// Takes from the score what curvature adds to it on average over the posterior, G E[phi_eff(phi) - phi], with
/// H phi_eff(phi) = frame (expected(anchor + frame' phi) - expected(anchor)), H the stand-in's information; half of that
/// is doubted.
/// Computes   the average by a cubature of 2 d points, exact for cubic functions [AH09]; a few fixed-point steps
/// Checked by tests/posterior/curvature_test.cpp
void correct_curvature(PooledRelease& release, const Matrix& frame, const StandIn& stand_in,
                       const JointNormalPrior& prior);

}  // namespace sotto
