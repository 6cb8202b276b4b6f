// The page of a density estimate.
#pragma once

#include <string>

#include "sotto_io/density_report.hpp"

namespace sotto {

/// The page alone: self-contained, no scripts, nothing from the network.
[[nodiscard]] std::string density_html(const DensityReport& report);

}  // namespace sotto
