// What a run found: in one sentence, as intervals, and as a table.
#pragma once

#include <string>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

/// Which effects' 90 % intervals lie above 0, below 0, or hold it; empty where there are no effects.
[[nodiscard]] std::string answer_sentence(const RunRecord& record,
                                          const std::vector<ParameterSummary>& summary);

/// The sentence, how much wider than without noise, `complaints`, the forest plot, and a table, as HTML. Numbers have the digits that
/// finitely many draws tell.
[[nodiscard]] std::string answer(const RunRecord& record, const std::vector<ParameterSummary>& summary,
                                 const std::vector<std::string>& complaints = {});

/// How others may cite the result: model, promise, program.
[[nodiscard]] std::string citation(const RunRecord& record);

}  // namespace sotto
