// This run beside others, in a table.
#pragma once

#include <string>
#include <vector>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// Intervals of the parameters that runs have in common, for each run, and what their promises come to. HTML.
[[nodiscard]] std::string runs_beside(const RunRecord& record, const std::vector<RunRecord>& others);

}  // namespace sotto
