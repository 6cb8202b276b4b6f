#include "sotto/run/run_plan.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/accountant/calibrate.hpp"
#include "sotto/base/error.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/model/families.hpp"
#include "sotto/owner/barker_batch_owner.hpp"
#include "sotto/owner/batch_owner.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "sotto/owner/statistic_owner.hpp"

namespace sotto {
namespace {

[[noreturn]] void refuse(const char* message) { throw Error(ErrorCode::configuration, message); }

// Kept for the discreteness of the noise: of the cost of simple releases, and of a prepaid run's epsilon.
constexpr double kSlackOfCost = 1e-6;
constexpr double kSlackOfRun = 1e-3;

Rho cost_of_step(const Budget& budget, std::size_t steps) {
  return Rho(budget.left().value() * (1 - kSlackOfCost) / static_cast<double>(steps));
}

Target target_of_run(const Budget& budget, Adjacency adjacency, BoundKind kind) {
  return {.epsilon = Epsilon(budget.epsilon().value() * (1 - kSlackOfRun)),
          .delta = budget.delta(),
          .adjacency = adjacency,
          .kind = kind};
}

ExecutionOptions options(const FitConfig& config) {
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return {config.model.likelihood_power, config.threads > 0 ? config.threads : all};
}

/// What an interface is built from.
struct Site {
  const FitConfig& config;
  const Problem& problem;
  std::size_t steps;
  Budget& budget;
  EntropySource& entropy;
};

template <class M>
std::unique_ptr<DataOwner<M>> owner_of_rows(const Site& site, const M& model) {
  return std::make_unique<DataOwner<M>>(site.problem.rows(), model, site.problem.unit, options(site.config),
                                        site.budget, site.entropy);
}

template <class M>
RunPlan serve_rows(const Site& site, const M& model) {
  return {owner_of_rows(site, model),
          {.step_cost = cost_of_step(site.budget, site.steps), .coefficients = {}}};
}

template <class M>
RunPlan serve_batches(const Site& site, const M& model) {
  if (site.problem.unit.rows_per_unit != 1) {
    refuse("batches protect units of one row: choose penalty, hmc or release-once, or protect rows");
  }
  const double rate = site.config.method.rate;
  const Target target = target_of_run(site.budget, site.problem.unit.adjacency, BoundKind::tight);
  const double multiplier = smallest_noise(batch_event(rate, 1, site.steps), target);
  auto owner = owner_of_rows(site, model);
  owner->serve_batches({rate, multiplier, site.steps}, target.epsilon);
  return {std::move(owner), {.rate = rate, .noise_multiplier = multiplier, .coefficients = {}}};
}

std::size_t size_of_batch(const Site& site, std::size_t rows) {
  const PrivacyUnit& unit = site.problem.unit;
  if (unit.adjacency != Adjacency::substitute || unit.rows_per_unit != 1) {
    refuse(
        "batches of fixed size need a public number of rows (adjacency \"substitute\") and units of one row: "
        "choose penalty or hmc");
  }
  if (rows < 2) refuse("batches need at least two rows: choose penalty");
  const std::size_t wanted = site.config.method.batch;
  const std::size_t batch = wanted > 0 ? wanted : std::max<std::size_t>(2, rows / 2);
  if (batch < 2 || batch > rows) refuse("method.batch must lie between 2 and the number of rows");
  return batch;
}

template <class M>
RunPlan serve_batch_ratios(const Site& site, const M& model) {
  const Rows rows = site.problem.rows();
  const PrivacyUnit& unit = site.problem.unit;
  auto owner = std::make_unique<BatchOwner<M>>(rows, model, size_of_batch(site, rows.rows()), unit,
                                               options(site.config), site.budget, site.entropy);
  const double tau =
      smallest_noise(owner->event(1, site.steps), target_of_run(site.budget, unit.adjacency, BoundKind::rdp));
  owner->serve({tau, site.steps});
  return {std::move(owner), {.step_cost = Rho(1 / (2 * tau)), .coefficients = {}}};
}

// The largest bound on a row's log ratio that the budget pays for at every step: shorter steps cost less.
VarianceCompletedPlan widest_plan(const Site& site, std::size_t rows, std::size_t batch) {
  const Target target = target_of_run(site.budget, site.problem.unit.adjacency, BoundKind::rdp);
  const auto fits = [&](double share) {
    const Event run = VarianceCompletedPlan::for_share(rows, batch, share).event(site.steps);
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

template <class M>
RunPlan serve_variance_completed_ratios(const Site& site, const M& model) {
  const Rows rows = site.problem.rows();
  const VarianceCompletedPlan plan = widest_plan(site, rows.rows(), size_of_batch(site, rows.rows()));
  auto owner = std::make_unique<BarkerBatchOwner<M>>(rows, model, plan, site.steps, site.problem.unit,
                                                     options(site.config), site.budget, site.entropy);
  return {std::move(owner),
          {.ratio_bound = static_cast<double>(plan.bound) * kLogDensityGrid, .coefficients = {}}};
}

template <ExponentialFamily F>
RunPlan serve_family(const Site& site, F family) {
  const StandardStatistic statistic(std::move(family), site.config.model.likelihood_power);
  auto owner = std::make_unique<StatisticOwner<F>>(site.problem.rows(), statistic, site.problem.unit,
                                                   options(site.config).threads, site.budget, site.entropy);
  return {std::move(owner),
          {.step_cost = cost_of_step(site.budget, site.steps),
           .coefficients = [statistic](const Position& x) { return statistic.coefficients(x); }}};
}

RunPlan serve_statistics(const Site& site, const LocationModel& model) {
  return serve_family(site, LocationFamily(model));
}

RunPlan serve_statistics(const Site& site, const Glm& glm) {
  if (glm.family().family != Family::normal) {
    refuse(
        "logistic and Poisson regressions have no sufficient statistic of fixed size: choose release-once, "
        "penalty or "
        "hmc");
  }
  const Eigen::Index predictors = glm.domain().columns();
  LinearRegressionFamily family;
  for (Eigen::Index j = 0; j < predictors; ++j) {
    family.bounds.push_back(glm.domain().range(Position::Unit(predictors, j)));
  }
  family.bounds.push_back(glm.response());
  if (!glm.family().unknown_sigma) family.sigma = glm.family().sigma;
  return serve_family(site, std::move(family));
}

std::unique_ptr<QueryInterface> open_clipped(const LocationModel& model, const Problem& problem,
                                             const ClipBounds& bounds, const ExecutionOptions& how) {
  return std::make_unique<NonPrivateOracle<Clipped<LocationModel>>>(problem.rows(), Clipped(model, bounds),
                                                                    how);
}

std::unique_ptr<QueryInterface> open_clipped(const Glm&, const Problem&, const ClipBounds&,
                                             const ExecutionOptions&) {
  refuse("regressions are not clipped: drop method.clip_ratio and method.clip_gradient");
}

}  // namespace

RunPlan make_run_plan(QueryRegime regime, const FitConfig& config, const Problem& problem, std::size_t steps,
                      Budget& budget, EntropySource& entropy) {
  const Site site{config, problem, steps, budget, entropy};
  return std::visit(
      [&](const auto& model) {
        switch (regime) {
          case QueryRegime::rows:
            return serve_rows(site, model);
          case QueryRegime::batches:
            return serve_batches(site, model);
          case QueryRegime::batch_ratios:
            return serve_batch_ratios(site, model);
          case QueryRegime::variance_completed_ratios:
            return serve_variance_completed_ratios(site, model);
          case QueryRegime::statistics:
            return serve_statistics(site, model);
        }
        throw Error(ErrorCode::internal, "unknown service");
      },
      problem.model);
}

std::unique_ptr<QueryInterface> open_without_privacy(const FitConfig& config, const Problem& problem) {
  const MethodConfig& method = config.method;
  return std::visit(
      [&](const auto& model) -> std::unique_ptr<QueryInterface> {
        if (method.clip_ratio || method.clip_gradient) {
          ClipBounds bounds;
          bounds.ratio = method.clip_ratio.value_or(bounds.ratio);
          bounds.gradient = method.clip_gradient.value_or(bounds.gradient);
          return open_clipped(model, problem, bounds, options(config));
        }
        return std::make_unique<NonPrivateOracle<std::decay_t<decltype(model)>>>(problem.rows(), model,
                                                                                 options(config));
      },
      problem.model);
}

}  // namespace sotto
