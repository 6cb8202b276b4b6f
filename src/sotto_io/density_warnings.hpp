// What is to be said beside a density estimate: what its chains, its model and its bounds cannot know.
#pragma once

#include <string>
#include <vector>

#include "sotto_io/density_report.hpp"

namespace sotto {

/// What is wrong with the chains, and what to do about it; where values seem to stand at a bound, or to fill little of their bounds; what
/// the kernel, or bins, take for granted of counts and of values that many have; of which quantities the interval is the prior's, at
/// least `kNextToNothing` as wide as before any data, or against it; and what another run's own warnings were.
[[nodiscard]] std::vector<std::string> warnings(const DensityReport& report);

}  // namespace sotto
