// What an output must never be written over, the run's own inputs, and what it must not stand beside, earlier results.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sotto {

/// Errors: cannot_create when one of `outputs` is the same file as one of `inputs`, also through links and other spellings
/// of its name. Files that do not exist are no danger.
void refuse_overwriting_inputs(std::span<const std::filesystem::path> outputs,
                               std::span<const std::filesystem::path> inputs);

/// The files of a directory whose names `is_output` knows: what writing into it may replace or remove.
[[nodiscard]] std::vector<std::filesystem::path> present_outputs(const std::filesystem::path& directory,
                                                                 bool (*is_output)(const std::string& name));

/// "chain_1.csv", "chain_2.csv", ...
[[nodiscard]] bool is_chain_file(const std::string& name);
/// What a fit or a density estimate writes, but the record of charges.
[[nodiscard]] bool is_result_file(const std::string& name);

/// Removes the results of earlier runs, so that none of them is read, or passed on, as part of a new one.
void remove_results(const std::filesystem::path& directory);

}  // namespace sotto
