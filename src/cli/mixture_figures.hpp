// sotto experiment mixtures: one figure or table of the paper.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sotto::cli {

struct MixtureFigureOptions {
  int figure = 0;
  int table = 0;
  std::string out;
  std::vector<double> epsilons;
  std::vector<std::string> algorithms;
  double share = 1;
  std::size_t repeats = 0;  ///< 0: as published
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
};

/// Writes table.csv line by line, and at the end, or once a signal has come, report.html and curves.csv. Returns the exit status.
/// Errors: usage unless one figure or one table is asked for.
int run_mixture_figure(const MixtureFigureOptions& options);

}  // namespace sotto::cli
