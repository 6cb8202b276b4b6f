#include "sotto_io/result_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "outputs.txt";
constexpr const char* kListBegins =
    "# Files that sotto wrote here: a later run replaces or removes these, and no others.";
constexpr std::string_view kExactFolder = "not_private/";

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_result_name(std::string_view name) {
  if (name.starts_with(kExactFolder)) name.remove_prefix(kExactFolder.size());
  if (name == kList || std::ranges::count(result_names(), name) > 0) return true;
  constexpr std::string_view begin = "chain_";
  constexpr std::string_view end = ".csv";
  return name.starts_with(begin) && name.ends_with(end) && name.size() > begin.size() + end.size() &&
         is_number(name.substr(begin.size(), name.size() - begin.size() - end.size()));
}

/// "chain_1.csv" of "chain_1.csv.123.part"; empty when the name is not of that form.
std::string_view unfinished_of(std::string_view name) {
  if (!name.ends_with(".part")) return {};
  name.remove_suffix(5);
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && is_number(name.substr(dot + 1)) ? name.substr(0, dot)
                                                                          : std::string_view();
}

/// What outputs.txt lists, itself included; nothing where none of ours is there.
std::set<std::string> listed(const fs::path& directory) {
  if (!fs::is_regular_file(fs::symlink_status(directory / kList))) return {};
  std::istringstream text(read_whole_file(directory / kList));
  std::string line;
  std::getline(text, line);
  if (line != kListBegins) return {};
  std::set<std::string> names{kList};
  while (std::getline(text, line)) {
    if (is_result_name(line)) names.insert(line);
  }
  return names;
}

void write_list(const fs::path& directory, const std::set<std::string>& names) {
  std::string text = fmt::format("{}\n", kListBegins);
  for (const std::string& name : names) text += name + '\n';
  write_whole_file(directory / kList, text);
}

std::set<std::string> names_of(const std::vector<ResultFile>& files) {
  std::set<std::string> names{kList};
  for (const ResultFile& file : files) {
    if (!is_result_name(file.name)) throw std::logic_error(file.name + " is not among result_names()");
    names.insert(file.name);
  }
  return names;
}

struct Standing {
  fs::path path;
  std::string name;  ///< of the result, also where it was not finished
  bool finished = true;
  bool ours = false;
};

/// One entry of a folder, if it has to do with a result.
void note(const fs::directory_entry& entry, std::string_view folder, const std::set<std::string>& known,
          std::vector<Standing>& found) {
  constexpr std::string_view description = ".channel.toml";
  const std::string file = entry.path().filename().string();
  const std::string_view part = unfinished_of(file);
  std::string_view result = part.empty() ? std::string_view(file) : part;
  const bool described = result.ends_with(description);  // the record of what `privatize` charged
  if (described) result.remove_suffix(description.size());
  std::string name = fmt::format("{}{}", folder, result);
  if (!is_result_name(name)) return;
  // The list itself is the first file that a run writes.
  const bool of_a_run = known.contains(name) || (name == kList && !part.empty());
  const bool ours = of_a_run && !described && fs::is_regular_file(entry.symlink_status());
  found.push_back({entry.path(), std::move(name), part.empty(), ours});
}

std::vector<Standing> standing(const fs::path& directory) {
  std::vector<Standing> found;
  try {
    const std::set<std::string> known = listed(directory);
    for (const std::string_view folder : {std::string_view(), kExactFolder}) {
      // A link would lead to files of others.
      const fs::path exact = directory / "not_private";
      if (!folder.empty() && !fs::is_directory(fs::symlink_status(exact))) continue;
      if (folder.empty() && !fs::is_directory(directory)) continue;
      for (const auto& entry : fs::directory_iterator(directory / folder)) note(entry, folder, known, found);
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorCode::cannot_create, fmt::format("cannot look into the directory {}: {}",
                                                      directory.string(), error.code().message()));
  }
  // Statements go last: what still stands beside them is theirs.
  std::stable_partition(found.begin(), found.end(),
                        [](const Standing& s) { return s.name != "privacy.json"; });
  return found;
}

void remove_file(const fs::path& file) {
  std::error_code failure;
  fs::remove(file, failure);
  if (failure) {
    throw Error(ErrorCode::io, fmt::format("cannot remove {}: {}", file.string(), failure.message()));
  }
  flush_directory(file);
}

void remove_empty_folder(const fs::path& directory) { ::rmdir((directory / "not_private").c_str()); }

/// Names that are on the list before their files are on the disk are known as ours, whatever ends the run.
void announce(const fs::path& directory, const std::vector<ResultFile>& files) {
  std::set<std::string> names = listed(directory);
  names.merge(names_of(files));
  make_directory(directory);
  write_list(directory, names);
  for (const ResultFile& file : files) {
    if (file.name.starts_with(kExactFolder)) make_directory(directory / "not_private");
  }
}

/// Files on the disk under other names than theirs; what has not got its own in the end is removed.
class Aside {
 public:
  Aside() = default;
  ~Aside() {
    for (const auto& [aside, file] : files_) ::unlink(aside.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  void add(const fs::path& file, const std::string& content) {
    files_.emplace_back(write_aside(file, content), file);
  }
  void put_in_place() {
    for (const auto& [aside, file] : files_) sotto::put_in_place(aside, file);
    files_.clear();
  }

 private:
  std::vector<std::pair<fs::path, fs::path>> files_;
};

}  // namespace

std::vector<fs::path> standing_results(const fs::path& directory) {
  std::vector<fs::path> paths;
  for (Standing& s : standing(directory)) paths.push_back(std::move(s.path));
  return paths;
}

bool is_result_of_ours(const fs::path& file) {
  return std::ranges::any_of(standing(fs::absolute(file).parent_path()), [&](const Standing& s) {
    return s.ours && fs::exists(s.path) && fs::equivalent(s.path, file);
  });
}

bool holds_results(const fs::path& directory) {
  return std::ranges::any_of(standing(directory),
                             [](const Standing& s) { return s.ours && s.finished && s.name != kList; });
}

void check_results(const fs::path& directory) {
  const fs::path exact = directory / "not_private";
  std::error_code absent;
  // A directory may be a link that the user made; what a link in it leads to is not ours.
  for (const auto& [place, kind] : {std::pair(directory, fs::status(directory, absent)),
                                    std::pair(exact, fs::symlink_status(exact, absent))}) {
    if (!fs::exists(kind)) continue;
    if (!fs::is_directory(kind)) {
      throw Error(
          ErrorCode::cannot_create,
          fmt::format("{} is not a directory: move it away, or choose another --out", place.string()));
    }
    if (::access(place.c_str(), W_OK | X_OK) != 0) {
      throw Error(ErrorCode::cannot_create, fmt::format("cannot write into the directory {}: {}",
                                                        place.string(), std::strerror(errno)));
    }
  }
  for (const Standing& s : standing(directory)) {
    if (s.ours) continue;
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} stands in the way and no fit or density wrote it: move it away, or choose "
                            "another --out",
                            s.path.string()));
  }
}

void remove_unfinished(const fs::path& directory) {
  for (const Standing& s : standing(directory)) {
    if (s.ours && !s.finished) remove_file(s.path);
  }
}

void remove_result(const fs::path& directory, const std::string& name) {
  for (const Standing& s : standing(directory)) {
    if (s.ours && s.finished && s.name == name) remove_file(s.path);
  }
  remove_empty_folder(directory);
}

void replace_results(const fs::path& directory, const std::vector<ResultFile>& files) {
  remove_unfinished(directory);
  announce(directory, files);
  Aside aside;
  for (const ResultFile& file : files) aside.add(directory / file.name, file.content());
  for (const Standing& s : standing(directory)) {
    if (s.ours && s.finished && s.name != kList) remove_file(s.path);
  }
  aside.put_in_place();
  remove_empty_folder(directory);
  write_list(directory, names_of(files));
}

void add_results(const fs::path& directory, const std::vector<ResultFile>& files) {
  announce(directory, files);
  for (const ResultFile& file : files) write_whole_file(directory / file.name, file.content());
}

}  // namespace sotto
