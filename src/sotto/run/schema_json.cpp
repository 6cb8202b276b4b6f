#include "sotto/run/schema_json.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using SchemaJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kKindWords{"real", "count", "binary", "category"};  // as ColumnKind

[[noreturn]] void no_schema() {
  throw Error(ErrorCode::data, "manifest.json says no schema that can be read: write the run again");
}

SchemaJson column_json(const SchemaColumn& column) {
  SchemaJson json{{"name", column.name}, {"kind", kKindWords[static_cast<std::size_t>(column.kind)]}};
  const bool bounded = column.kind == ColumnKind::real || column.kind == ColumnKind::count;
  if (bounded) {
    json["lower"] = column.bounds.lower;
    json["upper"] = column.bounds.upper;
    json["out_of_range"] = column.out_of_range == OutOfRangePolicy::clamp ? "clamp" : "missing";
  }
  const bool category = column.kind == ColumnKind::category;
  if (category) json["levels"] = column.levels;
  json["missing"] = column.missing == MissingPolicy::drop ? "drop" : "impute";
  const auto& [mean, sd, shares] = column.expected;
  if (mean) json["expected_mean"] = *mean;
  if (sd) json["expected_sd"] = *sd;
  if (!shares.empty()) json["expected_shares"] = shares;
  if (column.missing == MissingPolicy::drop) return json;
  if (category) {
    json["imputed"] = column.levels[static_cast<std::size_t>(column.imputed)];
  } else {
    json["imputed"] = column.imputed;
  }
  return json;
}

/// Whether the word is the first of the two; the second is the only other one.
bool is_first(const SchemaJson& word, std::string_view first, std::string_view second) {
  const auto text = word.get<std::string>();
  if (text != first && text != second) no_schema();
  return text == first;
}

SchemaColumn column_from_json(const SchemaJson& json) {
  SchemaColumn column;
  column.name = json.at("name").get<std::string>();
  const auto kind = std::find(kKindWords.begin(), kKindWords.end(), json.at("kind").get<std::string>());
  if (kind == kKindWords.end()) no_schema();
  column.kind = static_cast<ColumnKind>(kind - kKindWords.begin());
  if (column.kind == ColumnKind::real || column.kind == ColumnKind::count) {
    column.bounds = {json.at("lower").get<double>(), json.at("upper").get<double>()};
    column.out_of_range = is_first(json.at("out_of_range"), "clamp", "missing") ? OutOfRangePolicy::clamp
                                                                                : OutOfRangePolicy::missing;
  }
  const bool category = column.kind == ColumnKind::category;
  if (category) column.levels = json.at("levels").get<std::vector<std::string>>();
  if (json.contains("expected_mean")) column.expected.mean = json.at("expected_mean").get<double>();
  if (json.contains("expected_sd")) column.expected.sd = json.at("expected_sd").get<double>();
  if (json.contains("expected_shares"))
    column.expected.shares = json.at("expected_shares").get<std::vector<double>>();
  if (is_first(json.at("missing"), "drop", "impute")) return column;
  column.missing = MissingPolicy::impute;
  if (!category) {
    column.imputed = json.at("imputed").get<double>();
    return column;
  }
  const auto level =
      std::find(column.levels.begin(), column.levels.end(), json.at("imputed").get<std::string>());
  if (level == column.levels.end()) no_schema();
  column.imputed = static_cast<double>(level - column.levels.begin());
  return column;
}

}  // namespace

SchemaJson to_json(const Schema& schema) {
  SchemaJson json = SchemaJson::object();
  json["adjacency"] = schema.adjacency == Adjacency::substitute ? "substitute" : "add-remove";
  if (!schema.unit.is_row())
    json["unit"] = {{"person", schema.unit.person}, {"maximum_rows", schema.unit.maximum_rows}};
  json["column"] = SchemaJson::array();
  for (const SchemaColumn& column : schema.columns) json["column"].push_back(column_json(column));
  return json;
}

Schema schema_from_json(const SchemaJson& json) {
  Schema schema;
  try {
    const bool substitute = is_first(json.at("adjacency"), "substitute", "add-remove");
    schema.adjacency = substitute ? Adjacency::substitute : Adjacency::add_remove;
    if (json.contains("unit")) {
      schema.unit = {json.at("unit").at("person").get<std::string>(),
                     json.at("unit").at("maximum_rows").get<std::size_t>()};
    }
    for (const SchemaJson& column : json.at("column")) schema.columns.push_back(column_from_json(column));
  } catch (const nlohmann::json::exception&) {
    no_schema();
  }
  check(schema);
  return schema;
}

}  // namespace sotto
