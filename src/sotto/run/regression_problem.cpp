#include "sotto/run/regression_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/measurement/vector_sum.hpp"
#include "sotto/model/design.hpp"
#include "sotto/model/design_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/describe_priors.hpp"
#include "sotto/run/effect_curves.hpp"
#include "sotto/run/regression.hpp"

namespace sotto {
namespace {

/// What the schema alone says against a family that takes such responses.
void tell_about_response(ResponseKind kind, ResponseKind taken, std::vector<std::string>& warnings) {
  if (kind == ResponseKind::binary && taken != kind) {
    warnings.emplace_back(
        "Note: the response is yes or no, and taken for a number here: logistic regression, --family "
        "bernoulli, "
        "is for such responses.");
  } else if (kind == ResponseKind::count && taken != kind) {
    warnings.emplace_back(
        "Note: the response is a count, and taken for a number here: --family poisson is for counts.");
  }
}

bool of_curve(const Design& design, Eigen::Index column) {
  return std::ranges::any_of(design.column(column).parts, [&](const DesignColumn::Part& part) {
    return design.sources()[part.source].variable.is_basis();
  });
}

/// Without an intercept a level's coefficient is no difference from another's; of a curve they say something together alone.
std::vector<std::string> effects_of(const Design& design, const PublicProblem& problem) {
  if (!design.has_intercept()) return {};
  std::vector<std::string> effects;
  for (std::size_t j = 1; j < problem.parameters.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const Eigen::Index piece = column - design.pieces().first;
    const bool of_piece = piece >= 0 && piece + 1 < static_cast<Eigen::Index>(design.pieces().count);
    if (!of_piece && !problem.groups.has(column) && !of_curve(design, column))
      effects.push_back(problem.parameters[j]);
  }
  return effects;
}

std::vector<CoefficientPrior> priors_for(const FitConfig& config, const PublicProblem& problem) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < problem.parameters.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    if (!problem.groups.has(column) && !problem.thresholds.has(column))
      names.push_back(problem.parameters[j]);
  }
  for (const auto& [name, prior] : config.priors) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(fmt::format("prior.parameter.{} names no parameter of this model: they are {}{}", name,
                         fmt::join(names, ", "), suggestion(name, names)));
    }
  }
  std::vector<CoefficientPrior> priors;
  for (const std::string& name : problem.coordinates) {
    const bool reported =
        std::find(problem.parameters.begin(), problem.parameters.end(), name) != problem.parameters.end();
    const auto found = config.priors.find(name);
    const auto column = static_cast<Eigen::Index>(priors.size());
    priors.push_back(problem.thresholds.has(column) ? problem.thresholds.prior(column)
                     : !reported                    ? known_coefficient(*problem.offset)
                     : found == config.priors.end() ? config.default_prior
                                                    : found->second);
    if (column < problem.prior_shift.size()) priors.back().location += problem.prior_shift[column];
  }
  return priors;
}

/// Where a real response's units are unknown to a prior, its declared range stands for them: an effect of half the range from the
/// middle of a column to its end is two standard deviations, and the intercept lies about the range's middle.
void scale_default_prior(FitConfig& config, const Interval& response, bool intercept) {
  if (config.default_prior_given) return;
  const double sd = response.width() / 4;
  config.default_prior = {PriorFamily::normal, 0, sd};
  if (intercept)
    config.priors.try_emplace(
        "Intercept",
        CoefficientPrior{PriorFamily::normal, std::midpoint(response.lower, response.upper), sd});
}

LogPrior prior_of(const PublicProblem& problem) {
  if (problem.groups.empty()) return product(problem.coefficient_priors);
  std::vector<CoefficientPrior> own = problem.coefficient_priors;
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (problem.groups.has(static_cast<Eigen::Index>(j))) own[j].family = PriorFamily::flat;
  }
  const LogPrior others = product(std::move(own));
  const std::vector<VaryingEffects> groups = problem.groups.priors(problem.group_scales);
  return {[others, groups](const Position& x) {
            double sum = others.log_density(x);
            for (const VaryingEffects& group : groups) sum += group.log_density(x);
            return sum;
          },
          [others, groups](const Position& x) {
            Position slope = others.gradient(x);
            for (const VaryingEffects& group : groups) group.add_slope(x, slope);
            return slope;
          }};
}

/// What a row tells about a coordinate if columns were uniform over their declared ranges: only where warmup starts.
Position prior_scale(const Glm& glm, const PublicProblem& problem) {
  const double rows = problem.rows.value_or(1000);
  const Eigen::Index p = glm.domain().columns();
  const double weight =
      std::visit([&](const auto& family) { return family.information(glm.response()); }, glm.family());
  Position sd(problem.start.size());
  for (Eigen::Index j = 0; j < sd.size(); ++j) {
    const Interval range = j < p ? glm.domain().range(Position::Unit(p, j)) : Interval{1, 1};
    const double square =
        range.width() > 0 ? range.width() * range.width() / 12 : range.magnitude() * range.magnitude();
    const CoefficientPrior& prior = problem.coefficient_priors[static_cast<std::size_t>(j)];
    sd[j] = 1 / std::sqrt(rows * weight * square + 1 / (prior.scale * prior.scale));
  }
  if (glm.unknown_sigma()) sd[p] = 1 / std::sqrt(2 * rows + 1);
  return sd;
}

/// What people who know these models from elsewhere would take otherwise.
void tell_about_groups(const Design& design, bool correlated, std::vector<std::string>& warnings) {
  for (const DesignGroup& group : design.groups()) {
    if (group.mean == 0) continue;
    const std::string& column = design.column(group.mean).name;
    warnings.push_back(
        fmt::format("Note: {}[...] are slopes' deviations; intercepts' deviations of the same levels are "
                    "those at {} = {:g}, "
                    "the middle of its declared bounds.",
                    group.name, column, group.centre));
  }
  if (correlated)
    warnings.emplace_back(
        "Note: a priori the deviations of intercepts and slopes are independent, as in (x || g); what one "
        "bar, "
        "(x | g), adds elsewhere, a correlation between them, is not modelled.");
}

constexpr double kLongestScale = 10;   // of answers, such as 0 to 10
constexpr double kFarPrior = 10;       // of its standard deviations
constexpr double kFarPredictor = 100;  // of a linear predictor; real responses: ten times the largest

/// Generous: what passes it is no posterior's, whatever the rows are.
Position reach(const Glm& glm, const PublicProblem& problem) {
  const Eigen::Index p = glm.domain().columns();
  const double predictor =
      sigma_of(glm.family()) != nullptr ? 10 * glm.response().magnitude() : kFarPredictor;
  Position far(problem.start.size());
  for (Eigen::Index j = 0; j < far.size(); ++j) {
    const CoefficientPrior& prior = problem.coefficient_priors[static_cast<std::size_t>(j)];
    far[j] = std::abs(prior.location - problem.start[j]) + kFarPrior * prior.scale;
    if (j < p) far[j] += predictor / std::max(glm.domain().range(Position::Unit(p, j)).magnitude(), 1e-300);
  }
  return far;
}

void describe_response(const GlmFamily& family, const Design& design, PublicProblem& known) {
  const Response& response = design.response();
  const SchemaColumn& declared = response.source.declared;
  std::visit(
      [&known](const auto& f) {
        known.model = f.title();
        known.ratio = std::string(f.ratio);
      },
      family);
  known.steps = steps_of(family).has_value();
  known.yes_or_no = response.kind == ResponseKind::binary;
  if (declared.out_of_range == OutOfRangePolicy::missing && response.source.levels.empty()) {
    known.warnings.push_back(fmt::format(
        "Rows whose {} lies outside {:g} to {:g} are left out, as the schema says (out_of_range). Should "
        "there be such rows, "
        "the fit is of the others alone, whose effects are smaller: declare bounds that hold all responses.",
        declared.name, declared.bounds.lower, declared.bounds.upper));
  }
  tell_about_response(response.kind, std::visit([](const auto& f) { return f.response; }, family),
                      known.warnings);
}

/// Columns of one category's levels alone stand side by side.
std::vector<std::vector<Eigen::Index>> factors_of(const Design& design) {
  std::vector<std::vector<Eigen::Index>> factors;
  std::optional<std::size_t> before;
  for (Eigen::Index j = 0; j < design.columns(); ++j) {
    const auto& parts = design.column(j).parts;
    const bool level = parts.size() == 1 && parts.front().level;
    if (level && before != parts.front().source) factors.emplace_back();
    if (level) factors.back().push_back(j);
    before = level ? std::optional(parts.front().source) : std::nullopt;
  }
  return factors;
}

void describe_columns(const Design& design, PublicProblem& known) {
  for (Eigen::Index j = 0; j < design.columns(); ++j) {
    const auto& parts = design.column(j).parts;
    const Interval& range = design.column(j).range;
    known.from_zero.push_back(range.lower == 0);
    known.codes.push_back(range.width() <= kLongestScale && range.lower == std::floor(range.lower) &&
                          range.upper == std::floor(range.upper));
    const auto declared = [&design](const auto& part) -> const auto& {
      return design.sources()[part.source].declared;
    };
    const bool zero_or_one = !parts.empty() && std::ranges::all_of(parts, [&](const auto& part) {
      return part.level.has_value() || declared(part).kind == ColumnKind::binary;
    });
    // Whatever a formula makes of them.
    const bool two_codes = parts.size() == 1 && declared(parts[0]).kind == ColumnKind::count &&
                           declared(parts[0]).bounds.width() == 1 && range.width() > 0;
    known.indicator.push_back(zero_or_one || two_codes);
  }
  known.factors = factors_of(design);
}

/// What the declared range of the response stands for where nothing else tells of its units: priors, effects of groups, sigma.
void add_scales_of_response(const GlmFamily& family, const Design& design, FitConfig& config,
                            PublicProblem& known) {
  const Interval& response = design.response().range;
  const bool normal = sigma_of(family) != nullptr;
  if (normal) scale_default_prior(config, response, design.has_intercept());
  known.group_scales.assign(known.groups.size(), normal ? response.width() / 4 : VaryingEffects::kUsualScale);
}

/// Parameters are in the units of the columns, coordinates are of columns scaled to [-1, 1].
void report_in_units(const Glm& glm, const Design& design, FitConfig& config, PublicProblem& known) {
  Matrix original = design.original_from_scaled();
  if (design.offset()) {
    known.parameters.pop_back();
    known.start[design.columns() - 1] = *design.offset();
    original.conservativeResize(design.columns() - 1, Eigen::NoChange);
  }
  if (has_thresholds(glm.family())) {
    known.thresholds = Thresholds(design);
    known.thresholds.name(known.parameters);
    known.thresholds.report(original);
  }
  known.effects = effects_of(design, known);
  known.curves = effect_curves(design);
  const Position shift = design.to_units().head(original.rows());
  if (glm.unknown_sigma()) {
    known.parameters.emplace_back("sigma");
    known.coordinates.emplace_back("sigma");
    // Half the response's range is a generous residual; its log gets a prior of its own unless one is given.
    const double middle = std::log(design.response().range.width() / 4);
    config.priors.try_emplace("sigma", CoefficientPrior{PriorFamily::normal, middle, 1.5});
    known.start[design.columns()] = middle;
    known.to_report = [original](const Position& x) {
      Position reported(original.rows() + 1);
      reported.head(original.rows()) = original * x.head(original.cols());
      reported[original.rows()] = std::exp(x[original.cols()]);
      return reported;
    };
  } else {
    known.to_report = [original, shift](const Position& x) { return Position(original * x + shift); };
  }
  Position unreported = known.start;  // an offset's coefficient
  unreported.head(original.rows()).setZero();
  known.from_report =
      [unreported, back = inverse(original.leftCols(original.rows())),
       origin = Position(original * unreported.head(original.cols()) + shift)](const Position& reported) {
        Position x = unreported;
        x.head(back.rows()) = back * (reported.head(back.rows()) - origin);
        if (reported.size() > back.rows()) x[x.size() - 1] = std::log(reported[reported.size() - 1]);
        return x;
      };
}

/// With their descriptions; chains start where priors of intercepts and thresholds lie.
void add_priors(const FitConfig& config, const Design& design, PublicProblem& known) {
  known.prior_shift = -design.to_units();
  if (design.response().time_at_risk) known.prior_shift[0] = 0;
  known.coefficient_priors = priors_for(config, known);
  for (Eigen::Index j = 0; j < design.columns(); ++j) {
    if ((j == 0 && design.has_intercept()) || known.thresholds.has(j))
      known.start[j] = known.coefficient_priors[static_cast<std::size_t>(j)].location;
  }
  known.prior = known.thresholds.in_order(prior_of(known));
  const bool has_sigma = known.parameters.back() == "sigma" && known.coordinates.back() == "sigma";
  for (PriorDescription& prior : describe_priors(known, " on the scaled column")) {
    if (has_sigma && prior.parameter == "sigma")
      prior.distribution = fmt::format("log(sigma): {}", known.coefficient_priors.back().text());
    const auto at = std::find(known.parameters.begin(), known.parameters.end(), prior.parameter);
    if (!known.groups.has(at - known.parameters.begin()))
      known.prior_descriptions.push_back(std::move(prior));
  }
  for (const PriorDescription& prior : known.groups.describe(known.group_scales)) {
    known.prior_descriptions.push_back(prior);
  }
}

}  // namespace

bool stand_side_by_side(const UnitDeclaration& unit, const Glm& glm) {
  return link_of(glm.family()) && !summed_one_by_one(glm) && !unit.is_row() && unit.maximum_rows > 1 &&
         unit.maximum_rows <= kMostSideBySide;
}

/// A column may be called as another parameter is: who asks for that name would get either.
void refuse_two_of_one_name(const PublicProblem& known) {
  std::vector<std::string> names = known.groups.names(known.parameters);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    refuse(fmt::format(
        "two parameters would be called {}: rename the column in the table's header, the schema and "
        "the formula",
        *twice));
}

Problem regression_problem(FitConfig config, const Table& table, std::optional<double> rows) {
  const ModelConfig& model = config.model;
  const Regression regression = regression_of(model, table.schema());
  const GlmFamily& family = regression.family;
  const Design& design = regression.design;
  const Glm glm(family, design.domain(), design.response().range, design.pieces());
  Problem problem{.public_info = {},
                  .model = glm,
                  .rows =
                      [&table, design, by_persons = stand_side_by_side(table.schema().unit, glm)] {
                        return design_rows(table, design, by_persons);
                      },
                  .unit = {}};
  PublicProblem& known = problem.public_info;
  known.title = model.formula;
  known.rows = rows;
  known.intercept = design.has_intercept();
  known.parameters = known.coordinates = design.names();
  known.offset = design.offset();
  known.groups = Groups(design.groups());
  known.start = Position::Zero(glm.dim());
  describe_response(family, design, known);
  tell_about_groups(design, regression.formula.correlated, known.warnings);
  describe_columns(design, known);
  add_scales_of_response(family, design, config, known);
  report_in_units(glm, design, config, known);
  refuse_two_of_one_name(known);
  add_priors(config, design, known);
  known.prior_scale = prior_scale(glm, known);
  known.reach = reach(glm, known);
  return problem;
}

std::vector<std::string> columns_of_regression(const ModelConfig& model) {
  static_cast<void>(family_of(model));
  if (!model.columns.empty() || !model.sd.empty() || !model.covariance.empty()) {
    refuse(
        fmt::format("model.columns, model.sd and model.covariance are for means, family normal-mean or "
                    "banana: drop them, or "
                    "the family {}",
                    model.family));
  }
  if (model.formula.empty()) refuse("which model? give --formula, or model.formula, as in \"y ~ x1 + x2\"");
  return parse_formula(model.formula).columns();
}

}  // namespace sotto
