// The questions that an owner answers from all its rows.
#pragma once

#include <optional>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

/// Specialised for every alternative of Query, each in a file of its own beside this one, whose head says what is asked, what
/// one row can do, and what noise covers it. A question without a file does not link.
/// None, and errors: as for Measure.
template <class Asked>
[[nodiscard]] std::optional<Measurements> measure(const Asked& query, const OwnerContext& context);

/// Errors: configuration for a question that this model does not answer, or that needs another kind of run.
[[nodiscard]] Measure measure_all_rows(OwnerContext context);

}  // namespace sotto
