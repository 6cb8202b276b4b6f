// Steps per second of each kernel at n = 100,000 rows of 10 columns, one chain, one thread, and the share of the time
// that is not the pass over the rows: the same run against an owner of no rows.
#include <benchmark/benchmark.h>

#include <chrono>
#include <span>
#include <vector>

#include "sotto/accountant/budget.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/model/location.hpp"
#include "sotto/owner/owner.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kDim = 10;

Rows make_rows(std::size_t count) {
  Rows rows(count, kDim);
  ChainRng rng(1);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < kDim; ++j) rows.at(i, j) = std::clamp(rng.normal(), -4.0, 4.0);
    rows.weight(i) = 1;
  }
  return rows;
}

LogPrior flat() {
  return {[](const Position&) { return 0.0; },
          [](const Position& x) { return Position::Zero(x.size()).eval(); }};
}

template <class K>
double seconds(const K& kernel, Rows rows, std::size_t steps) {
  Budget budget(Epsilon(1e9), Delta(1e-6));
  SystemEntropy entropy;
  Owner<LocationModel> owner(
      std::move(rows), LocationModel(std::vector<Interval>(kDim, {-4, 4}), Matrix::Identity(kDim, kDim)),
      Protection{}, Reading{}, budget, entropy);
  const std::vector<Position> starts(1, Position::Zero(kDim));
  const auto begin = std::chrono::steady_clock::now();
  const auto chains =
      run_chains(kernel, std::span<const Position>(starts), owner,
                 {.warmup = 0, .draws = steps, .thin = 1, .seed = 1}, [](const Position& x) { return x; });
  benchmark::DoNotOptimize(chains.front().draws.data());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class K>
void measure(benchmark::State& state, const K& kernel) {
  constexpr std::size_t kSteps = 50;
  double full = 0;
  double empty = 0;
  for (auto _ : state) {
    const double elapsed = seconds(kernel, make_rows(100000), kSteps);
    state.SetIterationTime(elapsed);
    full += elapsed;
    empty += seconds(kernel, Rows(0, kDim), kSteps);
  }
  state.counters["steps_per_second"] = static_cast<double>(kSteps * state.iterations()) / full;
  state.counters["share_outside_pass"] = empty / full;
}

const Matrix kShape = Matrix::Identity(kDim, kDim) * 1e-5;  // the posterior's covariance

void penalty(benchmark::State& state) {
  measure(state, PenaltyMetropolis({.cost = Rho(1), .proposal = kShape}, flat()));
}
void one_at_a_time(benchmark::State& state) {
  measure(state, PenaltyOneAtATime({.cost = Rho(1), .scale = Position::Constant(kDim, 0.007)}, flat()));
}
void guided_walk(benchmark::State& state) {
  measure(state, GuidedWalk({.cost = Rho(1), .scale = Position::Constant(kDim, 0.007)}, flat()));
}
void barker(benchmark::State& state) { measure(state, Barker<>({.proposal = kShape}, flat())); }
void hmc(benchmark::State& state) {
  measure(state, Hmc({.ratio_cost = Rho(1),
                      .gradient_cost = Rho(1),
                      .steps = 10,
                      .step_size = 0.3,
                      .inverse_mass = kShape},
                     flat()));
}
void hmc_friction(benchmark::State& state) {
  measure(state, Hmc({.ratio_cost = Rho(1),
                      .gradient_cost = Rho(1),
                      .steps = 10,
                      .step_size = 0.3,
                      .inverse_mass = kShape,
                      .friction = 1},
                     flat()));
}

BENCHMARK(penalty)->UseManualTime();
BENCHMARK(one_at_a_time)->UseManualTime();
BENCHMARK(guided_walk)->UseManualTime();
BENCHMARK(barker)->UseManualTime();
BENCHMARK(hmc)->UseManualTime();
BENCHMARK(hmc_friction)->UseManualTime();

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
