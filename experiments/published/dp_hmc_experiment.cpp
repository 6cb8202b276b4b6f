#include "experiments/published/dp_hmc_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "experiments/published/published_tuning.hpp"
#include "experiments/published/synthetic_problem.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/run/fit.hpp"

namespace sotto {
namespace {

constexpr std::size_t kChains = 4;

/// The rows as a table with bounds, each column's this many of its standard deviations on either side of the true mean.
Table table_of(const SyntheticProblem& problem, double half_width) {
  const Position mean = problem.model.bend().mean(problem.truth);
  const Position sd = inverse(problem.model.precision()).diagonal().cwiseSqrt();
  Schema schema;
  for (Eigen::Index j = 0; j < mean.size(); ++j) {
    const double reach = half_width * sd[j];
    schema.columns.push_back(
        {.name = fmt::format("x{}", j + 1), .bounds = {mean[j] - reach, mean[j] + reach}});
  }
  Table table(schema);
  std::vector<std::string> cells(schema.columns.size());
  for (std::size_t i = 0; i < problem.rows.rows(); ++i) {
    for (std::size_t j = 0; j < cells.size(); ++j) cells[j] = fmt::format("{}", problem.rows.at(i, j));
    const std::vector<std::optional<std::string_view>> views(cells.begin(), cells.end());
    table.append(views, std::nullopt);
  }
  return table;
}

class HmcRun {
 public:
  HmcRun(const DpHmcExperiment& experiment, const SyntheticProblem& problem, const Published& tuning,
         const Progress& progress, DpHmcOutcome& outcome)
      : experiment_(experiment),
        problem_(problem),
        tuning_(tuning),
        progress_(progress),
        outcome_(outcome),
        budget_(Epsilon(outcome.epsilon), Delta(0.1 / static_cast<double>(experiment.rows))),
        entropy_(experiment.seed + 1000 * outcome.repeat) {}

  void operator()() {
    const double n = static_cast<double>(experiment_.rows);
    const auto dim = problem_.truth.size();
    const auto cost = [&](double tau) { return Rho(1 / (2 * tau * tau * n)); };
    if (outcome_.method == "penalty") {
      const Matrix covariance =
          tuning_.penalty.proposal_sd * tuning_.penalty.proposal_sd * Matrix::Identity(dim, dim);
      measure(PenaltyMetropolis(
                  {.cost = cost(tuning_.penalty.tau), .proposal = NormalWalk(covariance), .step_size = 1},
                  problem_.prior),
              {.ratio = tuning_.penalty.ratio_clip, .gradient = 1});
    } else if (outcome_.method == "barker") {
      // Not in the paper: the penalty algorithm's proposal and clip bound, noise of variance 2.
      const Matrix covariance =
          tuning_.penalty.proposal_sd * tuning_.penalty.proposal_sd * Matrix::Identity(dim, dim);
      measure(Barker<>({.noise_variance = 2,
                        .proposal = NormalWalk(covariance),
                        .step_size = 1,
                        .target_acceptance = 0},
                       problem_.prior),
              {.ratio = tuning_.penalty.ratio_clip, .gradient = 1});
    } else if (outcome_.method == "hmc" || outcome_.method == "hmc-friction") {
      measure(Hmc({.ratio_cost = cost(tuning_.hmc.ratio_tau),
                   .gradient_cost = cost(tuning_.hmc.gradient_tau),
                   .steps = tuning_.hmc.steps,
                   .step_size = tuning_.hmc.step_size,
                   .jitter = 1,
                   .inverse_mass = Matrix::Identity(dim, dim),
                   .friction = outcome_.method == "hmc" ? 0.0 : 1.0},
                  problem_.prior),
              {.ratio = tuning_.hmc.ratio_clip, .gradient = tuning_.hmc.gradient_clip});
    } else if (outcome_.method == "sgld") {
      // The published drift, with the injected noise that belongs to it; all of it is privacy noise.
      const double h = 2 * tuning_.sgld.step_size / n;
      langevin<Sgld>(h, 0, 2 / std::sqrt(h), tuning_.sgld);
    } else if (outcome_.method == "sgnht") {
      const double h = tuning_.sgnht.step_size / n;
      langevin<Sgnht>(h, tuning_.sgnht.diffusion, std::sqrt(2 * tuning_.sgnht.diffusion / h), tuning_.sgnht);
    } else if (outcome_.method == "auto") {
      fit_by_default();
    } else {
      throw Error(ErrorCode::usage,
                  "the methods are penalty, barker, hmc, hmc-friction, sgld, sgnht and auto");
    }
  }

 private:
  template <Kernel K>
  void measure(const K& kernel, const ClipBounds& clip) {
    DataOwner owner(copy(problem_.rows), Clipped(problem_.model, clip), PrivacyUnit{},
                    ExecutionOptions{1, experiment_.threads}, budget_, entropy_);
    const std::size_t most = experiment_.most_steps > 0 ? experiment_.most_steps : 10'000'000;
    evaluate(kernel, owner,
             {.warmup = 0, .draws = most, .thin = 1, .seed = experiment_.seed + outcome_.repeat});
  }

  // `noise_sd`: of the noise on the estimated full gradient.
  template <class K>
  void langevin(double h, double diffusion, double noise_sd, const Published::Langevin& tuning) {
    const double rate = std::min(1.0, tuning.batch / static_cast<double>(experiment_.rows));
    const double multiplier = rate * noise_sd / tuning.clip;
    const double slack = 0.01;  // of epsilon, for the discreteness of the noise
    std::size_t count = largest_count(batch_event(rate, multiplier, 1),
                                      {Epsilon(outcome_.epsilon * (1 - slack)), budget_.delta()}) /
                        kChains;
    if (experiment_.most_steps > 0) count = std::min(count, experiment_.most_steps);
    if (count == 0) return;
    const OwnerContext context{Clipped(problem_.model, {.ratio = 1, .gradient = tuning.clip})};
    DataOwner owner(copy(problem_.rows),
                    measure_batches(context, {rate, multiplier, count * kChains}, budget_), 1, budget_,
                    entropy_, std::make_unique<DiscreteGaussianMechanism>(entropy_));
    const K kernel({.rate = rate,
                    .noise_multiplier = multiplier,
                    .scale = Position::Ones(problem_.truth.size()),
                    .step_size = h,
                    .diffusion = diffusion},
                   problem_.prior);
    const std::size_t thin = std::max<std::size_t>(1, count / 5000);
    evaluate(kernel, owner,
             {.warmup = 0, .draws = count / thin, .thin = thin, .seed = experiment_.seed + outcome_.repeat});
  }

  /// What `sotto fit` does with a configuration of model, prior and budget alone.
  void fit_by_default() {
    const Table table = table_of(problem_, experiment_.half_width);
    const Bend& bend = problem_.model.bend();
    FitConfig config;
    config.model.family = outcome_.problem == "banana" ? "banana" : "normal-mean";
    for (const SchemaColumn& column : table.schema().columns) config.model.columns.push_back(column.name);
    const Matrix covariance = inverse(problem_.model.precision());
    for (const auto row : covariance.rowwise()) config.model.covariance.emplace_back(row.begin(), row.end());
    config.model.a = bend.a;
    config.model.b = bend.b;
    config.model.m = bend.m;
    config.default_prior = {PriorFamily::normal, 0, 1 / std::sqrt(problem_.prior_precision)};
    config.default_prior_given = true;
    config.epsilon = outcome_.epsilon;
    config.delta = budget_.delta().value();
    config.method.seed = experiment_.seed + outcome_.repeat;
    config.threads = experiment_.threads;
    const RunRecord record =
        fit(config, make_problem(config, table), entropy_,
            [&](std::size_t steps, std::size_t total, double) { return progress_(steps, total); });
    outcome_.steps = static_cast<std::size_t>(record.draws.chains.front().draws.rows());
    outcome_.acceptance = 1;
    outcome_.spent_epsilon = record.privacy.spent_epsilon;
    outcome_.distance = distance(all_draws(record.draws.chains), problem_);
  }

  template <Kernel K>
  void evaluate(const K& kernel, QueryInterface& owner, const ChainSettings& settings) {
    const std::vector<Position> starts = published_starts(problem_);
    const auto chains = run_chains(
        kernel, std::span<const Position>(starts), owner, settings, [](const Position& x) { return x; },
        progress_);
    for (const Chain& chain : chains) {
      if (chain.draws.rows() == 0) return;  // the budget does not buy a step
      for (const double a : chain.steps.at("accept_stat"))
        outcome_.acceptance += a / static_cast<double>(kChains * chain.steps.at("accept_stat").size());
    }
    outcome_.steps = static_cast<std::size_t>(chains.front().draws.rows()) * settings.thin;
    outcome_.spent_epsilon = budget_.spent_epsilon(budget_.delta()).value();
    const Matrix draws = second_halves(chains);
    if (draws.rows() >= 4) outcome_.distance = distance(draws, problem_);
  }

  const DpHmcExperiment& experiment_;
  const SyntheticProblem& problem_;
  const Published& tuning_;
  const Progress& progress_;
  DpHmcOutcome& outcome_;
  Budget budget_;
  StudyEntropy entropy_;
};

}  // namespace

std::vector<DpHmcOutcome> run_dp_hmc_experiment(const DpHmcExperiment& experiment,
                                                const std::function<void(const DpHmcOutcome&)>& done,
                                                const GoOn& go_on) {
  std::map<std::string, SyntheticProblem> problems;
  std::vector<DpHmcOutcome> asked;
  for (const std::string& name : experiment.problems) {
    problems.emplace(name, make_synthetic_problem(name, experiment.rows));
    for (const std::string& method : experiment.methods) {
      for (const double epsilon : experiment.epsilons) {
        for (std::size_t repeat = 0; repeat < experiment.repeats; ++repeat)
          asked.push_back({.problem = name, .method = method, .epsilon = epsilon, .repeat = repeat});
      }
    }
  }
  const auto run = [&](DpHmcOutcome& outcome, const Progress& progress) {
    const Published tuning = outcome.problem == "banana" ? published_banana() : published_normal();
    HmcRun(experiment, problems.at(outcome.problem), tuning, progress, outcome)();
  };
  return all_runs(std::move(asked), run, done, go_on);
}

}  // namespace sotto
