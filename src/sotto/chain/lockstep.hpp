// Many steps of many chains, in lockstep: one pass over the rows answers the queries of all chains.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/kernel/kernel.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

struct ChainSettings {
  std::size_t warmup = 0;
  std::size_t draws = 1000;
  std::size_t thin = 1;
  std::uint64_t seed = 1;
  /// Whether a posterior may lie there, from public things; none: anywhere finite.
  std::function<bool(const Position&)> plausible = {};
};

/// After each round of answers: steps done so far by all chains together, of how many. Returning false ends
/// the run.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

/// Whether a chain has run away: its position is no number or no plausible one, or it moved, without a test that could have
/// refused, to where nothing can be asked.
[[nodiscard]] inline bool ran_away(const Position& position, const StepInfo& info,
                                   const ChainSettings& settings) {
  return !position.allFinite() || (info.accepted && info.divergent) ||
         (settings.plausible && !settings.plausible(position));
}

/// Runs one chain per starting point until its draws are there, the budget is spent, `progress` says stop, or one of them
/// has run away: the others are not to be trusted then, and what is left of the budget is kept.
/// Chain c uses stream c of the seed. Draws are positions, one row each, in the order of the chain; `map`
/// turns a position into what is kept.
template <Kernel K>
std::vector<Chain> run_chains(const K& kernel, std::span<const Position> starts, QueryInterface& interface,
                              const ChainSettings& settings,
                              const std::function<Position(const Position&)>& map,
                              const Progress& progress = {}) {
  struct Running {
    typename K::State state;
    ChainRng rng;
    std::vector<Position> draws;
    Chain chain;
    std::size_t steps = 0;
    std::optional<Step> step;
    bool active = true;
  };
  std::vector<Running> running;
  running.reserve(starts.size());
  const std::size_t steps = settings.warmup + settings.draws * settings.thin;
  for (std::size_t c = 0; c < starts.size(); ++c) {
    running.push_back({kernel.init(starts[c]), ChainRng(settings.seed, c), {}, {}, 0, {}, steps > 0});
    running.back().chain.seed = settings.seed;
    running.back().chain.warmup = settings.warmup;
  }

  StopReason stop = StopReason::finished;
  const auto finish_steps = [&](Running& r) {
    while (r.active && stop == StopReason::finished) {
      if (!r.step) r.step.emplace(kernel.step(r.state, r.rng));
      if (!r.step->done()) return;
      const StepInfo info = r.step->info();
      r.step.reset();
      if (ran_away(r.state.position, info, settings)) {
        stop = StopReason::diverged;
        return;
      }
      if (r.steps < settings.warmup) {
        kernel.adapt(r.state, info, r.steps, settings.warmup);
      } else if ((r.steps - settings.warmup + 1) % settings.thin == 0) {
        r.draws.push_back(map(r.state.position));
        r.chain.steps["accept_stat"].push_back(info.acceptance);
        r.chain.steps["stepsize"].push_back(info.step_size);
        r.chain.steps["divergent"].push_back(info.divergent ? 1 : 0);
      }
      if (++r.steps == steps) r.active = false;
    }
  };

  std::vector<Query> queries;
  std::vector<Running*> askers;
  while (stop == StopReason::finished) {
    queries.clear();
    askers.clear();
    std::size_t done = 0;
    for (Running& r : running) {
      finish_steps(r);
      done += r.steps;
      if (!r.active || stop != StopReason::finished) continue;
      queries.push_back(r.step->pending());
      askers.push_back(&r);
    }
    if (stop != StopReason::finished) break;
    if (progress && !progress(done, steps * running.size())) stop = StopReason::interrupted;
    if (queries.empty() || stop != StopReason::finished) break;
    std::vector<Answer> answers = interface.answer(queries);
    for (std::size_t i = 0; i < askers.size(); ++i) {
      const auto* refusal = std::get_if<QueryStatus>(&answers[i]);
      if (refusal != nullptr && *refusal == QueryStatus::budget) {
        stop = StopReason::budget_spent;  // all chains end together, so that none is longer because of what
                                          // it saw
        continue;
      }
      askers[i]->step->resume(std::move(answers[i]));
    }
  }

  std::vector<Chain> chains;
  for (Running& r : running) {
    r.chain.stop = r.active ? stop : StopReason::finished;
    const Eigen::Index width = map(r.state.position).size();
    r.chain.draws.resize(static_cast<Eigen::Index>(r.draws.size()), width);
    for (std::size_t i = 0; i < r.draws.size(); ++i)
      r.chain.draws.row(static_cast<Eigen::Index>(i)) = r.draws[i];
    chains.push_back(std::move(r.chain));
  }
  return chains;
}

}  // namespace sotto
