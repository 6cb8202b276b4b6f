#include "sotto/run/declaration.hpp"

#include <cstddef>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr std::size_t kLongestFormula = 10'000;
constexpr std::size_t kMostEntriesOfModel = 10'000;  // of a list

[[noreturn]] void no_declaration() {
  throw Error(ErrorCode::data,
              "this declares no model: ask with the same version of the program as the owner's");
}

/// Calls visit("field", value) for each field: what is written is what is read.
template <class Model, class Visit>
void visit_model(Model& model, const Visit& visit) {
  visit("family", model.family);
  visit("formula", model.formula);
  visit("cuts", model.cuts);
  visit("sigma", model.sigma);
  visit("columns", model.columns);
  visit("sd", model.sd);
  visit("covariance", model.covariance);
  visit("a", model.a);
  visit("b", model.b);
  visit("m", model.m);
  visit("likelihood_power", model.likelihood_power);
}

template <class T>
void declared(const nlohmann::json& j, T& value);
void declared(const nlohmann::json& j, std::string& text);

template <class T>
void declared(const nlohmann::json& j, std::vector<T>& list) {
  if (!j.is_array() || j.size() > kMostEntriesOfModel) no_declaration();
  list.clear();
  for (const nlohmann::json& one : j) declared(one, list.emplace_back());
}

void declared(const nlohmann::json& j, std::optional<double>& value) {
  value.reset();
  if (!j.is_null()) declared(j, value.emplace());
}

void declared(const nlohmann::json& j, std::string& text) {
  if (!j.is_string() || j.get_ref<const std::string&>().size() > kLongestFormula) no_declaration();
  text = j.get<std::string>();
}

template <class T>
void declared(const nlohmann::json& j, T& value) {
  if (!j.is_number()) no_declaration();
  value = j.get<T>();
}

template <class T>
nlohmann::json as_declared(const T& value) {
  return value;
}
nlohmann::json as_declared(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

nlohmann::json to_json(const Declaration& declaration) {
  nlohmann::json model = nlohmann::json::object();
  visit_model(declaration.model,
              [&](const char* field, const auto& value) { model[field] = as_declared(value); });
  return {{"model", model}, {"schema", declaration.schema}};
}

Declaration declaration_from_json(const nlohmann::json& j) {
  if (!j.is_object() || j.size() != 2 || !j.contains("model") || !j.contains("schema")) no_declaration();
  const nlohmann::json& model = j["model"];
  if (!model.is_object() || !j["schema"].is_string()) no_declaration();
  Declaration declaration{.model = {}, .schema = j["schema"].get<std::string>()};
  std::size_t fields = 0;
  visit_model(declaration.model, [&](const char* field, auto& value) {
    const auto found = model.find(field);
    if (found == model.end()) no_declaration();
    declared(*found, value);
    ++fields;
  });
  if (fields != model.size()) no_declaration();
  return declaration;
}

}  // namespace sotto
