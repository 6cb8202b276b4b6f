#include "experiments/published/clipping_experiment.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "experiments/published/published_tuning.hpp"
#include "sotto/base/error.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/diagnostics/rhat.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/owner/non_private_oracle.hpp"

namespace sotto {
namespace {

/// Hands queries on, and looks at every hundredth move to see how many rows it clips.
class WatchedOwner final : public QueryInterface {
 public:
  WatchedOwner(QueryInterface& owner, const SyntheticProblem& problem, double bound)
      : owner_(&owner), problem_(&problem), bound_(bound) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    for (const Query& query : queries) {
      if (const auto* ratio = std::get_if<RatioQuery>(&query)) look(*ratio);
      if (const auto* joint = std::get_if<JointQuery>(&query)) look(joint->ratio);
    }
    return owner_->answer(queries);
  }
  [[nodiscard]] Rho left() const override { return owner_->left(); }
  [[nodiscard]] double clipped_share() const { return looked_ > 0 ? sum_ / static_cast<double>(looked_) : 0; }

 private:
  void look(const RatioQuery& query) {
    if (seen_++ % 100 != 0) return;
    const LocationModel& model = problem_->model;
    const Position before = model.bend().mean(query.from);
    const Position after = model.bend().mean(query.to);
    const Position slope = model.precision() * (after - before);
    const double middle = slope.dot(before + after) / 2;
    const double limit = bound_ * (query.to - query.from).norm();
    const Rows& rows = problem_->rows;
    std::size_t clipped = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double change = -middle;
      for (Eigen::Index j = 0; j < slope.size(); ++j)
        change += slope[j] * rows.at(i, static_cast<std::size_t>(j));
      if (std::abs(change) > limit) ++clipped;
    }
    sum_ += static_cast<double>(clipped) / static_cast<double>(rows.rows());
    ++looked_;
  }

  QueryInterface* owner_;
  const SyntheticProblem* problem_;
  double bound_;
  std::size_t seen_ = 0;
  std::size_t looked_ = 0;
  double sum_ = 0;
};

class ClippingRun {
 public:
  ClippingRun(const ClippingExperiment& experiment, const SyntheticProblem& problem,
              const PublishedClipping& tuning, const Progress& progress, ClippingOutcome& outcome)
      : experiment_(experiment), problem_(problem), tuning_(tuning), progress_(progress), outcome_(outcome) {}

  void operator()() {
    const Eigen::Index dim = problem_.truth.size();
    const double wider = std::sqrt(100000 / static_cast<double>(experiment_.rows));
    const Matrix unit = Matrix::Identity(dim, dim);
    const double sd = tuning_.proposal_sd * wider;
    if (outcome_.method == "metropolis") {
      evaluate(PenaltyMetropolis({.proposal = NormalWalk(sd * sd * unit), .step_size = 1}, problem_.prior),
               tuning_.walk_steps);
    } else if (outcome_.method == "barker") {
      evaluate(Barker<>({.noise_variance = 0, .proposal = NormalWalk(sd * sd * unit), .step_size = 1},
                        problem_.prior),
               tuning_.walk_steps);
    } else if (outcome_.method == "hmc") {
      evaluate(Hmc({.steps = tuning_.leapfrog_steps,
                    .step_size = tuning_.step_size * wider,
                    .jitter = 1,
                    .inverse_mass = unit},
                   problem_.prior),
               tuning_.hmc_steps);
    } else {
      throw Error(ErrorCode::usage, "the methods are metropolis, hmc and barker");
    }
  }

 private:
  template <Kernel K>
  void evaluate(const K& kernel, double published_steps) {
    const auto steps =
        static_cast<std::size_t>(std::max(8.0, std::round(published_steps * experiment_.share)));
    NonPrivateOracle open(
        copy(problem_.rows),
        Clipped(problem_.model, {.ratio = outcome_.bound, .gradient = tuning_.gradient_clip}),
        ExecutionOptions{1, experiment_.threads});
    WatchedOwner owner(open, problem_, outcome_.bound);
    const std::vector<Position> starts = published_starts(problem_);
    const auto chains = run_chains(
        kernel, std::span<const Position>(starts), owner,
        {.warmup = 0, .draws = steps, .thin = 1, .seed = experiment_.seed + outcome_.repeat},
        [](const Position& x) { return x; }, progress_);
    if (!progress_(steps, steps)) return;
    outcome_.steps = steps;
    outcome_.clipped_share = owner.clipped_share();
    for (const Chain& chain : chains) {
      for (const double a : chain.steps.at("accept_stat"))
        outcome_.acceptance += a / static_cast<double>(chains.size() * steps);
    }
    outcome_.rhat = largest_rhat(chains);
    outcome_.distance = distance(second_halves(chains), problem_);
  }

  static double largest_rhat(const std::vector<Chain>& chains) {
    double largest = 0;
    for (Eigen::Index j = 0; j < chains.front().draws.cols(); ++j) {
      Matrix late(chains.front().draws.rows() - chains.front().draws.rows() / 2,
                  static_cast<Eigen::Index>(chains.size()));
      for (std::size_t c = 0; c < chains.size(); ++c)
        late.col(static_cast<Eigen::Index>(c)) = chains[c].draws.col(j).tail(late.rows());
      largest = std::max(largest, rhat(late));
    }
    return largest;
  }

  const ClippingExperiment& experiment_;
  const SyntheticProblem& problem_;
  const PublishedClipping& tuning_;
  const Progress& progress_;
  ClippingOutcome& outcome_;
};

}  // namespace

std::vector<ClippingOutcome> run_clipping_experiment(const ClippingExperiment& experiment,
                                                     const std::function<void(const ClippingOutcome&)>& done,
                                                     const GoOn& go_on) {
  const auto tuning_of = [](const std::string& name) {
    return name == "banana" ? published_banana_clipping() : published_normal_clipping();
  };
  std::map<std::string, SyntheticProblem> problems;
  std::vector<ClippingOutcome> asked;
  for (const std::string& name : experiment.problems) {
    problems.emplace(name, make_synthetic_problem(name, experiment.rows));
    for (const std::string& method : experiment.methods) {
      for (const double bound : experiment.bounds.empty() ? tuning_of(name).bounds : experiment.bounds) {
        for (std::size_t repeat = 0; repeat < experiment.repeats; ++repeat)
          asked.push_back({.problem = name, .method = method, .bound = bound, .repeat = repeat});
      }
    }
  }
  const auto run = [&](ClippingOutcome& outcome, const Progress& progress) {
    const PublishedClipping tuning = tuning_of(outcome.problem);
    ClippingRun(experiment, problems.at(outcome.problem), tuning, progress, outcome)();
  };
  return all_runs(std::move(asked), run, done, go_on);
}

}  // namespace sotto
