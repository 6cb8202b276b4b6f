#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto_io/column_release.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// `columns`: [[column]] tables of TOML. What is to be known of the release, which stands in its files.
std::vector<std::string> privatise(const nb::object& data, const std::string& columns,
                                   std::optional<double> epsilon, std::optional<double> delta,
                                   std::optional<double> rho, const std::string& out,
                                   const std::vector<std::string>& inputs, bool keep_order, bool overwrite) {
  if (epsilon && rho) throw Error(ErrorCode::usage, "give either epsilon or rho");
  if (delta && !epsilon) throw Error(ErrorCode::usage, "delta goes with epsilon");
  ColumnRelease release;
  release.columns = parse_column_settings(columns);
  if (epsilon) release.target.epsilon = Epsilon(*epsilon);
  if (delta) release.target.delta = Delta(*delta);
  if (rho) release.target.rho = Rho(*rho);
  release.out = out;
  release.inputs = {inputs.begin(), inputs.end()};
  release.order = keep_order ? RowOrder::kept : RowOrder::shuffled;
  release.overwrite = overwrite;
  const RecordReader records = records_of(data);
  const nb::gil_scoped_release others_run;
  std::vector<std::string> warnings;
  SystemEntropy entropy;
  static_cast<void>(release_columns(release, records, entropy,
                                    [&](const std::string& sentence) { warnings.push_back(sentence); }));
  return warnings;
}

}  // namespace

void add_privatise(nb::module_& module) { module.def("privatize", &privatise); }

}  // namespace sotto::python
