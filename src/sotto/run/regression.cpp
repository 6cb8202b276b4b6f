#include "sotto/run/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
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

void check_survival(const GlmFamily& family) {
  if (std::visit([](const auto& f) { return f.response == ResponseKind::time; }, family)) return;
  refuse(fmt::format(
      "a response Surv(time, event) has the family survival, not {}: leave model.family (--family) out",
      family_name(family)));
}

[[noreturn]] void check_category(const Response& response) {
  const std::string name = name_in_formula(response.source.declared.name);
  refuse(
      fmt::format("{0} is a category: for levels in order choose --family ordinal; for a response of 0 and 1 "
                  "write {0} == '{1}' ~ ...; for shares of its levels {0} ~ 1 with --family categorical",
                  name, response.source.levels.back()));
}

/// The family that the model names, for a response that it takes. A gamma response is counted in steps from here on.
GlmFamily checked_family(const ModelConfig& model, Design& design) {
  const ResponseKind kind = design.response().kind;
  GlmFamily family = family_of(model);
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

/// A column in the place of its logarithm makes rates differ beyond what any rows do.
void check_offset(const Formula& formula, const GlmFamily& family, const Design& design,
                  const Schema& schema) {
  constexpr double kWidest = 23;  // a factor of 1e10
  if (!formula.offset || formula.offset->function != nullptr || link_of(family) != Link::log) return;
  const double width = 2 * *design.offset();  // a column's coefficient on the scale [-1, 1]
  const double lower = schema.columns[schema.index(formula.offset->column)].range().lower;
  if (width <= kWidest || lower < 0) return;  // a logarithm is negative somewhere
  const std::string name = formula.offset->text();
  refuse(fmt::format(
      "offset({0}) lets means differ by a factor of e^{1:.3g} within the declared bounds of {0}: for a rate "
      "per unit of it write offset(log({0})), and declare its lower bound above 0",
      name, width));
}

}  // namespace

GlmFamily family_of(const ModelConfig& model) {
  if (const auto family = find_family(model.family, model.sigma)) return *family;
  std::vector<std::string> known{"categorical", "normal-mean", "banana"};
  for (const GlmFamily& family : families()) {
    std::visit(
        [&](const auto& f) {
          known.insert(known.end(), {std::string(f.name), std::string(f.alias)});
        },
        family);
  }
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, model.family) != names.end();
  };
  refuse(fmt::format(
      "model.family is {}: choose {}, categorical, normal-mean or banana{}", model.family, family_names(),
      is_one_of({"logistic", "logit"})               ? "; logistic regression is bernoulli"
      : is_one_of({"ordered", "cumulative", "polr"}) ? "; levels in their order are ordinal"
      : is_one_of({"multinomial", "softmax"})
          ? "; shares of levels without predictors are categorical, levels in their order ordinal"
      : is_overdispersed(model.family) ? "; for counts that vary more than Poisson ones take "
                                         "poisson: release-once asks whether they do, and then "
                                         "takes negative binomial ones"
                                       : suggestion(model.family, known)));
}

Regression regression_of(const ModelConfig& model, const Schema& schema) {
  Formula formula = parse_formula(model.formula);
  Design design(formula, schema, model.cuts);
  const GlmFamily family = checked_family(model, design);
  check_offset(formula, family, design, schema);
  if (model.sigma && sigma_of(family) == nullptr)
    refuse(fmt::format("model.sigma is the spread of normal responses, and this is a {} model: drop it",
                       model.family));
  return {std::move(formula), family, std::move(design)};
}

}  // namespace sotto
