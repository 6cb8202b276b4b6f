// The rounds of score, information and squares, each where the last said the mode is, and what is asked beside the last.
#pragma once

#include "sotto/posterior/once_release.hpp"
#include "sotto/posterior/paid_questions.hpp"

namespace sotto {

/// Rounds until the mode stays where it is; the last one takes what is left.
void ask_rounds(OnceRelease& release, const JointNormalPrior& locating, PaidQuestions& questions);

}  // namespace sotto
