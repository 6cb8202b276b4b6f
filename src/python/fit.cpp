#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "python/bindings.hpp"
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

/// Lets Python's signal handlers run now and then. What one of them raises ends the run with what was drawn.
class Interruption {
 public:
  [[nodiscard]] bool came() {
    const Clock::time_point now = Clock::now();
    if (raised_ || now - last_ < std::chrono::milliseconds(50)) return raised_.has_value();
    last_ = now;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  /// Ctrl-C was answered by the end of the run; anything else goes its way. Needs the interpreter lock.
  void pass_on() {
    if (raised_ && !raised_->matches(PyExc_KeyboardInterrupt)) throw nb::python_error(*raised_);
    raised_.reset();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::optional<nb::python_error> raised_;
};

void fit_records(const FitConfig& config, const RecordReader& records, const Schema& schema, bool overwrite,
                 Interruption& interruption) {
  const Table table = read_table(records, schema.select(columns_read(config.model)));
  const Problem problem = make_problem(config, table);
  SystemEntropy entropy;
  cli::Progress line;
  static_cast<void>(fit_to_directory(
      config, problem, entropy,
      [&](std::size_t done, std::size_t total, double epsilon) {
        const double budget = config.epsilon && !config.not_private ? epsilon / *config.epsilon : 0;
        line.update("fit", static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)),
                    budget);
        return !interruption.came();
      },
      overwrite));
}

/// `settings`: what --set takes; they name data, schema and output directory too. `inputs`: files that no output may replace.
void fit_to_directory_of(const nb::object& data, const Schema& schema,
                         const std::vector<std::string>& settings, const std::vector<std::string>& inputs,
                         bool overwrite) {
  const FitConfig config = parse_fit_config("", settings);
  check_run_directory(config.out, std::vector<std::filesystem::path>(inputs.begin(), inputs.end()),
                      overwrite);
  const RecordReader records = records_of(data);
  Interruption interruption;
  {
    const nb::gil_scoped_release others_run;
    fit_records(config, records, schema, overwrite, interruption);
  }
  interruption.pass_on();
}

}  // namespace

void add_fit(nb::module_& module) { module.def("fit", &fit_to_directory_of); }

}  // namespace sotto::python
