// Rows of a normal mean or a banana made up from public facts: what a plan rehearses on.
#pragma once

#include "sotto/run/made_up_rows.hpp"

namespace sotto {

/// Rows are normal with the declared covariance, as far as the declared bounds let them be, about a mean that is even over the middle half
/// of these. Errors: configuration, also for a mean or a table that rows are to be like, which regressions have.
[[nodiscard]] MadeUpProblem make_up_means(const FitConfig& config, const Schema& schema,
                                          const MadeUpRows& made);

}  // namespace sotto
