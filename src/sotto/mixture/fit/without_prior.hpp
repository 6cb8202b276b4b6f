// The estimates that need no prior, shown beside the mixture's.
#pragma once

#include "sotto/mixture/fit/density.hpp"

namespace sotto {

/// Kernel deconvolution after additive noise; inverted frequencies after randomised response; nothing after other channels, or
/// where the mixture is of counts.
void add_estimate_without_prior(ColumnDensity& result, const Column& column,
                                const PrivatisedColumn& released);

}  // namespace sotto
