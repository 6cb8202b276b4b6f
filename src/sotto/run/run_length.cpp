#include "sotto/run/run_length.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/data/rows.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kNoiseOverStep = 10;     // of variances
constexpr double kDrawsOfBudget = 0.331;  // times 1 / (d k): the most that it is worth to a penalty walk
constexpr double kMeasured = 0.5;         // of that, in chains as they run (docs/walks.md)

// Cells of the rows that a default run reads at most, about half a minute of one thread, and its steps where the number of rows is secret.
constexpr double kMostCells = 2e10;
constexpr double kMostSteps = 2e4;

// Warmup beside the steps that are kept: chains that start from a look have only their steps' length to learn.
constexpr double kWarmupAfterLook = 0.25;
constexpr double kWarmupFromAfar = 1;

/// A batch of fixed size is read row by row, each a tile of its own (measurement/secret_batches.hpp), which was measured to take
/// as long as eight tiles of a pass.
double tiles_a_row(QueryRegime regime) {
  const bool by_row = regime == QueryRegime::batch_ratios || regime == QueryRegime::variance_completed_ratios;
  return by_row ? 8.0 * static_cast<double>(kTile) : 1;
}

double steps_worth_the_time(QueryRegime regime, const PublicProblem& problem, const Pilot* pilot) {
  const std::optional<double> rows = problem.rows       ? problem.rows
                                     : pilot != nullptr ? std::optional(pilot->rows)
                                                        : std::nullopt;
  if (!rows) return kMostSteps;
  const double cells = std::max(*rows, 1.0) * static_cast<double>(problem.start.size());
  return kMostCells / (tiles_a_row(regime) * cells);
}

/// Rows that a row of a batch stands for; 1 where tests see all rows.
double rows_a_batched_row(const Method& method, const FitConfig& config, const PublicProblem& problem) {
  if (method.regime != QueryRegime::batch_ratios || !problem.rows) return 1;
  return *problem.rows / static_cast<double>(size_of_batch(config, static_cast<std::size_t>(*problem.rows)));
}

/// Sensitivity of a batch's ratio where that of all rows' is `moved` (measurement/batch_ratio.hpp, for large batches).
double of_batch(double moved, double weight) { return (weight + weight * (weight - 1) / 2 * moved) * moved; }

/// useful_steps, of tests that see a row in so many.
double useful_steps(const PublicProblem& problem, const Pilot* pilot, Rho rho, double weight) {
  constexpr int kMoves = 64;
  constexpr double kShort = 0.1;
  const Position from = known_centre(problem, pilot);
  const Matrix factor = Cholesky(known_covariance(problem, pilot)).lower();
  ChainRng rng(1);
  double moved = 0;
  for (int i = 0; i < kMoves; ++i) {
    const Position move = kShort * (factor * rng.normals(from.size()));
    moved += std::pow(of_batch(problem.ratio_sensitivity(from, from + move), weight), 2) / kMoves;
  }
  const double squared_length = kShort * kShort * static_cast<double>(from.size());
  const double k = moved * static_cast<double>(problem.owners) / (2 * rho.value() * squared_length);
  return kNoiseOverStep / k;
}

}  // namespace

double useful_steps(const PublicProblem& problem, const Pilot* pilot, Rho rho) {
  return useful_steps(problem, pilot, rho, 1);
}

ChainSettings run_length(const Method& method, const FitConfig& config, const Problem& problem,
                         const Pilot* pilot, Rho rho) {
  const MethodConfig& chosen = config.method;
  ChainSettings settings;
  settings.seed = chosen.seed;
  settings.draws = chosen.draws > 0 ? chosen.draws : method.draws;
  settings.thin = std::max<std::size_t>(chosen.thin, 1);
  const bool looks = method.looks && can_look(config, problem);
  const double warmup_share = looks ? kWarmupAfterLook : kWarmupFromAfar;
  if (chosen.thin == 0 && method.steps_per_coordinate > 0) {
    const double most = method.steps_per_coordinate * static_cast<double>(problem.public_info.start.size());
    // What is paid for before the look knows nothing of what steps are of use.
    const double of_use = method.regime == QueryRegime::batch_ratios
                              ? std::numeric_limits<double>::infinity()
                              : useful_steps(problem.public_info, pilot, rho);
    const double steps = std::min(of_use, steps_worth_the_time(method.regime, problem.public_info, pilot));
    const double unthinned = static_cast<double>(chosen.chains * settings.draws) * (1 + warmup_share);
    settings.thin = static_cast<std::size_t>(std::max(1.0, std::min(most, steps / unthinned)));
  }
  settings.warmup = chosen.warmup;
  if (settings.warmup == 0)
    settings.warmup = static_cast<std::size_t>(
        std::ceil(warmup_share * static_cast<double>(settings.draws * settings.thin)));
  return settings;
}

ForetoldDraws draws_for(Rho rho, const Method& method, const FitConfig& config, const PublicProblem& problem,
                        const Pilot& pilot, const ChainSettings& settings) {
  constexpr double kUntold = std::numeric_limits<double>::infinity();
  if (!(method.worth > 0) || config.method.proposal.name != ProposalConfig().name) return {kUntold, kUntold};
  const auto d = static_cast<double>(problem.start.size());
  const double weight = rows_a_batched_row(method, config, problem);
  const double useful = useful_steps(problem, &pilot, rho, weight);
  if (!std::isfinite(useful)) return {kUntold, kUntold};
  const bool trajectories = method.regime == QueryRegime::trajectories;
  const auto steps = static_cast<double>(steps_in_all(settings, config.method.chains));
  const auto kept = static_cast<double>(settings.draws * settings.thin);
  const double kept_share = kept / (kept + static_cast<double>(settings.warmup));
  const double of_dimension = trajectories ? std::pow(1 + std::sqrt(d), 2) : 1;
  const double of_budget =
      kMeasured * method.worth * kept_share * kDrawsOfBudget * useful / (kNoiseOverStep * d * of_dimension);
  const double noise = kNoiseOverStep * steps / useful;
  const double of_steps = trajectories ? 1 : noise / (weight + noise);
  return {of_budget,
          std::min(of_budget * of_steps, static_cast<double>(config.method.chains * settings.draws))};
}

std::size_t steps_in_all(const ChainSettings& settings, std::size_t chains) {
  return chains * (settings.warmup + settings.draws * settings.thin);
}

}  // namespace sotto
