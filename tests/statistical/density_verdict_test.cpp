// Verdicts on a grid of rows, budgets and truths, against widths and prior widths that are computed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "entropy/seeded_entropy.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_poisson_kernel.hpp"
#include "sotto/privatise/privatise.hpp"
#include "sotto_io/density_report.hpp"

namespace sotto {
namespace {

constexpr double kLower = 0;
constexpr double kUpper = 20;

ColumnSettings column_of(const std::string& kernel) {
  ColumnSettings column;
  column.name = "y";
  column.channel = kernel == "categorical" ? "randomized-response" : "laplace";
  column.lower = kLower;
  column.upper = kUpper;
  if (kernel == "categorical") column.levels = {"a", "b", "c", "d"};
  return column;
}

/// A law of the data: atoms of the kernel with their weights.
template <class Kernel>
struct Law {
  std::vector<double> weights;
  std::vector<typename Kernel::Parameter> atoms;
};

/// Sticks of concentration 1, broken until 1e-4 is left.
template <class Kernel>
Law<Kernel> draw_of_the_prior(const Kernel& kernel, ChainRng& rng) {
  Law<Kernel> law;
  double left = 1;
  while (left > 1e-4) {
    const double share = rng.uniform();
    law.weights.push_back(left * share);
    law.atoms.push_back(kernel.draw_prior(rng));
    left *= 1 - share;
  }
  law.weights.back() += left;
  return law;
}

/// Of densities averages over the cells about the points, half as wide at the ends: a density may be very high right at a bound.
template <class Kernel>
Position density(const Kernel& kernel, const Law<Kernel>& law, const Position& grid) {
  Position sum = Position::Zero(grid.size());
  for (std::size_t h = 0; h < law.atoms.size(); ++h)
    for (Eigen::Index x = 0; x < grid.size(); ++x)
      if constexpr (Kernel::kDiscrete) {
        sum[x] += law.weights[h] *
                  std::exp(kernel.log_density(static_cast<typename Kernel::Datum>(grid[x]), law.atoms[h]));
      } else {
        const double half = (grid[1] - grid[0]) / 2;
        const double left = std::max(grid[x] - half, grid[0]);
        const double right = std::min(grid[x] + half, grid[grid.size() - 1]);
        sum[x] += law.weights[h] *
                  (kernel.cumulative(right, law.atoms[h]) - kernel.cumulative(left, law.atoms[h])) /
                  (right - left);
      }
  return sum;
}

/// Summed over points of which each stands for `step`; of densities, those at the ends for half of it.
template <class Kernel>
double area(const Position& values, double step) {
  const double ends = Kernel::kDiscrete ? 0 : (values[0] + values[values.size() - 1]) / 2;
  return step * (values.sum() - ends);
}

template <class Kernel>
double prior_width(const Kernel& kernel, const Position& grid, double step) {
  ChainRng rng(90);
  constexpr int kDraws = 1000;
  Matrix densities(kDraws, grid.size());
  for (int s = 0; s < kDraws; ++s) densities.row(s) = density(kernel, draw_of_the_prior(kernel, rng), grid);
  Position low(grid.size());
  Position high(grid.size());
  for (Eigen::Index x = 0; x < grid.size(); ++x) {
    std::vector<double> column(densities.col(x).data(), densities.col(x).data() + kDraws);
    std::sort(column.begin(), column.end());
    low[x] = column[25];
    high[x] = column[974];
  }
  return area<Kernel>(high - low, step);
}

template <class Kernel>
std::vector<std::string> cells_of(const Kernel& kernel, const Law<Kernel>& law, std::size_t n,
                                  const ColumnSettings& column, ChainRng& rng) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < n; ++i) {
    double at = rng.uniform();
    std::size_t h = 0;
    while (h + 1 < law.weights.size() && (at -= law.weights[h]) >= 0) ++h;
    const auto y = kernel.draw(law.atoms[h], rng);
    cells.push_back(column.levels.empty() ? std::to_string(y) : column.levels[static_cast<std::size_t>(y)]);
  }
  return cells;
}

struct Cell {
  std::string verdict;
  double width = 0;
  double worst_rhat = 0;
  double error = 0;  ///< L1 distance of the mean from the truth
};

template <class Kernel>
Cell run_cell(const Kernel& kernel, const Law<Kernel>& law, std::size_t n, double epsilon, double step) {
  const ColumnSettings column = column_of(std::string(Kernel::kName));
  ChainRng rng(91);
  const std::vector<std::vector<std::string>> cells{cells_of(kernel, law, n, column, rng)};
  SeededEntropy entropy(92);
  PrivacyTarget target;
  target.epsilon = Epsilon(epsilon);
  Privatiser privatiser(plan_columns({column}, target, n), entropy);
  const auto released = privatiser.release(cells);
  DensityReport report;
  report.settings.kernel = Kernel::kName;
  report.settings.chains = 2;
  report.settings.warmup = 300;
  report.settings.draws = 300;
  report.settings.thin = 3;
  report.settings.grid_points = 101;
  report.settings.partitions = 2;
  report.channel.emplace();
  report.result = estimate_density(privatiser.plan().columns[0], released.value()[0], n, report.settings);
  report.diagnostics = summarise(report.result.draws);
  const ColumnDensity& c = report.result.columns[0];
  Cell cell{verdict(report, 0), area<Kernel>(c.bands.upper - c.bands.lower, step), 0, 0};
  cell.error = area<Kernel>((c.bands.mean - density(kernel, law, c.grid)).cwiseAbs(), step);
  cell.worst_rhat = worst_rhat(report.diagnostics);
  return cell;
}

/// The rule as docs/mixtures.md states it.
std::string by_the_rule(const Cell& cell, double prior) {
  if (!(cell.worst_rhat > 0) || cell.worst_rhat > 1.05) return "No verdict";
  if (cell.width >= 0.75 * prior) return "The release says next to nothing";
  return cell.width < 0.4 * prior && cell.width < 1 ? "The release says much" : "The release says little";
}

/// Each cell is judged by the rule from widths of its own; the ends of the grid, where there is no doubt what the data can
/// tell, also without it: at 30 rows and epsilon 1/2 next to nothing, at 3,000 and epsilon 30 much, whether or not the truth is what the
/// prior expects.
template <class Kernel>
void check_grid(const Law<Kernel>& far, double step) {
  const Kernel kernel = Kernel::make(column_of(std::string(Kernel::kName)));
  const Position grid = kernel.shown(101);
  ChainRng rng(93);
  const Law<Kernel> of_prior = draw_of_the_prior(kernel, rng);
  const double prior = prior_width(kernel, grid, step);
  int verdicts = 0;
  for (const Law<Kernel>* truth : {&far, &of_prior}) {
    for (const std::size_t n : {30, 300, 3000}) {
      for (const double epsilon : {0.5, 3.0, 30.0}) {
        const Cell cell = run_cell(kernel, *truth, n, epsilon, step);
        const std::string where =
            std::string(Kernel::kName) + (truth == &far ? ", far from the prior" : ", a draw of the prior");
        std::printf("%s, %4zu rows, epsilon %4.1f: width %.2f (prior %.2f), R-hat %.3f, error %.2f: %.40s\n",
                    where.c_str(), n, epsilon, cell.width, prior, cell.worst_rhat, cell.error,
                    cell.verdict.c_str());
        // Between widths of the prior from 2,000 draws and from 1,000 no rule decides.
        const bool close = std::abs(cell.width / prior - 0.75) < 0.03 ||
                           std::abs(cell.width / prior - 0.4) < 0.02 || std::abs(cell.width - 1) < 0.02;
        if (!close || cell.worst_rhat > 1.05) {
          EXPECT_TRUE(cell.verdict.starts_with(by_the_rule(cell, prior))) << where << cell.verdict;
        }
        if (!cell.verdict.starts_with("No verdict")) {
          ++verdicts;
          if (n == 30 && epsilon < 1) {
            EXPECT_NE(cell.verdict.find("next to nothing"), std::string::npos);
          }
          if (n == 3000 && epsilon > 10) {
            EXPECT_NE(cell.verdict.find("says much"), std::string::npos);
          }
          // Bands as wide as they are leave room for the error.
          EXPECT_LT(cell.error, cell.width) << where << n << " " << epsilon;
        }
      }
    }
  }
  EXPECT_GE(verdicts, 12) << "of 18";
}

TEST(DensityVerdicts, of_densities) {
  const auto kernel = mixture::TruncatedNormalKernel::make(column_of("normal"));
  const auto atom = [&](double mean) {
    return kernel.complete({.mean = mean, .sd = 1.2, .log_sd = std::log(1.2)});
  };
  check_grid<mixture::TruncatedNormalKernel>({{0.4, 0.6}, {atom(4), atom(15)}}, (kUpper - kLower) / 100);
}

TEST(DensityVerdicts, of_counts) {
  const auto kernel = mixture::TruncatedPoissonKernel::make(column_of("poisson"));
  const auto atom = [&](double rate) { return kernel.complete({rate, std::log(rate)}); };
  check_grid<mixture::TruncatedPoissonKernel>({{0.5, 0.5}, {atom(1), atom(14)}}, 1);
}

TEST(DensityVerdicts, of_categories) {
  mixture::CategoricalKernel::Parameter even;
  for (int level = 0; level < 4; ++level) {
    even.probability[static_cast<std::size_t>(level)] = 0.25;
    even.log_probability[static_cast<std::size_t>(level)] = std::log(0.25);
  }
  check_grid<mixture::CategoricalKernel>({{1.0}, {even}}, 1);
}

}  // namespace
}  // namespace sotto
