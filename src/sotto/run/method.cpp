#include "sotto/run/method.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/kernel/penalty_exponential_family.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/proposal/coordinate_move.hpp"
#include "sotto/proposal/independence.hpp"
#include "sotto/proposal/truncated_walk.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/step_length.hpp"

namespace sotto {
namespace {

/// Starts are spread over what is known of the posterior, so that R-hat can see chains that have not met.
std::vector<Position> starts(const ChainRun& run) {
  if (run.problem.chosen_start) return std::vector<Position>(run.config.chains, *run.problem.chosen_start);
  if (run.pilot) return run.pilot->starts;
  std::vector<Position> result;
  for (std::size_t c = 0; c < run.config.chains; ++c) {
    ChainRng rng(run.config.seed, 0x57a7 + c);
    result.push_back(run.problem.start.array() +
                     2 * run.problem.prior_scale.array() * rng.normals(run.problem.start.size()).array());
  }
  return result;
}

template <Kernel K>
std::vector<Chain> run_kernel(const ChainRun& run, const K& kernel) {
  const std::vector<Position> from = starts(run);
  ChainSettings settings = run.settings;
  if (run.problem.reach.size() > 0) {
    settings.plausible = [&problem = run.problem](const Position& x) {
      return ((x - problem.start).array().abs() <= problem.reach.array()).all();
    };
  }
  return run_chains(kernel, std::span<const Position>(from), run.interface, settings, run.problem.to_report,
                    run.progress);
}

Matrix guess(const ChainRun& run) { return known_covariance(run.problem, run.pilot); }
Position centre(const ChainRun& run) { return known_centre(run.problem, run.pilot); }

TruncatedWalk truncated_walk(const ChainRun& run) {
  const Position sd = guess(run).diagonal().cwiseSqrt();
  return {sd, run.config.proposal.bound * sd};
}

/// Around where the look puts the posterior, and wider than what it leaves open: the tails of a proposal must not be lighter
/// than the posterior's.
Independence independence(const ChainRun& run) {
  constexpr double kWider = 1.2;
  return {run.pilot->at, kWider * kWider * run.pilot->released};
}

/// Along these one coordinate at a time is as good as it is without correlations: whitened by them, what is known of the posterior is
/// standard normal.
Matrix axes(const ChainRun& run) { return Cholesky(guess(run)).lower(); }

/// A walk with directions goes on as long as it is accepted, so shorter steps pay (docs/walks.md).
template <Guidance guidance>
std::vector<Chain> coordinate_walk(const ChainRun& run) {
  constexpr double kTarget = guidance == Guidance::directed ? 0.42 : 0.3;
  return run_kernel(
      run, CoordinateWalk<guidance>(
               {.cost = run.step_budget.step_cost, .axes = 2.4 * axes(run), .target_acceptance = kTarget},
               run.problem.prior));
}

std::vector<Chain> penalty(const ChainRun& run) {
  const auto with = [&run]<Proposal P>(P proposal) {
    return run_kernel(run, Penalty<P>({.cost = run.step_budget.step_cost,
                                       .proposal = std::move(proposal),
                                       .step_size = run.config.step_size},
                                      run.problem.prior));
  };
  const std::string& name = run.config.proposal.name;
  if (name == "truncated") return with(truncated_walk(run));
  if (name == "independence") return with(independence(run));
  if (name == "coordinate") return coordinate_walk<Guidance::none>(run);
  return with(NormalWalk(guess(run)));
}

std::vector<Chain> exponential_family(const ChainRun& run) {
  return run_kernel(run, PenaltyExponentialFamily<>({.cost = run.step_budget.step_cost,
                                                     .proposal = NormalWalk(guess(run)),
                                                     .coefficients = run.step_budget.coefficients,
                                                     .step_size = run.config.step_size},
                                                    run.problem.prior));
}

/// The noise is fixed, so the length of a step decides its cost, more of it the farther out the chain is. A proposal that
/// costs more than some steps' shares is rejected unasked.
template <Proposal P>
std::vector<Chain> barker_with(const ChainRun& run, const P& walk) {
  constexpr double kMostShares = 3;
  const auto shares = [&run](const Position& from, const Position& to) {
    const double moved = run.problem.ratio_sensitivity(from, to);
    return moved * moved * static_cast<double>(run.problem.owners) /
           (2 * run.config.noise_variance * run.step_budget.step_cost.value());
  };
  const Position from = centre(run);
  const double step = run.config.step_size > 0 ? run.config.step_size
                                               : longest_step(from, walk, 0.9, [&](const Position& to) {
                                                   return std::fmin(shares(from, to), kMostShares);
                                                 });
  return run_kernel(run, Barker<P>({.noise_variance = run.config.noise_variance,
                                    .proposal = walk,
                                    .step_size = step,
                                    .target_acceptance = run.config.step_size > 0 ? 0 : 0.25,
                                    .owners = run.problem.owners,
                                    .shares = shares,
                                    .most_shares = kMostShares},
                                   run.problem.prior));
}

std::vector<Chain> barker(const ChainRun& run) {
  const std::string& name = run.config.proposal.name;
  if (name == "truncated") return barker_with(run, truncated_walk(run));
  if (name == "coordinate") return barker_with(run, CoordinateMove(axes(run)));
  return barker_with(run, NormalWalk(guess(run)));
}

std::vector<Chain> barker_subsampled(const ChainRun& run) {
  return run_kernel(run, Barker<>({.proposal = NormalWalk(guess(run)),
                                   .step_size = run.step_budget.step_size,
                                   .target_acceptance = 0},
                                  run.problem.prior));
}

std::vector<Chain> exact_barker(const ChainRun& run) {
  const auto with = [&run]<Proposal P>(P proposal) {
    return run_kernel(
        run,
        Barker<P>({.noise_variance = 0, .proposal = std::move(proposal), .step_size = run.config.step_size},
                  run.problem.prior));
  };
  const std::string& name = run.config.proposal.name;
  if (name == "truncated") return with(truncated_walk(run));
  if (name == "coordinate") return with(CoordinateMove(axes(run)));
  return with(NormalWalk(guess(run)));
}

std::vector<Chain> run_hmc(const ChainRun& run, double friction) {
  const int leapfrog = run.config.leapfrog_steps;
  const bool batches =
      run.step_budget.rate < 1;  // paid for, all of them: the step's cost is the ratio's alone
  const double cost = run.step_budget.step_cost.value();
  const double ratio_cost = batches ? cost : cost * share_of_ratio(run.problem.start.size());
  return run_kernel(run, Hmc({.ratio_cost = Rho(ratio_cost),
                              .gradient_cost = Rho((cost - ratio_cost) / (leapfrog + 1)),
                              .steps = leapfrog,
                              .step_size = run.config.step_size > 0 ? run.config.step_size : 0.3,
                              .jitter = run.config.jitter,
                              .inverse_mass = guess(run),
                              .friction = friction,
                              .batch_rate = run.step_budget.rate,
                              .noise_multiplier = run.step_budget.noise_multiplier,
                              .search = true,
                              .adapt_length = run.config.adapt_length},
                             run.problem.prior));
}
std::vector<Chain> hmc(const ChainRun& run) { return run_hmc(run, 0); }
std::vector<Chain> hmc_friction(const ChainRun& run) { return run_hmc(run, 1); }

/// What both Langevin chains start from.
LangevinSettings langevin(const ChainRun& run) {
  const Matrix covariance = guess(run);
  const Position scale = covariance.diagonal().cwiseSqrt();
  return {.rate = run.step_budget.rate,
          .noise_multiplier = run.step_budget.noise_multiplier,
          .scale = scale,
          .factor = noise_aligned_factor(covariance, scale)};
}

/// Variance of a batch's gradient where the posterior has unit variance: the rows' gradients then vary, together, as much as
/// the posterior is curved. A program's own model tells only how wide the posterior is at least: nothing is taken for granted.
double batch_spread(const ChainRun& run) {
  return run.problem.own ? 0 : (1 - run.step_budget.rate) / run.step_budget.rate;
}

/// Where the batches' spread is known it is injected noise, and so is what a finite step leaves: x <- (1 - h / 2) x + N(0, w)
/// has unit variance for w = h - h^2 / 4. Elsewhere the step is one at which they make variances at most 5 % too large
/// (docs/sgld.md). The kernel takes shorter ones where the privacy noise exceeds what is to be injected.
std::vector<Chain> sgld(const ChainRun& run) {
  const double rate = run.step_budget.rate;
  LangevinSettings settings = langevin(run);
  const double short_step = rate < 1 ? std::min(0.2, 0.2 * rate / (1 - rate)) : 0.2;
  settings.step_size = run.config.step_size > 0 ? run.config.step_size : run.problem.own ? short_step : 0.2;
  settings.spread = run.problem.own ? 0 : batch_spread(run) + 1;
  settings.decay = run.config.decay;
  return run_kernel(run, Sgld(settings, run.problem.prior));
}

/// Steps short enough for the friction that the noise calls for, h^2 v / 2 <= 1 / 8, and as much noise in all directions as in
/// the noisiest.
std::vector<Chain> sgnht(const ChainRun& run) {
  LangevinSettings settings = langevin(run);
  const double sd =
      settings.noise_multiplier / settings.rate * run.problem.gradient_norm(centre(run), settings.scale);
  const Position share = settings.factor.cwiseAbs2().transpose() * settings.scale.cwiseAbs2().cwiseInverse();
  settings.spread = batch_spread(run);
  const double noise = sd * sd * share.maxCoeff() + settings.spread;
  settings.step_size =
      run.config.step_size > 0 ? run.config.step_size : std::min(0.1, 0.5 / std::sqrt(noise));
  settings.diffusion = std::max(1.0, settings.step_size * noise / 2);
  return run_kernel(run, Sgnht(settings, run.problem.prior));
}

std::string subsampled_is_approximate(const FitConfig&) {
  return "Each acceptance test sees a batch of the rows, and corrects for the batch's estimated variance: "
         "the estimate is "
         "random and correlated with the batch's mean, and the mean is normal only in the limit of large "
         "batches.";
}

std::string barker_is_approximate(const FitConfig& config) {
  return fmt::format(
      "Acceptance probabilities are within {:.1e} of those of Barker's test: no correction is exact for "
      "noise of variance "
      "{:g}.",
      Correction(config.method.noise_variance).error(), config.method.noise_variance);
}

std::string barker_subsampled_is_approximate(const FitConfig& config) {
  return barker_is_approximate(config) +
         " Each test sees a batch of the rows: the batch's variance is estimated, and its mean normal only "
         "in the "
         "limit of large batches.";
}

std::string langevin_is_approximate(const FitConfig&) {
  return "The chain has no acceptance test: finite steps and the batches' own spread move its target away "
         "from the "
         "posterior.";
}

std::string clipping_is_approximate(const FitConfig& config) {
  if (!config.method.clip_ratio && !config.method.clip_gradient) return {};
  return "Rows whose contributions exceed the clip bounds contribute less than they should.";
}

std::string once_is_approximate(const FitConfig& config) {
  if (is_location(config.model)) {
    return "The posterior is that given a noisy sum of the rows, whose noise it allows for; draws are "
           "independent. Values beyond the declared bounds count as the bound. Where rows were also clipped "
           "around a released point, the sum is taken to be normal, with the mean that clipping normal rows "
           "leaves it.";
  }
  if (is_categorical(config.model)) return {};  // exact but for the grids that it is drawn from
  return "The posterior is that given the released scores and informations, which are taken to be normal and "
         "linear in the "
         "parameters over the posterior's width. Rows with unusual covariates count less, by public weights; "
         "where the "
         "model does not hold, that can move the answer away from the fit without weights.";
}

/// Of `chain_settings_given`, without the table's name.
bool reads(const Method& method, const ProposalConfig& proposal, std::string_view setting) {
  if (setting == "bound") return method.run == nullptr || proposal.name == "truncated";
  if (method.run == nullptr) return false;
  const bool hamiltonian = method.run == hmc || method.run == hmc_friction;
  const bool langevin = method.run == sgld || method.run == sgnht;
  if (setting == "leapfrog_steps" || setting == "adapt_length" || setting == "jitter") return hamiltonian;
  if (setting == "batch_rate") return method.regime == QueryRegime::trajectories;
  if (setting == "noise_variance") return method.run == barker;
  if (setting == "batch")
    return method.regime == QueryRegime::batch_ratios ||
           method.regime == QueryRegime::variance_completed_ratios;
  if (setting == "rate") return langevin;
  if (setting == "decay") return method.run == sgld;
  if (setting == "step_size") return method.run != barker_subsampled;
  return true;
}

}  // namespace

std::string unread_settings(const Method& method, const FitConfig& config) {
  std::vector<std::string> unread = chain_settings_given(config);
  std::erase_if(unread, [&](const std::string& path) {
    return reads(method, config.method.proposal, std::string_view(path).substr(path.rfind('.') + 1));
  });
  if (unread.empty()) return {};
  const char* are = unread.size() == 1 ? "is" : "are";
  const std::string names = fmt::format("{}", fmt::join(unread, ", "));
  if (method.run == nullptr)
    return fmt::format("Note: {} {} for chains, and {} makes none.", names, are, method.name);
  if (unread == std::vector<std::string>{"proposal.bound"})
    return "Note: proposal.bound is for proposals that are truncated, and these are not.";
  return fmt::format("Note: {} {} of other methods: {} does not read {}.", names, are, method.name,
                     unread.size() == 1 ? "it" : "them");
}

const std::vector<Method>& methods() {
  constexpr bool kPrivate = false;
  constexpr bool kForStudy = true;
  constexpr bool kLooks = true;
  constexpr double kWalk = 1, kDirected = 1.4, kBarker = 0.75;  // docs/walks.md
  constexpr double kTrajectory = 0.4;                           // measured there, beside the dimension's part
  constexpr double kWanders = 2;  // a walk's effective draws take three to five steps a coordinate
  static const std::vector<Method> table = {
      {"release-once", kPrivate, QueryRegime::rows, 1000, nullptr, once_is_approximate},
      {"penalty", kPrivate, QueryRegime::rows, 1000, penalty, nullptr, kLooks, kWanders, kWalk},
      {"penalty-one-at-a-time", kPrivate, QueryRegime::rows, 1000, coordinate_walk<Guidance::none>, nullptr,
       kLooks, kWanders, kWalk},
      {"guided-walk", kPrivate, QueryRegime::rows, 1000, coordinate_walk<Guidance::directed>, nullptr, kLooks,
       kWanders, kDirected},
      {"penalty-exponential-family", kPrivate, QueryRegime::statistics, 1000, exponential_family, nullptr,
       kLooks, kWanders},
      {"penalty-subsampled", kPrivate, QueryRegime::batch_ratios, 1000, penalty, subsampled_is_approximate,
       kLooks, kWanders, kWalk},
      {"barker", kPrivate, QueryRegime::rows, 1000, barker, barker_is_approximate, kLooks, kWanders, kBarker},
      {"barker-subsampled", kPrivate, QueryRegime::variance_completed_ratios, 1000, barker_subsampled,
       barker_subsampled_is_approximate},
      {"hmc", kPrivate, QueryRegime::trajectories, 500, hmc, nullptr, kLooks, 0, kTrajectory},
      {"hmc-friction", kPrivate, QueryRegime::trajectories, 500, hmc_friction, nullptr, kLooks, 0,
       kTrajectory},
      {"sgld", kPrivate, QueryRegime::batches, 2000, sgld, langevin_is_approximate, kLooks},
      {"sgnht", kPrivate, QueryRegime::batches, 2000, sgnht, langevin_is_approximate, kLooks},
      {"metropolis", kForStudy, QueryRegime::rows, 1000, penalty, clipping_is_approximate, false, kWanders},
      {"nonprivate-hmc", kForStudy, QueryRegime::rows, 1000, hmc, clipping_is_approximate},
      {"nonprivate-barker", kForStudy, QueryRegime::rows, 1000, exact_barker, clipping_is_approximate, false,
       kWanders},
  };
  return table;
}

}  // namespace sotto
