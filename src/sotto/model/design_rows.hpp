// From decoded rows to what the passes read.
#pragma once

#include "sotto/data/rows.hpp"
#include "sotto/data/table.hpp"
#include "sotto/model/design.hpp"

namespace sotto {

/// Curator side. Row by row: the scaled columns of the design, then the response, then the weight (1 if
/// kept). A time at risk becomes a row for each piece, a response in ordered categories one for each threshold, side by side. Rows that are not kept, and pieces that were not reached, are
/// zero throughout. Throws ErrorCode::internal if the table was not decoded
/// under the schema that the design was made for.
/// `side_by_side`: rows that are kept stand by persons, see PrivacyUnit; of a design without pieces, in a table whose unit is a person
/// of at most kRunRows rows.
/// Checked by tests/model/design_rows_test.cpp: rows_of_a_person_stand_side_by_side
[[nodiscard]] Rows design_rows(const Table& table, const Design& design, bool side_by_side = false);

}  // namespace sotto
