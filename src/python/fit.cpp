#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "python/interruption.hpp"
#include "python/own_model.hpp"
#include "python/progress.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/hopeless.hpp"
#include "sotto_io/covariance_file.hpp"
#include "sotto_io/fit_directory.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/table_file.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// `shown`: is told the share of all steps, and of the budget. `stopped` is asked after every step. All of them outlive it.
FitProgress progress_of(const FitConfig& config, const std::function<void(double, double)>& shown,
                        const std::function<bool()>& stopped) {
  return [&](std::size_t done, std::size_t total, double epsilon) {
    const double budget = config.epsilon && !config.not_private ? epsilon / *config.epsilon : 0;
    shown(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)), budget);
    return !stopped();
  };
}

void fit_problem(const FitConfig& config, const Problem& problem, bool overwrite, const FitProgress& progress,
                 const Prospects& prospects = {}) {
  SystemEntropy entropy;
  static_cast<void>(fit_to_directory(config, problem, entropy, progress, overwrite, prospects));
}

/// Shows how far it is, and ends when an interruption came. `run` takes its progress.
template <class Run>
void run_shown(const FitConfig& config, Interruption& interruption, const Run& run) {
  ShownProgress line(interruption);
  const std::function<void(double, double)> shown = [&](double fraction, double budget) {
    line.update("fit", fraction, budget);
  };
  const std::function<bool()> stopped = [&] { return interruption.came(); };
  run(progress_of(config, shown, stopped));
}

/// `rehearsed` takes what it tells its progress to.
template <class Rehearsed>
void rehearse(Interruption& interruption, const Rehearsed& rehearsed) {
  ShownProgress line(interruption);
  rehearsed([&](double done) {
    line.update("rehearsal on made-up rows", done);
    return !interruption.came();
  });
}

void rehearse_and_fit(const FitConfig& config, const Problem& problem, bool overwrite,
                      Interruption& interruption) {
  SystemEntropy entropy;
  try {
    rehearse(interruption,
             [&](const auto& progress) { refuse_hopeless(config, problem, entropy, progress); });
    const RowsReleased rows = [&](double released) {
      rehearse(interruption, [&](const auto& progress) {
        refuse_hopeless_of(released, config, problem, entropy, progress);
      });
    };
    const Prospects prospects{rows, [&](double draws) { refuse_few_draws(draws, config, problem); }};
    run_shown(config, interruption,
              [&](const FitProgress& shown) { fit_problem(config, problem, overwrite, shown, prospects); });
  } catch (const Error&) {
    interruption.pass_on();
    throw;
  }
}

/// The fit runs in a thread of its own: Python's signal handlers run in the main one alone, so Ctrl-C is never raised within the
/// model's code, where it would be taken for a row's failing.
void fit_own_problem(const FitConfig& config, const Problem& problem, bool overwrite,
                     Interruption& interruption) {
  std::atomic<bool> stopped = false;
  std::atomic<double> fraction = 0, budget = 0;
  const std::function<void(double, double)> kept = [&](double of_steps, double of_budget) {
    fraction = of_steps;
    budget = of_budget;
  };
  const std::function<bool()> is_stopped = [&] { return stopped.load(); };
  ShownProgress line(interruption);
  std::future<void> run = std::async(std::launch::async, [&] {
    const nb::gil_scoped_acquire one_thread_state;  // for all calls: libraries keep things in it
    const nb::gil_scoped_release others_run;
    fit_problem(config, problem, overwrite, progress_of(config, kept, is_stopped));
  });
  while (run.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    line.update("fit", fraction, budget);
    if (interruption.came()) stopped = true;
  }
  run.get();
}

/// A row of two owners' tables would count twice.
void refuse_one_table_of_two(const std::vector<nb::object>& tables) {
  std::vector<std::filesystem::path> files;
  for (const nb::object& table : tables) {
    if (nb::isinstance<nb::str>(table)) files.emplace_back(nb::cast<std::string>(table));
  }
  refuse_one_table_of_two_owners(files);
}

/// `tables`: one, or one for each owner that the settings name. `settings`: what --set takes; they name tables, schema and output
/// directory too. `inputs`: files that no output may replace. `declared`: a sotto.model.Declared, or None for a model that the
/// settings name.
void fit_to_directory_of(const std::vector<nb::object>& tables, const Schema& schema,
                         const std::vector<std::string>& settings, const std::vector<std::string>& inputs,
                         bool overwrite, const std::optional<nb::object>& declared) {
  FitConfig config = parse_fit_config_in("", "", settings);
  refuse_one_table_of_two(tables);
  check_run_directory(config.out, std::vector<std::filesystem::path>(inputs.begin(), inputs.end()),
                      overwrite);
  std::vector<RecordReader> records;
  records.reserve(tables.size());
  for (const nb::object& table : tables) records.push_back(records_of(table));
  const std::vector<std::string> columns = declared ? columns_of(*declared) : columns_read(config.model);
  const Schema read = schema.select(columns);
  std::optional<OwnModel> own;
  if (declared) own = own_model_of(*declared, read, config);
  Interruption interruption;
  const nb::gil_scoped_release others_run;
  std::vector<Table> rows;
  rows.reserve(records.size());
  for (const RecordReader& table : records) rows.push_back(read_table(table, read));
  if (own) {
    fit_own_problem(config, own_problem(config, rows.front(), columns, *own), overwrite, interruption);
  } else {
    const Problem problem = config.owners.empty() ? make_problem(config, rows.front())
                                                  : make_problem(config, std::span<const Table>(rows));
    rehearse_and_fit(config, problem, overwrite, interruption);
  }
  interruption.pass_on();
}

/// From the releases that a directory keeps, by the schema and settings there where none is given. `inputs`: files that no output may
/// replace.
void resume(const std::string& directory, const std::optional<Schema>& schema,
            const std::vector<std::string>& settings, const std::vector<std::string>& inputs) {
  FitAsMade fit =
      schema ? FitAsMade{parse_fit_config_in("", "", settings), *schema} : fit_as_made(directory, settings);
  fit.config.out = directory;
  check_model(fit.config, fit.schema);
  Interruption interruption;
  const nb::gil_scoped_release others_run;
  const std::vector<std::filesystem::path> kept(inputs.begin(), inputs.end());
  run_shown(fit.config, interruption, [&](const FitProgress& shown) {
    static_cast<void>(resume_directory(fit.config, fit.schema, kept, shown));
  });
  interruption.pass_on();
}

}  // namespace

void add_fit(nb::module_& module) {
  module.def("fit", &fit_to_directory_of);
  module.def("resume", &resume, nb::arg("directory"), nb::arg("schema").none(), nb::arg("settings"),
             nb::arg("inputs"));
}

}  // namespace sotto::python
