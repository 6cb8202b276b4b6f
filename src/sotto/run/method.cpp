#include "sotto/run/method.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"

namespace sotto {
namespace {

const std::vector<std::string> kPrivate = {"release-once", "penalty", "penalty-one-at-a-time", "guided-walk", "hmc",
                                           "hmc-friction"};
const std::vector<std::string> kForStudy = {"metropolis", "nonprivate-hmc"};

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Starts are spread over the guess of the posterior, so that R-hat can see chains that have not met.
std::vector<Position> starts(const MethodConfig& config, const PublicProblem& problem) {
  std::vector<Position> result;
  for (std::size_t c = 0; c < config.chains; ++c) {
    ChainRng rng(config.seed, 0x57a7 + c);
    result.push_back(problem.start.array() + 2 * problem.guess_sd.array() * rng.normals(problem.start.size()).array());
  }
  return result;
}

}  // namespace

std::string resolve_method(const FitConfig& config, const Problem& problem) {
  std::string name = config.method.name;
  if (name == "auto") {
    const auto* glm = std::get_if<Glm>(&problem.model);
    const bool once = glm != nullptr && !glm->family().unknown_sigma && config.model.temper == 1;
    name = config.not_private ? "nonprivate-hmc" : once ? "release-once" : "hmc";
  }
  if (among(kForStudy, name)) {
    if (!config.not_private) {
      throw Error(ErrorCode::configuration, fmt::format("{} is not private: it needs --not-private, for study only", name));
    }
    return name;
  }
  if (!among(kPrivate, name)) {
    throw Error(ErrorCode::configuration, fmt::format("there is no method {}: choose auto, {} or, for study only, {}", name,
                                                      fmt::join(kPrivate, ", "), fmt::join(kForStudy, ", ")));
  }
  if (config.not_private) {
    throw Error(ErrorCode::configuration,
                fmt::format("{} is private: drop --not-private, or choose {}", name, fmt::join(kForStudy, " or ")));
  }
  return name;
}

ChainSettings chain_settings(const std::string& method, const MethodConfig& config) {
  ChainSettings settings;
  const bool cheap = among(kForStudy, method) || method == "release-once";
  settings.draws = config.draws > 0 ? config.draws : cheap ? 1000 : 200;
  settings.warmup = config.warmup > 0 ? config.warmup : settings.draws;
  settings.thin = config.thin;
  settings.seed = config.seed;
  return settings;
}

std::vector<Chain> run_chain_method(const std::string& method, const MethodConfig& config, const PublicProblem& problem,
                                    Answerer& answerer, Rho cost, const Progress& progress) {
  const ChainSettings settings = chain_settings(method, config);
  const auto steps =
      static_cast<double>(config.chains) * static_cast<double>(settings.warmup + settings.draws * settings.thin);
  // The slack of discreteness is charged beside the cost; a millionth is kept for it.
  const double step_cost = cost.value() * (1 - 1e-6) / steps;
  const Matrix guess = problem.guess_sd.array().square().matrix().asDiagonal();
  const std::vector<Position> from = starts(config, problem);
  const auto run = [&](const auto& kernel) {
    return run_chains(kernel, std::span<const Position>(from), answerer, settings, problem.to_report, progress);
  };

  if (method == "penalty" || method == "metropolis") {
    return run(PenaltyMetropolis(
        {.cost = Rho(step_cost), .proposal = NormalWalk(guess), .step_size = config.step_size}, problem.prior));
  }
  if (method == "penalty-one-at-a-time") {
    return run(PenaltyOneAtATime({.cost = Rho(step_cost), .scale = 2.4 * problem.guess_sd}, problem.prior));
  }
  if (method == "guided-walk") {
    return run(GuidedWalk({.cost = Rho(step_cost), .scale = 2.4 * problem.guess_sd}, problem.prior));
  }
  const int leapfrog = config.leapfrog_steps;
  return run(Hmc({.ratio_cost = Rho(step_cost / 2),
                  .gradient_cost = Rho(step_cost / 2 / (leapfrog + 1)),
                  .steps = leapfrog,
                  .step_size = config.step_size > 0 ? config.step_size : 0.3,
                  .jitter = config.jitter,
                  .inverse_mass = guess,
                  .friction = method == "hmc-friction" ? 1.0 : 0.0},
                 problem.prior));
}

}  // namespace sotto
