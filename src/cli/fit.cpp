// sotto fit: a posterior from private data.
#include <fmt/core.h>
#include <sysexits.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/confidential.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/report/text_table.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/method.hpp"
#include "sotto_io/fit_directory.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"

namespace sotto::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// The first Ctrl-C, hang-up or termination asks the run to end with what was drawn; a second one ends the program.
/// Under nohup a hang-up stays ignored.
void end_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

struct FitOptions {
  std::string config;
  std::vector<std::string> set;
  std::string data, schema, formula, family, method, out;
  double epsilon = 0, delta = 0;
  std::size_t chains = 0, draws = 0, warmup = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool not_private = false;
  bool overwrite = false;
  bool timing = false;
  bool json = false;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::no_input, fmt::format("cannot open the configuration {}", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A TOML string: JSON's escapes are TOML's too.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

/// Options say what configuration keys say; --set comes last and wins.
FitConfig configuration(const FitOptions& options, const CLI::App& verb) {
  std::vector<std::string> overrides;
  const auto override_with = [&](const char* option, const char* key, const std::string& value) {
    if (verb.count(option) > 0) overrides.push_back(fmt::format("{}={}", key, value));
  };
  override_with("--formula", "model.formula", quoted(options.formula));
  override_with("--family", "model.family", quoted(options.family));
  override_with("--epsilon", "privacy.epsilon", fmt::format("{:.17g}", options.epsilon));
  override_with("--delta", "privacy.delta", fmt::format("{:.17g}", options.delta));
  override_with("--method", "method.name", quoted(options.method));
  override_with("--chains", "method.chains", std::to_string(options.chains));
  override_with("--draws", "method.draws", std::to_string(options.draws));
  override_with("--warmup", "method.warmup", std::to_string(options.warmup));
  override_with("--seed", "method.seed", std::to_string(options.seed));
  override_with("--threads", "threads", std::to_string(options.threads));
  override_with("--out", "output.directory", quoted(options.out));
  override_with("--data", "data.file", quoted(options.data));
  override_with("--schema", "data.schema", quoted(options.schema));
  if (options.not_private) overrides.emplace_back("privacy.not_private=true");
  if (options.timing) overrides.emplace_back("output.timing=true");
  overrides.insert(overrides.end(), options.set.begin(), options.set.end());
  return parse_fit_config(options.config.empty() ? std::string() : read_text(options.config), overrides);
}

/// Paths in a configuration are relative to the configuration, paths given as options to the working directory.
std::filesystem::path resolved(const std::string& path, bool option, const FitOptions& options) {
  return option ? std::filesystem::path(path) : std::filesystem::path(options.config).parent_path() / path;
}

nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

void say_result(const FitConfig& config, const RunRecord& record, bool json) {
  if (json) {
    const std::filesystem::path out = config.out;
    fmt::print("{}\n", nlohmann::json({{"out", config.out},
                                       {"method", record.method},
                                       {"summary", read_json(out / "summary.json")},
                                       {"privacy", read_json(out / "privacy.json")}})
                           .dump());
    return;
  }
  if (record.privacy.is_private) {
    fmt::print("{}, {}\n(epsilon, delta) = ({:g}, {:g}) for {}; spent epsilon {:.4g}\n\n", record.model,
               record.method, record.privacy.epsilon, record.privacy.delta, record.privacy.privacy_unit,
               record.privacy.spent_epsilon);
  } else {
    fmt::print("{}, {}\nNOT PRIVATE\n\n", record.model, record.method);
  }
  fmt::print("{}\n{}\n", posterior_table(record.draws, record.comparison),
             (std::filesystem::path(config.out) / "report.html").string());
  if (record.comparison) fmt::print("{} (NOT PRIVATE)\n", not_private_report(config.out).string());
}

std::string method_names() {
  std::string names = "auto";
  for (const Method& method : methods()) names += (method.for_study ? ", (study) " : ", ") + method.name;
  return names + " (default auto; docs/methods.md)";
}

FitOutcome fit_with_progress(const FitConfig& config, const Problem& problem, bool overwrite) {
  SystemEntropy entropy;
  Progress line;
  return fit_to_directory(
      config, problem, entropy,
      [&](std::size_t done, std::size_t total, double epsilon) {
        const double budget = config.epsilon ? epsilon / *config.epsilon : 0;
        line.update("fit", static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)),
                    budget);
        return interrupted == 0;
      },
      overwrite);
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

void run_fit(const FitOptions& options, const CLI::App& verb, int& status) {
  const FitConfig config = configuration(options, verb);
  const std::filesystem::path schema_file = resolved(config.schema, verb.count("--schema") > 0, options);
  const std::filesystem::path data_file = resolved(config.data, verb.count("--data") > 0, options);
  check_run_directory(config.out, std::vector<std::filesystem::path>{options.config, schema_file, data_file},
                      options.overwrite);
  const Schema schema = read_schema(schema_file);
  hold_rows();
  const Table table = read_table(data_file, schema.select(columns_read(config.model)));
  const Problem problem = make_problem(config, table);

  end_on_signals();
  const FitOutcome outcome = fit_with_progress(config, problem, options.overwrite);
  const RunRecord& record = outcome.record;
  say_result(config, record, options.json);
  for (const std::string& sentence : all_warnings(record, summarise(record.draws)))
    fmt::print(stderr, "sotto: {}\n", sentence);
  if (outcome.ending == StopReason::interrupted) status = 130;
  if (outcome.ending == StopReason::diverged) status = EX_TEMPFAIL;
  if (outcome.ending != StopReason::finished) {
    fmt::print(stderr, "sotto: {}; {} draws are kept in {}; {}\n", why_ended(outcome.ending), outcome.draws,
               config.out, outcome.spent);
  }
}

}  // namespace

void add_fit(CLI::App& program, int& status) {
  auto options = std::make_shared<FitOptions>();
  CLI::App* verb =
      program.add_subcommand("fit", "Draw from the posterior of a model, within a privacy budget");
  verb->add_option("CONFIG", options->config, "configuration file (TOML)");
  verb->add_option("--set", options->set,
                   "KEY=VALUE: overrides a key of the configuration, e.g. method.draws=500");
  verb->add_option("--data", options->data, "table: CSV or Parquet");
  verb->add_option("--schema", options->schema, "its declaration (sotto schema FILE writes a template)");
  verb->add_option("--formula", options->formula, "e.g. 'y > 0 ~ age + C(region)'");
  verb->add_option("--family", options->family, family_names() + " (default bernoulli)");
  verb->add_option("--epsilon", options->epsilon, "privacy budget");
  verb->add_option("--delta", options->delta, "privacy budget; well below one over the number of rows");
  verb->add_option("--method", options->method, method_names());
  verb->add_option("--chains", options->chains, "number of chains, which share the budget (default 4)");
  verb->add_option("--draws", options->draws, "draws per chain (default: what suits the method)");
  verb->add_option("--warmup", options->warmup, "warmup steps per chain (default: as many as draws)");
  verb->add_option("--seed", options->seed, "seed of the chains, never of the noise (default 1)");
  verb->add_option("--threads", options->threads, "threads for passes over the rows (default: all cores)");
  verb->add_option("--out", options->out, "output directory (default out)");
  verb->add_flag("--overwrite", options->overwrite,
                 "replace a release that was paid for; its charges stay in charges.jsonl");
  verb->add_flag("--timing", options->timing, "publish how long the run took, which depends on the rows");
  verb->add_flag("--not-private", options->not_private, "for study only: no privacy at all");
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->footer(
      "Example:\n  sotto fit --data visits.csv --schema visits.schema.toml --formula 'visits > 0 ~ age + "
      "plan' \\\n"
      "            --family bernoulli --epsilon 1 --delta 1e-6 --out out/visits");
  verb->callback([options, verb, &status] { run_fit(*options, *verb, status); });
}

}  // namespace sotto::cli
