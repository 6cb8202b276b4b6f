#include "sotto/mixture/fit/density.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/diagnostics/summary.hpp"
#include "support/privatised_column.hpp"

namespace sotto {
namespace {

// Every channel, kernel and algorithm that fit together find the two groups when there is little noise.
TEST(Density, every_route_finds_two_groups) {
  const std::vector<double> data = two_groups(100, 1);
  const std::tuple<const char*, const char*, const char*> routes[] = {
      {"laplace", "normal", "neal5"},        {"laplace", "normal", "neal8"},
      {"laplace", "normal", "slice"},        {"laplace", "normal", "blocked-gibbs"},
      {"laplace", "beta", "neal5"},          {"gaussian", "normal", "neal8"},
      {"gaussian", "normal", "auto"},        {"gaussian", "beta", "slice"},
      {"wavelet", "normal", "auto"},         {"perturbed-histogram", "normal", "auto"},
      {"smoothed-histogram", "beta", "auto"}};
  for (const auto& [channel, kernel, algorithm] : routes) {
    const bool histogram = std::string(channel).ends_with("histogram");
    const double epsilon = std::string(channel) == "smoothed-histogram" ? 150 : 40;
    const Privatised z = privatise(data, settings_for(channel, 0, 1), epsilon, 2);
    DensitySettings settings = quick();
    settings.kernel = kernel;
    settings.algorithm = algorithm;
    const DensityResult result = estimate_density(z.column, z.values, data.size(), settings);
    const ColumnDensity& r = result.columns[0];
    const std::string route = std::string(channel) + " " + kernel + " " + algorithm;
    EXPECT_GT(at(result, 0.25), 1.3 * at(result, 0.5)) << route;
    EXPECT_GT(at(result, 0.75), 1.3 * at(result, 0.5)) << route;
    EXPECT_NEAR(mixture::integral(r.grid, r.bands.mean), 1, 1e-8) << route;
    for (Eigen::Index x = 0; x < r.grid.size(); ++x) {
      ASSERT_LE(r.bands.simultaneous_lower[x], r.bands.lower[x] + 1e-12) << route;
      ASSERT_LE(r.bands.lower[x], r.bands.upper[x]) << route;
      ASSERT_LE(r.bands.upper[x], r.bands.simultaneous_upper[x] + 1e-12) << route;
    }
    EXPECT_EQ(result.by_vi.has_value(), !histogram) << route;
    EXPECT_EQ(result.synthetic[0].size(), 500u);
    double total = 0;
    for (const double p : result.cluster_count) total += p;
    EXPECT_NEAR(total, 1, 1e-9);
    // Pure channels bound every acceptance ratio (erratum E28: imputed data lie in the domain).
    if (std::string(channel) != "gaussian") {
      EXPECT_GE(result.proposals.worst_log_ratio, -epsilon * (1 + 1e-9)) << route;
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
  EXPECT_EQ(one.columns[0].bands.mean, two.columns[0].bands.mean);
}

TEST(Density, one_row_gives_nearly_the_prior) {
  const Privatised z = privatise({0.5}, settings_for("laplace", 0, 1), 0.1, 7);
  DensitySettings settings = quick();
  settings.draws = 2000;
  const DensityResult r = estimate_density(z.column, z.values, 1, settings);
  EXPECT_LT(r.columns[0].hellinger, 0.1);
  EXPECT_GT(r.columns[0].width, 0.75 * r.columns[0].prior_width);
  EXPECT_EQ(r.by_vi->allocation, mixture::Allocation{0});
}

// Half the rows say "yes", 30 % "no": found again at epsilon 3, by the mixture and by inverted frequencies. Standard error of
// the latter about 0.03; 0.15 is five of them.
TEST(Density, categories) {
  ColumnSettings column = settings_for("randomized-response", 0, 0);
  column.levels = {"yes", "no", "perhaps"};
  const ColumnPlan plan = plan_columns({column}, target_for("randomized-response", 3), 500);
  std::vector<std::vector<std::string>> cells(1);
  for (int i = 0; i < 500; ++i) cells[0].push_back(i % 10 < 5 ? "yes" : i % 10 < 8 ? "no" : "perhaps");
  SeededEntropy entropy(9);
  Privatiser privatiser(plan, entropy);
  const auto released = privatiser.release(cells);
  for (const char* algorithm : {"auto", "slice", "blocked-gibbs", "neal3", "split-merge"}) {
    DensitySettings settings = quick();
    settings.algorithm = algorithm;
    const DensityResult r = estimate_density(plan.columns[0], released.value()[0], 500, settings);
    EXPECT_EQ(r.kernel, "categorical");
    const double truth[] = {0.5, 0.3, 0.2};
    for (int level = 0; level < 3; ++level) {
      EXPECT_NEAR(r.columns[0].bands.mean[level], truth[level], 0.15) << algorithm;
      EXPECT_NEAR((*r.columns[0].deconvolution)[level], truth[level], 0.15) << algorithm;
    }
    EXPECT_NEAR(r.columns[0].bands.mean.sum(), 1, 1e-9);
    EXPECT_EQ(r.draws.parameters.size(), 4u);
  }
}

// Counts about 2 and about 12.
TEST(Density, counts) {
  std::vector<double> data;
  for (int i = 0; i < 120; ++i) data.push_back(i % 2 == 0 ? 1 + i % 3 : 10 + i % 5);
  for (const auto& [channel, algorithm] :
       {std::pair{"laplace", "auto"}, std::pair{"laplace", "blocked-gibbs"}, std::pair{"gaussian", "slice"},
        std::pair{"perturbed-histogram", "auto"}}) {
    const Privatised z = privatise(data, settings_for(channel, 0, 30), 40, 10);
    DensitySettings settings = quick();
    settings.kernel = "poisson";
    settings.algorithm = algorithm;
    settings.warmup *= 8;  // the slice sampler's chains are slow
    settings.draws *= 8;
    const DensityResult r = estimate_density(z.column, z.values, data.size(), settings);
    const Position& mean = r.columns[0].bands.mean;
    ASSERT_EQ(mean.size(), 31);
    EXPECT_GT(mean[2], 1.3 * mean[6]) << channel << " " << algorithm;
    EXPECT_GT(mean[12], 1.3 * mean[6]) << channel << " " << algorithm;
    EXPECT_NEAR(mean.sum(), 1, 1e-9) << channel << " " << algorithm;
    for (const double y : r.synthetic[0]) EXPECT_TRUE(y == std::floor(y) && y >= 0 && y <= 30) << y;
  }
}

// Counts of which more than half are the same vary less than any mixture of Poisson laws: of P(x = 2) = .55 that knows at most .29.
TEST(Density, counts_may_vary_less_than_poisson) {
  std::vector<double> data;
  for (int i = 0; i < 1000; ++i)
    data.push_back(i % 20 < 11 ? 2 : i % 20 < 15 ? 1 : i % 20 < 18 ? 3 : i % 20 == 18 ? 0 : 4);
  const Privatised z = privatise(data, settings_for("laplace", 0, 12), 40, 15);
  const auto share_of_two = [&](const char* kernel) {
    DensitySettings settings = quick();
    settings.kernel = kernel;
    settings.warmup *= 2;
    settings.draws *= 2;
    settings.quantities = {"P(x = 2)"};
    return estimate_density(z.column, z.values, data.size(), settings).quantities[0];
  };
  const QuantityEstimate rounded = share_of_two("rounded-normal");
  EXPECT_LE(rounded.lower, 0.55);
  EXPECT_GE(rounded.upper, 0.55);
  EXPECT_LT(rounded.upper - rounded.lower, 0.4);
  EXPECT_LT(share_of_two("poisson").upper, 0.35);
}

// Two columns: the groups show in both margins, and synthetic rows keep them together.
TEST(Density, several_columns) {
  const std::vector<double> data = two_groups(120, 11);
  ColumnSettings first = settings_for("laplace", 0, 1);
  ColumnSettings second = settings_for("gaussian", 0, 2);
  first.name = "a";
  second.name = "b";
  const ColumnPlan plan = plan_columns({first, second}, {std::nullopt, std::nullopt, Rho(1500)}, data.size());
  std::vector<std::vector<std::string>> cells(2);
  for (const double y : data) {
    cells[0].push_back(std::to_string(y));
    cells[1].push_back(std::to_string(2 * y));
  }
  SeededEntropy entropy(12);
  Privatiser privatiser(plan, entropy);
  const auto released = privatiser.release(cells);
  for (const char* algorithm : {"auto", "neal5", "blocked-gibbs"}) {
    DensitySettings settings = quick();
    settings.algorithm = algorithm;
    settings.warmup = 1500;
    const DensityResult r = estimate_density(plan.columns, released.value(), data.size(), settings);
    ASSERT_EQ(r.columns.size(), 2u);
    EXPECT_EQ(r.columns[1].name, "b");
    for (const ColumnDensity& c : r.columns) {
      EXPECT_NEAR(mixture::integral(c.grid, c.bands.mean), 1, 0.02) << algorithm;
      EXPECT_GT(c.bands.mean[25], 1.3 * c.bands.mean[50]) << algorithm;
      EXPECT_GT(c.bands.mean[75], 1.3 * c.bands.mean[50]) << algorithm;
      EXPECT_TRUE(c.deconvolution.has_value());
    }
    for (std::size_t d = 0; d < 2; ++d)
      for (const double y : r.synthetic[d]) EXPECT_TRUE(y >= 0 && y <= (d == 0 ? 1 : 2)) << y;
    double together = 0;
    for (std::size_t i = 0; i < 500; ++i)
      together += (r.synthetic[0][i] > 0.5) == (r.synthetic[1][i] > 1) ? 0.002 : 0;
    EXPECT_GT(together, 0.8) << algorithm;
    EXPECT_EQ(r.draws.parameters.size(), 19u);
  }
  DensitySettings settings = quick();
  settings.algorithm = "neal8";
  EXPECT_THROW((void)estimate_density(plan.columns, released.value(), data.size(), settings), Error);
  settings = quick();
  settings.kernel = "beta";
  EXPECT_THROW((void)estimate_density(plan.columns, released.value(), data.size(), settings), Error);
}

// Rows of all three local channels of numbers; the two groups are found in each.
TEST(Density, wavelets_beside_other_columns) {
  const std::vector<double> data = two_groups(60, 13);
  std::vector<ColumnSettings> settings;
  for (const char* channel : {"wavelet", "laplace", "gaussian"}) {
    settings.push_back(settings_for(channel, 0, 1));
    settings.back().name = channel;
    settings.back().top_level = 2;
  }
  const ColumnPlan plan = plan_columns(settings, {std::nullopt, std::nullopt, Rho(150)}, data.size());
  std::vector<std::vector<std::string>> cells(3);
  for (const double y : data)
    for (std::vector<std::string>& column : cells) column.push_back(std::to_string(y));
  SeededEntropy entropy(14);
  const auto released = Privatiser(plan, entropy).release(cells).value();
  for (const char* algorithm : {"auto", "slice", "neal8"}) {
    DensitySettings how = quick();
    how.algorithm = algorithm;
    how.warmup = 1500;
    const DensityResult r = estimate_density(plan.columns, released, data.size(), how);
    ASSERT_EQ(r.columns.size(), 3u);
    EXPECT_EQ(r.algorithm, how.algorithm == "auto" ? "metropolis" : algorithm);
    double together = 0;
    for (std::size_t i = 0; i < 500; ++i) {
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_TRUE(r.synthetic[d][i] >= 0 && r.synthetic[d][i] <= 1) << r.synthetic[d][i];
      together += (r.synthetic[0][i] > 0.5) == (r.synthetic[1][i] > 0.5) ? 0.002 : 0;
    }
    EXPECT_GT(together, 0.8) << algorithm;
    EXPECT_FALSE(r.columns[0].deconvolution.has_value());
  }
}

// Releases of wavelets are all different: beyond so many rows times cells the algorithm is one whose sweeps are short.
TEST(Density, many_wavelets_are_imputed) {
  const auto chosen = [](const std::string& kernel, std::size_t rows) {
    const Column column = make_column(settings_for("wavelet", 0, 7), target_for("wavelet", 2), rows);
    DensitySettings settings = quick();
    settings.kernel = kernel;
    return choose_algorithm({&column, 1}, rows, settings);
  };
  EXPECT_EQ(chosen("normal", 16'384), "metropolis");
  EXPECT_EQ(chosen("normal", 16'385), "neal5");
  EXPECT_EQ(chosen("poisson", 65'536), "metropolis");
  EXPECT_EQ(chosen("poisson", 65'537), "neal5");
  EXPECT_EQ(chosen("beta", 10), "neal5");
}

// What makes no joint estimate says why.
TEST(Density, refuses_what_links_no_values) {
  const std::vector<double> data = two_groups(20, 15);
  const Privatised laplace = privatise(data, settings_for("laplace", 0, 1), 5, 16);
  const auto message_beside = [&](const char* channel, const std::vector<std::string>& levels) {
    ColumnSettings settings = settings_for(channel, 0, 1);
    settings.name = "other";
    settings.levels = levels;
    const Privatised z = privatise(data, settings, 5, 17);
    const Column columns[] = {laplace.column, z.column};
    const PrivatisedColumn released[] = {laplace.values, z.values};
    try {
      (void)estimate_density(columns, released, data.size(), quick());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  for (const char* histogram : {"perturbed-histogram", "smoothed-histogram"})
    EXPECT_EQ(message_beside(histogram, {}),
              "the histogram of 'other' says nothing of which values belong to one person: name one column "
              "(--column other), or privatise each row's columns by laplace, gaussian or wavelet");
  EXPECT_EQ(message_beside("randomized-response", {"no", "yes"}),
            "'other' holds categories, and several columns together are modelled as numbers: name it alone "
            "(--column other)");
}

TEST(Density, mixing_priors) {
  const std::vector<double> data = two_groups(60, 13);
  const Privatised z = privatise(data, settings_for("laplace", 0, 1), 200, 14);
  for (const char* mixing : {"pitman-yor", "finite"}) {
    DensitySettings settings = quick();
    settings.mixing = mixing;
    const DensityResult r = estimate_density(z.column, z.values, data.size(), settings);
    EXPECT_EQ(r.algorithm, std::string(mixing) == "pitman-yor" ? "neal8" : "slice");
    EXPECT_GT(at(r, 0.25), 1.3 * at(r, 0.5)) << mixing;
  }
  DensitySettings bad = quick();
  bad.mixing = "pitman-yor";
  bad.discount = 1;
  EXPECT_THROW((void)estimate_density(z.column, z.values, 60, bad), Error);
  bad.discount = 0.2;
  bad.algorithm = "blocked-gibbs";
  EXPECT_THROW((void)estimate_density(z.column, z.values, 60, bad), Error);
  bad = quick();
  bad.mixing = "finite";
  bad.components = 1;
  EXPECT_THROW((void)estimate_density(z.column, z.values, 60, bad), Error);
  bad.components = 3;
  bad.concentration_prior.emplace();
  EXPECT_THROW((void)estimate_density(z.column, z.values, 60, bad), Error);
}

// A coarse grid: `auto` does not take the algorithm that would leave out the rounding.
TEST(Density, coarse_grids_are_not_for_the_exact_density) {
  ColumnSettings column = settings_for("laplace", 0, 1);
  column.steps = 50;
  const Privatised z = privatise({0.2, 0.3, 0.8}, column, 40, 15);
  DensitySettings settings = quick();
  settings.mixing = "pitman-yor";
  EXPECT_EQ(estimate_density(z.column, z.values, 3, settings).algorithm, "neal5");
  settings.algorithm = "neal8";
  EXPECT_THROW((void)estimate_density(z.column, z.values, 3, settings), Error);
}

// The posterior is the kernel's and the channel's, whatever draws from it: means of three numbers by every algorithm against
// those by Neal 5, in their own Monte Carlo errors. Some 40 comparisons of about normal differences: beyond 5 of them once in 40,000
// runs; the seeds are fixed.
TEST(Density, one_kernel_is_one_model_whatever_the_algorithm) {
  struct Case {
    const char* channel;
    const char* kernel;
    std::vector<const char*> algorithms;
    std::vector<std::string> quantities;
  };
  const std::vector<std::string> numbers = {"P(x > 3)", "mean"};
  const Case cases[] = {
      {"laplace", "normal", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"gaussian", "normal", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"wavelet", "normal", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"wavelet", "poisson", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"laplace", "beta", {"neal5", "slice", "blocked-gibbs"}, numbers},
      {"gaussian", "poisson", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"laplace", "rounded-normal", {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis"}, numbers},
      {"randomized-response",
       "categorical",
       {"neal5", "neal8", "slice", "blocked-gibbs", "metropolis", "neal3", "split-merge"},
       {"P(x = yes)", "P(x = no)"}}};
  for (const Case& c : cases) {
    ColumnSettings column = settings_for(c.channel, 0, 8);
    const bool categories = std::string(c.kernel) == "categorical";
    if (categories) column.levels = {"yes", "no", "perhaps"};
    std::vector<std::vector<std::string>> cells(1);
    for (int i = 0; i < 24; ++i)
      cells[0].push_back(categories ? (i % 3 == 0 ? "no" : "yes") : std::to_string(i % 2 == 0 ? 1 : 6));
    const ColumnPlan plan = plan_columns({column}, target_for(c.channel, 4), 24);
    SeededEntropy entropy(21);
    const auto released = Privatiser(plan, entropy).release(cells);
    std::vector<ParameterSummary> first;
    for (const char* algorithm : c.algorithms) {
      DensitySettings settings = quick();
      settings.kernel = c.kernel;
      settings.algorithm = algorithm;
      settings.quantities = c.quantities;
      settings.draws = 1000;
      settings.thin = 5;
      const DensityResult r = estimate_density(plan.columns[0], released.value()[0], 24, settings);
      std::vector<ParameterSummary> own = summarise(r.draws);
      own.resize(1 + c.quantities.size());  // clusters and quantities
      if (first.empty()) first = own;
      for (std::size_t p = 0; p < own.size(); ++p) {
        const double error = std::hypot(own[p].mcse_mean, first[p].mcse_mean);
        EXPECT_LE(std::abs(own[p].mean - first[p].mean), 5 * error)
            << c.channel << " " << c.kernel << " " << algorithm << " " << own[p].parameter;
        EXPECT_LT(error, 0.2) << "too few draws to tell";
      }
    }
  }
}

}  // namespace
}  // namespace sotto
