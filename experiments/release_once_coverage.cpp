// Coverage and width of release-once posteriors over simulated data sets: the table of docs/release-once.md.
//   release_once_coverage [DATA_SETS [ROWS DIM EPSILON [substitute|add-remove]]]
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "sotto/entropy/entropy.hpp"
#include "tests/support/once_study.hpp"

namespace {

void run_cell(const sotto::OnceCell& cell, int data_sets) {
  sotto::SystemEntropy entropy;
  sotto::ChainRng rng(20000, static_cast<std::uint64_t>(cell.dim));
  const sotto::OnceStudy study;
  sotto::OnceOutcome total;
  double squares = 0;
  for (int i = 0; i < data_sets; ++i) {
    const sotto::OnceOutcome one = study.run(cell, rng, entropy);
    total.covered += one.covered;
    squares += one.covered * one.covered;
    total.covered_reference += one.covered_reference;
    total.sd_ratio += one.sd_ratio;
    total.predicted += one.predicted;
  }
  const double mean = total.covered / data_sets;
  fmt::print("| {} | {} | {} | {} | {} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", cell.rows, cell.dim,
             cell.epsilon, cell.adjacency == sotto::Adjacency::substitute ? "substitute" : "add/remove",
             data_sets, mean, std::sqrt((squares / data_sets - mean * mean) / data_sets),
             total.covered_reference / data_sets, total.sd_ratio / data_sets, total.predicted / data_sets);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int data_sets = arguments.empty() ? 400 : std::stoi(arguments[0]);
  fmt::print(
      "| rows | d | epsilon | adjacency | data sets | coverage of 90 % intervals | non-private | sd ratio | "
      "predicted |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  if (arguments.size() >= 4) {
    const auto adjacency = arguments.size() > 4 && arguments[4] == "add-remove"
                               ? sotto::Adjacency::add_remove
                               : sotto::Adjacency::substitute;
    run_cell({std::stoul(arguments[1]), std::stol(arguments[2]), std::stod(arguments[3]), 1e-6, adjacency},
             data_sets);
    return 0;
  }
  for (const Eigen::Index dim : {5, 10}) {
    for (const double epsilon : {1.0, 3.0}) run_cell({20000, dim, epsilon}, data_sets);
  }
  return 0;
}
