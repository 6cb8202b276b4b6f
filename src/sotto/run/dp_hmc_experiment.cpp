#include "sotto/run/dp_hmc_experiment.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "sotto/accountant/calibrate.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/diagnostics/mmd.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/model/location.hpp"
#include "sotto/owner/owner.hpp"
#include "sotto/run/published_tuning.hpp"

namespace sotto {
namespace {

constexpr std::size_t kChains = 4;
constexpr Interval kWide{-1e5,
                         1e5};  // the published rows have no bounds: only clipping bounds their influence

// The data are synthetic, so their noise may be repeatable. NOT PRIVATE.
class StudyEntropy final : public EntropySource {
 public:
  explicit StudyEntropy(std::uint64_t seed) : rng_(seed, 0x5eed) {}
  std::uint64_t bits() override { return rng_(); }
  [[nodiscard]] std::string name() const override { return "seeded, for study: not private"; }

 private:
  ChainRng rng_;
};

struct Synthetic {
  Rows rows;
  LocationModel model;
  Bend bend;
  LogPrior prior;
  Position truth;    // generating position
  Position mean;     // of the posterior, in the coordinates of the row's mean
  Matrix factor;     // F F' = covariance of the posterior there
  Matrix exact;      // 1,000 draws of the posterior, positions
  Position sd;       // of the positions
  Position average;  // of the positions
};

Rows copy(const Rows& rows) {
  Rows result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j <= rows.columns(); ++j) result.at(i, j) = rows.at(i, j);
  }
  return result;
}

Position unbent(const Bend& bend, Position mean) {
  mean[1] -= bend.a * (mean[0] - bend.m) * (mean[0] - bend.m) + bend.b;
  return mean;
}

// Row means about `truth`, with this precision of a row and this precision of the prior in every coordinate.
Synthetic make_problem(std::size_t n, const Position& truth, const Matrix& precision, double prior_precision,
                       Bend bend) {
  const Eigen::Index dim = truth.size();
  Synthetic problem{
      Rows(n, static_cast<std::size_t>(dim)),
      LocationModel(std::vector<Interval>(static_cast<std::size_t>(dim), kWide), precision, bend),
      bend,
      {},
      truth,
      {},
      {},
      {},
      {},
      {}};
  ChainRng rng(2021);
  const Matrix row_factor = Matrix(precision.inverse()).llt().matrixL();
  Position total = Position::Zero(dim);
  for (std::size_t i = 0; i < n; ++i) {
    const Position row = bend.mean(truth) + row_factor * rng.normals(dim);
    for (Eigen::Index j = 0; j < dim; ++j) problem.rows.at(i, static_cast<std::size_t>(j)) = row[j];
    problem.rows.weight(i) = 1;
    total += row;
  }
  problem.prior = {[=](const Position& x) { return -prior_precision / 2 * bend.mean(x).squaredNorm(); },
                   [=](const Position& x) {
                     Position g = -prior_precision * bend.mean(x);
                     bend.pull_back(x, g);
                     return g;
                   }};
  const Matrix covariance =
      (static_cast<double>(n) * precision + prior_precision * Matrix::Identity(dim, dim)).inverse();
  problem.mean = covariance * precision * total;
  problem.factor = covariance.llt().matrixL();
  constexpr Eigen::Index kExact = 100000;  // for moments; the first 1,000 for the discrepancy
  Matrix draws(kExact, dim);
  for (Eigen::Index i = 0; i < kExact; ++i)
    draws.row(i) = unbent(bend, problem.mean + problem.factor * rng.normals(dim));
  problem.exact = draws.topRows(1000);
  problem.average = draws.colwise().mean();
  problem.sd = (draws.rowwise() - problem.average.transpose()).array().square().colwise().mean().sqrt();
  return problem;
}

Synthetic make_problem(const std::string& name, std::size_t n) {
  if (name == "banana") {
    Matrix precision = Matrix::Zero(2, 2);
    precision.diagonal() << 0.0005, 0.0004;
    return make_problem(n, Position{{0, 3}}, precision, 0.001, {20, 0, 0});
  }
  if (name == "normal") {
    Position truth = Position::Zero(10);
    truth[1] = 3;
    return make_problem(n, truth, published_covariance().inverse(), 1e-4, {});
  }
  throw Error(ErrorCode::usage, "the problems are banana and normal");
}

class Run {
 public:
  Run(const DpHmcExperiment& experiment, const Synthetic& problem, const Published& tuning,
      DpHmcOutcome& outcome)
      : experiment_(experiment),
        problem_(problem),
        tuning_(tuning),
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
    } else {
      throw Error(ErrorCode::usage, "the methods are penalty, hmc, hmc-friction, sgld and sgnht");
    }
  }

 private:
  template <Kernel K>
  void measure(const K& kernel, const ClipBounds& clip) {
    Owner owner(copy(problem_.rows), Clipped(problem_.model, clip), Protection{},
                Reading{1, experiment_.threads}, budget_, entropy_);
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
    Owner owner(copy(problem_.rows), Clipped(problem_.model, {.ratio = 1, .gradient = tuning.clip}),
                Protection{}, Reading{}, budget_, entropy_);
    owner.serve_batches({rate, multiplier, count * kChains});
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

  template <Kernel K>
  void evaluate(const K& kernel, Answerer& owner, const ChainSettings& settings) {
    const Eigen::Index dim = problem_.truth.size();
    std::vector<Position> starts;
    for (std::size_t c = 0; c < kChains; ++c) {
      ChainRng rng(4236482 + c);
      starts.push_back(problem_.truth + problem_.sd.mean() * rng.normals(dim));
    }
    const auto chains = run_chains(kernel, std::span<const Position>(starts), owner, settings,
                                   [](const Position& x) { return x; });
    Eigen::Index kept = 0;
    for (const Chain& chain : chains) kept += chain.draws.rows() - chain.draws.rows() / 2;
    Matrix pooled(kept, dim);
    Eigen::Index at = 0;
    for (const Chain& chain : chains) {
      const Eigen::Index late = chain.draws.rows() - chain.draws.rows() / 2;
      pooled.middleRows(at, late) = chain.draws.bottomRows(late);
      at += late;
      for (const double a : chain.steps.at("accept_stat"))
        outcome_.acceptance += a / static_cast<double>(kChains * chain.steps.at("accept_stat").size());
    }
    outcome_.steps = static_cast<std::size_t>(chains.front().draws.rows()) * settings.thin;
    outcome_.spent_epsilon = budget_.spent_epsilon(budget_.delta()).value();
    if (kept < 4) return;
    compare(pooled);
  }

  void compare(const Matrix& draws) {
    const Position average = draws.colwise().mean();
    const Position sd = (draws.rowwise() - average.transpose()).array().square().colwise().mean().sqrt();
    outcome_.mean_error = (average - problem_.average).norm() / problem_.sd.mean();
    outcome_.sd_ratio = (sd.array() / problem_.sd.array()).mean();
    const Eigen::Index step = std::max<Eigen::Index>(1, draws.rows() / 4000);
    Matrix some(draws.rows() / step, draws.cols());
    for (Eigen::Index i = 0; i < some.rows(); ++i) some.row(i) = draws.row(i * step);
    outcome_.mmd =
        std::sqrt(std::abs(mmd_squared(some, problem_.exact, median_distance(some, problem_.exact))));
  }

  const DpHmcExperiment& experiment_;
  const Synthetic& problem_;
  const Published& tuning_;
  DpHmcOutcome& outcome_;
  Budget budget_;
  StudyEntropy entropy_;
};

}  // namespace

std::vector<DpHmcOutcome> run_dp_hmc_experiment(const DpHmcExperiment& experiment,
                                                const std::function<void(const DpHmcOutcome&)>& done) {
  std::vector<DpHmcOutcome> outcomes;
  for (const std::string& name : experiment.problems) {
    const Synthetic problem = make_problem(name, experiment.rows);
    const Published tuning = name == "banana" ? published_banana() : published_normal();
    for (const std::string& method : experiment.methods) {
      for (const double epsilon : experiment.epsilons) {
        for (std::size_t repeat = 0; repeat < experiment.repeats; ++repeat) {
          DpHmcOutcome outcome{.problem = name, .method = method, .epsilon = epsilon, .repeat = repeat};
          Run(experiment, problem, tuning, outcome)();
          outcomes.push_back(outcome);
          if (done) done(outcome);
        }
      }
    }
  }
  return outcomes;
}

}  // namespace sotto
