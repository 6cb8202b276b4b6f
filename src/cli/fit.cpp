// sotto fit: a posterior from private data.
#include <fmt/core.h>
#include <sysexits.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/confidential.hpp"
#include "cli/fit_options.hpp"
#include "cli/interruption.hpp"
#include "cli/owner_sessions.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/text_table.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/hopeless.hpp"
#include "sotto_io/fit_directory.hpp"
#include "sotto_io/owner_toml.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto::cli {
namespace {

void say_result(const FitConfig& config, const RunRecord& record,
                const std::vector<ParameterSummary>& summary, bool json, bool resumed) {
  if (json) {
    const std::filesystem::path out = config.out;
    fmt::print("{}\n", nlohmann::ordered_json({{"out", config.out},
                                               {"method", record.method},
                                               {"summary", read_json_file(out / "summary.json")},
                                               {"privacy", read_json_file(out / "privacy.json")}})
                           .dump());
    return;
  }
  if (record.privacy.is_private) {
    fmt::print("{}, {}\n(epsilon, delta) = ({}, {}) for {}; spent epsilon {}{}\n", record.model,
               record.method, record.privacy.epsilon, record.privacy.delta, record.privacy.privacy_unit,
               format_at_most(record.privacy.spent_epsilon),
               resumed ? " when it was made; these draws read no row and cost nothing" : "");
  } else {
    fmt::print("{}, {}\nNOT PRIVATE\n", record.model, record.method);
  }
  if (const std::string none = no_answer(record, summary); !none.empty()) {
    fmt::print("\n{}; sotto diagnose {} shows the numbers nevertheless.\n\n", none, config.out);
  } else {
    if (const std::string width = width_sentence(record); !width.empty()) fmt::print("{}\n", width);
    fmt::print("\n{}\n", posterior_table(record.draws, record.comparison));
  }
  fmt::print("{}\n", (std::filesystem::path(config.out) / "report.html").string());
  if (record.privacy.is_private && record.privacy.earlier.count == 0 && !resumed) {
    fmt::print(
        "Fits of the same rows add up: two like this promise no more than epsilon {:g} together. What is "
        "released "
        "into one directory (--out, --overwrite) is added up for you.\n",
        2 * record.privacy.epsilon);
  }
  if (record.comparison) fmt::print("{} (NOT PRIVATE)\n", not_private_report(config.out).string());
}

/// `fitted` takes what it tells its progress to.
template <class Fitted>
FitOutcome with_progress(const FitConfig& config, const Fitted& fitted) {
  Progress line;
  return fitted([&](std::size_t done, std::size_t total, double epsilon) {
    std::optional<double> budget;
    if (config.epsilon && !config.not_private) budget = epsilon / *config.epsilon;
    line.update("fit", static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)),
                budget);
    return !interrupted();
  });
}

const char* why_ended(StopReason ending) {
  switch (ending) {
    case StopReason::interrupted:
      return "stopped early";
    case StopReason::diverged:
      return "a chain ran away";
    default:
      return "the budget ended before the chains did";
  }
}

void finish(const FitOptions& options, const FitConfig& config, const FitOutcome& outcome, int& status) {
  const RunRecord& record = outcome.record;
  const std::vector<ParameterSummary> summary = summarise(record.draws);
  say_result(config, record, summary, options.json, !options.resume.empty());
  for (const std::string& sentence : all_warnings(record, summary)) remark(stderr, "sotto: {}\n", sentence);
  // The budget is spent, and there are draws, but a script must not take them for an answer.
  if (!no_answer(record, summary).empty()) status = EX_TEMPFAIL;
  if (outcome.comparison_failed) {
    remark(stderr,
           "sotto: NOT PRIVATE: the fit without privacy has not converged, so it is not shown beside; "
           "{} has its chains.\n",
           not_private_report(config.out).string());
  }
  if (outcome.ending == StopReason::interrupted) status = 130;
  if (outcome.ending != StopReason::finished) {
    remark(stderr, "sotto: {}; {} draws are kept in {}; {}\n", why_ended(outcome.ending), outcome.draws,
           config.out, outcome.spent);
  }
}

/// Those of --owners, in the place of a table.
OwnersSettings name_owners(const FitOptions& options, FitConfig& config) {
  if (options.owners.empty()) return {};
  if (!config.data.empty() || !config.owners.empty())
    refuse("--owners names the rows: drop --data, data.file and [[owner]]");
  OwnersSettings owners = read_owners_toml(options.owners);
  config.owners = owners.files;
  config.elsewhere = owners.elsewhere;
  return owners;
}

std::vector<std::filesystem::path> tables_of(const FitOptions& options, const FitConfig& config,
                                             const CLI::App& verb) {
  std::vector<std::filesystem::path> files;
  for (const std::string& file : config.owners) {
    files.push_back(options.owners.empty() ? resolved(file, false, options)
                                           : std::filesystem::path(options.owners).parent_path() / file);
  }
  if (!config.data.empty()) files.push_back(resolved(config.data, verb.count("--data") > 0, options));
  return files;
}

/// `rehearsed` takes what it tells its progress to.
template <class Rehearsed>
void rehearse(const Rehearsed& rehearsed) {
  Progress line;
  rehearsed([&](double done) {
    line.update("rehearsal on made-up rows", done);
    return !interrupted();
  });
}

/// Whether the call itself says which model and table it means, or leaves it to what was fitted before.
bool says_which_fit(const FitOptions& options, const CLI::App& verb) {
  return !options.config.empty() || verb.count("--schema") > 0 || !options.owners.empty() ||
         std::any_of(options.set.begin(), options.set.end(),
                     [](const std::string& assignment) { return assignment.starts_with("data.schema"); });
}

FitAsMade fit_as_told(const FitOptions& options, const CLI::App& verb) {
  FitAsMade told{.config = configuration(options, verb), .schema = {}};
  static_cast<void>(name_owners(options, told.config));
  told.schema = read_schema(resolved(told.config.schema, verb.count("--schema") > 0, options));
  return told;
}

/// From the releases alone: the table is not read, whatever is said of it.
void resume_fit(const FitOptions& options, const CLI::App& verb, int& status) {
  if (verb.count("--data") > 0)
    remark(stderr,
           "sotto: --data is not read: with --resume draws are made from the releases of that fit alone\n");
  const bool told = says_which_fit(options, verb);
  FitAsMade fit = told ? fit_as_told(options, verb) : fit_as_made(options.resume, overrides(options, verb));
  fit.config.out = options.resume;
  check_model(fit.config, fit.schema);
  std::vector<std::filesystem::path> inputs;
  if (told) {
    inputs = {options.config, resolved(fit.config.schema, verb.count("--schema") > 0, options)};
  }
  note_signals();
  finish(options, fit.config,
         with_progress(fit.config,
                       [&](const FitProgress& progress) {
                         return resume_directory(fit.config, fit.schema, inputs, progress);
                       }),
         status);
}

void run_fit(const FitOptions& options, const CLI::App& verb, int& status) {
  if (!options.resume.empty()) return resume_fit(options, verb, status);
  FitConfig config = configuration(options, verb);
  const OwnersSettings owners = name_owners(options, config);
  if (config.data.empty() && config.owners.empty() && config.elsewhere.empty())
    refuse("which table? give --data, or data.file");
  const std::filesystem::path schema_file = resolved(config.schema, verb.count("--schema") > 0, options);
  const Schema schema = read_schema(schema_file);
  check_model(config, schema);
  const std::vector<std::filesystem::path> data_files = tables_of(options, config, verb);
  for (const std::filesystem::path& file : data_files) check_table_file(file);
  refuse_one_table_of_two_owners(data_files);
  std::vector<std::filesystem::path> inputs = {options.config, schema_file};
  if (!options.owners.empty()) inputs.emplace_back(options.owners);
  inputs.insert(inputs.end(), data_files.begin(), data_files.end());
  check_run_directory(config.out, inputs, options.overwrite);
  hold_rows();
  const std::vector<OwnerElsewhere> elsewhere = begin_sessions(config, schema, owners);
  std::vector<Table> tables;
  tables.reserve(data_files.size());
  for (const std::filesystem::path& file : data_files)
    tables.push_back(read_table(file, schema.select(columns_read(config.model))));
  const Problem problem = config.owners.empty() && elsewhere.empty() ? make_problem(config, tables.front())
                          : elsewhere.empty()
                              ? make_problem(config, std::span<const Table>(tables))
                              : make_problem(config, schema, std::span<const Table>(tables), elsewhere);

  note_signals();
  SystemEntropy entropy;
  rehearse([&](const auto& progress) { refuse_hopeless(config, problem, entropy, progress); });
  const RowsReleased rows = [&](double released) {
    rehearse([&](const auto& progress) { refuse_hopeless_of(released, config, problem, entropy, progress); });
  };
  const Prospects prospects{rows, [&](double draws) { refuse_few_draws(draws, config, problem); }};
  finish(options, config,
         with_progress(config,
                       [&](const FitProgress& progress) {
                         return fit_to_directory(config, problem, entropy, progress, options.overwrite,
                                                 prospects);
                       }),
         status);
}

}  // namespace

void add_fit(CLI::App& program, int& status) {
  auto options = std::make_shared<FitOptions>();
  CLI::App* verb =
      program.add_subcommand("fit", "Draw from the posterior of a model, within a privacy budget");
  add_fit_options(*verb, *options);
  verb->add_option("--epsilon", options->epsilon, "privacy budget");
  verb->add_option(
      "--owners", options->owners,
      "OWNERS.toml: owners in other processes (sotto serve), and tables at hand, in the place of --data");
  verb->add_option("--out", options->out, "output directory (default out)");
  verb->add_flag("--overwrite", options->overwrite,
                 "replace a release that was paid for; its charges stay in charges.jsonl");
  CLI::Option* resume =
      verb->add_option("--resume", options->resume,
                       "directory of a release-once fit: draw anew from the releases that it paid for; "
                       "reads no rows, costs nothing; needs no other option");
  for (const char* other : {"--out", "--overwrite"}) resume->excludes(verb->get_option(other));
  verb->add_flag("--timing", options->timing, "publish how long the run took, which depends on the rows");
  verb->add_flag(
      "--force", options->force,
      "fit also where made-up rows, or a chain's first look, show that the budget gives no answer "
      "(default: refused, 75, and nothing is spent but what that look or, under add-remove, a noisy count of "
      "the rows costs)");
  verb->add_flag("--not-private", options->not_private, "for study only: no privacy at all");
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->footer(
      "Example:\n  sotto fit --data visits.csv --schema visits.schema.toml --formula 'visits > 0 ~ age + "
      "plan' \\\n"
      "            --family bernoulli --epsilon 1 --delta 1e-6 --out out/visits\n"
      "  sotto fit --resume out/visits --draws 4000\n"
      "Priors, starts, proposals, means of columns and all else are keys of a configuration, CONFIG.toml or "
      "--set: "
      "[prior], [start], [proposal], model.family = \"normal-mean\"; see docs/reference/configuration.md");
  verb->callback([options, verb, &status] { run_fit(*options, *verb, status); });
}

}  // namespace sotto::cli
