// The same draws for the same seed and the same injected noise, whatever moves in the house: numbers kept from an earlier version.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "entropy/seeded_entropy.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/privatise/privatise.hpp"

namespace sotto {
namespace {

struct Golden {
  const char* columns;
  const char* kernel;
  const char* algorithm;
  std::vector<double>
      values;  ///< of the released values, clusters, densities and synthetic data: see `figures`
};

ColumnSettings declared(const std::string& channel, const std::string& name) {
  ColumnSettings s;
  s.name = name;
  s.channel = channel;
  if (channel == "randomized-response") {
    s.levels = {"a", "b", "c"};
  } else {
    s.lower = name == "counts" ? 0 : -3;
    s.upper = name == "counts" ? 12 : 5;
  }
  return s;
}

std::string cell(const ColumnSettings& s, int i) {
  if (!s.levels.empty()) return s.levels[static_cast<std::size_t>(i * i % 3)];
  if (s.name == "counts") return std::to_string(i % 4 + (i % 2 == 0 ? 7 : 0));
  return std::to_string((i % 2 == 0 ? -1.5 : 3.0) + 0.05 * (i % 7) + (s.name == "second" ? 0.3 : 0.0));
}

/// Sums that change with any draw; the tolerance leaves room for the order of floating-point operations alone.
std::vector<double> figures(const Golden& golden) {
  constexpr int kRows = 12;
  std::vector<ColumnSettings> settings;
  const std::string columns = golden.columns;
  const std::size_t comma = columns.find(',');
  const bool counts = std::string(golden.kernel) == "poisson";
  settings.push_back(declared(columns.substr(0, comma), counts ? "counts" : "first"));
  if (comma != std::string::npos) settings.push_back(declared(columns.substr(comma + 1), "second"));
  std::vector<std::vector<std::string>> cells;
  for (const ColumnSettings& s : settings) {
    cells.emplace_back();
    for (int i = 0; i < kRows; ++i) cells.back().push_back(cell(s, i));
  }
  SeededEntropy entropy(5);
  Privatiser privatiser(plan_columns(settings, {std::nullopt, std::nullopt, Rho(60)}, kRows), entropy);
  const auto released = privatiser.release(cells);
  DensitySettings fit;
  fit.kernel = golden.kernel;
  fit.algorithm = golden.algorithm;
  // The numbers are of one scale and an earlier precision; rows have the kernels' own.
  if (fit.kernel == "beta") fit.base = "scales=1";
  if (fit.kernel == "normal" && comma == std::string::npos) fit.base = "precision=0.1, scales=1";
  fit.chains = 2;
  fit.warmup = 40;
  fit.draws = 30;
  fit.thin = 2;
  fit.threads = 1;
  fit.grid_points = 21;
  fit.partitions = 10;
  const DensityResult r = estimate_density(privatiser.plan().columns, released.value(), kRows, fit);
  std::vector<double> values(4, 0.0);
  for (const PrivatisedColumn& column : released.value())
    for (std::size_t i = 0; i < column.values.size(); ++i)
      values[0] += static_cast<double>(1 + i % 5) * column.values[i];
  for (std::size_t k = 0; k < r.cluster_count.size(); ++k)
    values[1] += static_cast<double>(k) * r.cluster_count[k];
  for (const ColumnDensity& c : r.columns)
    for (Eigen::Index x = 0; x < c.grid.size(); ++x)
      values[2] += (1 + static_cast<double>(x)) * (c.bands.mean[x] + c.bands.upper[x] + c.prior[x]);
  for (const std::vector<double>& synthetic : r.synthetic)
    for (std::size_t i = 0; i < synthetic.size(); ++i)
      values[3] += static_cast<double>(1 + i % 5) * synthetic[i];
  return values;
}

const std::vector<Golden> kGolden = {
#include "mixture/golden_values.inc"
};

TEST(Golden, the_same_draws_for_the_same_seed) {
  for (const Golden& golden : kGolden) {
    const std::vector<double> now = figures(golden);
    // As it would have to stand in the table of values.
    const std::string line = fmt::format("    {{\"{}\", \"{}\", \"{}\", {{{:.12g}}}}},", golden.columns,
                                         golden.kernel, golden.algorithm, fmt::join(now, ", "));
    EXPECT_EQ(golden.values.size(), now.size()) << line;
    for (std::size_t v = 0; v < std::min(now.size(), golden.values.size()); ++v)
      EXPECT_NEAR(now[v], golden.values[v], 1e-7 * std::abs(golden.values[v])) << line;
  }
}

}  // namespace
}  // namespace sotto
