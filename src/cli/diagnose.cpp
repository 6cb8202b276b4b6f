// sotto diagnose: are the draws to be trusted? For an output directory, or chain files from anywhere.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/diagnostics/comparison.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto/report/text_table.hpp"
#include "sotto_io/cmdstan_csv.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto::cli {
namespace {

struct DiagnoseOptions {
  std::vector<std::string> paths;
  std::vector<std::string> reference;
  bool json = false;
};

// Draws, and what is known of the run that made them.
struct Source {
  RunRecord record;
  std::optional<bool> is_private;  ///< chain files need not say
};

/// Whether a chain file's comments say that its draws were made without noise.
bool says_not_private(const std::string& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    if (line.starts_with("# dp_private = 0")) return true;  // also where lines end as on Windows
  }
  return false;
}

/// Chain files of CmdStan, and ours, begin with what made them and have a column lp__.
bool looks_like_draws(const std::filesystem::path& file) {
  std::ifstream lines(file);
  std::string first;
  std::getline(lines, first);
  return first.starts_with('#') || first.find("__") != std::string::npos;
}

Source read(const std::vector<std::string>& paths) {
  if (paths.size() == 1 && std::filesystem::is_directory(paths.front())) {
    RunRecord record = read_run(paths.front());
    const bool is_private = record.privacy.is_private;
    return {std::move(record), is_private};
  }
  for (const auto& path : paths) {
    if (!std::filesystem::exists(path))
      throw Error(ErrorCode::no_input, fmt::format("there is no directory or chain file {}", path));
    if (std::filesystem::is_directory(path))
      throw Error(
          ErrorCode::usage,
          "give one directory, or chain files, not both; of two runs sotto report DIR --beside OTHER shows "
          "both, and sotto "
          "diagnose DIR --reference OTHER says how far they differ");
  }
  RunRecord record;
  record.draws = read_cmdstan_csv(std::vector<std::filesystem::path>(paths.begin(), paths.end()));
  for (const auto& path : paths) {
    if (!looks_like_draws(path))
      remark(stderr,
             "sotto: {} has neither lines that begin with # nor a column lp__, as chain files of CmdStan "
             "have: if it holds rows, what follows is computed from them and NOT PRIVATE\n",
             path);
  }
  const bool without_noise = std::ranges::any_of(paths, says_not_private);
  return {std::move(record), without_noise ? std::optional(false) : std::nullopt};
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

/// Of a reference that was made from rows without noise, these figures tell of the rows.
const char* promise_of(const Source& reference) {
  if (!reference.is_private)
    return "If the reference was made from the rows without noise, these figures are NOT PRIVATE either.";
  return *reference.is_private
             ? ""
             : "NOT PRIVATE: the reference was made without noise, and these figures tell of its rows.";
}

nlohmann::ordered_json known(const std::optional<bool>& is_private) {
  return is_private ? nlohmann::ordered_json(*is_private) : nlohmann::ordered_json(nullptr);
}

/// Why figures against it may say nothing: chain files do not tell.
std::vector<std::string> doubts_about(const Source& reference, const RunRecord& record) {
  std::vector<std::string> doubts;
  const RunRecord& other = reference.record;
  if (!other.title.empty() && !record.title.empty() &&
      (other.title != record.title || other.model != record.model))
    doubts.push_back(fmt::format("The reference is of another model: {}, {}; here it is {}, {}.", other.title,
                                 other.model, record.title, record.model));
  std::vector<std::string> alone = other.draws.parameters;
  std::erase_if(alone, [&](const std::string& name) {
    return std::ranges::find(record.draws.parameters, name) != record.draws.parameters.end();
  });
  if (!alone.empty())
    doubts.push_back(
        fmt::format("Not compared, as the reference alone has them: {}.", fmt::join(alone, ", ")));
  if (const std::string none = no_answer(other, summarise(other.draws)); !none.empty())
    doubts.push_back(fmt::format("The reference is none: of its own draws, {}.", none));
  else if (noise_dominates(other))
    doubts.emplace_back(
        "The reference is none: its noise dominates, and it shows the prior and the noise, hardly its data.");
  return doubts;
}

nlohmann::ordered_json json_of(const DrawsComparison& comparison, const Source& reference,
                               const std::vector<std::string>& doubts) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const ParameterComparison& line : comparison.parameters) {
    parameters.push_back(
        {{"parameter", line.parameter}, {"mean_error", line.mean_error}, {"sd_ratio", line.sd_ratio}});
  }
  nlohmann::ordered_json json{{"mmd", comparison.mmd},
                              {"draws", comparison.draws},
                              {"reference_draws", comparison.reference},
                              {"parameters", parameters}};
  json["reference_is_private"] = known(reference.is_private);
  json["warnings"] = doubts;
  return json;
}

void print(const DrawsComparison& comparison, const Source& reference,
           const std::vector<std::string>& doubts) {
  std::size_t width = 9;
  for (const ParameterComparison& line : comparison.parameters)
    width = std::max(width, line.parameter.size());
  fmt::print("\nAgainst the reference: MMD {:.3f} ({} and {} draws)\n", comparison.mmd, comparison.draws,
             comparison.reference);
  fmt::print("{:{}}  mean error in its sds  sd over its sd\n", "parameter", width);
  for (const ParameterComparison& line : comparison.parameters)
    fmt::print("{:{}}  {:22.3f}  {:14.3f}\n", line.parameter, width, line.mean_error, line.sd_ratio);
  for (const std::string& sentence : doubts) fmt::print("{}\n", sentence);
  if (const std::string sentence = promise_of(reference); !sentence.empty()) fmt::print("{}\n", sentence);
}

void diagnose(const DiagnoseOptions& options) {
  const Source source = read(options.paths);
  const RunRecord& record = source.record;
  std::optional<Source> reference;
  std::optional<DrawsComparison> comparison;
  std::vector<std::string> doubts;
  if (!options.reference.empty()) {
    reference = read(options.reference);
    doubts = doubts_about(*reference, record);
    try {
      comparison = compare(record.draws, reference->record.draws);
    } catch (const Error& error) {
      if (doubts.empty()) throw;
      throw Error(error.code(), fmt::format("{}. {}", error.what(), doubts.front()));
    }
  }
  const auto summary = summarise(record.draws);
  std::vector<std::string> complaints = record.warnings;
  for (std::string& sentence : warnings(record.draws, summary, record.markov_chain))
    complaints.push_back(std::move(sentence));
  const std::string none = no_answer(record, summary);
  if (options.json) {
    nlohmann::ordered_json json{{"verdict", complaints.empty() ? "good" : "poor"},
                                {"chains", record.draws.chains.size()},
                                {"worst_rhat", extreme(summary, &ParameterSummary::rhat, false)},
                                {"least_ess_bulk", extreme(summary, &ParameterSummary::ess_bulk, true)},
                                {"least_ess_tail", extreme(summary, &ParameterSummary::ess_tail, true)}};
    const auto nested = short_chain_rhat(record.draws);
    json["nested_rhat"] = nested ? nlohmann::ordered_json(*nested) : nlohmann::ordered_json(nullptr);
    json["private"] = known(source.is_private);
    json.update(summary_json(summary, complaints, none));
    if (comparison) json["comparison"] = json_of(*comparison, *reference, doubts);
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  if (!source.is_private.value_or(true)) fmt::print("NOT PRIVATE: these draws were made without noise.\n\n");
  if (!none.empty()) fmt::print("{}.\n\n", none);
  fmt::print("{}\n", posterior_table(record.draws));
  if (complaints.empty()) {
    fmt::print("{}\n", record.markov_chain
                           ? "The chains agree and hold enough effective draws."
                           : "Draws are as good as independent: there is no convergence to judge.");
  }
  for (const auto& sentence : complaints) fmt::print("{}\n", sentence);
  if (comparison) print(*comparison, *reference, doubts);
}

}  // namespace

void add_diagnose(CLI::App& program, int& status) {
  (void)status;
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* verb =
      program.add_subcommand("diagnose", "Judge draws: R-hat, effective sample size, Monte Carlo errors");
  verb->add_option("PATH", options->paths, "output directory of a fit, or CmdStan CSV files, one per chain")
      ->required();
  verb->add_option(
          "--reference", options->reference,
          "draws that stand for the truth, to compare with: another output directory, or a CmdStan CSV file "
          "(once for each chain). Tells the maximum mean discrepancy (Gaussian kernel of median width, each "
          "parameter in the reference's standard deviations), and of each parameter the error of the mean in "
          "the reference's standard deviations and the ratio of standard deviations")
      ->allow_extra_args(false);
  verb->add_flag("--json", options->json, "print one JSON object (default: a table and sentences)");
  verb->footer(
      "Example: sotto diagnose out/demo\n         sotto diagnose chain_1.csv chain_2.csv --json\n"
      "         sotto diagnose out/private --reference out/exact");
  verb->callback([options] { diagnose(*options); });
}

}  // namespace sotto::cli
