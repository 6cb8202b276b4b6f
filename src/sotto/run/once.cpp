#include "sotto/run/once.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_posterior.hpp"
#include "sotto/posterior/prior_sensitivity.hpp"
#include "sotto/run/categorical_once.hpp"
#include "sotto/run/location_once.hpp"
#include "sotto/run/once_warnings.hpp"
#include "sotto/run/regression_problem.hpp"

namespace sotto {
namespace {

/// Each column's mean and standard deviation if variables were uniform over what the domain allows.
void guess_spreads(const Domain& domain, OnceFacts& facts) {
  facts.column_mean = Position::Zero(domain.columns());
  facts.column_sd = Position::Zero(domain.columns());
  facts.range.assign(static_cast<std::size_t>(domain.columns()), {0, 0});
  for (const DomainComponent& component : domain.components()) {
    for (Eigen::Index j = 0; j < component.vertices.cols(); ++j) {
      const Eigen::Index column = component.columns[static_cast<std::size_t>(j)];
      const auto values = component.vertices.col(j).array();
      const double width = values.maxCoeff() - values.minCoeff();
      const bool interval = component.vertices.rows() == 2 && component.vertices.cols() == 1 &&
                            !facts.indicator[static_cast<std::size_t>(column)];
      facts.range[static_cast<std::size_t>(column)] = {values.minCoeff(), values.maxCoeff()};
      facts.column_mean[column] = values.mean();
      facts.column_sd[column] =
          interval ? width / std::sqrt(12.0) : std::sqrt((values - values.mean()).square().mean());
      if (!(width > 0) && facts.column_mean[column] == 0) facts.column_mean[column] = 1;  // always zero
      if (!(width > 0) && column > 0) facts.column_sd[column] = 1;
    }
  }
}

/// All levels of a category have columns of their own where there is no intercept: what they add up to 1 with.
Position constant_levels(const Domain& domain) {
  constexpr double kRounding = 1e-9;
  for (const DomainComponent& component : domain.components()) {
    const Matrix& vertices = component.vertices;
    Matrix products = vertices.transpose() * vertices;
    products.diagonal() *= 1 + 1e-12;
    const Cholesky weight(products);
    if (!weight.is_positive_definite()) continue;
    Position levels = weight.solve(Position(vertices.colwise().sum().transpose()));
    levels = (levels.array().abs() < kRounding * levels.cwiseAbs().maxCoeff()).select(0, levels);
    const double off = ((vertices * levels).array() - 1).abs().maxCoeff();
    if (!(off < kRounding)) continue;
    Position constant = Position::Zero(domain.columns());
    constant(component.columns) = levels;
    return constant;
  }
  return {};
}

std::optional<CoefficientPrior> own_prior(const FitConfig& config, const std::string& name) {
  const auto found = config.priors.find(name);
  if (found != config.priors.end()) return found->second;
  if (config.default_prior_given) return config.default_prior;
  return std::nullopt;
}

/// Whether a column's coefficient varies between a category's levels: how wide its interval is depends on how far it does.
bool varies(const OnceFacts& facts, Eigen::Index column) {
  return std::any_of(facts.groups.begin(), facts.groups.end(),
                     [column](const VaryingColumns& group) { return group.mean == column; });
}

/// The priors that were used, on the scale of the report. A normal stand-in's numbers where priors are of other families.
std::vector<PriorDescription> describe(const FitConfig& config, const PublicProblem& problem,
                                       const OnceRelease& release) {
  const Eigen::Index d = release.facts.dim();
  const auto coefficients = static_cast<std::size_t>(release.facts.unknown());
  const Cholesky precision(release.prior.normal.precision);
  std::vector<PriorDescription> descriptions = problem.prior_descriptions;
  const std::vector<PriorDescription> of_groups = problem.groups.describe(release.prior.group_scales);
  descriptions.resize(descriptions.size() - of_groups.size());  // those are last, of another scale
  descriptions.insert(descriptions.end(), of_groups.begin(), of_groups.end());
  if (!precision.is_positive_definite()) return descriptions;  // a flat direction has no numbers
  const Matrix covariance = precision.inverse();
  const Position zero = Position::Zero(static_cast<Eigen::Index>(problem.coordinates.size()));
  const Position origin = problem.to_report(zero).head(release.facts.unknown());
  Matrix linear(origin.size(), d);
  for (Eigen::Index j = 0; j < d; ++j) {
    Position unit = zero;
    unit[j] = 1;
    linear.col(j) = problem.to_report(unit).head(origin.size()) - origin;
  }
  const Position mean = origin + linear * release.prior.normal.location;
  const Position sd = (linear * covariance * linear.transpose()).diagonal().cwiseSqrt();
  for (PriorDescription& description : descriptions) {
    const auto at = std::find(problem.parameters.begin(), problem.parameters.end(), description.parameter) -
                    problem.parameters.begin();
    if (static_cast<std::size_t>(at) >= coefficients || problem.groups.has(at) ||
        own_prior(config, description.parameter))
      continue;
    // Scales of a t, not its standard deviation, stand in what is written of it.
    const bool slope = release.prior.slopes.has(at);
    const double scale = slope ? sd[at] * JointStudentT::kScale : sd[at];
    const CoefficientPrior prior = slope ? JointStudentT::alone(mean[at], scale)
                                         : CoefficientPrior{PriorFamily::normal, mean[at], scale};
    description.distribution = prior.text() + (slope ? ", their scale shared, from the columns' spreads"
                                                     : ", from the columns' spreads");
    description.mean = description.q50 = mean[at];
    description.sd = sd[at];
    description.q05 = prior.quantile(0.05);
    description.q95 = prior.quantile(0.95);
  }
  return descriptions;
}

/// What a row of the table adds, on average, to what is counted as rows: thresholds are counted one by one, and times at risk by how
/// long they were; half of these are taken to have the event before the end.
double counted_of_a_row(const OnceFacts& facts) {
  constexpr double kLived = 0.72;
  if (facts.link == Link::log_rate) return kLived * facts.pieces;
  return facts.thresholds ? facts.pieces : 1;
}

/// The intercept in original units is another than that of the scaled columns: what is told of a parameter is what is reported of it.
void take_reported(const std::vector<std::pair<std::string, double>>& reported,
                   const std::vector<std::string>& parameters,
                   std::vector<OnceVerdict::Sensitive>& sensitive) {
  for (auto& one : sensitive) {
    const auto of = std::ranges::find(reported, parameters[static_cast<std::size_t>(one.column)],
                                      &std::pair<std::string, double>::first);
    if (of != reported.end()) one.sensitivity = of->second;
  }
  std::erase_if(sensitive, [](const auto& one) { return !(one.sensitivity > kPriorSensitive); });
}

/// `declared`: rows that a person may have.
std::vector<std::string> told_of_persons(const OnceRelease& release, std::size_t declared) {
  const UnitSizes& sizes = *release.facts.unit_sizes;
  const BoundsPlan& plan = release.rounds.back().plan;
  constexpr double kMany = 0.25;     // of the rows
  constexpr double kLeftOut = 0.03;  // of the rows' weight
  constexpr double kUnequal = 0.1;   // of the rows: are of persons with more than twice the mean number
  std::vector<std::string> told{"Note: rows of a person may be alike, and intervals allow for it."};
  if (1 - plan.kept > kLeftOut && sizes.share_beyond(2 * sizes.mean()) > kUnequal) {
    told.emplace_back(
        "Persons with many rows, and those whose rows are far from the others, count less than all of their "
        "rows would. Where how many rows a person has goes with the responses, as where the ill come often, "
        "effects and sigma are nearer to those of persons with few rows than an average over all rows is, by "
        "more than intervals say. A larger epsilon leaves out less; one row a person has no such doubt.");
  }
  const double most = plan.unit_rows;
  const double more = static_cast<double>(declared) - most;
  // Of rows that hardly anybody sees nobody knows who has how many.
  if (more <= 0 || !release.rows_seen || release.few_usable) return told;
  const bool many = sizes.hidden * more > kMany * sizes.rows();
  told.push_back(
      fmt::format("{}Persons with more than {:g} row{}, of whom the noise may hide up to about {:.0f}, count "
                  "as {:g} each{}",
                  many ? "" : "Note: ", most, most == 1 ? "" : "s", sizes.hidden, most,
                  many ? ": should they hold many of the rows and differ from the others, effects are off. "
                         "Declare as maximum_rows what "
                         "hardly anyone passes."
                       : "."));
  return told;
}

/// Of a position, but for a constant: shape (parameters, dim). Linear but for sigma, which normal responses have.
Matrix what_is_reported(const PublicProblem& known) {
  const auto dim = static_cast<Eigen::Index>(known.coordinates.size());
  const Position origin = known.to_report(Position::Zero(dim));
  Matrix map(origin.size(), dim);
  for (Eigen::Index j = 0; j < dim; ++j) map.col(j) = known.to_report(Position::Unit(dim, j)) - origin;
  return map;
}

/// Of normal residuals: the relative standard deviation of sigma's draws over what so many rows leave.
double sigma_inflation(const std::vector<double>& draws, const OnceRelease& release) {
  const auto count = static_cast<double>(draws.size());
  double mean = 0;
  for (const double sigma : draws) mean += sigma / count;
  double variance = 0;
  for (const double sigma : draws) variance += (sigma - mean) * (sigma - mean) / count;
  const double free = std::max(release.rows - static_cast<double>(release.facts.unknown()), 1.0);
  return std::max(std::sqrt(2 * free * variance) / mean, 1.0);
}

}  // namespace

OnceSettings once_settings(const FitConfig& config, const PublicProblem& problem, const Glm& model,
                           const PrivacyUnit& unit, Rho cost) {
  OnceSettings settings;
  OnceFacts& facts = settings.facts;
  facts.link = known_link(model.family());
  if (const auto* sigma = sigma_of(model.family())) facts.sigma = *sigma;
  facts.response = model.response();
  facts.steps = problem.steps;
  facts.intercept = problem.intercept;
  facts.indicator = problem.indicator;
  facts.factors = problem.factors;
  facts.from_zero = problem.from_zero;
  facts.codes = problem.codes;
  guess_spreads(model.domain(), facts);
  if (!facts.intercept) facts.levels = constant_levels(model.domain());
  // How much time was lived through is not public.
  (facts.link == Link::log_rate ? facts.times : facts.rows) = problem.rows;
  facts.adjacency = unit.adjacency;
  facts.pieces = static_cast<double>(unit.pieces);
  if (has_thresholds(model.family())) {
    facts.thresholds = model.pieces().first;
    if (facts.rows) *facts.rows *= facts.pieces;
  }
  if (unit.side_by_side) facts.side_by_side = unit.rows_per_unit;
  if (!unit.is_row && unit.table_rows() > kMostSideBySide) {
    refuse(fmt::format("release-once takes at most {0} rows a person: set maximum_rows to {0} or less",
                       kMostSideBySide));
  }
  const std::size_t one_by_one = unit.side_by_side ? 1 : unit.table_rows();
  facts.unit_rows = static_cast<double>(one_by_one) * std::sqrt(static_cast<double>(problem.owners));
  settings.cost = cost;
  for (Eigen::Index j = 0; j < model.domain().columns(); ++j) {
    if (problem.thresholds.has(j) && j > 0) {
      settings.priors.emplace_back(problem.thresholds.prior(j));
      continue;
    }
    settings.priors.push_back(own_prior(config, problem.coordinates[static_cast<std::size_t>(j)]));
    if (problem.prior_shift[j] != 0 && (j > 0 || settings.priors.back())) {
      CoefficientPrior prior = settings.priors.back().value_or(CoefficientPrior{});
      prior.location += problem.prior_shift[j];
      settings.priors.back() = prior;
    }
  }
  facts.offset = problem.offset;
  facts.groups = problem.groups.columns();
  if (facts.offset) settings.priors.back() = known_coefficient(*facts.offset);
  if (model.unknown_sigma()) {
    const auto found = config.priors.find("sigma");
    if (found != config.priors.end()) settings.sigma_prior = found->second;
  }
  return settings;
}

std::vector<std::string> in_sentences(OnceVerdict verdict, const OnceRelease& release,
                                      const PublicProblem& problem) {
  if (problem.yes_or_no)
    std::erase_if(verdict.at_bounds, [](const AtBound& end) { return end.column == AtBound::kResponse; });
  std::vector<std::string> coordinates = problem.coordinates;
  problem.thresholds.name(coordinates);
  return once_warnings(verdict, release.facts, coordinates);
}

void run_release_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                      QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record,
                      const RowsReleased& released) {
  if (problem.model.as<LocationModel>() != nullptr) {
    run_location_once(config, problem, draws, owner, cost, progress, record);
    return;
  }
  if (problem.model.as<distribution::Categorical>() != nullptr) {
    run_categorical_once(config, problem, draws, owner, cost, progress, record);
    return;
  }
  const Glm* glm = problem.model.as<Glm>();
  if (glm == nullptr) {
    throw Error(ErrorCode::configuration,
                "release-once is for regressions, normal means and categories: choose penalty or hmc");
  }
  const PublicProblem& known = problem.public_info;
  OnceSettings settings = once_settings(config, known, *glm, problem.unit, cost);
  settings.go_on = [&] { return progress(0, draws); };
  settings.counted = [&](double counted) {
    if (released && !known.rows) released(counted / counted_of_a_row(settings.facts));
  };
  const OnceRelease release = release_once(settings, owner);
  if (config.rehearsal && hidden_by_noise(release)) {
    record.manifest.configuration["release_once"] = {{"noise_dominates", true}};
    return;
  }
  OncePosterior posterior =
      sample_once(settings, release,
                  {.chains = config.method.chains,
                   .draws = draws,
                   .seed = config.method.seed,
                   .threads = static_cast<std::size_t>(threads_of(config)),
                   .progress = [&](std::size_t done) { return progress(done, draws); }});
  OnceVerdict verdict = check_once(release, posterior,
                                   release.facts.link == Link::identity ? Matrix() : what_is_reported(known));
  constexpr double kHardlyWider = 1.2;  // than without noise
  std::erase_if(verdict.hidden, [&](Eigen::Index j) {
    const bool held = posterior.sd_inflation[j] < kHardlyWider &&
                      own_prior(config, known.coordinates[static_cast<std::size_t>(j)]);
    if (held) verdict.held.push_back(j);
    return held;
  });
  record.unreliable = verdict.unreliable;
  for (Chain& chain : posterior.chains) {
    Matrix reported(chain.draws.rows(), static_cast<Eigen::Index>(known.parameters.size()));
    for (Eigen::Index i = 0; i < reported.rows(); ++i) {
      reported.row(i) = known.to_report(chain.draws.row(i));
      known.thresholds.rearrange(reported.row(i));
    }
    chain.draws = std::move(reported);
  }
  record.draws.chains = std::move(posterior.chains);
  known.groups.complete(record.draws, release.prior.group_scales, config.method.seed);
  for (std::size_t j = 0; j < record.draws.parameters.size(); ++j) {
    record.prior_sensitivity.emplace_back(
        record.draws.parameters[j],
        prior_sensitivity(pooled(record.draws, static_cast<Eigen::Index>(j)), posterior.log_prior));
  }
  take_reported(record.prior_sensitivity, known.parameters, verdict.sensitive);
  record.markov_chain = false;
  record.priors = describe(config, known, release);
  if (!config.default_prior_given)
    record.manifest.configuration["prior"]["default"] =
        "from the columns' spreads, as released or, where the noise hides them, as their bounds are";
  for (std::string& sentence : in_sentences(verdict, release, known))
    record.warnings.push_back(std::move(sentence));
  if (release.facts.unit_sizes) {
    for (std::string& sentence : told_of_persons(release, problem.unit.rows_per_unit))
      record.warnings.push_back(std::move(sentence));
  }
  for (std::string& sentence : known.thresholds.warnings(release.hardly_any))
    record.warnings.push_back(std::move(sentence));
  // The intercept is left out, and thresholds: in original units they mix with the other coefficients. So are slopes that vary.
  for (Eigen::Index j = known.intercept ? 1 : 0; j < release.facts.unknown(); ++j) {
    if (!known.groups.has(j) && !varies(release.facts, j) && !release.facts.is_threshold(j) &&
        !verdict.noise_dominates)
      record.sd_inflation.emplace_back(known.parameters[static_cast<std::size_t>(j)],
                                       std::max(posterior.sd_inflation[j], 1.0));
  }
  const auto sigma = std::ranges::find(record.draws.parameters, "sigma");
  if (release.facts.has_sigma() && !release.facts.unit_sizes && !verdict.noise_dominates &&
      sigma != record.draws.parameters.end()) {
    const auto at = static_cast<Eigen::Index>(sigma - record.draws.parameters.begin());
    record.sd_inflation.emplace_back("sigma", sigma_inflation(pooled(record.draws, at), release));
  }
  record.manifest.configuration["release_once"] = {
      {"predictor_sd", release.predictor_sd * release.predictor_unit},
      {"dispersion", release.pooled.dispersion},
      {"count_dispersion", release.facts.link == Link::log && release.spread.hidden
                               ? nlohmann::ordered_json(nullptr)
                               : nlohmann::ordered_json(release.spread.found_dispersion)},
      {"rounds", release.rounds.size()},
      {"unit_rows", release.rounds.back().plan.unit_rows},
      {"score_width", release.rounds.back().plan.width},
      {"noise_dominates", verdict.noise_dominates}};
}

}  // namespace sotto
