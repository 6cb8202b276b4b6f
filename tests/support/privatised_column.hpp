// A column that was privatised, and short settings for its density.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "entropy/seeded_entropy.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/privatise/privatise.hpp"

namespace sotto {

inline DensitySettings quick() {
  DensitySettings s;
  s.chains = 2;
  s.warmup = 300;
  s.draws = 250;
  s.thin = 2;
  s.grid_points = 101;
  s.partitions = 60;
  return s;
}

inline ColumnSettings settings_for(const std::string& channel, double lower, double upper) {
  ColumnSettings s;
  s.name = "y";
  s.channel = channel;
  s.lower = lower;
  s.upper = upper;
  return s;
}

inline PrivacyTarget target_for(const std::string& channel, double epsilon) {
  PrivacyTarget target;
  target.epsilon = Epsilon(epsilon);
  if (channel == "gaussian") target.delta = Delta(1e-5);
  return target;
}

struct Privatised {
  Column column;
  PrivatisedColumn values;
};

inline Privatised privatise(const std::vector<double>& data, const ColumnSettings& settings, double epsilon,
                            std::uint64_t seed) {
  SeededEntropy entropy(seed);
  const ColumnPlan plan = plan_columns({settings}, target_for(settings.channel, epsilon), data.size());
  std::vector<std::vector<std::string>> cells(1);
  for (const double y : data) cells[0].push_back(std::to_string(y));
  Privatiser privatiser(plan, entropy);
  return {plan.columns[0], privatiser.release(cells).value()[0]};
}

// Two groups on [0, 1].
inline std::vector<double> two_groups(int n, std::uint64_t seed) {
  ChainRng rng(seed);
  std::vector<double> data;
  for (int i = 0; i < n; ++i)
    data.push_back(std::clamp((i % 2 == 0 ? 0.25 : 0.75) + 0.05 * rng.normal(), 0.0, 1.0));
  return data;
}

inline double at(const DensityResult& result, double x) {
  const ColumnDensity& r = result.columns[0];
  const auto last = static_cast<double>(r.grid.size() - 1);
  return r.bands.mean[std::lround((x - r.grid[0]) / (r.grid[r.grid.size() - 1] - r.grid[0]) * last)];
}

}  // namespace sotto
