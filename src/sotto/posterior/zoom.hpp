// Where the numeric columns really lie, when the declared bounds are far too wide: histograms, each over the hull of the last.
#pragma once

#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"

namespace sotto {

/// The facts with better guesses of the columns' means and standard deviations. Bounds of rows stay as declared; guesses only
/// say where the frame starts. Asks at most three times, and not where noise would hide the bins.
/// `rows`: their number, as released.
[[nodiscard]] OnceFacts zoom(OnceFacts facts, double rows, PaidQuestions& questions);

}  // namespace sotto
