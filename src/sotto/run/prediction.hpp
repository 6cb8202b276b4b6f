// What the draws of a regression say of new rows: the posterior of their mean response, or a new response of each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto/run/fitted_regression.hpp"

namespace sotto {

enum class PredictedQuantity {
  mean,      ///< of the response, given the row and the parameters
  response,  ///< a new one
};

struct PredictionSettings {
  PredictedQuantity quantity = PredictedQuantity::mean;
  double level = 0.9;      ///< of the intervals
  std::uint64_t seed = 1;  ///< of new responses
};

/// Over all draws; the interval's ends leave half of what `level` leaves out on each side.
struct PredictedValue {
  double mean = 0, sd = 0, lower = 0, upper = 0;
};

struct Predictions {
  std::string response;            ///< the formula's left side
  std::string part;                ///< "category" or "time", where a row has several lines; else empty
  std::vector<std::string> parts;  ///< what these are called; one without a name where a row has one
  std::vector<std::optional<std::vector<PredictedValue>>> rows;  ///< none: a row that is not kept
  std::size_t draws = 0;
};

/// The declaration under which new rows are decoded: of the columns that the model reads, where the response stands as imputed and no unit is
/// protected. Errors: configuration.
[[nodiscard]] Schema schema_of_new_rows(const FittedRegression& fitted);

/// Of these, the columns that new rows must have.
[[nodiscard]] std::vector<std::string> predictors_of(const FittedRegression& fitted);

/// `rows`: decoded under `schema_of_new_rows`. They become rows of the design as those of a fit do.
/// `progress`: of the share of rows done; false ends all.
/// Errors: configuration for settings out of range, and for what cannot be predicted; data where the draws are not of the model; interrupted.
/// Checked by tests/run/prediction_test.cpp: of_three_draws_by_hand, rows_are_those_of_the_fits_design
[[nodiscard]] Predictions predict(const FittedRegression& fitted, const Table& rows,
                                  const PredictionSettings& settings,
                                  const std::function<bool(double)>& progress = {});

/// Names of the interval's ends: "q05" and "q95" of level 0.9, "q02.5" and "q97.5" of 0.95. Errors: configuration for a level that is not
/// between 0.01 and 0.9999.
[[nodiscard]] std::pair<std::string, std::string> interval_ends(double level);

}  // namespace sotto
