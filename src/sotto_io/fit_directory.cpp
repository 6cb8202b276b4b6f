#include "sotto_io/fit_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto/run/fit_without_privacy.hpp"
#include "sotto/run/schema_json.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/charge_journal.hpp"
#include "sotto_io/result_files.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto {
namespace {

/// The first line of the record of charges: all that this run can spend.
nlohmann::ordered_json promise_of(const FitConfig& config, const Problem& problem) {
  const PublicProblem& about = problem.public_info;
  nlohmann::ordered_json promise{{"started", utc_now()},
                                 {"epsilon", config.epsilon.value_or(0)},
                                 {"delta", config.delta.value_or(0)},
                                 {"adjacency", adjacency_name(problem.unit.adjacency)},
                                 {"privacy_unit", about.privacy_unit}};
  if (!about.person.empty()) {
    promise["person"] = about.person;
    promise["maximum_rows"] = problem.unit.table_rows();
  }
  std::vector<std::string> owners = config.owners;
  for (const OwnerAddress& owner : config.elsewhere)
    owners.push_back(fmt::format("{} at {}", owner.name, owner.address));
  promise["data"] = owners.empty() ? config.data : fmt::format("{}", fmt::join(owners, ", "));
  promise["title"] = about.title;
  return promise;
}

std::string spent(const PrivacyStatement& privacy, const ChargeJournal& journal) {
  if (!journal.used()) return "nothing was spent";
  const std::string where =
      journal.is_in_place()
          ? fmt::format(", as {} says; a later fit there counts the whole {:g}, which was promised",
                        journal.path().string(), privacy.epsilon)
          : std::string();
  return fmt::format("epsilon {:.4g} of {:g} is spent (delta {:g}){}", privacy.spent_epsilon, privacy.epsilon,
                     privacy.delta, where);
}

/// What ended a run, with what was spent. Only our own errors are quoted: another's may hold a cell.
Error with_spending(const std::exception& failure, const char* what, const std::string& spent) {
  if (const auto* error = dynamic_cast<const Error*>(&failure))
    return {error->code(), fmt::format("{}; {}", error->what(), spent)};
  return {ErrorCode::io, fmt::format("{}; {}", what, spent)};
}

/// Results of an earlier run that stay there are covered by what both promised.
void state_on_pages(const std::string& directory) {
  if (!std::filesystem::exists(std::filesystem::path(directory) / "manifest.json")) return;
  RunRecord record = read_run(directory);
  if (!std::filesystem::exists(not_private_report(directory))) record.comparison.reset();  // none was wanted
  write_report(directory, record);
}

/// As far as the disk lets it: what it does not let through, the lines booked before cover.
void close_without_draws(const FitConfig& config, const PrivacyStatement& privacy, const std::string& ending,
                         ChargeJournal& journal) {
  if (!journal.used()) return;
  const auto attempt = [](const auto& step) {
    try {
      step();
    } catch (const std::exception&) {
      return false;
    }
    return true;
  };
  if (!attempt([&] { journal.require_place(); })) return;  // another run's files may stand there
  attempt([&] { journal.close(privacy, ending); });
  attempt([&] { write_statement_alone(config.out, privacy); });
  attempt([&] { state_on_pages(config.out); });
}

RunRecord fit_and_book(const FitConfig& config, const Problem& problem, EntropySource& entropy,
                       const FitProgress& progress, const Prospects& prospects, const EarlierRuns& earlier,
                       ChargeJournal& journal) {
  try {
    return fit(
        config, problem, entropy, progress, [&](const Booking& booking) { journal.book(booking); },
        prospects);
  } catch (const PaidError& error) {
    if (!journal.used()) throw;
    // What could not be booked was not released, and what was released stands there.
    if (journal.failed() && journal.is_in_place())
      throw Error(error.code(),
                  fmt::format("{}; what was spent stands in {}", error.what(), journal.path().string()));
    PrivacyStatement privacy = error.privacy();
    privacy.earlier = earlier;
    close_without_draws(config, privacy, error.code() == ErrorCode::interrupted ? "interrupted" : "failed",
                        journal);
    throw with_spending(error, "", spent(privacy, journal));
  }
}

bool any_stopped(const Draws& draws, StopReason reason) {
  for (const Chain& chain : draws.chains) {
    if (chain.stop == reason) return true;
  }
  return false;
}

FitOutcome outcome_of(RunRecord record, const ChargeJournal& journal) {
  FitOutcome outcome{.record = std::move(record), .spent = {}};
  const Draws& draws = outcome.record.draws;
  for (const Chain& chain : draws.chains) outcome.draws += static_cast<std::size_t>(chain.draws.rows());
  outcome.ending = any_stopped(draws, StopReason::interrupted) ? StopReason::interrupted
                   : any_stopped(draws, StopReason::diverged)  ? StopReason::diverged
                   : any_stopped(draws, StopReason::budget_spent) || outcome.draws == 0
                       ? StopReason::budget_spent
                       : StopReason::finished;
  outcome.spent = spent(outcome.record.privacy, journal);
  return outcome;
}

Error no_draws(const FitOutcome& outcome) {
  if (outcome.ending == StopReason::interrupted)
    return {ErrorCode::interrupted, fmt::format("stopped before the first draw; {}", outcome.spent)};
  if (outcome.ending == StopReason::diverged)
    return {ErrorCode::budget,
            fmt::format("a chain ran away before the first draw: choose another method, or a smaller "
                        "method.step_size; {}",
                        outcome.spent)};
  return {
      ErrorCode::budget,
      fmt::format("the budget ended before the first draw: fewer method.warmup steps, or more epsilon; {}",
                  outcome.spent)};
}

void write_what_was_paid_for(const FitConfig& config, const FitOutcome& outcome, const RunLock& alone,
                             ChargeJournal& journal) {
  try {
    journal.require_place();
    if (!alone.is_held())
      throw Error(ErrorCode::io,
                  fmt::format("{} was taken away while the run was at work, so that another may be "
                              "there",
                              (std::filesystem::path(config.out) / "run.lock").string()));
    write_run(config.out, outcome.record);
  } catch (const std::exception& error) {
    close_without_draws(config, outcome.record.privacy, "failed", journal);
    throw with_spending(error, "the results could not be written", outcome.spent);
  }
}

void compare(const FitConfig& config, const Problem& problem, const FitProgress& progress,
             FitOutcome& outcome) {
  const double epsilon = outcome.record.privacy.spent_epsilon;
  Draws exact;
  try {
    exact = fit_without_privacy(config, problem, [&](std::size_t done, std::size_t total) {
      return !progress || progress(done, total, epsilon);
    });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
  }
  if (exact.chains.empty() || any_stopped(exact, StopReason::interrupted)) {
    outcome.ending = StopReason::interrupted;
    return;
  }
  // Files outside the folder of what is not private are the same whatever came of it.
  outcome.comparison_failed = !converged(exact, summarise(exact));
  outcome.record.comparison = std::move(exact);
  add_comparison(config.out, outcome.record);
  if (outcome.comparison_failed) outcome.record.comparison.reset();
}

[[noreturn]] void refuse_statement(const FitConfig& config) {
  refuse(fmt::format("{}/privacy.json is no statement of these releases: fit into another directory",
                     config.out));
}

/// What stands there as a promise must be that of the releases: a statement of other ones would be taken over.
void check_statement(const FitConfig& config, const Problem& problem, const nlohmann::ordered_json& fit,
                     const RunRecord& before) {
  const PrivacyStatement& promised = before.privacy;
  const bool same = promised.is_private && before.method == "release-once" &&
                    promised.epsilon == fit.value("epsilon", 0.0) &&
                    promised.delta == fit.value("delta", 0.0) && promised.adjacency == problem.unit.adjacency;
  if (!same) refuse_statement(config);
  const std::vector<RecordedRun> runs = read_charge_record(charges_file(config.out));
  if (runs.size() != 1) {
    refuse(
        fmt::format("{}/charges.jsonl tells of {} runs, and a directory goes on from its only one: fit into "
                    "another directory",
                    config.out, runs.size()));
  }
  const nlohmann::ordered_json& opened = runs.front().opened;
  const nlohmann::ordered_json& closed = runs.front().closed;
  const nlohmann::ordered_json none;
  const bool booked = opened.is_object() && closed.is_object() &&
                      opened.value("epsilon", none) == promised.epsilon &&
                      opened.value("delta", none) == promised.delta &&
                      opened.value("adjacency", none) == adjacency_name(promised.adjacency) &&
                      opened.value("privacy_unit", none) == promised.privacy_unit &&
                      closed.value("spent_epsilon", none) == promised.spent_epsilon;
  if (!booked)
    refuse(fmt::format(
        "{}/charges.jsonl is no record of the releases that privacy.json states: fit into another "
        "directory",
        config.out));
}

/// Whatever tables are named now, there and in the settings, were not read.
void name_tables_of(const RunRecord& before, RunRecord& now) {
  const nlohmann::ordered_json& then = before.manifest.configuration;
  for (const char* key : {"data", "owner", "toml"}) {
    if (then.contains(key)) {
      now.manifest.configuration[key] = then.at(key);
    } else {
      now.manifest.configuration.erase(key);
    }
  }
}

FitAsMade fit_of(const nlohmann::ordered_json& manifest, const std::string& directory,
                 const std::vector<std::string>& overrides) {
  const nlohmann::ordered_json& configuration = manifest.at("configuration");
  if (!configuration.contains("toml") || !manifest.contains("schema")) {
    refuse(
        fmt::format("{}/manifest.json does not say by which settings its fit was made: give them again, its "
                    "configuration or --schema, --formula, --family, --epsilon and --delta",
                    directory));
  }
  FitAsMade made{.config = parse_fit_config(configuration.at("toml").get<std::string>(), overrides),
                 .schema = schema_from_json(manifest.at("schema"))};
  const bool asked = std::ranges::any_of(
      overrides, [](const std::string& one) { return one.starts_with("privacy.compare_not_private"); });
  if (!asked) made.config.compare_not_private = false;  // which would read rows
  if (!made.config.owners.empty()) return made;
  for (const auto& owner : configuration.value("owner", nlohmann::ordered_json::array())) {
    if (owner.contains("address")) {
      made.config.elsewhere.push_back({.name = owner.at("name"), .address = owner.at("address"), .key = ""});
    } else {
      made.config.owners.push_back(owner.at("file"));
    }
  }
  return made;
}

}  // namespace

FitAsMade fit_as_made(const std::filesystem::path& directory, const std::vector<std::string>& overrides) {
  if (!std::filesystem::is_directory(directory))
    throw Error(ErrorCode::no_input, "no directory " + directory.string());
  if (!std::filesystem::exists(directory / "manifest.json"))
    throw Error(ErrorCode::no_input,
                fmt::format("{} holds no fit that has draws, from whose releases others could be made",
                            directory.string()));
  try {
    return fit_of(read_json_file(directory / "manifest.json"), directory.string(), overrides);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::data, fmt::format("{}/manifest.json is no manifest of a fit", directory.string()));
  }
}

FitOutcome resume_directory(const FitConfig& config, const Schema& schema,
                            std::span<const std::filesystem::path> inputs, const FitProgress& progress) {
  if (config.not_private || config.compare_not_private)
    refuse(
        "what goes on from releases reads no rows, so it knows no fit without privacy (privacy.not_private, "
        "privacy.compare_not_private): fit the rows anew");
  if (!std::filesystem::is_directory(config.out))
    throw Error(ErrorCode::no_input, fmt::format("no directory {}", config.out));
  const RunLock alone(config.out);
  check_run_directory(config.out, inputs, true);
  const KeptAnswers kept = read_kept_answers(config.out);
  const RunRecord before = read_run(config.out);
  std::optional<double> rows;
  if (const auto count = kept.fit.value("rows", nlohmann::ordered_json()); count.is_number()) rows = count;
  const Problem problem = make_problem_without_rows(config, schema, rows);
  check_statement(config, problem, kept.fit, before);
  FitOutcome outcome{.record = fit_again(config, problem, kept, progress), .spent = "nothing more was spent"};
  // The releases are of this declaration, which fit_again has seen to, and so of this unit.
  if (before.privacy.privacy_unit != problem.public_info.privacy_unit) refuse_statement(config);
  for (const Chain& chain : outcome.record.draws.chains)
    outcome.draws += static_cast<std::size_t>(chain.draws.rows());
  if (outcome.draws == 0)
    throw Error(ErrorCode::interrupted, "stopped before the first draw; nothing was spent");
  if (any_stopped(outcome.record.draws, StopReason::interrupted)) outcome.ending = StopReason::interrupted;
  outcome.record.privacy = before.privacy;
  name_tables_of(before, outcome.record);
  if (!alone.is_held())
    throw Error(ErrorCode::io, fmt::format("the lock of {} was moved or taken away while it was drawn from: "
                                           "another run may have released there, so nothing was written",
                                           config.out));
  write_run(config.out, outcome.record);
  if (!before.certificate.is_null()) {
    outcome.record.certificate = before.certificate;
    write_report(config.out, outcome.record);
  }
  return outcome;
}

namespace {

/// What was released into the directory before. Where a statement stands there and the books tell of no run, nobody knows what.
EarlierRuns earlier_runs(const FitConfig& config, const Problem& problem) {
  const EarlierRuns booked = read_earlier_runs(charges_file(config.out), promise_of(config, problem));
  const std::filesystem::path statement = std::filesystem::path(config.out) / "privacy.json";
  if (booked.count > 0 || !std::filesystem::exists(statement)) return booked;
  const auto stated = nlohmann::ordered_json::parse(read_whole_file(statement), nullptr, false);
  if (stated.is_object() && stated.value("private", nlohmann::ordered_json(true)) == false) return booked;
  constexpr double kNoFigure = std::numeric_limits<double>::infinity();
  return {.count = 1, .epsilon = kNoFigure, .delta = kNoFigure};
}

}  // namespace

FitOutcome fit_to_directory(const FitConfig& config, const Problem& problem, EntropySource& entropy,
                            const FitProgress& progress, bool overwrite, const Prospects& prospects) {
  const RunLock alone(config.out);  // until its books hold what it promised, and its files are there
  check_run_directory(config.out, {}, overwrite);
  ChargeJournal journal(charges_file(config.out), promise_of(config, problem));
  remove_unfinished(config.out);
  const EarlierRuns earlier = earlier_runs(config, problem);  // nobody adds a run to the record any more
  FitOutcome outcome =
      outcome_of(fit_and_book(config, problem, entropy, progress, prospects, earlier, journal), journal);
  outcome.record.privacy.earlier = earlier;
  const std::string ending = stop_reason_name(outcome.ending);
  if (outcome.draws == 0) {
    close_without_draws(config, outcome.record.privacy, ending, journal);
    throw no_draws(outcome);
  }
  // What was paid for is safe before anything else happens.
  write_what_was_paid_for(config, outcome, alone, journal);
  journal.close(outcome.record.privacy, ending);
  if (config.compare_not_private && !config.not_private && outcome.ending != StopReason::interrupted) {
    try {
      compare(config, problem, progress, outcome);
    } catch (const std::exception& error) {
      throw with_spending(error, "the fit without privacy could not be finished", outcome.spent);
    }
  }
  return outcome;
}

}  // namespace sotto
