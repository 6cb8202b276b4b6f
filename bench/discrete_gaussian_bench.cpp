// Cost of one draw of exact noise.
#include <benchmark/benchmark.h>

#include "sotto/base/int128.hpp"
#include "sotto/entropy/discrete_gaussian.hpp"
#include "sotto/entropy/discrete_laplace.hpp"
#include "sotto/entropy/entropy.hpp"

namespace {

void discrete_gaussian(benchmark::State& state) {
  sotto::SystemEntropy entropy;
  const sotto::DiscreteGaussian noise(boost::multiprecision::cpp_int(1)
                                      << static_cast<unsigned>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(noise(entropy));
}
BENCHMARK(discrete_gaussian)->Arg(0)->Arg(10)->Arg(60)->Arg(90)->Arg(104);

void discrete_laplace(benchmark::State& state) {
  sotto::SystemEntropy entropy;
  const sotto::Int128 scale = sotto::Int128{1} << state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(sotto::discrete_laplace<sotto::Int128>(scale, 1, entropy));
}
BENCHMARK(discrete_laplace)->Arg(0)->Arg(45)->Arg(70);

}  // namespace

BENCHMARK_MAIN();
