// Steps per second of processor time of each kernel at n = 100,000 rows of 10 columns, one chain, one thread, and the
// share of that time that is not the reading of rows: the same run against an owner of eight rows. On the mean of a
// multivariate normal and on logistic regression.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <span>
#include <vector>

#include "sotto/chain/lockstep.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/kernel/penalty_exponential_family.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/statistic.hpp"
#include "sotto/model/families.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kDim = 10;
constexpr std::size_t kRows = 100000;
constexpr std::size_t kFew = 8;
constexpr std::size_t kBatch = 1000;
constexpr double kRate = 0.01;

struct NormalMean {
  static LocationModel model() {
    return {std::vector<Interval>(kDim, {-4, 4}), Matrix::Identity(kDim, kDim)};
  }
  static Rows rows(std::size_t count) {
    Rows rows(count, kDim);
    ChainRng rng(1);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < kDim; ++j) rows.at(i, j) = std::clamp(rng.normal(), -4.0, 4.0);
      rows.weight(i) = 1;
    }
    return rows;
  }
};

struct Logistic {
  static Glm model() {
    std::vector<DomainComponent> components;
    for (Eigen::Index j = 0; j < kDim; ++j) {
      const Matrix ends = j == 0 ? Matrix::Ones(1, 1).eval() : Matrix{{-1.0}, {1.0}};
      components.push_back({{j}, ends});
    }
    return {family::Bernoulli(), Domain(std::move(components)), {0, 1}};
  }
  static Rows rows(std::size_t count) {
    Rows rows(count, kDim + 1);
    ChainRng rng(1);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < kDim; ++j) rows.at(i, j) = j == 0 ? 1 : 2 * rng.uniform() - 1;
      rows.at(i, kDim) = rng.uniform() < 0.5 ? 1 : 0;
      rows.weight(i) = 1;
    }
    return rows;
  }
};

LogPrior flat() {
  return {[](const Position&) { return 0.0; },
          [](const Position& x) { return Position::Zero(x.size()).eval(); }};
}

/// Purse and noise of a run, and who answers from them.
struct Side {
  Budget budget{Epsilon(1e9), Delta(1e-6)};
  SystemEntropy entropy;
  std::unique_ptr<QueryInterface> owner;
};

template <class Problem>
void all_rows(Side& side, std::size_t rows, std::size_t) {
  side.owner = std::make_unique<DataOwner>(Problem::rows(rows), Problem::model(), PrivacyUnit{},
                                           ExecutionOptions{}, side.budget, side.entropy);
}
template <class Problem>
void batch_gradients(Side& side, std::size_t rows, std::size_t steps) {
  side.owner = std::make_unique<DataOwner>(
      Problem::rows(rows), measure_batches({Problem::model()}, {kRate, 1, steps}, side.budget, Epsilon(1)), 1,
      side.budget, side.entropy, std::make_unique<DiscreteGaussianMechanism>(side.entropy));
}
template <class Problem>
void batch_ratios(Side& side, std::size_t rows, std::size_t) {
  side.owner = std::make_unique<DataOwner>(
      measure_batch_ratios(Problem::rows(rows), {Problem::model()}, std::min(rows, kBatch)), side.budget,
      side.entropy);
}
void statistics(Side& side, std::size_t rows, std::size_t) {
  side.owner = std::make_unique<DataOwner>(
      measure_statistic(NormalMean::rows(rows), StandardStatistic(LocationFamily(NormalMean::model())),
                        PrivacyUnit{}, 1),
      side.budget, side.entropy);
}
using MakeSide = void (*)(Side&, std::size_t rows, std::size_t steps);

template <class K>
double seconds(const K& kernel, MakeSide make, std::size_t rows, std::size_t steps) {
  Side side;
  make(side, rows, steps);
  const std::vector<Position> starts(1, Position::Zero(kDim));
  const std::clock_t begin = std::clock();
  const auto chains =
      run_chains(kernel, std::span<const Position>(starts), *side.owner,
                 {.warmup = 0, .draws = steps, .thin = 1, .seed = 1}, [](const Position& x) { return x; });
  benchmark::DoNotOptimize(chains.front().draws.data());
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

template <class K>
void measure(benchmark::State& state, const K& kernel, MakeSide make, std::size_t steps = 50) {
  double full = 0;
  double few = 0;
  for (auto _ : state) {
    const double elapsed = seconds(kernel, make, kRows, steps);
    state.SetIterationTime(elapsed);
    full += elapsed;
    few += seconds(kernel, make, kFew, steps);
  }
  state.counters["steps_per_second"] = static_cast<double>(steps * state.iterations()) / full;
  state.counters["share_outside_rows"] = few / full;
}

const Matrix kShape = Matrix::Identity(kDim, kDim) * 1e-5;  // the posterior's covariance

template <class Problem>
void penalty(benchmark::State& state) {
  measure(state, PenaltyMetropolis({.cost = Rho(1), .proposal = kShape}, flat()), all_rows<Problem>);
}
template <class Problem>
void one_at_a_time(benchmark::State& state) {
  measure(state, PenaltyOneAtATime({.cost = Rho(1), .axes = 0.007 * Matrix::Identity(kDim, kDim)}, flat()),
          all_rows<Problem>);
}
template <class Problem>
void guided_walk(benchmark::State& state) {
  measure(state, GuidedWalk({.cost = Rho(1), .axes = 0.007 * Matrix::Identity(kDim, kDim)}, flat()),
          all_rows<Problem>);
}
template <class Problem>
void barker(benchmark::State& state) {
  measure(state, Barker<>({.proposal = kShape}, flat()), all_rows<Problem>);
}
template <class Problem>
void run_hmc(benchmark::State& state, double friction) {
  measure(state,
          Hmc({.ratio_cost = Rho(1),
               .gradient_cost = Rho(1),
               .steps = 10,
               .step_size = 0.3,
               .inverse_mass = kShape,
               .friction = friction},
              flat()),
          all_rows<Problem>);
}
template <class Problem>
void hmc(benchmark::State& state) {
  run_hmc<Problem>(state, 0);
}
template <class Problem>
void hmc_friction(benchmark::State& state) {
  run_hmc<Problem>(state, 1);
}
template <class Problem>
void penalty_subsampled(benchmark::State& state) {
  measure(state, PenaltyMetropolis({.cost = Rho(1), .proposal = kShape}, flat()), batch_ratios<Problem>);
}
void penalty_exponential_family(benchmark::State& state) {
  const StandardStatistic statistic{LocationFamily(NormalMean::model())};
  measure(state,
          PenaltyExponentialFamily<>(
              {.cost = Rho(1),
               .proposal = kShape,
               .coefficients = [=](const Position& x) { return statistic.coefficients(x); }},
              flat()),
          statistics, 5000);
}
template <class K, class Problem>
void langevin(benchmark::State& state) {
  measure(
      state,
      K({.rate = kRate, .noise_multiplier = 1, .scale = Position::Constant(kDim, 0.003), .step_size = 0.01},
        flat()),
      batch_gradients<Problem>, 500);
}
template <class Problem>
void sgld(benchmark::State& state) {
  langevin<Sgld, Problem>(state);
}
template <class Problem>
void sgnht(benchmark::State& state) {
  langevin<Sgnht, Problem>(state);
}

BENCHMARK(penalty<NormalMean>)->UseManualTime();
BENCHMARK(penalty<Logistic>)->UseManualTime();
BENCHMARK(one_at_a_time<NormalMean>)->UseManualTime();
BENCHMARK(one_at_a_time<Logistic>)->UseManualTime();
BENCHMARK(guided_walk<NormalMean>)->UseManualTime();
BENCHMARK(guided_walk<Logistic>)->UseManualTime();
BENCHMARK(barker<NormalMean>)->UseManualTime();
BENCHMARK(barker<Logistic>)->UseManualTime();
BENCHMARK(hmc<NormalMean>)->UseManualTime();
BENCHMARK(hmc<Logistic>)->UseManualTime();
BENCHMARK(hmc_friction<NormalMean>)->UseManualTime();
BENCHMARK(hmc_friction<Logistic>)->UseManualTime();
BENCHMARK(penalty_subsampled<NormalMean>)->UseManualTime();
BENCHMARK(penalty_subsampled<Logistic>)->UseManualTime();
BENCHMARK(penalty_exponential_family)->UseManualTime();
BENCHMARK(sgld<NormalMean>)->UseManualTime();
BENCHMARK(sgld<Logistic>)->UseManualTime();
BENCHMARK(sgnht<NormalMean>)->UseManualTime();
BENCHMARK(sgnht<Logistic>)->UseManualTime();

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
