// A finished regression, read from what its fit left behind: model, declaration and draws.
#pragma once

#include <optional>

#include "sotto/chain/draws.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"

namespace sotto {

struct FittedRegression {
  ModelConfig model;
  Schema schema;  ///< of the columns that the model reads
  Draws draws;    ///< as reported
  /// Of counts, and of responses counted in steps: their variance is m + dispersion m^2. None where the noise hid it.
  std::optional<double> dispersion = 0;
};

/// `declared`: for a record that says no schema, as earlier ones do.
/// Errors: configuration for a model that is no regression, or where a schema is missing, or given twice; data where the record is damaged.
[[nodiscard]] FittedRegression fitted_regression(RunRecord record, const std::optional<Schema>& declared);

}  // namespace sotto
