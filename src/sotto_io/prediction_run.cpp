#include "sotto_io/prediction_run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fitted_regression.hpp"
#include "sotto/run/hopeless.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/new_rows.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto {
namespace {

using PredictionJson = nlohmann::ordered_json;

PredictionJson finite_or_null(double x) {
  return std::isfinite(x) ? PredictionJson(x) : PredictionJson(nullptr);
}

PredictionJson lines_of(const PredictionRun& run) {
  const Predictions& predictions = run.predictions;
  const auto [low, high] = interval_ends(run.settings.level);
  PredictionJson lines = PredictionJson::array();
  for (std::size_t i = 0; i < predictions.rows.size(); ++i) {
    const auto& row = predictions.rows[i];
    for (std::size_t part = 0; part < predictions.parts.size(); ++part) {
      PredictionJson line = PredictionJson::object();
      line["row"] = i + 1;
      if (!predictions.part.empty()) line[predictions.part] = predictions.parts[part];
      const PredictedValue none{NAN, NAN, NAN, NAN};
      const PredictedValue& value = row ? (*row)[part] : none;
      line["mean"] = finite_or_null(value.mean);
      line["sd"] = finite_or_null(value.sd);
      line[low] = finite_or_null(value.lower);
      line[high] = finite_or_null(value.upper);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace

PredictionRun predictions_of(const std::filesystem::path& directory, const RecordReader& rows,
                             const PredictionSettings& settings, bool nevertheless,
                             const std::optional<Schema>& declared,
                             const std::function<bool(double)>& progress) {
  static_cast<void>(interval_ends(settings.level));
  RunRecord record = read_run(directory);
  PredictionRun run;
  run.settings = settings;
  run.draws_are_private = record.privacy.is_private;
  const std::vector<ParameterSummary> summary = summarise(record.draws);
  run.no_answer = no_answer(record, summary);
  if (const std::optional<Hopeless> found = hopeless(record, summary); found && run.no_answer.empty())
    run.no_answer = "NO ANSWER: " + found->why;
  if (!run.no_answer.empty() && !nevertheless) {
    throw Error(
        ErrorCode::budget,
        fmt::format("{}; predictions by such draws are none either: fit anew, or ask for them nevertheless "
                    "(--nevertheless)",
                    run.no_answer));
  }
  if (!run.draws_are_private)
    run.warnings.emplace_back(
        "NOT PRIVATE: the draws were made without noise, so predictions of any rows tell of the rows that "
        "were fitted.");
  if (!run.no_answer.empty())
    run.warnings.push_back(fmt::format("{}; these predictions are none either.", run.no_answer));
  for (const std::string& sentence : record.warnings) {
    if (!sentence.starts_with("Note: ")) run.warnings.push_back("Of the fit: " + sentence);
  }
  if (declared)
    run.warnings.emplace_back(
        "manifest.json of this fit does not say its schema: the one that is given is taken for it; other "
        "bounds or levels than those of then make predictions wrong.");
  const FittedRegression fitted = fitted_regression(std::move(record), declared);
  const NewRows read = read_new_rows(rows, schema_of_new_rows(fitted), predictors_of(fitted));
  run.predictions = predict(fitted, read.table, settings, progress);
  for (std::string& sentence : told_of(read)) run.warnings.push_back(std::move(sentence));
  return run;
}

std::string to_csv(const PredictionRun& run) {
  const Predictions& predictions = run.predictions;
  const auto [low, high] = interval_ends(run.settings.level);
  const bool parts = !predictions.part.empty();
  std::string text =
      fmt::format("row,{}{}mean,sd,{},{},private_draws\n", predictions.part, parts ? "," : "", low, high);
  for (std::size_t i = 0; i < predictions.rows.size(); ++i) {
    const auto& row = predictions.rows[i];
    for (std::size_t part = 0; part < predictions.parts.size(); ++part) {
      text += fmt::format("{},", i + 1);
      if (parts) text += csv_field(predictions.parts[part]) + ",";
      if (row) {
        const PredictedValue& value = (*row)[part];
        text +=
            fmt::format("{:.10g},{:.10g},{:.10g},{:.10g}", value.mean, value.sd, value.lower, value.upper);
      } else {
        text += ",,,";
      }
      text += run.draws_are_private ? ",true\n" : ",false\n";
    }
  }
  return text;
}

PredictionJson to_json(const PredictionRun& run, bool with_rows) {
  const Predictions& predictions = run.predictions;
  PredictionJson json{{"response", predictions.response},
                      {"quantity", run.settings.quantity == PredictedQuantity::mean ? "mean" : "response"},
                      {"level", run.settings.level},
                      {"rows", predictions.rows.size()},
                      {"draws", predictions.draws},
                      {"private_draws", run.draws_are_private},
                      {"no_answer", run.no_answer},
                      {"warnings", run.warnings},
                      {"confidential", kPredictionsAreOfTheRows}};
  if (!predictions.part.empty()) json["part"] = predictions.part;
  if (with_rows) json["predictions"] = lines_of(run);
  return json;
}

}  // namespace sotto
