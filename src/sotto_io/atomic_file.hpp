// Files that are whole or absent, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sotto {

/// Writes `content` beside `file`, flushes it to disk and renames it into place. Readers see the old file or
/// the new one, never a part. Errors: cannot_create, io.
void write_whole_file(const std::filesystem::path& file, std::string_view content);

/// The whole content of a file. Errors: no_input, io.
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& file);

}  // namespace sotto
