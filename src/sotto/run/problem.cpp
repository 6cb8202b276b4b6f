#include "sotto/run/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/measurement/gradient.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/model/design.hpp"
#include "sotto/model/design_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Family family_of(const ModelConfig& model) {
  if (const auto family = find_family(model.family, model.sigma)) return *family;
  std::vector<std::string> known{"normal-mean", "banana"};
  for (const Family& family : families()) {
    std::visit(
        [&](const auto& f) {
          known.insert(known.end(), {std::string(f.name), std::string(f.alias)});
        },
        family);
  }
  const bool logistic = model.family == "logistic" || model.family == "logit";
  refuse(fmt::format("model.family is {}: choose {}, normal-mean or banana{}", model.family, family_names(),
                     logistic ? "; logistic regression is bernoulli" : suggestion(model.family, known)));
}

/// Neighbours that differ by substituting one row have the same number of rows, which is then public.
std::optional<double> public_rows(const Table& table) {
  const Schema& schema = table.schema();
  if (schema.adjacency != Adjacency::substitute || !schema.unit.is_row()) return std::nullopt;
  return static_cast<double>(table.rows());
}

std::vector<CoefficientPrior> priors_for(const FitConfig& config, const PublicProblem& problem) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < problem.parameters.size(); ++j) {
    if (!problem.groups.has(static_cast<Eigen::Index>(j))) names.push_back(problem.parameters[j]);
  }
  for (const auto& [name, prior] : config.priors) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse(fmt::format("prior.parameter.{} names no parameter of this model: they are {}", name,
                         fmt::join(names, ", ")));
    }
  }
  std::vector<CoefficientPrior> priors;
  for (const std::string& name : problem.coordinates) {
    const bool reported =
        std::find(problem.parameters.begin(), problem.parameters.end(), name) != problem.parameters.end();
    const auto found = config.priors.find(name);
    priors.push_back(!reported                      ? known_coefficient(*problem.offset)
                     : found == config.priors.end() ? config.default_prior
                                                    : found->second);
    const auto column = static_cast<Eigen::Index>(priors.size()) - 1;
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
  const std::vector<VaryingIntercepts> groups = problem.groups.priors(problem.group_scale);
  return {[others, groups](const Position& x) {
            double sum = others.log_density(x);
            for (const VaryingIntercepts& group : groups) sum += group.log_density(x);
            return sum;
          },
          [others, groups](const Position& x) {
            Position slope = others.gradient(x);
            for (const VaryingIntercepts& group : groups) group.add_slope(x, slope);
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

Problem regression(FitConfig config, const Table& table, std::optional<double> rows) {
  const ModelConfig& model = config.model;
  const Design design(parse_formula(model.formula), table.schema(), model.cuts);
  const Response& response = design.response();
  const Family family = family_of(model);
  std::visit(
      [&](const auto& f) {
        const bool time = response.kind == ResponseKind::time || f.response == ResponseKind::time;
        if (time ? response.kind != f.response : response.kind > f.response) refuse(std::string(f.needs));
      },
      family);
  const Glm glm(family, design.domain(), response.range, design.pieces());
  Problem problem{.public_info = {},
                  .model = glm,
                  .rows = [&table, design] { return design_rows(table, design); },
                  .unit = {}};
  PublicProblem& public_info = problem.public_info;
  public_info.title = model.formula;
  public_info.model = std::visit([](const auto& f) { return f.title(); }, family);
  public_info.rows = rows;
  public_info.intercept = design.has_intercept();
  const SchemaColumn& declared = response.source.declared;
  if (declared.out_of_range == OutOfRangePolicy::missing && response.source.levels.empty()) {
    public_info.warnings.push_back(fmt::format(
        "Rows whose {} lies outside {:g} to {:g} are left out, as the schema says (out_of_range). Should "
        "there be such rows, "
        "the fit is of the others alone, whose effects are smaller: declare bounds that hold all responses.",
        declared.name, declared.bounds.lower, declared.bounds.upper));
  }
  public_info.parameters = public_info.coordinates = design.names();
  public_info.offset = design.offset();
  public_info.groups = Groups(design.groups());
  for (Eigen::Index j = 0; j < design.columns(); ++j) {
    const auto& parts = design.column(j).parts;
    const Interval& range = design.column(j).range;
    public_info.from_zero.push_back(range.lower == 0);
    public_info.codes.push_back(range.width() <= kLongestScale && range.lower == std::floor(range.lower) &&
                                range.upper == std::floor(range.upper));
    public_info.indicator.push_back(
        !parts.empty() && std::all_of(parts.begin(), parts.end(), [&design](const auto& part) {
          return part.level.has_value() || design.sources()[part.source].declared.kind == ColumnKind::binary;
        }));
  }
  public_info.start = Position::Zero(glm.dim());
  if (sigma_of(family) != nullptr) {
    scale_default_prior(config, response.range, design.has_intercept());
    public_info.group_scale = response.range.width() / 4;
  }
  Matrix original = design.original_from_scaled();
  if (design.offset()) {
    public_info.parameters.pop_back();
    public_info.start[design.columns() - 1] = *design.offset();
    original.conservativeResize(design.columns() - 1, Eigen::NoChange);
  }
  const Position shift = design.of_hazards().head(original.rows());
  if (glm.unknown_sigma()) {
    public_info.parameters.emplace_back("sigma");
    public_info.coordinates.emplace_back("sigma");
    // Half the response's range is a generous residual; its log gets a prior of its own unless one is given.
    const double middle = std::log(response.range.width() / 4);
    config.priors.try_emplace("sigma", CoefficientPrior{PriorFamily::normal, middle, 1.5});
    public_info.start[design.columns()] = middle;
    public_info.to_report = [original](const Position& x) {
      Position reported(original.rows() + 1);
      reported.head(original.rows()) = original * x.head(original.cols());
      reported[original.rows()] = std::exp(x[original.cols()]);
      return reported;
    };
  } else {
    public_info.to_report = [original, shift](const Position& x) { return Position(original * x + shift); };
  }
  Position known = public_info.start;  // an offset's coefficient is
  known.head(original.rows()).setZero();
  public_info.from_report =
      [known, back = inverse(original.leftCols(original.rows())),
       origin = Position(original * known.head(original.cols()) + shift)](const Position& reported) {
        Position x = known;
        x.head(back.rows()) = back * (reported.head(back.rows()) - origin);
        if (reported.size() > back.rows()) x[x.size() - 1] = std::log(reported[reported.size() - 1]);
        return x;
      };
  public_info.prior_shift = -design.of_hazards();
  public_info.prior_shift[0] = 0;
  public_info.coefficient_priors = priors_for(config, public_info);
  if (design.has_intercept()) public_info.start[0] = public_info.coefficient_priors[0].location;
  public_info.prior = prior_of(public_info);
  for (const PriorDescription& prior : describe_priors(public_info, " on the scaled column")) {
    const auto at = std::find(public_info.parameters.begin(), public_info.parameters.end(), prior.parameter);
    if (!public_info.groups.has(at - public_info.parameters.begin()))
      public_info.prior_descriptions.push_back(prior);
  }
  for (const PriorDescription& prior : public_info.groups.describe(public_info.group_scale)) {
    public_info.prior_descriptions.push_back(prior);
  }
  public_info.prior_scale = prior_scale(glm, public_info);
  public_info.reach = reach(glm, public_info);
  return problem;
}

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

/// Both models share their prior: the mean's coordinates are independent normal, which for the banana is the bent prior of
/// [R21, Theorem 5].
Problem location(const FitConfig& config, const Table& table, std::optional<double> public_rows) {
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

/// What is not named stays where it is at the usual start.
std::optional<Position> chosen_start(const std::map<std::string, double>& start,
                                     const PublicProblem& problem) {
  if (start.empty()) return std::nullopt;
  Position reported = problem.to_report(problem.start);
  for (const auto& [name, value] : start) {
    const auto found = std::find(problem.parameters.begin(), problem.parameters.end(), name);
    if (found == problem.parameters.end()) {
      refuse(fmt::format("start.{} names no parameter of this model: they are {}{}", name,
                         fmt::join(problem.parameters, ", "), suggestion(name, problem.parameters)));
    }
    if (name == "sigma" && !problem.coordinates.empty() && problem.coordinates.back() == "sigma" &&
        !(value > 0))
      refuse("start.sigma must be > 0");
    reported[found - problem.parameters.begin()] = value;
  }
  const Position position = problem.from_report(reported);
  const bool far =
      problem.reach.size() > 0 && ((position - problem.start).array().abs() > problem.reach.array()).any();
  if (far || !position.allFinite())
    refuse("start lies where responses and priors allow no posterior: choose one nearer to where it may be");
  return position;
}

/// Columns and their meaning are the table's; `rows`: of all owners together, where their number is public.
Problem problem_of(const FitConfig& config, const Table& table, std::optional<double> rows) {
  Problem problem =
      is_location(config.model) ? location(config, table, rows) : regression(config, table, rows);
  const UnitDeclaration& unit = table.schema().unit;
  const Glm* glm = problem.model.as<Glm>();
  const std::size_t pieces = glm == nullptr ? 1 : glm->pieces().count;
  problem.unit = {.adjacency = table.schema().adjacency,
                  .rows_per_unit = pieces * (unit.is_row() ? 1 : unit.maximum_rows),
                  .is_row = unit.is_row(),
                  .pieces = pieces};
  problem.public_info.privacy_unit = in_words(problem.unit);
  problem.public_info.chosen_start = chosen_start(config.start, problem.public_info);
  state_bounds(problem, config.model.likelihood_power);
  return problem;
}

/// Neighbours have equally many units, and a table of no rows has none: that is public.
void refuse_no_rows(const Table& table) {
  if (table.rows() == 0 && table.schema().adjacency == Adjacency::substitute)
    throw Error(ErrorCode::data, "the table has no rows: nothing was spent");
}

Rows joined(const std::vector<std::function<Rows()>>& owners) {
  std::vector<Rows> parts;
  std::size_t count = 0;
  for (const auto& rows : owners) {
    parts.push_back(rows());
    count += parts.back().rows();
  }
  Rows all(count, parts.front().columns());
  std::size_t at = 0;
  for (const Rows& part : parts) {
    for (std::size_t i = 0; i < part.rows(); ++i, ++at) {
      for (std::size_t j = 0; j <= part.columns(); ++j) all.at(at, j) = part.at(i, j);
    }
  }
  return all;
}

}  // namespace

std::string in_words(const PrivacyUnit& unit) {
  const std::size_t rows = unit.table_rows();
  if (unit.is_row && rows == 1) return "one row";
  return fmt::format("one person (at most {} row{})", rows, rows == 1 ? "" : "s");
}

void state_bounds(Problem& problem, double likelihood_power) {
  const OwnerContext context{problem.model, problem.unit, likelihood_power};
  problem.public_info.ratio_sensitivity = [context](const Position& from, const Position& to) {
    const auto range = contribution_range({from, to, Rho(0)}, context);
    if (!range) return std::numeric_limits<double>::infinity();
    return ratio_noise(*range, context.unit, Rho(0), 1)->sensitivity * kLogDensityGrid;
  };
  problem.public_info.ratio_bound = [context](const Position& from, const Position& to) {
    const auto range = contribution_range({from, to, Rho(0)}, context);
    if (!range) return std::numeric_limits<double>::infinity();
    return static_cast<double>(std::max(-range->lower, range->upper)) * kLogDensityGrid;
  };
  problem.public_info.gradient_norm = [context](const Position& at, const Position& scale) {
    return gradient_bound(at, scale, context).norm;
  };
}

/// From 20,000 draws of the prior: exact enough for a figure.
std::vector<PriorDescription> describe_priors(const PublicProblem& problem, const std::string& where) {
  constexpr Eigen::Index count = 20000;
  const std::vector<CoefficientPrior>& priors = problem.coefficient_priors;
  ChainRng rng(20260101);
  Matrix draws(count, static_cast<Eigen::Index>(problem.parameters.size()));
  Position position(static_cast<Eigen::Index>(priors.size()));
  for (Eigen::Index i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < priors.size(); ++j) {
      const double u = (static_cast<double>(rng.below(std::size_t{1} << 52)) + 0.5) * 0x1p-52;
      position[static_cast<Eigen::Index>(j)] = priors[j].quantile(u);
    }
    draws.row(i) = problem.to_report(position);
  }
  std::vector<PriorDescription> descriptions;
  const auto coordinate = [&](const std::string& name, std::size_t parameter) {
    const auto& all = problem.coordinates;  // of a program's own model: none
    const auto found = std::find(all.begin(), all.end(), name);
    return found == all.end() ? parameter : static_cast<std::size_t>(found - all.begin());
  };
  for (Eigen::Index j = 0; j < draws.cols(); ++j) {
    PriorDescription d;
    d.parameter = problem.parameters[static_cast<std::size_t>(j)];
    d.distribution = priors[coordinate(d.parameter, static_cast<std::size_t>(j))].text() + where;
    Eigen::VectorXd column = draws.col(j);
    if (column.allFinite()) {
      std::sort(column.begin(), column.end());
      d.mean = column.mean();
      d.sd = std::sqrt((column.array() - d.mean).square().mean());
      d.q05 = column[count / 20];
      d.q50 = column[count / 2];
      d.q95 = column[count - count / 20];
    }
    descriptions.push_back(std::move(d));
  }
  return descriptions;
}

std::vector<std::string> columns_read(const ModelConfig& model) {
  if (is_location(model)) return model.columns;
  static_cast<void>(family_of(model));
  if (model.formula.empty()) refuse("which model? give --formula, or model.formula, as in \"y ~ x1 + x2\"");
  return parse_formula(model.formula).columns();
}

Problem make_problem(const FitConfig& config, const Table& table) {
  if (!config.owners.empty())
    refuse("several owners' tables are for sotto fit alone: drop [[owner]], and name one table");
  refuse_no_rows(table);
  return problem_of(config, table, public_rows(table));
}

Problem make_problem(const FitConfig& config, std::span<const Table> owners) {
  if (owners.size() < 2) refuse("[[owner]] is for several tables: name at least two, or one by data.file");
  std::optional<double> rows = 0;
  for (const Table& table : owners) {
    refuse_no_rows(table);
    if (!table.schema().unit.is_row()) {
      refuse(
          "one person may have rows at several owners, each of whom protects only those of its own: with "
          "[[owner]] the unit of privacy must be a row");
    }
    const std::optional<double> own = public_rows(table);
    rows = rows && own ? std::optional(*rows + *own) : std::nullopt;
  }
  Problem problem = problem_of(config, owners.front(), rows);
  for (const Table& table : owners) problem.owners.push_back(problem_of(config, table, rows).rows);
  problem.rows = [all = problem.owners] { return joined(all); };
  problem.public_info.owners = owners.size();
  problem.public_info.privacy_unit += " of one owner's table";
  return problem;
}

}  // namespace sotto
