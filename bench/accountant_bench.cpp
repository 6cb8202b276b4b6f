// What accounting costs: against the number of compositions, and for mixed events.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "sotto/accountant/tight.hpp"

namespace {

using sotto::Adjacency;

// Both bounds of delta at an epsilon where delta is about 1e-6 (sigma grows with the count).
void subsampled_gaussian(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const double sigma = 4 * std::max(0.25, std::sqrt(static_cast<double>(count) / 1e4));
  const sotto::Event event{sotto::SubsampledGaussianEvent{1, sigma, 0.01, sotto::Sampling::poisson}, count};
  sotto::Bounds bounds;
  for (auto _ : state) {
    bounds = sotto::tight_epsilon(event, Adjacency::substitute, sotto::Delta(1e-6));
    benchmark::DoNotOptimize(bounds);
  }
  state.counters["epsilon"] = bounds.upper;
  state.counters["gap"] = (bounds.upper - bounds.lower) / bounds.upper;
}
BENCHMARK(subsampled_gaussian)->RangeMultiplier(10)->Range(10, 1000000)->Unit(benchmark::kMillisecond);

void mixed(benchmark::State& state) {
  sotto::CompositionEvent parts;
  for (const char* spec :
       {"gaussian:sigma=5,count=10", "laplace:scale=10,count=5",
        "subsampled-gaussian:sigma=2,rate=0.01,count=1000", "randomized-response:probability=0.9"}) {
    parts.parts.push_back(sotto::parse_event(spec));
  }
  const sotto::Event event{parts, 1};
  for (auto _ : state) {
    benchmark::DoNotOptimize(sotto::tight_epsilon(event, Adjacency::substitute, sotto::Delta(1e-6)));
  }
}
BENCHMARK(mixed)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
