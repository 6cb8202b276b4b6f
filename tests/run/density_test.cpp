#include "sotto/run/density.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "random/seeded_entropy.hpp"

namespace sotto {
namespace {

DensitySettings quick() {
  DensitySettings s;
  s.chains = 2;
  s.warmup = 300;
  s.draws = 250;
  s.thin = 2;
  s.grid_points = 101;
  s.partitions = 60;
  return s;
}

ColumnSettings settings_for(const std::string& channel, double lower, double upper) {
  ColumnSettings s;
  s.name = "y";
  s.channel = channel;
  s.lower = lower;
  s.upper = upper;
  return s;
}

PrivacyTarget target_for(const std::string& channel, double epsilon) {
  PrivacyTarget target;
  target.epsilon = Epsilon(epsilon);
  if (channel == "gaussian") target.delta = Delta(1e-5);
  return target;
}

struct Privatised {
  Column column;
  PrivatisedColumn values;
};

Privatised privatise(const std::vector<double>& data, const ColumnSettings& settings, double epsilon,
                     std::uint64_t seed) {
  SeededEntropy entropy(seed);
  const ColumnPlan plan = plan_columns({settings}, target_for(settings.channel, epsilon), data.size());
  std::vector<std::vector<std::string>> cells(1);
  for (const double y : data) cells[0].push_back(std::to_string(y));
  Privatiser privatiser(plan, entropy);
  return {plan.columns[0], privatiser.release(cells).value()[0]};
}

// Two groups on [0, 1].
std::vector<double> two_groups(int n, std::uint64_t seed) {
  ChainRng rng(seed);
  std::vector<double> data;
  for (int i = 0; i < n; ++i)
    data.push_back(std::clamp((i % 2 == 0 ? 0.25 : 0.75) + 0.05 * rng.normal(), 0.0, 1.0));
  return data;
}

double at(const DensityResult& r, double x) {
  const auto last = static_cast<double>(r.grid.size() - 1);
  return r.bands.mean[std::lround((x - r.grid[0]) / (r.grid[r.grid.size() - 1] - r.grid[0]) * last)];
}

// Every channel, kernel and algorithm that fit together find the two groups when there is little noise.
TEST(Density, every_route_finds_two_groups) {
  const std::vector<double> data = two_groups(100, 1);
  const std::tuple<const char*, const char*, const char*> routes[] = {
      {"laplace", "normal", "neal5"},
      {"laplace", "normal", "neal8"},
      {"laplace", "normal", "slice"},
      {"laplace", "beta", "neal5"},
      {"gaussian", "normal", "neal2"},
      {"gaussian", "normal", "neal3"},
      {"gaussian", "normal", "auto"},
      {"gaussian", "normal", "split-merge"},
      {"gaussian", "beta", "slice"},
      {"wavelet", "normal", "auto"},
      {"perturbed-histogram", "normal", "auto"},
      {"smoothed-histogram", "beta", "auto"}};
  for (const auto& [channel, kernel, algorithm] : routes) {
    const bool histogram = std::string(channel).ends_with("histogram");
    const double epsilon = std::string(channel) == "smoothed-histogram" ? 150 : 40;
    const Privatised z = privatise(data, settings_for(channel, 0, 1), epsilon, 2);
    DensitySettings settings = quick();
    settings.kernel = kernel;
    settings.algorithm = algorithm;
    const DensityResult r = estimate_density(z.column, z.values, data.size(), settings);
    const std::string route = std::string(channel) + " " + kernel + " " + algorithm;
    EXPECT_GT(at(r, 0.25), 1.3 * at(r, 0.5)) << route;
    EXPECT_GT(at(r, 0.75), 1.3 * at(r, 0.5)) << route;
    EXPECT_NEAR(mixture::integral(r.grid, r.bands.mean), 1, 0.1) << route;
    for (Eigen::Index x = 0; x < r.grid.size(); ++x) {
      ASSERT_LE(r.bands.simultaneous_lower[x], r.bands.lower[x] + 1e-12) << route;
      ASSERT_LE(r.bands.lower[x], r.bands.upper[x]) << route;
      ASSERT_LE(r.bands.upper[x], r.bands.simultaneous_upper[x] + 1e-12) << route;
    }
    EXPECT_EQ(r.by_vi.has_value(), !histogram) << route;
    EXPECT_EQ(r.synthetic.size(), 500u);
    double total = 0;
    for (const double p : r.cluster_count) total += p;
    EXPECT_NEAR(total, 1, 1e-9);
    // Pure channels bound every acceptance ratio (erratum E28: imputed data lie in the domain).
    if (std::string(channel) != "gaussian") {
      EXPECT_GE(r.proposals.worst_log_ratio, -epsilon * (1 + 1e-9)) << route;
    }
  }
}

TEST(Density, clusters_are_found) {
  const std::vector<double> data = two_groups(60, 3);
  const Privatised z = privatise(data, settings_for("laplace", 0, 1), 200, 4);
  const DensityResult r = estimate_density(z.column, z.values, data.size(), quick());
  mixture::Allocation truth;
  for (int i = 0; i < 60; ++i) truth.push_back(i % 2);
  EXPECT_GT(mixture::adjusted_rand_index(r.by_vi->allocation, truth), 0.9);
  EXPECT_GT(mixture::adjusted_rand_index(r.by_binder->allocation, truth), 0.9);
}

TEST(Density, threads_do_not_change_the_result) {
  const std::vector<double> data = two_groups(40, 5);
  const Privatised z = privatise(data, settings_for("laplace", 0, 1), 5, 6);
  DensitySettings settings = quick();
  settings.threads = 1;
  const DensityResult one = estimate_density(z.column, z.values, data.size(), settings);
  settings.threads = 2;
  const DensityResult two = estimate_density(z.column, z.values, data.size(), settings);
  EXPECT_EQ(one.bands.mean, two.bands.mean);
}

TEST(Density, one_row_gives_nearly_the_prior) {
  const Privatised z = privatise({0.5}, settings_for("laplace", 0, 1), 0.1, 7);
  DensitySettings settings = quick();
  settings.draws = 2000;
  const DensityResult r = estimate_density(z.column, z.values, 1, settings);
  EXPECT_LT(r.hellinger, 0.1);
  EXPECT_EQ(r.verdict, mixture::informativeness(0));
  EXPECT_EQ(r.by_vi->allocation, mixture::Allocation{0});
}

TEST(Density, refuses_what_does_not_fit) {
  const Privatised z = privatise({0.5, 0.6}, settings_for("laplace", 0, 1), 1, 8);
  DensitySettings settings = quick();
  for (const char* algorithm : {"neal2", "neal3", "split-merge", "gibbs"}) {
    settings.algorithm = algorithm;
    EXPECT_THROW((void)estimate_density(z.column, z.values, 2, settings), Error) << algorithm;
  }
  settings = quick();
  settings.kernel = "cauchy";
  EXPECT_THROW((void)estimate_density(z.column, z.values, 2, settings), Error);
  settings = quick();
  settings.kernel = "beta";
  settings.algorithm = "neal8";
  EXPECT_THROW((void)estimate_density(z.column, z.values, 2, settings), Error);
}

}  // namespace
}  // namespace sotto
