#include "sotto/run/own_model.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/model/column_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/describe_priors.hpp"

namespace sotto {
namespace {

void check(const FitConfig& config, const OwnModel& own) {
  if (!config.model.formula.empty() || !config.model.columns.empty() || !config.priors.empty() ||
      config.default_prior_given) {
    refuse(
        "a model of one's own brings its rows and its priors: drop model.formula, model.columns and prior");
  }
  const Eigen::Index dim = own.model.dim();
  const auto fits = [dim](auto count) { return static_cast<Eigen::Index>(count) == dim; };
  if (dim < 1) refuse("the model has no coordinates");
  if (!own.rows) refuse("the model has no rows");
  if (!fits(own.parameters.size())) {
    refuse(fmt::format("the model has {} coordinates and {} names", dim, own.parameters.size()));
  }
  if (own.priors.empty() != own.log_prior.has_value())
    refuse("the model needs priors or log_prior, not both");
  if (!own.log_prior && !fits(own.priors.size())) {
    refuse(fmt::format("the model has {} coordinates and {} priors", dim, own.priors.size()));
  }
  for (const CoefficientPrior& prior : own.priors) {
    prior.check();
    if (prior.family == PriorFamily::flat && !config.allow_flat && !config.not_private)
      refuse("a flat prior with noisy data may have no posterior: choose another, or set allow_flat");
  }
  if (own.start && !(fits(own.start->size()) && own.start->allFinite())) {
    refuse(fmt::format("start must be {} finite numbers", dim));
  }
  if (own.posterior_scale && !(fits(own.posterior_scale->size()) && own.posterior_scale->allFinite() &&
                               own.posterior_scale->minCoeff() > 0)) {
    refuse(fmt::format("posterior_scale must be {} numbers > 0", dim));
  }
  if (!(own.expected_rows >= 1)) refuse("expected_rows must be at least 1");
  if (own.unit.rows_per_unit < 1) refuse("a unit of privacy holds at least one row");
  const Glm* glm = own.model.as<Glm>();
  const std::size_t pieces = glm == nullptr ? 1 : glm->pieces().count;
  if (own.unit.pieces != pieces || own.unit.rows_per_unit % pieces != 0)
    refuse("unit.pieces must be the model's, and divide unit.rows_per_unit");
}

/// No row tells more about a coordinate than the square of its longest gradient, so the posterior is hardly narrower.
Position posterior_scale(const OwnModel& own, const Position& start, double rows) {
  Position sd(start.size());
  for (Eigen::Index j = 0; j < sd.size(); ++j) {
    const double steepest = own.model.gradient_bound(start, Position::Unit(sd.size(), j)).norm;
    double precision = 1;
    if (!own.log_prior) {
      const CoefficientPrior& prior = own.priors[static_cast<std::size_t>(j)];
      precision = prior.family == PriorFamily::flat ? 0 : 1 / (prior.scale * prior.scale);
    }
    sd[j] = 1 / std::sqrt(rows * steepest * steepest + precision);
    if (!(sd[j] > 0 && std::isfinite(sd[j]))) {
      refuse(fmt::format("the bound on gradients says nothing of {}: set posterior_scale",
                         own.parameters[static_cast<std::size_t>(j)]));
    }
  }
  return sd;
}

}  // namespace

Problem own_problem(const FitConfig& config, OwnModel own) {
  check(config, own);
  if (!config.start.empty()) refuse("a program's own model starts where OwnModel::start says: drop [start]");
  const double power = config.model.likelihood_power;
  Problem problem{.public_info = {}, .model = own.model, .rows = std::move(own.rows), .unit = own.unit};
  PublicProblem& public_info = problem.public_info;
  public_info.own = true;
  public_info.title = own.title;
  public_info.model = "a model of one's own";
  public_info.person = own.person;
  public_info.privacy_unit = in_words(own.unit, own.person);
  public_info.start = own.start.value_or(Position::Zero(own.model.dim()));
  public_info.prior_scale = own.posterior_scale
                                ? *own.posterior_scale
                                : posterior_scale(own, public_info.start, own.expected_rows * power);
  public_info.parameters = std::move(own.parameters);
  const bool as_they_are = !own.to_report;
  public_info.to_report = as_they_are ? [](const Position& x) { return x; } : std::move(own.to_report);
  if (public_info.to_report(public_info.start).size() != own.model.dim())
    refuse("to_report must keep the number of coordinates");
  if (own.log_prior) {
    public_info.prior = std::move(*own.log_prior);
    for (const std::string& name : public_info.parameters)
      public_info.prior_descriptions.push_back({.parameter = name, .distribution = "a density of one's own"});
  } else {
    public_info.coefficient_priors = std::move(own.priors);
    public_info.prior = product(public_info.coefficient_priors);
    public_info.prior_descriptions = describe_priors(public_info, as_they_are ? "" : " before to_report");
  }
  state_bounds(problem, power);
  return problem;
}

Problem own_problem(const FitConfig& config, const Table& table, const std::vector<std::string>& columns,
                    OwnModel own) {
  if (!config.owners.empty())
    refuse("several owners' tables are not for a model of one's own: drop [[owner]], and name one table");
  refuse_no_rows(table);
  own.rows = [&table, columns] { return column_rows(table, columns); };
  own.unit = unit_of(table.schema());
  own.person = table.schema().unit.person;
  const std::optional<double> rows = public_rows(table);
  if (rows) own.expected_rows = *rows;
  Problem problem = own_problem(config, std::move(own));
  problem.public_info.rows = rows;
  return problem;
}

}  // namespace sotto
