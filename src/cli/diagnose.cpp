// sotto diagnose: are the draws to be trusted? For an output directory, or chain files from anywhere.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto/report/text_table.hpp"
#include "sotto_io/cmdstan_csv.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto::cli {
namespace {

struct DiagnoseOptions {
  std::vector<std::string> paths;
  bool json = false;
};

// Draws, and whether they come from a Markov chain.
struct Source {
  Draws draws;
  bool markov_chain = true;
  std::vector<std::string> warnings;  ///< of the method itself
};

Source read(const std::vector<std::string>& paths) {
  if (paths.size() == 1 && std::filesystem::is_directory(paths.front())) {
    RunRecord record = read_run(paths.front());
    return {std::move(record.draws), record.markov_chain, std::move(record.warnings)};
  }
  for (const auto& path : paths) {
    if (std::filesystem::is_directory(path))
      throw Error(ErrorCode::usage, "give one directory, or chain files, not both");
  }
  return {read_cmdstan_csv(std::vector<std::filesystem::path>(paths.begin(), paths.end())), true, {}};
}

// JSON has no NaN and no infinity.
nlohmann::ordered_json extreme(const std::vector<ParameterSummary>& summary, double ParameterSummary::*field,
                               bool least) {
  double found = std::numeric_limits<double>::quiet_NaN();
  for (const auto& line : summary) {
    const double x = line.*field;
    if (std::isfinite(x) && (std::isnan(found) || (least ? x < found : x > found))) found = x;
  }
  return std::isnan(found) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(found);
}

void diagnose(const DiagnoseOptions& options) {
  const Source source = read(options.paths);
  const auto summary = summarise(source.draws);
  std::vector<std::string> complaints = source.warnings;
  for (std::string& sentence : warnings(source.draws, summary, source.markov_chain))
    complaints.push_back(std::move(sentence));
  if (options.json) {
    nlohmann::ordered_json json{{"verdict", complaints.empty() ? "good" : "poor"},
                                {"chains", source.draws.chains.size()},
                                {"worst_rhat", extreme(summary, &ParameterSummary::rhat, false)},
                                {"least_ess_bulk", extreme(summary, &ParameterSummary::ess_bulk, true)},
                                {"least_ess_tail", extreme(summary, &ParameterSummary::ess_tail, true)}};
    const auto nested = short_chain_rhat(source.draws);
    json["nested_rhat"] = nested ? nlohmann::ordered_json(*nested) : nlohmann::ordered_json(nullptr);
    json.update(summary_json(summary, complaints));
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  fmt::print("{}\n", posterior_table(source.draws));
  if (complaints.empty()) {
    fmt::print("{}\n", source.markov_chain ? "The chains agree and hold enough effective draws."
                                           : "Draws are independent: there is no convergence to judge.");
  }
  for (const auto& sentence : complaints) fmt::print("{}\n", sentence);
}

}  // namespace

void add_diagnose(CLI::App& program, int& status) {
  (void)status;
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* verb =
      program.add_subcommand("diagnose", "Judge draws: R-hat, effective sample size, Monte Carlo errors");
  verb->add_option("PATH", options->paths, "output directory of a fit, or CmdStan CSV files, one per chain")
      ->required();
  verb->add_flag("--json", options->json, "print one JSON object (default: a table and sentences)");
  verb->footer("Example: sotto diagnose out/demo\n         sotto diagnose chain_1.csv chain_2.csv --json");
  verb->callback([options] { diagnose(*options); });
}

}  // namespace sotto::cli
