#include "sotto/run/distribution_problem.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/model/column_rows.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/distribution/gamma.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/run/describe_priors.hpp"

namespace sotto {
namespace {

constexpr double kUnknownRows = 1000;  // in the place of a secret number of rows: only where warmup starts

bool is_gamma(const ModelConfig& model) { return model.family == "gamma" || model.family == "Gamma"; }

bool is_of_one_column(const Formula& formula) {
  return formula.terms.empty() && formula.varying.empty() && formula.intercept && !formula.offset &&
         !formula.comparison && !formula.event && formula.response.function == nullptr &&
         !formula.response.categorical;
}

void refuse_own_priors(const FitConfig& config, const std::string& instead) {
  if (!config.priors.empty())
    refuse(fmt::format("a {} model has no prior.parameter: {}", config.model.family, instead));
}

void take_priors(std::vector<CoefficientPrior> priors, const std::string& where, PublicProblem& known) {
  known.coefficient_priors = std::move(priors);
  known.prior = product(known.coefficient_priors);
  known.prior_descriptions = describe_priors(known, where);
}

Problem categorical_problem(const FitConfig& config, const Table& table, const SchemaColumn& column,
                            double rows) {
  if (column.kind != ColumnKind::category) {
    refuse(
        fmt::format("a categorical model needs a category: declare {0} with kind = \"category\" and its "
                    "levels (a yes or no: {0} ~ 1 with family bernoulli)",
                    column.name));
  }
  if (column.levels.size() < 2) refuse("a categorical model needs at least two levels");
  refuse_own_priors(config, "prior.default is that of the log odds of every level against the first");
  const distribution::Categorical model(column.levels.size());
  Problem problem{.public_info = {},
                  .model = model,
                  .rows = [&table, name = column.name] { return column_rows(table, {name}); },
                  .unit = {}};
  PublicProblem& known = problem.public_info;
  known.model = fmt::format("shares of {} levels (categorical)", column.levels.size());
  for (const std::string& level : column.levels) known.parameters.push_back(fmt::format("share[{}]", level));
  known.to_report = [](const Position& odds) {
    Position shares(odds.size() + 1);
    shares << 0, odds;
    return Position((shares.array() - distribution::Categorical::log_normaliser(odds)).exp());
  };
  known.from_report = [](const Position& shares) {
    return Position((shares.tail(shares.size() - 1) / shares[0]).array().log());
  };
  known.start = Position::Zero(model.dim());
  const auto levels = static_cast<double>(column.levels.size());
  const double precision = 1 / (config.default_prior.scale * config.default_prior.scale);
  known.prior_scale =
      Position::Constant(model.dim(), 1 / std::sqrt(rows / levels * (1 - 1 / levels) + precision));
  known.coordinates.assign(known.parameters.begin() + 1, known.parameters.end());
  take_priors(std::vector(static_cast<std::size_t>(model.dim()), config.default_prior),
              " on the log odds of each other level against " + column.levels.front(), known);
  return problem;
}

Problem gamma_problem(const FitConfig& config, const Table& table, const SchemaColumn& column, double rows) {
  if (column.kind == ColumnKind::category)
    refuse(fmt::format("column {} is a category, not a number", column.name));
  const Interval bounds = column.range();
  if (!(bounds.lower > 0)) {
    refuse(fmt::format(
        "column {} is declared from {:g} on, and chains know gamma values above 0 alone: declare a "
        "lower bound above 0 (out_of_range = \"missing\" leaves out what is below it), or take the "
        "method release-once, which fits the mean of values from 0 on",
        column.name, bounds.lower));
  }
  const distribution::Gamma model(bounds);
  Problem problem{.public_info = {},
                  .model = PerRow(model),
                  .rows = [&table, name = column.name] { return column_rows(table, {name}); },
                  .unit = {}};
  PublicProblem& known = problem.public_info;
  known.model = "gamma distribution";
  known.parameters = known.coordinates = {"Intercept", "shape"};
  known.to_report = [](const Position& at) { return Position{{at[0], std::exp(at[1])}}; };
  known.from_report = [](const Position& reported) { return Position{{reported[0], std::log(reported[1])}}; };
  // The bounds tell the size of the values, and the shape of what people measure is seldom below a tenth or above ten.
  const Interval logs{std::log(bounds.lower), std::log(bounds.upper)};
  std::vector<CoefficientPrior> priors = {
      {PriorFamily::normal, std::midpoint(logs.lower, logs.upper), std::fmax(1, logs.width() / 4)},
      {PriorFamily::normal, 0, 1.5}};
  for (std::size_t j = 0; j < priors.size(); ++j) {
    const auto own = config.priors.find(known.parameters[j]);
    if (own != config.priors.end()) priors[j] = own->second;
  }
  if (config.priors.size() > config.priors.count("Intercept") + config.priors.count("shape"))
    refuse("prior.parameter of a gamma distribution names Intercept, its log mean, or shape");
  known.start = Position{{priors[0].location, priors[1].location}};
  constexpr double kInformationOfLogShape = 0.645;  // trigamma(1) - 1: of a row, at a shape of 1
  known.prior_scale = Position{{1 / std::sqrt(rows + 1), 1 / std::sqrt(kInformationOfLogShape * rows + 1)}};
  take_priors(std::move(priors), " (shape: on its log)", known);
  return problem;
}

}  // namespace

bool is_distribution(const FitConfig& config) {
  if (is_categorical(config.model)) return true;
  if (!is_gamma(config.model) || config.model.formula.empty()) return false;
  const std::string& method = config.method.name;
  const bool needs_likelihood = config.not_private || (method != "auto" && method != "release-once");
  return needs_likelihood && is_of_one_column(parse_formula(config.model.formula));
}

Problem distribution_problem(const FitConfig& config, const Table& table, std::optional<double> rows) {
  const SchemaColumn& column = table.schema().column(columns_of_distribution(config.model).front());
  const double about = rows.value_or(kUnknownRows) * config.model.likelihood_power;
  Problem problem = is_categorical(config.model) ? categorical_problem(config, table, column, about)
                                                 : gamma_problem(config, table, column, about);
  problem.public_info.title = config.model.formula;
  problem.public_info.rows = rows;
  return problem;
}

std::vector<std::string> columns_of_distribution(const ModelConfig& model) {
  if (!model.columns.empty() || !model.sd.empty() || !model.covariance.empty() || model.sigma ||
      !model.cuts.empty()) {
    refuse(fmt::format("a {} model has a formula alone: drop model.columns, sd, covariance, sigma and cuts",
                       model.family));
  }
  if (model.formula.empty())
    refuse(fmt::format("which column? give --formula, as in \"region ~ 1\" for family {}", model.family));
  const Formula formula = parse_formula(model.formula);
  if (!is_of_one_column(formula)) {
    refuse(
        "a categorical model is of one column, \"region ~ 1\": for levels in order take --family ordinal, "
        "which has "
        "predictors; for one level against the others write region == 'north' ~ ... with --family bernoulli");
  }
  return {formula.response.column};
}

}  // namespace sotto
