// Cells made up from what a schema declares and expects of a column.
#pragma once

#include "sotto/data/schema.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// A legal cell. Of the mean and standard deviation, or the shares, that the schema expects; where it says nothing numbers are
/// uniform over their declared bounds and levels equally likely.
///
/// Computes   numbers: a beta law stretched over the bounds. Counts: binomial with a beta share, or where that varies too much the
///            nearest whole number to a beta law
/// Checked by tests/run/made_up_cells_test.cpp: have_the_expected_mean_and_spread
[[nodiscard]] double made_up_cell(const SchemaColumn& column, ChainRng& rng);

}  // namespace sotto
