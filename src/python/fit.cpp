#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "python/bindings.hpp"
#include "python/interruption.hpp"
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
  const nb::gil_scoped_release others_run;
  fit_records(config, records, schema, overwrite, interruption);
  interruption.pass_on();
}

}  // namespace

void add_fit(nb::module_& module) { module.def("fit", &fit_to_directory_of); }

}  // namespace sotto::python
