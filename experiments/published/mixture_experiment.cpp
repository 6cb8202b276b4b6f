#include "experiments/published/mixture_experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "experiments/published/mixture_run.hpp"
#include "experiments/published/mixture_study.hpp"
#include "sotto/base/error.hpp"
#include "sotto/mixture/algorithm/thread_pool.hpp"

namespace sotto {
namespace {

/// Work of one run, in updates of a datum.
double work(const MixturePanel& panel, const std::string& algorithm) {
  if (algorithm == "release") return 1;
  return static_cast<double>(panel.rows) * (algorithm == "neal5-m5" ? 5 : 1);
}

/// Whether a list of what is to be run holds the value; an empty one holds all.
bool named(const std::vector<std::string>& list, const std::string& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

/// Budgets as pages print them: 5.97 names the square root of 35.6.
std::string printed(double epsilon) { return fmt::format("{:.3g}", epsilon); }

bool named(const std::vector<double>& list, double value) {
  return list.empty() || std::any_of(list.begin(), list.end(), [&](double one) {
           return one == value || printed(one) == printed(value);
         });
}

std::string budgets_of(const MixtureFigure& figure) {
  std::set<double> budgets;
  for (const MixturePanel& panel : figure.panels) budgets.insert(panel.epsilon);
  std::vector<std::string> all;
  for (const double epsilon : budgets) all.push_back(printed(epsilon));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Whether the figure has a run of one of these budgets and algorithms.
bool has(const MixtureFigure& figure, const std::vector<double>& epsilons,
         const std::vector<std::string>& algorithms) {
  return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const MixturePanel& panel) {
    return named(epsilons, panel.epsilon) &&
           std::any_of(panel.algorithms.begin(), panel.algorithms.end(),
                       [&](const std::string& name) { return named(algorithms, name); });
  });
}

}  // namespace

void check_selection(const MixtureExperiment& experiment) {
  const MixtureFigure& figure = experiment.figure;
  for (const double epsilon : experiment.epsilons)
    if (!has(figure, {epsilon}, {}))
      throw Error(ErrorCode::usage, fmt::format("{} has no --epsilon {:g}: it has {}", figure.name, epsilon,
                                                budgets_of(figure)));
  for (const std::string& name : experiment.algorithms)
    if (!has(figure, {}, {name}))
      throw Error(ErrorCode::usage, fmt::format("{} has no --method {}", figure.name, name));
  if (!has(figure, experiment.epsilons, experiment.algorithms))
    throw Error(ErrorCode::usage, figure.name + " has nothing of that --epsilon and --method together");
}

MixtureResult run_mixture_experiment(const MixtureExperiment& experiment,
                                     const std::function<void(const MixtureOutcome&)>& done,
                                     const std::function<bool(double)>& progress) {
  const MixtureFigure& figure = experiment.figure;
  const std::size_t repeats = experiment.repeats > 0 ? experiment.repeats : figure.repeats;
  std::vector<MixtureJob> jobs;
  double all_work = 0;
  for (std::size_t panel = 0; panel < figure.panels.size(); ++panel)
    for (std::size_t repeat = 0; repeat < repeats; ++repeat)
      for (std::size_t algorithm = 0; algorithm < figure.panels[panel].algorithms.size(); ++algorithm) {
        const MixturePanel& p = figure.panels[panel];
        if (!named(experiment.epsilons, p.epsilon) || !named(experiment.algorithms, p.algorithms[algorithm]))
          continue;
        jobs.push_back({panel, repeat, algorithm});
        all_work += work(p, p.algorithms[algorithm]);
      }
  MixtureResult result;
  MixtureGrids grids{study_grid(figure.data), {}};
  std::atomic<bool> ended = false;
  if (figure.data != "waiting-times") {
    grids.truth = true_density(figure.data);
  } else if (figure.drawing == MixtureDrawing::densities) {
    MixtureExperiment open = experiment;
    open.figure.panels = {{.mechanism = "none", .rows = 100, .algorithms = {"slice"}}};
    const SweepTick go_on = [&] { return progress(0); };
    if (const auto posterior = run_mixture(open, grids, {0, 0, 0}, go_on))
      grids.truth = posterior->mean;
    else
      ended = true;
  }

  std::vector<std::optional<MixtureOutcome>> outcomes(jobs.size());
  std::mutex one_at_a_time;
  std::size_t told = 0;
  double done_work = 0;
  std::exception_ptr failed;
  const double sweeps_each = std::max(1.0, kPublishedSweeps * experiment.share);
  mixture::ThreadPool(std::max<std::size_t>(1, experiment.threads)).run(jobs.size(), [&](std::size_t j) {
    if (ended) return;
    const MixtureJob& job = jobs[j];
    const MixturePanel& panel = figure.panels[job.panel];
    const double own_work = work(panel, panel.algorithms[job.algorithm]);
    std::size_t sweeps = 0;
    const SweepTick go_on = [&] {
      if (++sweeps % 16 == 0 && !ended) {
        const std::lock_guard lock(one_at_a_time);
        const double own_done = std::min(1.0, static_cast<double>(sweeps) / sweeps_each);
        if (!progress((done_work + own_work * own_done) / all_work)) ended = true;
      }
      return !ended;
    };
    // A task of the team must not throw.
    try {
      auto outcome = run_mixture(experiment, grids, job, go_on);
      const std::lock_guard lock(one_at_a_time);
      outcomes[j] = std::move(outcome);
      done_work += own_work;
      for (; told < jobs.size() && outcomes[told]; ++told) done(*outcomes[told]);
    } catch (...) {
      const std::lock_guard lock(one_at_a_time);
      if (!failed) failed = std::current_exception();
      ended = true;
    }
  });
  if (failed) std::rethrow_exception(failed);
  result.ended_early = ended;
  for (std::size_t j = 0; j < told; ++j) result.outcomes.push_back(std::move(*outcomes[j]));
  result.grid = grids.grid;
  result.truth = grids.truth;
  return result;
}

}  // namespace sotto
