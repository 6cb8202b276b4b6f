#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "python/interruption.hpp"
#include "python/progress.hpp"
#include "python/records.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/prediction_run.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using PredictedArray = nb::ndarray<nb::numpy, double>;

/// Mean, sd and the interval's ends, shape (rows, parts, 4); NaN where a row has no prediction.
PredictedArray numbers_of(const Predictions& predictions) {
  const std::size_t parts = predictions.parts.size();
  auto* kept = new std::vector<double>(predictions.rows.size() * parts * 4, std::nan(""));
  const nb::capsule owner(kept,
                          [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  double* at = kept->data();
  for (const auto& row : predictions.rows) {
    for (std::size_t part = 0; part < parts; ++part, at += 4) {
      if (!row) continue;
      const PredictedValue& value = (*row)[part];
      at[0] = value.mean;
      at[1] = value.sd;
      at[2] = value.lower;
      at[3] = value.upper;
    }
  }
  const std::size_t shape[] = {predictions.rows.size(), parts, 4};
  return {kept->data(), 3, shape, owner};
}

/// Numbers, the names of their last axis, that of the parts and these, what is known of the run as JSON, and sentences about draws and
/// rows. `schema`: for a fit whose manifest says none.
nb::tuple predict(const std::string& directory, const nb::object& data, const std::string& quantity,
                  double level, std::uint64_t seed, bool nevertheless, const std::optional<Schema>& schema) {
  if (quantity != "mean" && quantity != "response") refuse("quantity must be \"mean\" or \"response\"");
  const RecordReader records = records_of(data);
  const PredictionSettings settings{
      quantity == "mean" ? PredictedQuantity::mean : PredictedQuantity::response, level, seed};
  PredictionRun run;
  Interruption interruption;
  try {
    const nb::gil_scoped_release others_run;
    ShownProgress line(interruption);
    run = predictions_of(directory, records, settings, nevertheless, schema, [&](double done) {
      line.update("prediction", done);
      return !interruption.came();
    });
  } catch (const Error&) {
    interruption.pass_on();
    throw;
  }
  const auto [low, high] = interval_ends(level);
  return nb::make_tuple(numbers_of(run.predictions), std::vector<std::string>{"mean", "sd", low, high},
                        run.predictions.part, run.predictions.parts, to_json(run, false).dump(),
                        run.warnings);
}

}  // namespace

void add_predict(nb::module_& module) {
  module.def("predict", &predict, nb::arg("directory"), nb::arg("data"), nb::arg("quantity"),
             nb::arg("level"), nb::arg("seed"), nb::arg("nevertheless"), nb::arg("schema").none());
}

}  // namespace sotto::python
