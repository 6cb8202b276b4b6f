// The figure of one column of a density estimate.
#pragma once

#include <string>

#include "sotto_io/density_report.hpp"

namespace sotto {

/// Posterior mean with both bands, prior predictive and the non-Bayesian estimate: lines over numbers, bars over counts and
/// categories. With axes and a key; an HTML <figure>.
[[nodiscard]] std::string density_figure(const DensityReport& report, std::size_t column);

}  // namespace sotto
