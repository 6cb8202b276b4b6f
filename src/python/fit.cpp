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
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "python/bindings.hpp"
#include "python/interruption.hpp"
#include "python/own_model.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/run/fit.hpp"
#include "sotto_io/fit_directory.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/table_file.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// `stopped` is asked after every step.
void fit_problem(const FitConfig& config, const Problem& problem, bool overwrite,
                 const std::function<bool()>& stopped) {
  SystemEntropy entropy;
  cli::Progress line;
  static_cast<void>(fit_to_directory(
      config, problem, entropy,
      [&](std::size_t done, std::size_t total, double epsilon) {
        const double budget = config.epsilon && !config.not_private ? epsilon / *config.epsilon : 0;
        line.update("fit", static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)),
                    budget);
        return !stopped();
      },
      overwrite));
}

/// The fit runs in a thread of its own: Python's signal handlers run in the main one alone, so Ctrl-C is never raised within the
/// model's code, where it would be taken for a row's failing.
void fit_own_problem(const FitConfig& config, const Problem& problem, bool overwrite,
                     Interruption& interruption) {
  std::atomic<bool> stopped = false;
  std::future<void> run = std::async(std::launch::async, [&] {
    const nb::gil_scoped_acquire one_thread_state;  // for all calls: libraries keep things in it
    const nb::gil_scoped_release others_run;
    fit_problem(config, problem, overwrite, [&] { return stopped.load(); });
  });
  while (run.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (interruption.came()) stopped = true;
  }
  run.get();
}

/// `settings`: what --set takes; they name data, schema and output directory too. `inputs`: files that no output may replace.
/// `declared`: a sotto.model.Declared, or None for a model that the settings name.
void fit_to_directory_of(const nb::object& data, const Schema& schema,
                         const std::vector<std::string>& settings, const std::vector<std::string>& inputs,
                         bool overwrite, const std::optional<nb::object>& declared) {
  FitConfig config = parse_fit_config("", settings);
  check_run_directory(config.out, std::vector<std::filesystem::path>(inputs.begin(), inputs.end()),
                      overwrite);
  const RecordReader records = records_of(data);
  const std::vector<std::string> columns = declared ? columns_of(*declared) : columns_read(config.model);
  const Schema read = schema.select(columns);
  std::optional<OwnModel> own;
  if (declared) own = own_model_of(*declared, read, config);
  Interruption interruption;
  const nb::gil_scoped_release others_run;
  const Table table = read_table(records, read);
  if (own) {
    fit_own_problem(config, own_problem(config, table, columns, *own), overwrite, interruption);
  } else {
    fit_problem(config, make_problem(config, table), overwrite, [&] { return interruption.came(); });
  }
  interruption.pass_on();
}

}  // namespace

void add_fit(nb::module_& module) { module.def("fit", &fit_to_directory_of); }

}  // namespace sotto::python
