#include "sotto/run/location_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/base/error.hpp"
#include "sotto/base/first_names.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/column_rows.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

/// Of a row, whose covariance is known.
Matrix row_precision(const ModelConfig& model) {
  const std::size_t dim = model.columns.size();
  const auto size = static_cast<Eigen::Index>(dim);
  if (model.covariance.empty()) {
    if (!model.covariance_file.empty())
      refuse("model.covariance names a file: this program reads none, give the matrix");
    if (model.sd.size() != dim) {
      refuse(fmt::format(
          "model.sd needs the known standard deviation of each column's values, {} in all, not {} (or give "
          "model.covariance, a matrix); where it is not known, fit family normal with a formula, as in "
          "\"{} ~ 1\"",
          dim, model.sd.size(), model.columns.front()));
    }
    Position precision(size);
    for (std::size_t j = 0; j < dim; ++j) {
      if (!(model.sd[j] > 0 && std::isfinite(model.sd[j]))) refuse("every entry of model.sd must be > 0");
      precision[static_cast<Eigen::Index>(j)] = 1 / (model.sd[j] * model.sd[j]);
    }
    return precision.asDiagonal();
  }
  if (!model.sd.empty()) refuse("model.sd and model.covariance say the same: give one of them");
  Matrix covariance(size, size);
  if (model.covariance.size() != dim)
    refuse("model.covariance needs a row and a column per column of the data");
  for (std::size_t i = 0; i < dim; ++i) {
    if (model.covariance[i].size() != dim)
      refuse("model.covariance needs a row and a column per column of the data");
    covariance.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Position>(model.covariance[i].data(), size);
  }
  constexpr double kRounding = 1e-9;  // of numbers as they are written down
  const Position sd = covariance.diagonal().cwiseAbs().cwiseSqrt();
  const bool symmetric = covariance.allFinite() && ((covariance - covariance.transpose()).array().abs() <=
                                                    kRounding * (sd * sd.transpose()).array())
                                                       .all();
  covariance = ((covariance + covariance.transpose()) / 2).eval();
  const Cholesky decomposed(covariance);
  if (!symmetric || !decomposed.is_positive_definite())
    refuse("model.covariance must be symmetric and positive definite: the covariance of a row's values");
  return decomposed.inverse();
}

/// Of each coordinate of the mean. Its units are unknown to a default: the declared bounds stand for them, as wide as they are. Nothing
/// is known of it within them, so the middle is as good as the ends.
std::vector<CoefficientPrior> mean_priors(const FitConfig& config, const std::vector<std::string>& parameters,
                                          const std::vector<Interval>& bounds) {
  for (const auto& [name, prior] : config.priors) {
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
      refuse(fmt::format(
          "prior.parameter.{} names no parameter of this model: they are {}, in the order of model.columns{}",
          name, fmt::join(parameters, ", "), suggestion(name, parameters)));
    }
  }
  std::vector<CoefficientPrior> priors;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const auto own = config.priors.find(parameters[j]);
    if (own != config.priors.end()) {
      priors.push_back(own->second);
    } else if (config.default_prior_given) {
      priors.push_back(config.default_prior);
    } else {
      priors.push_back(
          {PriorFamily::normal, std::midpoint(bounds[j].lower, bounds[j].upper), bounds[j].width() / 2});
    }
    if (priors.back().family != PriorFamily::normal)
      refuse(
          fmt::format("a {} model takes normal priors alone: set family = \"normal\" in [prior.default] or "
                      "[prior.parameter]",
                      config.model.family));
  }
  return priors;
}

std::vector<PriorDescription> describe_mean_priors(const FitConfig& config, const PublicProblem& problem) {
  constexpr double kNormal95 = 1.6448536269514722;
  std::vector<PriorDescription> descriptions;
  for (std::size_t j = 0; j < problem.parameters.size(); ++j) {
    const CoefficientPrior& prior = problem.coefficient_priors[j];
    const bool own = config.default_prior_given || config.priors.contains(problem.parameters[j]);
    descriptions.push_back(
        {.parameter = problem.parameters[j],
         .distribution = fmt::format("{} on the mean of {}{}", prior.text(), config.model.columns[j],
                                     own ? "" : ", from its declared bounds"),
         .mean = prior.location,
         .sd = prior.scale,
         .q05 = prior.location - kNormal95 * prior.scale,
         .q50 = prior.location,
         .q95 = prior.location + kNormal95 * prior.scale});
  }
  return descriptions;
}

}  // namespace

/// Both models share their prior: the mean's coordinates are independent normal, which for the banana is the bent prior of
/// [R21, Theorem 5].
Problem location_problem(const FitConfig& config, const Table& table, std::optional<double> public_rows) {
  const ModelConfig& model = config.model;
  const auto dim = static_cast<Eigen::Index>(columns_of_location(model).size());
  if (model.family == "banana" && dim < 2) refuse("a banana needs at least two columns");
  std::vector<Interval> bounds;
  const Matrix precision = row_precision(model);
  for (std::size_t j = 0; j < model.columns.size(); ++j) {
    const SchemaColumn& column = table.schema().column(model.columns[j]);
    if (column.kind == ColumnKind::category)
      refuse(fmt::format("column {} is a category, not a number", column.name));
    bounds.push_back(column.range());
  }
  const Bend bend = model.family == "banana" ? Bend{model.a, model.b, model.m} : Bend{};
  Problem problem{.public_info = {},
                  .model = LocationModel(bounds, precision, bend),
                  .rows = [&table, columns = model.columns] { return column_rows(table, columns); },
                  .unit = {}};
  PublicProblem& public_info = problem.public_info;
  public_info.title = model.family == "banana" ? "banana" : "multivariate normal mean";
  public_info.model = fmt::format("{} of {}, known {}", public_info.title, first_names(model.columns, 10),
                                  model.covariance.empty() ? "standard deviations" : "covariance");
  public_info.rows = public_rows;
  public_info.parameters = model.columns;
  public_info.to_report = public_info.from_report = [](const Position& x) { return x; };
  public_info.coefficient_priors = mean_priors(config, public_info.parameters, bounds);
  public_info.prior_descriptions = describe_mean_priors(config, public_info);
  const LogPrior of_mean = product(public_info.coefficient_priors);
  public_info.prior.log_density = [of_mean, bend](const Position& x) {
    return of_mean.log_density(bend.mean(x));
  };
  public_info.prior.gradient = [of_mean, bend](const Position& x) {
    Position slope = of_mean.gradient(bend.mean(x));
    bend.pull_back(x, slope);
    return slope;
  };
  Position centre(dim);
  Position prior_sd(dim);
  for (Eigen::Index j = 0; j < dim; ++j) {
    const CoefficientPrior& prior = public_info.coefficient_priors[static_cast<std::size_t>(j)];
    centre[j] = prior.location;
    prior_sd[j] = prior.scale;
  }
  const double rows = public_info.rows.value_or(1000) * model.likelihood_power;
  const Matrix posterior_precision =
      rows * precision + Matrix(prior_sd.cwiseAbs2().cwiseInverse().asDiagonal());
  public_info.prior_scale = posterior_precision.diagonal().cwiseSqrt().cwiseInverse();
  if (!model.covariance.empty() && model.family == "normal-mean")
    public_info.prior_covariance = inverse(posterior_precision);
  public_info.start = bend.position(centre);
  return problem;
}

std::vector<std::string> columns_of_location(const ModelConfig& model) {
  if (!model.formula.empty()) {
    refuse(fmt::format(
        "a {} model has no formula: drop it, and name the columns in model.columns; means by group are the "
        "coefficients of a regression, family normal",
        model.family));
  }
  if (model.columns.empty()) {
    refuse(
        fmt::format("which columns? a {} model needs model.columns, as in [\"income\", \"age\"], and "
                    "model.sd, their known "
                    "standard deviations",
                    model.family));
  }
  for (const std::string& name : model.columns) {
    if (std::count(model.columns.begin(), model.columns.end(), name) > 1)
      refuse(fmt::format("model.columns names {} twice", name));
  }
  if (model.sigma || !model.cuts.empty())
    refuse(fmt::format("model.sigma and model.cuts are for regressions: a {} model takes model.sd",
                       model.family));
  return model.columns;
}

}  // namespace sotto
