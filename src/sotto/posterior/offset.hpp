// An offset: a column whose coefficient is known. It enters every linear predictor; nothing is to be learned of it.
#pragma once

#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// The offset's coefficient alone, and what makes the rows' mean linear predictor 0 where something is constant.
[[nodiscard]] Position offset_alone(const OnceFacts& facts, const StandIn& stand_in);

/// As if the offset's coefficient were asked for.
[[nodiscard]] JointNormalPrior without_offset(const OnceFacts& facts, JointNormalPrior prior);

/// Whether that coefficient, were it asked for, would lie more than four of its standard deviations from what it is. Without an
/// offset: never.
[[nodiscard]] bool offset_is_off(const OnceFacts& facts, const Matrix& frame, const PooledRelease& release,
                                 const JointNormalPrior& prior);
/// The same of a single score's mode; `error`: standard deviation of a direction of the linear predictor.
[[nodiscard]] bool offset_is_off(const OnceFacts& facts, const StandIn& stand_in, const Position& freely,
                                 double error);

/// What is added to the covariance of a score in `frame`, whose entries vary by `variance`, so that it says nothing of the
/// offset: what goes with one is not asked for, and need not be as the model says.
[[nodiscard]] Matrix offset_score(const Matrix& frame, double variance);

}  // namespace sotto
