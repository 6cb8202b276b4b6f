#include "sotto/run/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accountant/calibrate.hpp"
#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/statistic.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/distribution/gamma.hpp"
#include "sotto/model/families.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "sotto/proposal/normal_walk.hpp"
#include "sotto/run/owners.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/step_length.hpp"

namespace sotto {
namespace {

// Kept for the discreteness of the noise: of the cost of simple releases, and of a prepaid run's epsilon.
constexpr double kSlackOfCost = 1e-6;
constexpr double kSlackOfRun = 1e-3;

ExecutionOptions options(const FitConfig& config) {
  return {config.model.likelihood_power, threads_of(config)};
}

/// What the owner of a run is made from.
struct Making {
  const FitConfig& config;
  const Problem& problem;
  bool looks;  ///< first, for kPilotShare of the budget
  std::size_t steps;
  Ledger& ledger;
  EntropySource& entropy;
  const std::function<void()>& wanted;

  void ask_whether_wanted() const {
    if (wanted) wanted();
  }
  [[nodiscard]] Rho cost_of_look() const { return Rho(looks ? kPilotShare * ledger.left().value() : 0); }
  /// To a look, beside releases that are paid for together.
  [[nodiscard]] Rho granted_beside() const { return Rho(cost_of_look().value() * (1 + 2 * kSlackOfCost)); }
  /// Of releases that are paid for together, with what is granted beside them.
  [[nodiscard]] Target target(BoundKind kind) const { return target(kind, granted_beside()); }
  [[nodiscard]] Target target(BoundKind kind, Rho granted) const {
    return {.epsilon = Epsilon(ledger.epsilon().value() * (1 - kSlackOfRun)),
            .delta = ledger.delta(),
            .adjacency = problem.unit.adjacency,
            .kind = kind,
            .others = beside({CompositionEvent{}, 1}, granted)};
  }
  [[nodiscard]] OwnerContext context() const {
    return {problem.model, problem.unit, config.model.likelihood_power};
  }
  [[nodiscard]] std::unique_ptr<DataOwner> owner(Rows rows, Measure measure) const {
    return std::make_unique<DataOwner>(std::move(rows), std::move(measure), options(config).threads, ledger,
                                       entropy, std::make_unique<DiscreteGaussianMechanism>(entropy));
  }
  /// An owner whose way of answering has the rows that it needs.
  [[nodiscard]] std::unique_ptr<DataOwner> owner(Measure measure) const {
    return std::make_unique<DataOwner>(std::move(measure), ledger, entropy);
  }
};

std::unique_ptr<QueryInterface> all_rows(const Making& making) {
  if (!making.problem.owners.empty())
    return std::make_unique<Owners>(making.problem, options(making.config), making.ledger, making.entropy);
  return making.owner(making.problem.rows(), measure_all_rows(making.context()));
}

RunPlan serve_rows(const Making& making) {
  const Rho look = making.cost_of_look();
  RunPlan plan{.interface = all_rows(making),
               .step_budget = {.coefficients = {}},
               .look_cost = look,
               .steps_cost = Rho(making.ledger.left().value() - look.value())};
  share_among(making.steps, plan);
  return plan;
}

RunPlan serve_batches(const Making& making) {
  if (making.problem.unit.rows_per_unit != 1) {
    refuse("batches protect units of one row: choose penalty, hmc or release-once, or protect rows");
  }
  const double rate = making.config.method.rate;
  // Of the whole budget: what is paid for below leaves that of the look alone.
  const Rho look = making.cost_of_look();
  const Target target = making.target(BoundKind::tight);
  const double multiplier = smallest_noise(batch_event(rate, 1, making.steps), target);
  making.ask_whether_wanted();
  Measure measure =
      measure_batches(making.context(), {rate, multiplier, making.steps, making.granted_beside()},
                      making.ledger, target.epsilon);
  return {.interface = making.owner(making.problem.rows(), std::move(measure)),
          .step_budget = {.rate = rate, .noise_multiplier = multiplier, .coefficients = {}},
          .look_cost = look};
}

/// Gradients of batches, all paid for together; beside them a look, and a ratio of all rows a step.
RunPlan serve_batch_trajectories(const Making& making) {
  if (making.problem.unit.rows_per_unit != 1)
    refuse("batches protect units of one row: drop method.batch_rate, or protect rows");
  const double rate = making.config.method.batch_rate;
  const Rho look = making.cost_of_look();
  const Rho ratios((making.ledger.left().value() - look.value()) *
                   share_of_ratio(making.problem.public_info.start.size()));
  const Rho others(making.granted_beside().value() + ratios.value());
  const Target target = making.target(BoundKind::tight, others);
  const std::size_t gradients =
      making.steps * (static_cast<std::size_t>(making.config.method.leapfrog_steps) + 1);
  const double multiplier = smallest_noise(batch_event(rate, 1, gradients), target);
  making.ask_whether_wanted();
  Measure measure =
      measure_batches(making.context(), {rate, multiplier, gradients, others}, making.ledger, target.epsilon);
  return {.interface = making.owner(making.problem.rows(), std::move(measure)),
          .step_budget = {.step_cost =
                              Rho(ratios.value() * (1 - kSlackOfCost) / static_cast<double>(making.steps)),
                          .rate = rate,
                          .noise_multiplier = multiplier,
                          .coefficients = {}},
          .look_cost = look};
}

std::size_t size_of_batch(const Making& making, std::size_t rows) {
  if (!making.problem.unit.rows_are_public()) {
    refuse(
        "batches of fixed size need a public number of rows (adjacency \"substitute\") and units of one row: "
        "choose penalty or hmc");
  }
  return size_of_batch(making.config, rows);
}

RunPlan serve_batch_ratios(const Making& making) {
  Rows rows = making.problem.rows();
  const std::size_t batch = size_of_batch(making, rows.rows());
  const Rho look = making.cost_of_look();
  const double tau =
      smallest_noise(batch_ratio_event(1, batch, rows.rows(), making.steps), making.target(BoundKind::rdp));
  making.ask_whether_wanted();
  Measure measure = measure_batch_ratios(rows, making.context(),
                                         {batch, tau, making.steps, making.granted_beside()}, making.ledger);
  return {.interface = making.owner(std::move(rows), std::move(measure)),
          .step_budget = {.step_cost = Rho(1 / (2 * tau)), .coefficients = {}},
          .look_cost = look};
}

// The largest bound on a row's log ratio that the budget pays for at every step: shorter steps cost less.
VarianceCompletedPlan widest_plan(const Making& making, std::size_t rows, std::size_t batch) {
  const Target target = making.target(BoundKind::rdp);
  const auto fits = [&](double share) {
    const Event run = VarianceCompletedPlan::for_share(rows, batch, share).event(making.steps);
    return upper_epsilon(run, target.adjacency, target.delta, target.kind) <= target.epsilon.value();
  };
  if (fits(1)) return VarianceCompletedPlan::for_share(rows, batch, 1);
  double low = VarianceCompletedPlan::least_share(rows, batch);
  if (!fits(low))
    throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer steps");
  for (double high = 1; high > low * 1.001;) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return VarianceCompletedPlan::for_share(rows, batch, low);
}

/// The longest step of which at most one proposal in a hundred may pass the plan's bound: it would be rejected.
double step_within(const VarianceCompletedPlan& plan, const PublicProblem& problem) {
  const NormalWalk walk(Matrix(problem.prior_scale.cwiseAbs2().asDiagonal()));
  const double bound = static_cast<double>(plan.bound) * kLogDensityGrid;
  return longest_step(problem.start, walk, 0.01, [&](const Position& to) {
    return problem.ratio_bound(problem.start, to) > bound ? 1.0 : 0.0;
  });
}

/// Steps of the usual length that a chain's way after warmup is worth. Below this many nothing is drawn but the start.
constexpr double kFewestUsualSteps = 10;

/// Short steps cannot be bought off: rows' log ratios are bounded however large the budget.
void refuse_steps_that_never_arrive(const Making& making, double step) {
  const PublicProblem& problem = making.problem.public_info;
  const double relative = step / usual_step(problem.start);
  const double got = static_cast<double>(making.steps) / static_cast<double>(making.config.method.chains) /
                     2 * relative * relative;
  if (got >= kFewestUsualSteps) return;
  throw Error(
      ErrorCode::budget,
      fmt::format(
          "barker-subsampled would take steps of {:.2g} of the usual length and cross the "
          "posterior {:.2g} times, so its draws would tell where it began; choose penalty; nothing was "
          "spent",
          relative, got / 10));
}

RunPlan serve_variance_completed_ratios(const Making& making) {
  if (making.config.method.noise_variance != kVarianceCompletedVariance)
    refuse("barker-subsampled tops noise up to a variance of 2: drop method.noise_variance");
  const Rows rows = making.problem.rows();
  const std::size_t batch = size_of_batch(making, rows.rows());
  const VarianceCompletedPlan plan = widest_plan(making, rows.rows(), batch);
  double step = making.config.method.step_size;
  if (!(step > 0)) {
    step = step_within(plan, making.problem.public_info);
    refuse_steps_that_never_arrive(making, step);
  }
  making.ask_whether_wanted();
  return {making.owner(
              measure_variance_completed_ratios(rows, making.context(), plan, making.steps, making.ledger)),
          {.ratio_bound = static_cast<double>(plan.bound) * kLogDensityGrid,
           .step_size = step,
           .coefficients = {}}};
}

/// The rows are kept for a look alone.
std::unique_ptr<QueryInterface> statistic_and_look(const Making& making, Measure statistic) {
  if (!making.looks) return making.owner(std::move(statistic));
  return making.owner(making.problem.rows(), [statistic = std::move(statistic),
                                              all_rows = measure_all_rows(making.context())](const Query& q) {
    return std::holds_alternative<StatisticQuery>(q) ? statistic(q) : all_rows(q);
  });
}

template <RowStatistic S>
RunPlan serve_statistic(const Making& making, const S& statistic) {
  const Rho look = making.cost_of_look();
  Measure measure = measure_statistic(making.problem.rows(), statistic, making.problem.unit,
                                      options(making.config).threads);
  RunPlan plan{
      .interface = statistic_and_look(making, std::move(measure)),
      .step_budget = {.coefficients =
                          [statistic, power = making.config.model.likelihood_power](const Position& x) {
                            return Position(power * statistic.coefficients(x));
                          }},
      .look_cost = look,
      .steps_cost = Rho(making.ledger.left().value() - look.value())};
  share_among(making.steps, plan);
  return plan;
}

template <ExponentialFamily F>
RunPlan serve_family(const Making& making, F family) {
  return serve_statistic(making, StandardStatistic(std::move(family)));
}

/// One column of ones and no offset.
bool has_intercept_alone(const Glm& glm) {
  const Interval range = glm.domain().range(Position::Ones(glm.domain().columns()));
  return glm.domain().columns() == 1 && range.lower == 1 && range.upper == 1;
}

RunPlan serve_regression(const Making& making, const Glm& glm) {
  if (has_intercept_alone(glm)) {
    if (std::holds_alternative<family::Bernoulli>(glm.family()))
      return serve_family(making, BernoulliFamily{});
    if (std::holds_alternative<family::Poisson>(glm.family()))
      return serve_family(making, PoissonFamily{glm.response().upper});
  }
  const auto* normal = std::get_if<family::Normal>(&glm.family());
  if (normal == nullptr) {
    refuse(
        "only normal regressions, and bernoulli and poisson ones without predictors (y ~ 1), have a "
        "sufficient "
        "statistic of fixed size: choose release-once, penalty or hmc");
  }
  const Eigen::Index predictors = glm.domain().columns();
  LinearRegressionFamily statistic;
  for (Eigen::Index j = 0; j < predictors; ++j) {
    statistic.bounds.push_back(glm.domain().range(Position::Unit(predictors, j)));
  }
  statistic.bounds.push_back(glm.response());
  statistic.sigma = normal->sigma;
  return serve_family(making, std::move(statistic));
}

RunPlan serve_statistics(const Making& making) {
  if (const auto* model = making.problem.model.as<LocationModel>())
    return serve_family(making, LocationFamily(*model));
  if (const auto* glm = making.problem.model.as<Glm>()) return serve_regression(making, *glm);
  if (const auto* category = making.problem.model.as<distribution::Categorical>())
    return serve_statistic(making, *category);
  if (const auto* gamma = making.problem.model.as<PerRow<distribution::Gamma>>())
    return serve_family(making, gamma->model());
  refuse("this model has no sufficient statistic of fixed size: choose penalty or hmc");
}

/// The model with its contributions clipped where method.clip_* say so.
AnyModel clipped(const FitConfig& config, const AnyModel& model) {
  const MethodConfig& method = config.method;
  if (!method.clip_ratio && !method.clip_gradient) return model;
  const auto* location = model.as<LocationModel>();
  if (location == nullptr)
    refuse("only normal-mean and banana are clipped: drop method.clip_ratio and method.clip_gradient");
  ClipBounds bounds;
  bounds.ratio = method.clip_ratio.value_or(bounds.ratio);
  bounds.gradient = method.clip_gradient.value_or(bounds.gradient);
  return Clipped(*location, bounds);
}

}  // namespace

double share_of_ratio(Eigen::Index dim) { return 1 / (1 + std::sqrt(static_cast<double>(dim))); }

std::size_t size_of_batch(const FitConfig& config, std::size_t rows) {
  if (rows < 2) refuse("batches need at least two rows: choose penalty");
  const std::size_t wanted = config.method.batch;
  const std::size_t batch = wanted > 0 ? wanted : std::max<std::size_t>(2, rows - rows / 10);
  if (batch < 2 || batch > rows) refuse("method.batch must lie between 2 and the number of rows");
  return batch;
}

void share_among(std::size_t steps, RunPlan& plan) {
  plan.step_budget.step_cost = Rho(plan.steps_cost.value() * (1 - kSlackOfCost) / static_cast<double>(steps));
}

RunPlan make_run_plan(QueryRegime regime, const FitConfig& config, const Problem& problem, std::size_t steps,
                      Ledger& ledger, EntropySource& entropy, bool looks,
                      const std::function<void()>& wanted) {
  const Making making{config, problem, looks && can_look(config, problem), steps, ledger, entropy, wanted};
  if (!problem.owners.empty() && regime == QueryRegime::trajectories && config.method.batch_rate < 1)
    refuse("several owners answer questions about all of their rows: drop method.batch_rate");
  if (!problem.owners.empty() && regime != QueryRegime::rows && regime != QueryRegime::trajectories) {
    refuse(
        "several owners answer questions about all of their rows: choose release-once, penalty, guided-walk, "
        "barker or hmc");
  }
  switch (regime) {
    case QueryRegime::rows:
      return serve_rows(making);
    case QueryRegime::batches:
      return serve_batches(making);
    case QueryRegime::trajectories:
      return config.method.batch_rate < 1 ? serve_batch_trajectories(making) : serve_rows(making);
    case QueryRegime::batch_ratios:
      return serve_batch_ratios(making);
    case QueryRegime::variance_completed_ratios:
      return serve_variance_completed_ratios(making);
    case QueryRegime::statistics:
      return serve_statistics(making);
  }
  throw Error(ErrorCode::internal, "unknown regime");
}

std::unique_ptr<QueryInterface> open_without_privacy(const FitConfig& config, const Problem& problem,
                                                     bool for_look) {
  return std::make_unique<NonPrivateOracle>(problem.rows(), clipped(config, problem.model), options(config),
                                            for_look ? NoNoise::Stated::as_paid : NoNoise::Stated::none);
}

}  // namespace sotto
