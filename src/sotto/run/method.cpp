#include "sotto/run/method.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/kernel/penalty_exponential_family.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/glm/glm.hpp"

namespace sotto {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::configuration, message); }

/// Starts are spread over the guess of the posterior, so that R-hat can see chains that have not met.
std::vector<Position> starts(const MethodConfig& config, const PublicProblem& problem) {
  std::vector<Position> result;
  for (std::size_t c = 0; c < config.chains; ++c) {
    ChainRng rng(config.seed, 0x57a7 + c);
    result.push_back(problem.start.array() +
                     2 * problem.prior_scale.array() * rng.normals(problem.start.size()).array());
  }
  return result;
}

template <Kernel K>
std::vector<Chain> run_kernel(const ChainRun& run, const K& kernel) {
  const std::vector<Position> from = starts(run.config, run.problem);
  return run_chains(kernel, std::span<const Position>(from), run.interface, run.settings,
                    run.problem.to_report, run.progress);
}

/// The guess of the posterior's covariance.
Matrix guess(const ChainRun& run) { return run.problem.prior_scale.array().square().matrix().asDiagonal(); }

std::vector<Chain> penalty(const ChainRun& run) {
  return run_kernel(run, PenaltyMetropolis({.cost = run.step_budget.step_cost,
                                            .proposal = NormalWalk(guess(run)),
                                            .step_size = run.config.step_size},
                                           run.problem.prior));
}

template <Guidance guidance>
std::vector<Chain> coordinate_walk(const ChainRun& run) {
  return run_kernel(run, CoordinateWalk<guidance>(
                             {.cost = run.step_budget.step_cost, .scale = 2.4 * run.problem.prior_scale},
                             run.problem.prior));
}

std::vector<Chain> exponential_family(const ChainRun& run) {
  return run_kernel(run, PenaltyExponentialFamily<>({.cost = run.step_budget.step_cost,
                                                     .proposal = NormalWalk(guess(run)),
                                                     .coefficients = run.step_budget.coefficients,
                                                     .step_size = run.config.step_size},
                                                    run.problem.prior));
}

/// The longest step, up to the usual one, for which the mean of `figure` over some proposals from the start is at most
/// `most`; `figure` grows with the length.
template <class Figure>
double longest_step(const ChainRun& run, const NormalWalk& walk, double most, const Figure& figure) {
  constexpr int kProposals = 200;
  const double usual = 2.4 / std::sqrt(static_cast<double>(run.problem.start.size()));
  const auto fits = [&](double size) {
    ChainRng rng(1);
    double sum = 0;
    for (int i = 0; i < kProposals; ++i) {
      sum += figure(walk.propose(run.problem.start, size, rng)) / kProposals;
    }
    return sum <= most;
  };
  double high = usual;
  if (fits(high)) return high;
  double low = high;
  while (!fits(low) && low > usual * 1e-12) low /= 2;
  if (!fits(low)) {
    throw Error(ErrorCode::budget,
                "the budget pays for no step of any length: take fewer steps or a larger epsilon");
  }
  while (high > low * 1.001) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<Chain> run_barker(const ChainRun& run, const NormalWalk& walk, double step_size) {
  return run_kernel(run, Barker<>({.noise_variance = run.config.noise_variance,
                                   .proposal = walk,
                                   .step_size = run.config.step_size > 0 ? run.config.step_size : step_size,
                                   .target_acceptance = 0},
                                  run.problem.prior));
}

/// The noise is fixed, so the length of a step decides its cost. A twentieth is kept for the spread of the costs.
std::vector<Chain> barker(const ChainRun& run) {
  const NormalWalk walk(guess(run));
  const double affordable = 0.95 * run.step_budget.step_cost.value();
  return run_barker(run, walk, longest_step(run, walk, affordable, [&](const Position& to) {
                      const double moved = run.problem.ratio_sensitivity(run.problem.start, to);
                      return moved * moved / (2 * run.config.noise_variance);
                    }));
}

/// At most one proposal in a hundred may pass the bound: it would be rejected.
std::vector<Chain> barker_subsampled(const ChainRun& run) {
  if (run.config.noise_variance != kVarianceCompletedVariance)
    refuse("barker-subsampled tops noise up to a variance of 2: drop method.noise_variance");
  const NormalWalk walk(guess(run));
  return run_barker(
      run, walk, longest_step(run, walk, 0.01, [&](const Position& to) {
        return run.problem.ratio_bound(run.problem.start, to) > run.step_budget.ratio_bound ? 1.0 : 0.0;
      }));
}

std::vector<Chain> exact_barker(const ChainRun& run) {
  return run_kernel(
      run,
      Barker<>({.noise_variance = 0, .proposal = NormalWalk(guess(run)), .step_size = run.config.step_size},
               run.problem.prior));
}

/// Half of a step's cost for the ratio, half for the gradients.
std::vector<Chain> run_hmc(const ChainRun& run, double friction) {
  const int leapfrog = run.config.leapfrog_steps;
  const double half = run.step_budget.step_cost.value() / 2;
  return run_kernel(run, Hmc({.ratio_cost = Rho(half),
                              .gradient_cost = Rho(half / (leapfrog + 1)),
                              .steps = leapfrog,
                              .step_size = run.config.step_size > 0 ? run.config.step_size : 0.3,
                              .jitter = run.config.jitter,
                              .inverse_mass = guess(run),
                              .friction = friction,
                              .search = true},
                             run.problem.prior));
}
std::vector<Chain> hmc(const ChainRun& run) { return run_hmc(run, 0); }
std::vector<Chain> hmc_friction(const ChainRun& run) { return run_hmc(run, 1); }

/// Variance of the privacy noise on a gradient in coordinates divided by the guess of the posterior's sd.
double scaled_noise(const ChainRun& run) {
  const double sd = run.step_budget.noise_multiplier / run.step_budget.rate *
                    run.problem.gradient_norm(run.problem.start, run.problem.prior_scale);
  return sd * sd;
}

/// The step at which the batches' own spread makes variances 5 % too large (docs/sgld.md); the kernel takes shorter ones
/// where the privacy noise exceeds what is to be injected.
std::vector<Chain> sgld(const ChainRun& run) {
  const double rate = run.step_budget.rate;
  const double step = rate < 1 ? std::min(0.2, 0.2 * rate / (1 - rate)) : 0.2;
  return run_kernel(run, Sgld({.rate = rate,
                               .noise_multiplier = run.step_budget.noise_multiplier,
                               .scale = run.problem.prior_scale,
                               .step_size = run.config.step_size > 0 ? run.config.step_size : step,
                               .decay = run.config.decay},
                              run.problem.prior));
}

/// Steps short enough for the friction that the privacy noise calls for: h^2 v / 2 <= 1 / 8.
std::vector<Chain> sgnht(const ChainRun& run) {
  const double noise = scaled_noise(run);
  const double step = run.config.step_size > 0 ? run.config.step_size : std::min(0.1, 0.5 / std::sqrt(noise));
  return run_kernel(run, Sgnht({.rate = run.step_budget.rate,
                                .noise_multiplier = run.step_budget.noise_multiplier,
                                .scale = run.problem.prior_scale,
                                .step_size = step,
                                .diffusion = std::max(1.0, step * noise / 2)},
                               run.problem.prior));
}

std::string subsampled_is_approximate(const MethodConfig&) {
  return "Each acceptance test sees a batch of the rows, and corrects for the batch's estimated variance: "
         "the estimate is "
         "random and correlated with the batch's mean, and the mean is normal only in the limit of large "
         "batches.";
}

std::string barker_is_approximate(const MethodConfig& config) {
  return fmt::format(
      "Acceptance probabilities are within {:.1e} of those of Barker's test: no correction is exact for "
      "noise of variance "
      "{:g}.",
      Correction(config.noise_variance).error(), config.noise_variance);
}

std::string barker_subsampled_is_approximate(const MethodConfig& config) {
  return barker_is_approximate(config) +
         " Each test sees a batch of the rows: the batch's variance is estimated, and its mean normal only "
         "in the "
         "limit of large batches.";
}

std::string langevin_is_approximate(const MethodConfig&) {
  return "The chain has no acceptance test: finite steps and the batches' own spread move its target away "
         "from the "
         "posterior.";
}

std::string clipping_is_approximate(const MethodConfig& config) {
  if (!config.clip_ratio && !config.clip_gradient) return {};
  return "Rows whose contributions exceed the clip bounds contribute less than they should.";
}

std::string once_is_approximate(const MethodConfig&) {
  return "The posterior is that given the released scores and informations, which are taken to be normal and "
         "linear in the "
         "parameters over the posterior's width. Rows with unusual covariates count less, by public weights; "
         "where the "
         "model does not hold, that can move the answer away from the fit without weights.";
}

}  // namespace

const std::vector<Method>& methods() {
  constexpr bool kPrivate = false;
  constexpr bool kForStudy = true;
  static const std::vector<Method> table = {
      {"release-once", kPrivate, QueryRegime::rows, 1000, nullptr, once_is_approximate},
      {"penalty", kPrivate, QueryRegime::rows, 200, penalty},
      {"penalty-one-at-a-time", kPrivate, QueryRegime::rows, 200, coordinate_walk<Guidance::none>},
      {"guided-walk", kPrivate, QueryRegime::rows, 200, coordinate_walk<Guidance::directed>},
      {"penalty-exponential-family", kPrivate, QueryRegime::statistics, 1000, exponential_family},
      {"penalty-subsampled", kPrivate, QueryRegime::batch_ratios, 1000, penalty, subsampled_is_approximate},
      {"barker", kPrivate, QueryRegime::rows, 200, barker, barker_is_approximate},
      {"barker-subsampled", kPrivate, QueryRegime::variance_completed_ratios, 1000, barker_subsampled,
       barker_subsampled_is_approximate},
      {"hmc", kPrivate, QueryRegime::rows, 200, hmc},
      {"hmc-friction", kPrivate, QueryRegime::rows, 200, hmc_friction},
      {"sgld", kPrivate, QueryRegime::batches, 2000, sgld, langevin_is_approximate},
      {"sgnht", kPrivate, QueryRegime::batches, 2000, sgnht, langevin_is_approximate},
      {"metropolis", kForStudy, QueryRegime::rows, 1000, penalty, clipping_is_approximate},
      {"nonprivate-hmc", kForStudy, QueryRegime::rows, 1000, hmc, clipping_is_approximate},
      {"nonprivate-barker", kForStudy, QueryRegime::rows, 1000, exact_barker, clipping_is_approximate},
  };
  return table;
}

const Method& resolve_method(const FitConfig& config, const Problem& problem) {
  std::string name = config.method.name;
  if (name == "auto") {
    const Glm* glm = problem.model.as<Glm>();
    const bool once = glm != nullptr && link_of(glm->family()) && config.model.likelihood_power == 1;
    name = config.not_private        ? "nonprivate-hmc"
           : once                    ? "release-once"
           : problem.public_info.own ? "guided-walk"
                                     : "hmc";
  }
  const auto names = [](bool for_study) {
    std::vector<std::string> list;
    for (const Method& method : methods()) {
      if (method.for_study == for_study) list.push_back(method.name);
    }
    return fmt::format("{}", fmt::join(list, ", "));
  };
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const Method& method) { return method.name == name; });
  if (found == methods().end()) {
    refuse(fmt::format("there is no method {}: choose auto, {} or, for study only, {}", name, names(false),
                       names(true)));
  }
  if (found->for_study && !config.not_private) {
    refuse(fmt::format("{} is not private: it needs --not-private, for study only", name));
  }
  if (!found->for_study && config.not_private) {
    refuse(fmt::format("{} is private: drop --not-private, or choose {}", name, names(true)));
  }
  const MethodConfig& method = config.method;
  if (!found->for_study && (method.clip_ratio || method.clip_gradient)) {
    refuse(
        "clipping changes the posterior: method.clip_ratio and method.clip_gradient are for study, with "
        "--not-private");
  }
  if (name == "nonprivate-hmc" && method.clip_ratio && !method.clip_gradient) {
    refuse(
        "nonprivate-hmc clips both or neither: set method.clip_gradient too, large if only ratios are to be "
        "clipped");
  }
  return *found;
}

ChainSettings chain_settings(const Method& method, const MethodConfig& config) {
  ChainSettings settings;
  settings.draws = config.draws > 0 ? config.draws : method.draws;
  settings.warmup = config.warmup > 0 ? config.warmup : settings.draws;
  settings.thin = config.thin;
  settings.seed = config.seed;
  return settings;
}

std::size_t steps_in_all(const ChainSettings& settings, const MethodConfig& config) {
  return config.chains * (settings.warmup + settings.draws * settings.thin);
}

}  // namespace sotto
