#include "cli/paper_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sotto/base/error.hpp"

namespace sotto::cli {

namespace {

constexpr const char* kMark = "experiment.txt";

/// Files of these names are replaced where an experiment wrote them, and nowhere else.
void require_own_files(const std::filesystem::path& directory) {
  if (std::filesystem::exists(directory / kMark)) return;
  for (const char* name : {"table.csv", "report.html", "curves.csv"}) {
    if (std::filesystem::exists(std::filesystem::symlink_status(directory / name)))
      throw Error(ErrorCode::cannot_create,
                  fmt::format("{} stands in the way and no experiment wrote it: choose another --out",
                              (directory / name).string()));
  }
}

}  // namespace

PaperTable::PaperTable(const std::string& directory, bool json)
    : path_(directory + "/table.csv"), json_(json) {
  require_own_files(directory);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  std::ofstream(std::filesystem::path(directory) / kMark)
      << "table.csv, report.html and curves.csv here are of sotto experiment, and the next one replaces "
         "them.\n";
  file_.open(path_);
  if (!file_) throw Error(ErrorCode::cannot_create, "cannot create " + path_ + ": choose another --out");
}

void PaperTable::add(const TableLine& line) {
  std::string header, csv, columns, text;
  for (const auto& [key, value] : line.items()) {
    const std::string cell = value.is_null()     ? std::string()
                             : value.is_string() ? value.get<std::string>()
                                                 : value.dump();
    const std::size_t width = std::max<std::size_t>(value.is_string() ? 18 : 13, key.size() + 1);
    header += (header.empty() ? "" : ",") + key;
    csv += (header == key ? "" : ",") + cell;
    columns += fmt::format("{:>{}}", key, width);
    text += value.is_number_float() ? fmt::format("{:{}.4g}", value.get<double>(), width)
                                    : fmt::format("{:>{}}", cell, width);
  }
  if (lines_.empty()) file_ << header << '\n';
  if (lines_.empty() && !json_) fmt::print("{}\n", columns);
  file_ << csv << std::endl;
  if (!file_) throw Error(ErrorCode::io, "writing " + path_ + " failed: is the disk full?");
  if (!json_) fmt::print("{}\n", text);
  std::fflush(stdout);
  lines_.push_back(line);
}

void PaperTable::finish(const std::string& experiment) const {
  if (!json_) return;
  const TableLine result = {{"experiment", experiment}, {"table", path_}, {"outcomes", lines_}};
  fmt::print("{}\n", result.dump());
}

}  // namespace sotto::cli
