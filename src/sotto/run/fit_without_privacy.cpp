#include "sotto/run/fit_without_privacy.hpp"

#include <limits>
#include <memory>
#include <optional>

#include "sotto/base/error.hpp"
#include "sotto/run/method_choice.hpp"
#include "sotto/run/once.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/run_length.hpp"
#include "sotto/run/run_plan.hpp"

namespace sotto {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();  // of what steps may cost
constexpr double kNoNoise = 100;  // rho: what is planned as if it cost this has next to no noise

/// Exact answers of several owners are those of one.
Problem of_one_owner(const Problem& problem) {
  Problem one = problem;
  one.public_info.owners = 1;
  return one;
}

std::optional<Pilot> open_look(const FitConfig& config, const Problem& problem, const Progress& progress) {
  if (!can_look(config, problem)) return std::nullopt;
  const Problem one = of_one_owner(problem);
  try {
    return look(config, one, *open_without_privacy(config, problem, true), Rho(kNoNoise),
                [&] { return !progress || progress(0, 1); });
  } catch (const Error& error) {  // refused, as of persons with very many rows
    if (error.code() == ErrorCode::internal || error.code() == ErrorCode::interrupted) throw;
    return std::nullopt;
  }
}

bool begins_at_look(const Method& method, const Problem& problem) {
  return method.name == "nonprivate-hmc" && !problem.public_info.chosen_start;
}

/// `begin`: an open look at which chains begin, or none.
Draws open_draws(const Method& method, const FitConfig& config, const Problem& problem, const Pilot* begin,
                 const Progress& progress) {
  const std::unique_ptr<QueryInterface> owner = open_without_privacy(config, problem);
  const ChainSettings settings = run_length(method, config, problem, nullptr, Rho(kUnlimited));
  const StepBudget step_budget{.step_cost = Rho(1), .coefficients = {}};  // nobody counts
  Draws draws{problem.public_info.parameters, method.run({config.method, problem.public_info, settings,
                                                          step_budget, *owner, progress, begin})};
  problem.public_info.groups.complete(draws, problem.public_info.group_scales, config.method.seed);
  return draws;
}

void release_once_without_noise(const Method& method, const FitConfig& config, const Problem& problem,
                                const Progress& progress, RunRecord& record) {
  const std::unique_ptr<QueryInterface> owner = open_without_privacy(config, problem, true);
  const std::size_t draws = config.method.draws > 0 ? config.method.draws : method.draws;
  record.draws.parameters = problem.public_info.parameters;
  run_release_once(
      config, of_one_owner(problem), draws, *owner, Rho(kNoNoise),
      [&](std::size_t done, std::size_t total) { return !progress || progress(done, total); }, record);
  record.sd_inflation.clear();  // by noise that there is none of
}

}  // namespace

void run_without_privacy(const Method& method, const FitConfig& config, const Problem& problem,
                         const Progress& progress, RunRecord& record) {
  if (method.run == nullptr) return release_once_without_noise(method, config, problem, progress, record);
  const std::optional<Pilot> pilot = open_look(config, problem, progress);
  if (pilot) tell(*pilot, record);
  const Pilot* begin = pilot && begins_at_look(method, problem) ? &*pilot : nullptr;
  record.draws = open_draws(method, config, problem, begin, progress);
}

Draws fit_without_privacy(const FitConfig& config, const Problem& problem, const Progress& progress) {
  FitConfig open = config;
  open.not_private = true;
  open.compare_not_private = false;
  open.method.name = "auto";
  open.method.draws = open.method.warmup = 0;
  open.method.thin = 0;
  open.method.proposal = {};
  RunRecord record;
  run_without_privacy(resolve_method(open, problem), open, problem, progress, record);
  return std::move(record.draws);
}

}  // namespace sotto
