#include "sotto/run/regression.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/model/formula_tokens.hpp"

namespace sotto {
namespace {

/// By the names that other programs give such families.
bool is_overdispersed(const std::string& family) {
  return family.starts_with("neg") || family.starts_with("nb") || family.starts_with("quasi");
}

void check_survival(const Family& family) {
  if (std::visit([](const auto& f) { return f.response == ResponseKind::time; }, family)) return;
  refuse(fmt::format(
      "a response Surv(time, event) has the family survival, not {}: leave model.family (--family) out",
      family_name(family)));
}

[[noreturn]] void check_category(const Response& response) {
  const std::string name = name_in_formula(response.source.declared.name);
  refuse(
      fmt::format("{0} is a category: for levels in order choose --family ordinal; for a response of 0 and 1 "
                  "write {0} == '{1}' ~ ...",
                  name, response.source.levels.back()));
}

/// The family that the model names, for a response that it takes. A gamma response is counted in steps from here on.
Family checked_family(const ModelConfig& model, Design& design) {
  const ResponseKind kind = design.response().kind;
  Family family = family_of(model);
  if (kind == ResponseKind::time) check_survival(family);
  std::visit(
      [&](const auto& f) {
        if (kind == ResponseKind::ordered && f.response != ResponseKind::ordered)
          check_category(design.response());
        if (!fits(kind, f.response)) refuse(std::string(f.needs));
      },
      family);
  if (const auto steps = steps_of(family)) {
    if (!design.has_intercept()) refuse("a gamma model has an intercept: leave 0 + out of the formula");
    design.count_response_in_steps(*steps);
  }
  return family;
}

}  // namespace

Family family_of(const ModelConfig& model) {
  if (const auto family = find_family(model.family, model.sigma)) return *family;
  std::vector<std::string> known{"categorical", "normal-mean", "banana"};
  for (const Family& family : families()) {
    std::visit(
        [&](const auto& f) {
          known.insert(known.end(), {std::string(f.name), std::string(f.alias)});
        },
        family);
  }
  const bool logistic = model.family == "logistic" || model.family == "logit";
  refuse(fmt::format(
      "model.family is {}: choose {}, categorical, normal-mean or banana{}", model.family, family_names(),
      logistic                         ? "; logistic regression is bernoulli"
      : is_overdispersed(model.family) ? "; for counts that vary more than Poisson ones take "
                                         "poisson: release-once asks whether they do, and then "
                                         "takes negative binomial ones"
                                       : suggestion(model.family, known)));
}

Regression regression_of(const ModelConfig& model, const Schema& schema) {
  Formula formula = parse_formula(model.formula);
  Design design(formula, schema, model.cuts);
  const Family family = checked_family(model, design);
  return {std::move(formula), family, std::move(design)};
}

}  // namespace sotto
