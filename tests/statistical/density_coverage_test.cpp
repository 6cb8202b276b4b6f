// Bands from privatised data against the answer that the confidential data themselves give.
#include <gtest/gtest.h>

#include <fstream>

#include "random/seeded_entropy.hpp"
#include "sotto/run/density.hpp"

namespace sotto {
namespace {

// Body mass index of 442 patients, declared within [10, 60].
std::vector<double> body_mass_index() {
  std::ifstream file(std::string(SOTTO_DATA) + "/diabetes/diabetes.csv");
  std::string line;
  std::getline(file, line);
  std::vector<double> bmi;
  while (std::getline(file, line))
    bmi.push_back(std::stod(line.substr(line.find(',', line.find(',') + 1) + 1)));
  return bmi;
}

// At rho = 17.8 per row, as published for blood donors, the simultaneous 95 % band of a release contains the posterior mean
// from the confidential data. Ten releases, five per channel, fixed noise; each band fails with probability 5 % at most if
// the confidential mean were a draw from the release's posterior, so three failures in ten have probability 0.012 or less.
TEST(DensityCoverage, bands_contain_the_confidential_posterior_mean) {
  const std::vector<double> bmi = body_mass_index();
  ASSERT_EQ(bmi.size(), 442u);
  DensitySettings settings;
  settings.chains = 2;
  settings.warmup = 500;
  settings.draws = 400;
  settings.grid_points = 101;
  settings.partitions = 2;
  const DensityResult confidential = estimate_density_not_private(bmi, {10, 60}, settings);
  std::vector<std::vector<std::string>> cells(1);
  for (const double y : bmi) cells[0].push_back(std::to_string(y));
  int covered = 0;
  for (const char* channel : {"laplace", "gaussian"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      ColumnSettings column;
      column.name = "bmi";
      column.channel = channel;
      column.lower = 10;
      column.upper = 60;
      SeededEntropy entropy(seed);
      Privatiser privatiser(plan_columns({column}, {std::nullopt, std::nullopt, Rho(17.8)}, bmi.size()),
                            entropy);
      const auto released = privatiser.release(cells);
      const DensityResult r =
          estimate_density(privatiser.plan().columns[0], released.value()[0], bmi.size(), settings);
      const Position& mean = confidential.columns[0].bands.mean;
      const mixture::DensityBands& bands = r.columns[0].bands;
      const bool inside = (mean.array() >= bands.simultaneous_lower.array()).all() &&
                          (mean.array() <= bands.simultaneous_upper.array()).all();
      covered += inside ? 1 : 0;
      // Noise costs certainty.
      EXPECT_GT(mixture::integral(r.columns[0].grid, bands.upper - bands.lower),
                mixture::integral(r.columns[0].grid,
                                  confidential.columns[0].bands.upper - confidential.columns[0].bands.lower));
    }
  }
  EXPECT_GE(covered, 8);
}

}  // namespace
}  // namespace sotto
