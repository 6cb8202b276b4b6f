// What accounting costs: against the number of compositions, and for mixed events.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "sotto/accountant/pld/tight.hpp"

namespace {

using sotto::Adjacency;

void report(benchmark::State& state, const sotto::Event& event) {
  sotto::Bounds bounds;
  for (auto _ : state) {
    bounds = sotto::tight_epsilon(event, Adjacency::substitute, sotto::Delta(1e-6));
    benchmark::DoNotOptimize(bounds);
  }
  state.counters["epsilon"] = bounds.upper;
  state.counters["gap"] = (bounds.upper - bounds.lower) / bounds.upper;
}

// Both bounds of epsilon at delta 1e-6; sigma grows with the count so that epsilon stays near 2.
void subsampled_gaussian(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const double sigma = 4 * std::max(0.25, std::sqrt(static_cast<double>(count) / 1e4));
  report(state, {sotto::SubsampledGaussianEvent{1, sigma, 0.01, sotto::Sampling::poisson}, count});
}
BENCHMARK(subsampled_gaussian)->RangeMultiplier(10)->Range(10, 1000000)->Unit(benchmark::kMillisecond);

void laplace(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  report(state, {sotto::LaplaceEvent{1, 3 * std::sqrt(static_cast<double>(count))}, count});
}
BENCHMARK(laplace)->RangeMultiplier(10)->Range(10, 1000000)->Unit(benchmark::kMillisecond);

// As many kinds of step as the argument says, 100 steps of each.
void distinct_events(benchmark::State& state) {
  sotto::CompositionEvent parts;
  const auto kinds = static_cast<int>(state.range(0));
  for (int i = 0; i < kinds; ++i) {
    const double sigma = (1 + i / 100.0) * std::max(1.0, std::sqrt(kinds / 4.0));
    parts.parts.push_back({sotto::SubsampledGaussianEvent{1, sigma, 0.01, sotto::Sampling::poisson}, 100});
  }
  report(state, {parts, 1});
}
BENCHMARK(distinct_events)->RangeMultiplier(4)->Range(1, 256)->Unit(benchmark::kMillisecond);

void mixed(benchmark::State& state) {
  sotto::CompositionEvent parts;
  for (const char* spec :
       {"gaussian:sigma=5,count=10", "laplace:scale=10,count=5",
        "subsampled-gaussian:sigma=2,rate=0.01,count=1000", "randomized-response:probability=0.9"}) {
    parts.parts.push_back(sotto::parse_event(spec));
  }
  report(state, {parts, 1});
}
BENCHMARK(mixed)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
