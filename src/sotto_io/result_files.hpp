// The results that stand in an output directory, and how those of a new run take their place. Ours is what outputs.txt there
// lists, which is written before them; nothing else is replaced or removed, whatever its name.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// A file of a run: its name in the directory, and what makes its content, asked for once.
struct ResultFile {
  std::string name;
  std::function<std::string()> content;
};

/// The names that results have, in `directory` and in its folder not_private, but for those of chains. They stand beside what
/// writes them, in run_directory.cpp; what is written under another name is a mistake of the program, which throws.
[[nodiscard]] std::span<const std::string_view> result_names();

/// All that stands in `directory` under a name that results have, ours or not; nothing where there is no directory.
/// Errors: cannot_create when it cannot be looked into.
[[nodiscard]] std::vector<std::filesystem::path> standing_results(const std::filesystem::path& directory);

/// Whether a run of ours wrote this file, as its directory's list says.
[[nodiscard]] bool is_result_of_ours(const std::filesystem::path& file);

/// Whether finished results of an earlier run stand there. Errors: as above.
[[nodiscard]] bool holds_results(const std::filesystem::path& directory);

/// To be called before anything is spent. Errors: cannot_create when new results could not take their place: something stands
/// there that no run wrote, a release of `privatize` stands under such a name, `not_private` is no folder, or nothing can be
/// written there.
void check_results(const std::filesystem::path& directory);

/// Removes what a run that was killed had not finished. Errors: io.
void remove_unfinished(const std::filesystem::path& directory);

/// Removes one result, if it is ours, and the folder not_private when it is empty then. Errors: io.
void remove_result(const std::filesystem::path& directory, const std::string& name);

/// Puts `files` in the place of all results of earlier runs. These are removed once all of `files` are on the disk under
/// another name: when one cannot be written, the earlier results stay. Errors: cannot_create, io.
void replace_results(const std::filesystem::path& directory, const std::vector<ResultFile>& files);

/// Writes `files` beside the other results, over those of the same name. Errors: cannot_create, io.
void add_results(const std::filesystem::path& directory, const std::vector<ResultFile>& files);

}  // namespace sotto
