// What an output must never be written over: the run's own inputs, and what is no plain file.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace sotto {

/// Errors: cannot_create when one of `outputs` is the same file as one of `inputs`, also through links and other spellings
/// of its name. Files that do not exist are no danger.
void refuse_overwriting_inputs(std::span<const std::filesystem::path> outputs,
                               std::span<const std::filesystem::path> inputs);

/// Errors: cannot_create where something stands there that is no plain file: a directory, a device, a pipe, or a link, which
/// would be replaced. `advice`: what to do instead.
void require_plain_file(const std::filesystem::path& output, std::string_view advice);

}  // namespace sotto
