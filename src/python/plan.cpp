#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/interruption.hpp"
#include "python/progress.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/run/rehearsal_report.hpp"
#include "sotto_io/covariance_file.hpp"
#include "sotto_io/table_file.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// What a rehearsal showed, as JSON and as a table. `like`: a public table, or None.
std::pair<std::string, std::string> plan(const Schema& schema, const std::vector<std::string>& settings,
                                         const std::vector<double>& epsilons, std::int64_t rows,
                                         std::int64_t repeats, std::optional<double> response_mean,
                                         const std::optional<nb::object>& like) {
  const FitConfig config = parse_fit_config_in("", "", settings);
  if (rows < 0 || repeats < 1) refuse("rows and repeats must be whole numbers from 1");
  RecordReader records;
  if (like) records = records_of(*like);
  const nb::gil_scoped_release others_run;
  std::optional<Table> public_table;
  if (records) public_table = read_table(records, schema.select(columns_of_right_side(config, schema)));
  SystemEntropy entropy;
  Interruption interruption;
  ShownProgress line(interruption);
  try {
    const Rehearsal rehearsal =
        rehearse(config, schema,
                 {static_cast<std::size_t>(rows), response_mean, public_table ? &*public_table : nullptr,
                  config.method.seed},
                 epsilons, static_cast<std::size_t>(repeats), entropy, [&](double done) {
                   line.update("plan", done);
                   return !interruption.came();
                 });
    return {to_json(rehearsal).dump(), rehearsal_table(rehearsal)};
  } catch (const Error&) {
    interruption.pass_on();
    throw;
  }
}

}  // namespace

void add_plan(nb::module_& module) { module.def("plan", &plan); }

}  // namespace sotto::python
