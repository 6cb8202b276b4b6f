#include "sotto/run/location_problem.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

Rows location_rows(const Table& table, const std::vector<std::string>& columns) {
  Rows rows(table.rows(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::span<const double> column = table.column(columns[j]);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (table.kept(i)) rows.at(i, j) = column[i];
    }
  }
  for (std::size_t i = 0; i < table.rows(); ++i) rows.weight(i) = table.kept(i) ? 1 : 0;
  return rows;
}

/// Of a row, whose covariance is known.
Matrix row_precision(const ModelConfig& model) {
  const std::size_t dim = model.columns.size();
  const auto size = static_cast<Eigen::Index>(dim);
  if (model.covariance.empty()) {
    if (model.sd.size() != dim)
      refuse("model.sd needs one standard deviation per column (or give model.covariance, a matrix)");
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

}  // namespace

/// Both models share their prior: the mean's coordinates are independent normal, which for the banana is the bent prior of
/// [R21, Theorem 5].
Problem location_problem(const FitConfig& config, const Table& table, std::optional<double> public_rows) {
  const ModelConfig& model = config.model;
  const auto dim = static_cast<Eigen::Index>(model.columns.size());
  if (dim == 0) refuse(fmt::format("a {} model needs model.columns", model.family));
  if (model.family == "banana" && dim < 2) refuse("a banana needs at least two columns");
  if (!config.priors.empty() || config.default_prior.family != PriorFamily::normal) {
    refuse(fmt::format("a {} model takes one normal prior for all coordinates: set prior.default",
                       model.family));
  }
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
                  .rows = [&table, columns = model.columns] { return location_rows(table, columns); },
                  .unit = {}};
  PublicProblem& public_info = problem.public_info;
  public_info.title = model.family == "banana" ? "banana" : "multivariate normal mean";
  public_info.model = fmt::format("{} of {} columns, known {}", public_info.title, dim,
                                  model.covariance.empty() ? "standard deviations" : "covariance");
  public_info.rows = public_rows;
  for (Eigen::Index j = 0; j < dim; ++j) public_info.parameters.push_back(fmt::format("theta.{}", j + 1));
  public_info.to_report = public_info.from_report = [](const Position& x) { return x; };
  const CoefficientPrior prior = config.default_prior;
  public_info.prior.log_density = [prior, bend](const Position& x) {
    const Position mean = bend.mean(x);
    double sum = 0;
    for (const double entry : mean) sum += prior.log_density(entry);
    return sum;
  };
  public_info.prior.gradient = [prior, bend](const Position& x) {
    Position slope = bend.mean(x);
    for (double& entry : slope) entry = prior.slope(entry);
    bend.pull_back(x, slope);
    return slope;
  };
  for (const std::string& name : public_info.parameters) {
    public_info.prior_descriptions.push_back(
        {.parameter = name, .distribution = prior.text() + " on the mean"});
  }
  const double rows = public_info.rows.value_or(1000) * model.likelihood_power;
  const Matrix posterior_precision =
      rows * precision + Matrix::Identity(dim, dim) / (prior.scale * prior.scale);
  public_info.prior_scale = posterior_precision.diagonal().cwiseSqrt().cwiseInverse();
  if (!model.covariance.empty() && model.family == "normal-mean")
    public_info.prior_covariance = inverse(posterior_precision);
  public_info.start = Position::Zero(dim);
  if (dim > 1) public_info.start[1] = -bend.mean(public_info.start)[1];
  return problem;
}

}  // namespace sotto
