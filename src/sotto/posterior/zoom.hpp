// Where the numeric columns really lie, when the declared bounds are far too wide: histograms, each over the hull of the last.
#pragma once

#include "sotto/posterior/at_bounds.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/posterior/usable_rows.hpp"

namespace sotto {

struct Zoomed {
  OnceFacts facts;                 ///< with better guesses of the columns' means and standard deviations
  std::vector<AtBound> at_bounds;  ///< columns whose values pile up at a declared bound
  UsableRows usable{};             ///< rows that count
  ColumnSpread offsets{};  ///< of the last column, where it is an offset and the noise lets it be seen
};

/// Bounds of rows stay as declared; guesses only say where the frame starts. Asks at most three times, and not where noise would
/// hide the bins. `rows`: their number, as released.
[[nodiscard]] Zoomed zoom(OnceFacts facts, double rows, PaidQuestions& questions);

}  // namespace sotto
