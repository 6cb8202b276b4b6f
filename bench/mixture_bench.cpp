// Sweeps per second, acceptance rates and effective draws of the number of clusters, in the setting of
// [BFR24, section 4.1]: three normals truncated to [-10, 10], Laplace channel, normal kernel with a
// normal-inverse-gamma base.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <vector>

#include "sotto/channel/laplace.hpp"
#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"

namespace {

using namespace sotto;
using namespace sotto::mixture;

using Release = LocalRelease<LaplaceChannel, double>;

struct Study {
  Release release;
  std::vector<double> start;
};

Study simulate(std::size_t n, double epsilon) {
  ChainRng rng(2024);
  const LaplaceChannel channel(Interval{-10, 10}, Epsilon(epsilon));
  Study study{{channel, {}}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    double y;
    do y = -5.0 + 5.0 * static_cast<double>(rng.below(3)) + rng.normal();
    while (std::abs(y) > 10);
    study.release.z.push_back(channel.simulate(y, rng));
    study.start.push_back(channel.initial(study.release.z.back(), rng));
  }
  return study;
}

/// Effective draws of a series: n / (1 + 2 sum of autocorrelations), summed by Geyer's initial positive
/// sequence.
double effective_draws(const std::vector<double>& x) {
  const std::size_t n = x.size();
  double mean = 0;
  for (const double v : x) mean += v / static_cast<double>(n);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / static_cast<double>(n);
  };
  const double variance = covariance(0);
  if (!(variance > 0)) return 0;
  double sum = -1;
  for (std::size_t lag = 0; lag + 1 < n / 2; lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (pair <= 0) break;
    sum += 2 * pair;
  }
  return static_cast<double>(n) / std::max(sum, 1e-9);
}

template <class Sampler>
void measure(benchmark::State& state, Sampler& sampler, ChainRng& rng, std::size_t n) {
  const std::size_t warmup = n > 5000 ? 200 : 2000;
  for (std::size_t s = 0; s < warmup; ++s) sampler.sweep(rng);
  SweepInfo info;
  std::vector<double> clusters;
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  for (auto _ : state) {
    info += sampler.sweep(rng);
    clusters.push_back(static_cast<double>(sampler.state().partition.clusters()));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double mean = 0;
  for (const double k : clusters) mean += k / static_cast<double>(clusters.size());
  // Processor time, of all threads: what other programs do at the same time does not count.
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  state.counters["sweeps_per_cpu_s"] = static_cast<double>(clusters.size()) / cpu_seconds;
  state.counters["ess_per_cpu_s"] = effective_draws(clusters) / cpu_seconds;
  state.counters["sweeps_per_s"] = static_cast<double>(clusters.size()) / seconds;
  if (info.proposed > 0)
    state.counters["acceptance"] = static_cast<double>(info.accepted) / static_cast<double>(info.proposed);
  state.counters["clusters"] = mean;
}

// Arguments: n, epsilon, m.
void neal5(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Study study = simulate(n, static_cast<double>(state.range(1)));
  ChainRng rng(1);
  Neal5 sampler(NormalKernel({.mean = 0, .precision = 0.1, .shape = 3, .rate = 3}), DirichletProcess(1),
                study.release, study.start, {.imputations = static_cast<std::size_t>(state.range(2))}, rng);
  measure(state, sampler, rng, n);
}
BENCHMARK(neal5)->ArgsProduct({{200, 1000}, {1, 2, 5, 10, 50}, {1}})->ArgNames({"n", "epsilon", "m"});
BENCHMARK(neal5)->ArgsProduct({{200}, {1, 50}, {5}})->ArgNames({"n", "epsilon", "m"});
BENCHMARK(neal5)->ArgsProduct({{10000, 100000}, {10}, {1}})->ArgNames({"n", "epsilon", "m"});

// Arguments: n, epsilon, threads, joint moves.
void slice(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Study study = simulate(n, static_cast<double>(state.range(1)));
  ChainRng rng(1);
  Conditional sampler(
      NormalKernel({.mean = 0, .precision = 0.1, .shape = 3, .rate = 3}), DirichletProcess(1), study.release,
      study.start, {.threads = static_cast<std::size_t>(state.range(2)), .joint_moves = state.range(3) == 1},
      rng);
  measure(state, sampler, rng, n);
}
BENCHMARK(slice)
    ->ArgsProduct({{200, 1000}, {1, 2, 5, 10, 50}, {1}, {0, 1}})
    ->ArgNames({"n", "epsilon", "threads", "joint"})
    ->UseRealTime();
BENCHMARK(slice)
    ->ArgsProduct({{10000, 100000}, {10}, {1, 2}, {1}})
    ->ArgNames({"n", "epsilon", "threads", "joint"})
    ->UseRealTime();

// Arguments: n, epsilon, auxiliary atoms.
void neal8(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Study study = simulate(n, static_cast<double>(state.range(1)));
  ChainRng rng(1);
  Neal8 sampler(NormalKernel({.mean = 0, .precision = 0.1, .shape = 3, .rate = 3}), DirichletProcess(1),
                study.release, {.auxiliaries = static_cast<std::size_t>(state.range(2))}, rng);
  measure(state, sampler, rng, n);
}
BENCHMARK(neal8)
    ->ArgsProduct({{200, 1000}, {1, 2, 5, 10, 50}, {2}})
    ->ArgNames({"n", "epsilon", "auxiliaries"});
BENCHMARK(neal8)->ArgsProduct({{200}, {10, 50}, {1, 5}})->ArgNames({"n", "epsilon", "auxiliaries"});

// Neal 3 on imputed data. Arguments: n, epsilon, split-merge moves per sweep.
void neal3(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Study study = simulate(n, static_cast<double>(state.range(1)));
  ChainRng rng(1);
  Neal3 sampler(NormalKernel({.mean = 0, .precision = 0.1, .shape = 3, .rate = 3}), DirichletProcess(1),
                study.release, study.start, {.split_merge_moves = static_cast<std::size_t>(state.range(2))},
                rng);
  measure(state, sampler, rng, n);
}
BENCHMARK(neal3)->ArgsProduct({{200, 1000}, {1, 10, 50}, {0, 5}})->ArgNames({"n", "epsilon", "moves"});

// The releases of Gaussian noise as data of the inflated normal kernel; noise of the same variance as Laplace's at this epsilon.
// Arguments: n, epsilon, which of Neal 2 and 3.
void on_gaussian_releases(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const double noise = 2 * std::pow(20.0 / static_cast<double>(state.range(1)), 2);
  ChainRng data_rng(2024);
  Confidential<double> data;
  for (std::size_t i = 0; i < n; ++i)
    data.y.push_back(-5.0 + 5.0 * static_cast<double>(data_rng.below(3)) +
                     std::sqrt(1 + noise) * data_rng.normal());
  const InflatedNormalKernel kernel({.mean = 0, .precision = 0.1, .shape = 3, .rate = 3}, noise);
  ChainRng rng(1);
  if (state.range(2) == 2) {
    Neal2 sampler(kernel, DirichletProcess(1), data, rng);
    measure(state, sampler, rng, n);
  } else {
    Neal3 sampler(kernel, DirichletProcess(1), data, {}, {}, rng);
    measure(state, sampler, rng, n);
  }
}
BENCHMARK(on_gaussian_releases)
    ->ArgsProduct({{200, 1000}, {1, 10, 50}, {2, 3}})
    ->ArgNames({"n", "epsilon", "neal"});

}  // namespace

BENCHMARK_MAIN();
