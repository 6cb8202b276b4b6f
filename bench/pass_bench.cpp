// Rows per second of the log-ratio and gradient queries of logistic regression (a million rows, ten coefficients) on one and two
// threads, as whole passes with their exact sums, beside the bandwidth of plainly reading the same memory.
#include <benchmark/benchmark.h>

#include <atomic>
#include <span>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace {
using namespace sotto;

constexpr std::size_t kRows = 1'000'000;
constexpr Eigen::Index kColumns = 10;

Rows make_rows() {
  Rows made(kRows, kColumns + 1);
  ChainRng rng(1);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) made.at(i, j) = j == 0 ? 1 : 2 * rng.uniform() - 1;
    made.at(i, kColumns) = rng.uniform() < 0.5 ? 1 : 0;
    made.weight(i) = 1;
  }
  return made;
}

const Rows& logistic_rows() {
  static const Rows rows = make_rows();
  return rows;
}

Glm logistic() {
  std::vector<DomainComponent> components;
  for (Eigen::Index j = 0; j < kColumns; ++j) {
    Matrix vertices(j == 0 ? 1 : 2, 1);
    vertices.col(0).setOnes();
    if (j > 0) vertices(1, 0) = -1;
    components.push_back({{j}, vertices});
  }
  return {family::Bernoulli(), Domain(std::move(components)), {0, 1}};
}

void report(benchmark::State& state) {
  const Rows& rows = logistic_rows();
  const auto passes = static_cast<double>(state.iterations());
  state.counters["rows/s"] = benchmark::Counter(passes * kRows, benchmark::Counter::kIsRate);
  state.counters["bytes/s"] =
      benchmark::Counter(passes * static_cast<double>(rows.tiles() * rows.stride() * sizeof(double)),
                         benchmark::Counter::kIsRate);
}

// The limit: every byte of the rows read once and added up.
void bandwidth(benchmark::State& state) {
  const Rows& rows = logistic_rows();
  const auto threads = static_cast<int>(state.range(0));
  std::atomic<double> sink = 0;
  for (auto _ : state) {
    const ExactSum sum = sum_tiles(rows.tiles(), 512, 1, threads,
                                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                                     const double* data = rows.tile(first);
                                     double s[32] = {};
                                     for (std::size_t i = 0; i < count * rows.stride(); i += 32) {
                                       for (std::size_t k = 0; k < 32; ++k) s[k] += data[i + k];
                                     }
                                     double total = 0;
                                     for (const double x : s) total += x;
                                     sink = total;
                                     sums[0] += 1;
                                   });
    benchmark::DoNotOptimize(sum);
  }
  report(state);
}
BENCHMARK(bandwidth)->Arg(1)->Arg(2)->ArgName("threads")->UseRealTime();

/// Answers to `chains` equal questions at once, as a run asks them: one pass over the rows.
void ask(benchmark::State& state, const Query& query) {
  static NonPrivateOracle one(make_rows(), logistic(), {.threads = 1});
  static NonPrivateOracle two(make_rows(), logistic(), {.threads = 2});
  NonPrivateOracle& oracle = state.range(0) == 1 ? one : two;
  const std::vector<Query> queries(static_cast<std::size_t>(state.range(1)), query);
  for (auto _ : state) benchmark::DoNotOptimize(oracle.answer(queries));
  report(state);
}

void ratio(benchmark::State& state) {
  ask(state, RatioQuery{Position::Constant(kColumns, 0.1), Position::Constant(kColumns, 0.11), Rho(1)});
}
BENCHMARK(ratio)->ArgsProduct({{1, 2}, {1, 4}})->ArgNames({"threads", "chains"})->UseRealTime();

void gradient(benchmark::State& state) {
  ask(state, GradientQuery{Position::Constant(kColumns, 0.1), Rho(1)});
}
BENCHMARK(gradient)->ArgsProduct({{1, 2}, {1, 4}})->ArgNames({"threads", "chains"})->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
