// What a fit keeps to: bounds, area one, draws made before its end; and what it refuses.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "sotto/mixture/fit/density.hpp"
#include "support/privatised_column.hpp"

namespace sotto {
namespace {

// What does not fit is refused before anything runs, and told what does.
TEST(Density, a_refused_algorithm_is_told_what_fits) {
  const Privatised z = privatise({0.5, 0.6}, settings_for("gaussian", 0, 1), 1, 8);
  DensitySettings settings = quick();
  settings.algorithm = "neal3";
  bool ran = false;
  try {
    (void)estimate_density(z.column, z.values, 2, settings, [&](std::size_t, std::size_t) {
      ran = true;
      return true;
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_NE(std::string(error.what()).find("metropolis"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(ran);
}

TEST(Density, a_run_that_is_ended_keeps_the_draws_made_so_far) {
  const Privatised z = privatise(two_groups(30, 5), settings_for("laplace", 0, 1), 5, 6);
  DensitySettings settings = quick();
  settings.chains = 3;
  settings.threads = 1;
  const std::size_t whole = settings.warmup + settings.thin * settings.draws;
  const auto until = [&](std::size_t sweeps) {
    std::size_t last = 0;
    return estimate_density(z.column, z.values, 30, settings,
                            [sweeps, last](std::size_t done, std::size_t total) mutable {
                              EXPECT_LE(done, total);
                              EXPECT_GT(done, last);
                              last = done;
                              return done < sweeps;
                            });
  };
  // In the third chain, after a few draws: two whole chains are worth more than three short ones.
  const DensityResult two = until(2 * whole + settings.warmup + 20);
  ASSERT_EQ(two.draws.chains.size(), 2u);
  EXPECT_EQ(two.synthetic[0].size(), 2 * settings.draws);
  // In the first chain.
  const DensityResult one = until(settings.warmup + 100);
  ASSERT_EQ(one.draws.chains.size(), 1u);
  EXPECT_EQ(one.draws.chains[0].draws.rows(), 49);
  for (const DensityResult* r : {&two, &one})
    for (const Chain& chain : r->draws.chains) EXPECT_EQ(chain.stop, StopReason::interrupted);
  try {
    (void)until(settings.warmup);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

// Twenty draws never look mixed; the seed is fixed.
TEST(Density, chains_that_have_not_mixed_go_on) {
  const Privatised z = privatise(two_groups(30, 5), settings_for("laplace", 0, 1), 5, 6);
  DensitySettings settings = quick();
  settings.chains = 2;
  settings.warmup = 5;
  settings.draws = 20;
  settings.thin = 1;
  settings.lengthenings = 2;
  const auto until = [&](std::size_t sweeps) {
    return estimate_density(z.column, z.values, 30, settings, [&](std::size_t done, std::size_t total) {
      EXPECT_LE(done, total);
      return done < sweeps;
    });
  };
  settings.threads = 1;
  const DensityResult whole = until(1000);
  EXPECT_EQ(whole.thin, 4U);
  EXPECT_EQ(whole.warmup, 5 + 20 * 1 + 20 * 2U);
  EXPECT_EQ(whole.draws.chains[1].draws.rows(), 20);
  EXPECT_EQ(whole.draws.chains[1].stop, StopReason::finished);
  settings.threads = 2;
  EXPECT_EQ(whole.columns[0].bands.mean, until(1000).columns[0].bands.mean);
  // In the third stretch: the second is whole.
  settings.threads = 1;
  const DensityResult second = until(2 * (5 + 20 + 40) + 3);
  EXPECT_EQ(second.thin, 2U);
  EXPECT_EQ(second.warmup, 25U);
  ASSERT_EQ(second.draws.chains.size(), 2U);
  for (const Chain& chain : second.draws.chains) {
    EXPECT_EQ(chain.draws.rows(), 20);
    EXPECT_EQ(chain.stop, StopReason::interrupted);
  }
}

TEST(Density, chains_that_have_mixed_end) {
  const Privatised z = privatise({0.5}, settings_for("laplace", 0, 1), 0.1, 7);
  DensitySettings settings = quick();
  settings.draws = 1000;
  const DensityResult plain = estimate_density(z.column, z.values, 1, settings);
  ASSERT_LE(worst_rhat(summarise(plain.draws)), kMixedRhat);
  settings.lengthenings = 3;
  const DensityResult other = estimate_density(z.column, z.values, 1, settings);
  EXPECT_EQ(other.thin, settings.thin);
  EXPECT_EQ(plain.columns[0].bands.mean, other.columns[0].bands.mean);
}

// Whatever stands in the rows, for any bounds: every synthetic value is a legal one, and what is shown has area 1.
TEST(Density, stays_in_its_bounds_with_area_one) {
  struct Route {
    const char* channel;
    const char* kernel;
  };
  const Route routes[] = {
      {"laplace", "normal"},   {"gaussian", "normal"},          {"wavelet", "normal"},
      {"laplace", "beta"},     {"perturbed-histogram", "beta"}, {"laplace", "poisson"},
      {"gaussian", "poisson"}, {"laplace", "rounded-normal"},   {"gaussian", "rounded-normal"}};
  EXPECT_TRUE(rc::check([&](std::uint8_t which, std::uint8_t lower_steps, std::uint8_t width_steps,
                            std::uint8_t place, std::uint8_t noise) {
    const Route& route = routes[which % std::size(routes)];
    const bool counts =
        std::string(route.kernel) == "poisson" || std::string(route.kernel) == "rounded-normal";
    const double lower = counts ? lower_steps % 40 : 25.0 * (lower_steps - 100);
    const double upper = lower + (counts ? 2 + width_steps % 60 : std::pow(2, width_steps % 12 - 4));
    // All values at a bound, at both, beyond them, or in between.
    std::vector<double> data;
    for (int i = 0; i < 25; ++i)
      data.push_back(place % 4 == 0   ? lower
                     : place % 4 == 1 ? upper
                     : place % 4 == 2 ? (i % 2 == 0 ? lower - 5 : upper + 5)
                                      : lower + (upper - lower) * i / 24);
    const double epsilon = std::pow(4, noise % 6 - 1);
    const Privatised z = privatise(data, settings_for(route.channel, lower, upper), epsilon, 31);
    DensitySettings settings = quick();
    settings.kernel = route.kernel;
    settings.warmup = 60;
    settings.draws = 40;
    settings.partitions = 2;
    settings.grid_points = 21;
    const DensityResult r = estimate_density(z.column, z.values, data.size(), settings);
    const ColumnDensity& c = r.columns[0];
    const double area = counts ? c.bands.mean.sum() : mixture::integral(c.grid, c.bands.mean);
    const double prior = counts ? c.prior.sum() : mixture::integral(c.grid, c.prior);
    RC_ASSERT(std::abs(area - 1) < 1e-8);
    RC_ASSERT(std::abs(prior - 1) < 1e-8);
    for (const double y : r.synthetic[0]) {
      RC_ASSERT(y >= lower && y <= upper);
      RC_ASSERT(!counts || y == std::floor(y));
    }
  }));
}

// Two columns at their bounds and beyond.
TEST(Density, joint_columns_stay_in_their_bounds) {
  for (const double epsilon : {1.0, 50.0}) {
    ColumnSettings first = settings_for("laplace", 0, 1);
    ColumnSettings second = settings_for("laplace", -5, 3);
    first.name = "a";
    second.name = "b";
    const ColumnPlan plan = plan_columns({first, second}, target_for("laplace", epsilon), 30);
    std::vector<std::vector<std::string>> cells(2);
    for (int i = 0; i < 30; ++i) {
      cells[0].push_back(i % 2 == 0 ? "0" : "7");
      cells[1].push_back(i % 3 == 0 ? "-5" : "3");
    }
    SeededEntropy entropy(32);
    const auto released = Privatiser(plan, entropy).release(cells);
    const DensityResult r = estimate_density(plan.columns, released.value(), 30, quick());
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_NEAR(mixture::integral(r.columns[d].grid, r.columns[d].bands.mean), 1, 1e-8);
      for (const double y : r.synthetic[d])
        EXPECT_TRUE(y >= plan.columns[d].settings.lower && y <= plan.columns[d].settings.upper) << y;
    }
  }
}

TEST(Density, refuses_what_does_not_fit) {
  const Privatised z = privatise({0.5, 0.6}, settings_for("laplace", 0, 1), 1, 8);
  DensitySettings settings = quick();
  for (const char* algorithm : {"neal2", "neal3", "split-merge", "gibbs"}) {
    settings.algorithm = algorithm;
    EXPECT_THROW((void)estimate_density(z.column, z.values, 2, settings), Error) << algorithm;
  }
  // One kernel is one model: what needs another model is refused, after Gaussian noise too.
  const Privatised g = privatise({0.5, 0.6}, settings_for("gaussian", 0, 1), 1, 8);
  for (const char* kernel : {"normal", "poisson", "rounded-normal"}) {
    for (const char* algorithm : {"neal2", "neal3", "split-merge"}) {
      settings = quick();
      settings.kernel = kernel;
      settings.algorithm = algorithm;
      EXPECT_THROW((void)estimate_density(g.column, g.values, 2, settings), Error) << algorithm;
    }
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
