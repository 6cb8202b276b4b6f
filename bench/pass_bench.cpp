// Rows per second of the log-ratio and gradient passes, against the machine's read bandwidth.
#include <benchmark/benchmark.h>

#include <numeric>
#include <thread>
#include <vector>

#include "sotto/contribution/glm_pass.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/random/chain_rng.hpp"

namespace {
using namespace sotto;

const Rows& logistic_rows() {
  static const Rows rows = [] {
    constexpr std::size_t n = 1'000'000, d = 10;
    Rows made(n, d + 1);
    ChainRng rng(1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) made.at(i, j) = j == 0 ? 1 : 2 * rng.uniform() - 1;
      made.at(i, d) = rng.uniform() < 0.5;
      made.weight(i) = 1;
    }
    return made;
  }();
  return rows;
}

void bandwidth(benchmark::State& state) {
  const Rows& rows = logistic_rows();
  const double* data = rows.tile(0);
  const std::size_t count = rows.tiles() * rows.stride();
  for (auto _ : state) {
    double s[32] = {};
    for (std::size_t i = 0; i + 32 <= count; i += 32)
      for (std::size_t k = 0; k < 32; ++k) s[k] += data[i + k];
    benchmark::DoNotOptimize(s);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * count * 8));
}
BENCHMARK(bandwidth);

void ratio(benchmark::State& state) {
  const Rows& rows = logistic_rows();
  std::vector<double> a(10, 0.1), b(10, 0.11);
  std::vector<RatioWork> work(static_cast<std::size_t>(state.range(0)),
                              RatioWork{a.data(), b.data(), -1e11, 1e11});
  std::vector<std::int64_t> sums(work.size());
  const GlmFamily family{Family::bernoulli};
  for (auto _ : state) {
    for (std::size_t t = 0; t < rows.tiles(); t += 64)
      glm_ratio_pass(family, {rows.tile(t), std::min<std::size_t>(64, rows.tiles() - t), 10}, work, 0x1p40,
                     sums);
    benchmark::DoNotOptimize(sums.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows.rows()));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * rows.tiles() * rows.stride() * 8));
}
BENCHMARK(ratio)->Arg(1)->Arg(4);

void gradient(benchmark::State& state) {
  const Rows& rows = logistic_rows();
  std::vector<double> a(10, 0.1), f(10, 0x1p28);
  std::vector<GradientWork> work(static_cast<std::size_t>(state.range(0)),
                                 GradientWork{a.data(), 1, f.data()});
  std::vector<std::int64_t> sums(work.size() * 10);
  const GlmFamily family{Family::bernoulli};
  for (auto _ : state) {
    for (std::size_t t = 0; t < rows.tiles(); t += 64)
      glm_gradient_pass(family, {rows.tile(t), std::min<std::size_t>(64, rows.tiles() - t), 10}, work,
                        sums);
    benchmark::DoNotOptimize(sums.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows.rows()));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * rows.tiles() * rows.stride() * 8));
}
BENCHMARK(gradient)->Arg(1)->Arg(4);

}  // namespace

BENCHMARK_MAIN();
