// The output directory's JSON files as values: privacy.json, manifest.json, summary.json.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

[[nodiscard]] nlohmann::ordered_json to_json(const PrivacyStatement& statement);
/// Errors: data when a key is missing or of another type.
[[nodiscard]] PrivacyStatement privacy_from_json(const nlohmann::ordered_json& json);

/// All of a record but its draws and its privacy statement.
[[nodiscard]] nlohmann::ordered_json manifest_json(const RunRecord& record);
/// Fills what `manifest_json` wrote; seeds, warmup and stop reasons go to the chains that `record` has
/// already. Errors: data.
void read_manifest(const nlohmann::ordered_json& json, RunRecord& record);

/// {"parameters": [...], "warnings": [...], "no_answer": "..."}; unknown numbers are null. `prior_sensitivity`: by parameter, where
/// it is known.
[[nodiscard]] nlohmann::ordered_json summary_json(
    const std::vector<ParameterSummary>& summary, const std::vector<std::string>& warnings,
    const std::string& no_answer, const std::vector<std::pair<std::string, double>>& prior_sensitivity = {});

/// "finished", "budget_spent", "interrupted" or "diverged".
[[nodiscard]] std::string stop_reason_name(StopReason reason);

}  // namespace sotto
