// Predictions of new rows from an output directory, as a table.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/run/prediction.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Said wherever predictions are shown.
inline constexpr const char* kPredictionsAreOfTheRows =
    "Predictions are computed from these rows as they are, without noise, and are as confidential as they "
    "are; those of public "
    "or made-up rows cost no privacy.";

struct PredictionRun {
  Predictions predictions;
  PredictionSettings settings;
  bool draws_are_private = false;
  std::string no_answer;              ///< why the draws are none; empty where they are one
  std::vector<std::string> warnings;  ///< sentences about the draws and the rows
};

/// `declared`: for a fit whose manifest says no schema. `nevertheless`: also where the draws are no answer. `progress`: of `predict`.
/// Errors: those of read_run, fitted_regression, predict and read_records; budget where the draws are no answer.
[[nodiscard]] PredictionRun predictions_of(const std::filesystem::path& directory, const RecordReader& rows,
                                           const PredictionSettings& settings, bool nevertheless,
                                           const std::optional<Schema>& declared = std::nullopt,
                                           const std::function<bool(double)>& progress = {});

/// A line for each row and part: row, category or time if there is one, mean, sd, the interval's ends, and whether the draws are private. Numbers
/// of rows without a prediction are empty.
[[nodiscard]] std::string to_csv(const PredictionRun& run);

/// Of the same, with what is known of the run. `with_rows`: the predictions themselves too.
[[nodiscard]] nlohmann::ordered_json to_json(const PredictionRun& run, bool with_rows);

}  // namespace sotto
