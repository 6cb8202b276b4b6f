#include "sotto_io/output_guard.hpp"

#include <fmt/format.h>

#include <set>

#include "sotto/base/error.hpp"

namespace sotto {

void refuse_overwriting_inputs(std::span<const std::filesystem::path> outputs,
                               std::span<const std::filesystem::path> inputs) {
  for (const std::filesystem::path& output : outputs) {
    for (const std::filesystem::path& input : inputs) {
      std::error_code absent;  // then they are not the same
      if (std::filesystem::equivalent(output, input, absent)) {
        throw Error(ErrorCode::cannot_create,
                    fmt::format("{} is an input of this run and would be overwritten: choose another --out",
                                input.string()));
      }
    }
  }
}

std::vector<std::filesystem::path> present_outputs(const std::filesystem::path& directory,
                                                   bool (*is_output)(const std::string& name)) {
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(directory, absent)) {
    if (is_output(entry.path().filename().string())) files.push_back(entry.path());
  }
  return files;
}

bool is_chain_file(const std::string& name) { return name.starts_with("chain_") && name.ends_with(".csv"); }

bool is_result_file(const std::string& name) {
  static const std::set<std::string> names{"summary.csv", "summary.json", "privacy.json",  "manifest.json",
                                           "report.html", "density.csv",  "clusters.json", "synthetic.csv"};
  return is_chain_file(name) || names.contains(name);
}

void remove_results(const std::filesystem::path& directory) {
  for (const std::filesystem::path& file : present_outputs(directory, is_result_file))
    std::filesystem::remove(file);
}

}  // namespace sotto
