// Files that are whole or absent, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sotto {

/// Writes `content` beside `file`, flushes it to disk and renames it into place. Readers see the old file or
/// the new one, never a part. Its mode follows the umask. Errors: cannot_create, io.
void write_whole_file(const std::filesystem::path& file, std::string_view content);

/// The two halves of it, for files that change together: `content` on the disk under another name, FILE.PID.part, which is
/// returned; and that file under the name of `file`. When the second fails, the first is undone. Errors: cannot_create, io.
[[nodiscard]] std::filesystem::path write_aside(const std::filesystem::path& file, std::string_view content);
void put_in_place(const std::filesystem::path& aside, const std::filesystem::path& file);

/// Makes a directory and those above it, whose names reach the disk. Errors: cannot_create.
void make_directory(const std::filesystem::path& directory);

/// Writes all of `content` to an open file and flushes it to the disk. False, with errno, when that fails.
[[nodiscard]] bool write_and_flush(int file, std::string_view content);

/// Whether `path` is still a name of the open file.
[[nodiscard]] bool is_named(int file, const std::filesystem::path& path);

/// The name of a file that was made must reach the disk too; file systems that cannot flush a directory are left alone.
void flush_directory(const std::filesystem::path& file);

/// The whole content of a file. Errors: no_input, io.
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& file);

}  // namespace sotto
