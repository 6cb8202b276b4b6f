// Coverage and width of release-once posteriors over simulated regressions of many shapes, through the real wall: the table of
// docs/release-once.md.
//   release_once_coverage [DATA_SETS [DESIGN [ROWS EPSILON [substitute|add-remove]]]]
// DESIGN is a part of a design's name; without it the whole table is printed.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/entropy/entropy.hpp"
#include "support/once_wall_study.hpp"
#include "support/reachable_limit.hpp"
#include "support/regression_designs.hpp"

namespace {

using namespace sotto;

struct Cell {
  const RegressionDesign* design;
  Eigen::Index rows = 20000;
  double epsilon = 1;
  Adjacency adjacency = Adjacency::substitute;
};

/// Sums over data sets.
struct Totals {
  int sets = 0, unwarned = 0;
  double covered = 0, squares = 0, covered_unwarned = 0, reference = 0, ratio = 0, predicted = 0, limit = 0,
         sigma = 0, seconds = 0, farthest = 0;
};

void print_head() {
  fmt::print(
      "| design | rows | epsilon | adjacency | data sets | coverage of 90 % intervals | non-private | sd "
      "ratio | "
      "predicted | limit | warned | coverage unwarned | farthest unwarned | "
      "sigma | s |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const Cell& cell, const Totals& t) {
  const double n = t.sets;
  const double mean = t.covered / n;
  const double error = std::sqrt(std::max(t.squares / n - mean * mean, 0.0) / n);
  fmt::print(
      "| {} | {} | {} | {} | {} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} | {} | {} | "
      "{} | {:.1f} |\n",
      cell.design->name, cell.rows, cell.epsilon,
      cell.adjacency == Adjacency::substitute ? "substitute" : "add/remove", t.sets, mean, error,
      t.reference / n, t.ratio / n, t.predicted / n, t.limit / n, 1 - t.unwarned / n,
      t.unwarned > 0 ? fmt::format("{:.3f}", t.covered_unwarned / t.unwarned) : "-",
      t.unwarned > 0 ? fmt::format("{:.1f}", t.farthest) : "-",
      t.sigma > 0 ? fmt::format("{:.2f}", t.sigma / n) : "-", t.seconds / n);
  std::fflush(stdout);
}

void run_cell(const Cell& cell, int sets) {
  SystemEntropy entropy;
  Totals t;
  for (int i = 0; i < sets; ++i) {
    ChainRng rng(1000 + static_cast<std::uint64_t>(i), std::hash<std::string>()(cell.design->name));
    const SimulatedRegression data = cell.design->simulate(cell.rows, rng);
    const NormalFit reference = non_private(data);
    const std::clock_t begin = std::clock();
    const OnceOutcome o = study_through_the_wall(data, {cell.epsilon, 1e-6, cell.adjacency}, reference,
                                                 entropy, 1000, static_cast<std::uint64_t>(i));
    t.seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    ++t.sets;
    t.covered += o.covered;
    t.squares += o.covered * o.covered;
    t.reference += o.covered_reference;
    t.ratio += o.sd_ratio;
    t.predicted += o.predicted;
    t.sigma += o.covered_sigma;
    t.limit += reachable_limit(data, reference, o.rho, cell.adjacency == Adjacency::substitute ? 2 : 1);
    if (!o.verdict.warns()) {
      ++t.unwarned;
      t.farthest = std::max(t.farthest, o.farthest);
      t.covered_unwarned += o.covered;
    }
  }
  print_row(cell, t);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int sets = arguments.empty() ? 20 : std::stoi(arguments[0]);
  print_head();
  for (const RegressionDesign& design : regression_designs()) {
    if (arguments.size() >= 2 && design.name.find(arguments[1]) == std::string::npos) continue;
    Cell cell{&design};
    if (arguments.size() >= 4) {
      cell.rows = std::stol(arguments[2]);
      cell.epsilon = std::stod(arguments[3]);
    }
    if (arguments.size() >= 5 && arguments[4] == "add-remove") cell.adjacency = Adjacency::add_remove;
    run_cell(cell, sets);
  }
  return 0;
}
