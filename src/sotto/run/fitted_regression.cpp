#include "sotto/run/fitted_regression.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/run/problem.hpp"
#include "sotto/run/schema_json.hpp"

namespace sotto {
namespace {

using SettingsJson = nlohmann::ordered_json;

/// What `to_json` of a configuration writes of a regression.
ModelConfig model_from_json(const SettingsJson& json) {
  ModelConfig model;
  model.family = json.at("family").get<std::string>();
  model.formula = json.value("formula", std::string());
  if (json.contains("sigma") && json.at("sigma").is_number()) model.sigma = json.at("sigma").get<double>();
  model.cuts = json.value("cuts", std::vector<double>());
  return model;
}

void refuse_what_is_no_regression(const ModelConfig& model) {
  const auto refuse_it = [&](const char* why) {
    refuse(fmt::format("there is nothing to predict from the columns of a row: {}", why));
  };
  if (model.family == "own")
    refuse(
        "the model is one's own, and what it says of a new row is known to the program that fitted it alone");
  if (is_location(model)) refuse_it("the model is of means of all rows, and summary.csv has them");
  if (is_categorical(model)) refuse_it("the model is of the levels' shares, and summary.csv has them");
  if (model.formula.empty()) refuse_it("the model has no formula");
}

}  // namespace

FittedRegression fitted_regression(RunRecord record, const std::optional<Schema>& declared) {
  FittedRegression fitted;
  const SettingsJson& settings = record.manifest.configuration;
  try {
    fitted.model = model_from_json(settings.at("model"));
    refuse_what_is_no_regression(fitted.model);
    if (settings.contains("release_once")) {
      const SettingsJson& dispersion = settings.at("release_once").at("count_dispersion");
      fitted.dispersion = dispersion.is_null() ? std::nullopt : std::optional(dispersion.get<double>());
    }
  } catch (const SettingsJson::exception&) {
    throw Error(ErrorCode::data, "manifest.json lacks the model's settings: write the run again");
  }
  const SettingsJson& schema = record.manifest.schema;
  if (schema.is_null() && !declared)
    refuse(
        "this fit's manifest.json does not say the schema, as it does by now: give the schema of the fit "
        "(--schema)");
  if (!schema.is_null() && declared) refuse("this fit's manifest.json says the schema itself: drop --schema");
  const Schema known = declared ? *declared : schema_from_json(schema);
  fitted.schema = known.select(columns_read(fitted.model));
  fitted.draws = std::move(record.draws);
  return fitted;
}

}  // namespace sotto
