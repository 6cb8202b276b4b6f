// What an output must never be written over: the run's own inputs.
#pragma once

#include <filesystem>
#include <span>

namespace sotto {

/// Errors: cannot_create when one of `outputs` is the same file as one of `inputs`, also through links and other spellings
/// of its name. Files that do not exist are no danger.
void refuse_overwriting_inputs(std::span<const std::filesystem::path> outputs,
                               std::span<const std::filesystem::path> inputs);

}  // namespace sotto
