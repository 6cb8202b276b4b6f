// sotto report: makes the pages again from an output directory.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/verbs.hpp"
#include "sotto/report/design_certificate.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto::cli {
namespace {

struct ReportOptions {
  std::string directory;
  std::string certificate;
  std::vector<std::string> beside;
  bool without_comparison = false;
  bool json = false;
};

/// Those to compare with. A page that is private shows none that is not.
std::vector<RunRecord> runs_beside(const ReportOptions& options, const RunRecord& record) {
  std::vector<RunRecord> runs;
  for (std::size_t k = 0; k < options.beside.size(); ++k) {
    const std::string& directory = options.beside[k];
    std::error_code unknown;
    const auto is_this = [&](const std::string& other) {
      return std::filesystem::equivalent(directory, other, unknown);
    };
    if (is_this(options.directory) ||
        std::any_of(options.beside.begin(), options.beside.begin() + static_cast<std::ptrdiff_t>(k), is_this))
      throw Error(ErrorCode::usage, fmt::format("--beside {}: that run is on the page already", directory));
    runs.push_back(read_run(directory));
    if (record.privacy.is_private && !runs.back().privacy.is_private) {
      throw Error(
          ErrorCode::usage,
          fmt::format("{} is NOT PRIVATE, and so would be a page that shows it: make the page of that run, "
                      "with --beside {}",
                      directory, options.directory));
    }
  }
  return runs;
}

void report(const ReportOptions& options) {
  if (std::filesystem::exists(options.directory) && !std::filesystem::is_directory(options.directory))
    throw Error(ErrorCode::no_input,
                fmt::format("{} is no output directory of sotto fit", options.directory));
  check_run_directory(options.directory, {}, true);
  std::optional<RunLock> alone;  // no page of one run beside the files of another
  if (std::filesystem::exists(options.directory)) alone.emplace(options.directory);
  RunRecord record = read_run(options.directory);
  if (options.without_comparison) record.comparison.reset();
  if (!options.certificate.empty())
    record.certificate = certificate_for(record, read_json_file(options.certificate));
  write_report(options.directory, record, runs_beside(options, record));
  const std::string file = (std::filesystem::path(options.directory) / "report.html").string();
  const std::string comparison = not_private_report(options.directory).string();
  if (options.json) {
    nlohmann::ordered_json json{{"report", file},
                                {"private", record.privacy.is_private},
                                {"comparison", record.comparison.has_value()}};
    if (record.comparison) json["not_private_report"] = comparison;
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", file);
    if (record.comparison) fmt::print("{} (NOT PRIVATE)\n", comparison);
  }
}

}  // namespace

void add_report(CLI::App& program, int& status) {
  (void)status;
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = program.add_subcommand("report", "Make report.html again from an output directory");
  verb->add_option("DIR", options->directory, "output directory of a fit")->required();
  verb->add_flag("--without-comparison", options->without_comparison,
                 "make no page that is NOT PRIVATE, and remove not_private/report.html (default: make it)");
  verb->add_option(
      "--certificate", options->certificate,
      "what sotto plan --certify --json printed for this design: kept in certificate.json, and shown");
  verb->add_option(
      "--beside", options->beside,
      "output directories of other fits, whose intervals the page shows beside its own (default: none)");
  verb->add_flag("--json", options->json, "print one JSON object (default: the pages' names)");
  verb->footer(
      "Examples:\n  sotto report out/demo --without-comparison\n  sotto report out/demo --certificate "
      "plan.json\n"
      "  sotto report out/demo --beside out/smaller_epsilon");
  verb->callback([options] { report(*options); });
}

}  // namespace sotto::cli
