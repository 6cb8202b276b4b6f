// Intercepts and slopes that vary between a category's levels, from the formula to the draws.
#include "sotto/run/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

const Schema kSchema{{{"y", ColumnKind::binary},
                      {"age", ColumnKind::real, {20, 80}, {}},
                      {"clinic", ColumnKind::category, {}, {"a", "b", "c", "d", "e", "f"}}},
                     {}};

// A level's line says the same as a difference from the first level's and as a deviation from all levels' mean.
TEST(Groups, levels_keep_their_lines) {
  const Design design(parse_formula("y ~ age + (age || clinic)"), kSchema);
  const Groups groups(design.groups());
  ChainRng rng(3);
  const Position reported = rng.normals(design.columns());
  const Position all = groups.complete(reported, {{0.7, 0.3}, {0.2, -0.4}});
  const std::vector<std::string> names = groups.names(design.names());
  ASSERT_EQ(all.size(), static_cast<Eigen::Index>(names.size()));
  const auto named = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return all[at - names.begin()];
  };
  EXPECT_EQ(named("sd(clinic)"), 0.7);
  EXPECT_EQ(named("clinic[a]"), 0.3);
  EXPECT_EQ(named("sd(age:clinic)"), 0.2);
  EXPECT_EQ(named("age:clinic[a]"), -0.4);
  EXPECT_LT((groups.differences(all) - reported).cwiseAbs().maxCoeff(), 1e-12);
  for (const double age : {0.0, 33.0, 80.0}) {
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string level = "[" + kSchema.columns[2].levels[k] + "]";
      double line = reported[0] + reported[1] * age;
      if (k > 0)
        line += reported[design.groups()[0].columns[k - 1]] +
                reported[design.groups()[1].columns[k - 1]] * (age - 50);
      const double deviating = named("Intercept") + named("age") * age + named("clinic" + level) +
                               named("age:clinic" + level) * (age - 50);
      EXPECT_NEAR(deviating, line, 1e-12) << level << age;
    }
  }
}

// Against 200,000 draws of the prior. False alarm: under 1e-5 a figure.
TEST(Groups, their_priors_are_described_as_they_are) {
  const Design design(parse_formula("y ~ age + (1 | clinic)"), kSchema);
  const Groups groups(design.groups());
  const std::vector<PriorDescription> described = groups.describe({2.5 * design.groups()[0].half_width});
  ASSERT_EQ(described.size(), 7U);
  EXPECT_EQ(described[0].parameter, "sd(clinic)");
  EXPECT_EQ(described[1].parameter, "clinic[a]");
  EXPECT_NEAR(described[0].mean, 2.5 * 1.1026577908, 1e-9);
  EXPECT_NEAR(described[0].sd, 2.5 * std::sqrt(3 - 1.1026577908 * 1.1026577908), 1e-9);
  EXPECT_EQ(described[1].mean, 0);
  EXPECT_EQ(described[1].q50, 0);
  EXPECT_EQ(described[1].q05, -described[1].q95);
  constexpr int kDraws = 200000;
  ChainRng rng(5);
  double spreads = 0;
  double deviations = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double t = 2.5 * rng.normal() / std::sqrt(rng.normals(3).squaredNorm() / 3);
    spreads += std::abs(t) < described[0].q95 ? 1 : 0;
    deviations += std::abs(t) * rng.normal() < described[1].q95 ? 1 : 0;
  }
  const double error = std::sqrt(0.95 * 0.05 / kDraws);
  EXPECT_NEAR(spreads / kDraws, 0.95, 4.5 * error);
  EXPECT_NEAR(deviations / kDraws, 0.95, 4.5 * error);
}

struct Clinics {
  Table table{kSchema};
  Position intercepts, slopes;
};

Clinics some_clinics(int persons, double spread_of_slopes, std::uint64_t seed) {
  ChainRng rng(seed);
  Clinics clinics;
  clinics.intercepts = 0.5 * rng.normals(6);
  clinics.slopes = spread_of_slopes * rng.normals(6);
  for (int i = 0; i < persons; ++i) {
    const std::size_t k = rng.below(6);
    const double age = 20 + 60 * rng.uniform();
    const auto at = static_cast<Eigen::Index>(k);
    const double eta = -0.3 + clinics.intercepts[at] + (0.02 + clinics.slopes[at]) * (age - 50);
    const std::string cell = std::to_string(age);
    clinics.table.append(
        std::vector<std::optional<std::string_view>>{rng.uniform() < 1 / (1 + std::exp(-eta)) ? "1" : "0",
                                                     cell, kSchema.columns[2].levels[k]},
        std::nullopt);
  }
  return clinics;
}

FitConfig config_of(const char* privacy) {
  return parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"y ~ age + (age || clinic)\"",
                               "method.draws=1000", "method.chains=2", "privacy.delta=1e-6", privacy});
}

std::pair<double, double> mean_and_sd(const Eigen::ArrayXd& draws) {
  return {draws.mean(), std::sqrt((draws - draws.mean()).square().mean())};
}

/// y ~ x + (1 | clinic) of so many persons in eight clinics, without privacy and then with little noise.
std::vector<Draws> fits_of_clinics(int persons, const Position& deviations) {
  const std::vector<std::string> clinics{"a", "b", "c", "d", "e", "f", "g", "h"};
  const Schema schema{{{"y", ColumnKind::binary},
                       {"x", ColumnKind::real, {-4, 4}, {}},
                       {"clinic", ColumnKind::category, {}, clinics}},
                      {}};
  Table table(schema);
  ChainRng rng(9);
  for (int i = 0; i < persons; ++i) {
    const std::size_t clinic = rng.below(8);
    const double x = rng.normal();
    const double eta = -0.5 + 0.7 * x + deviations[static_cast<Eigen::Index>(clinic)];
    const std::string cell = std::to_string(x);
    table.append(
        std::vector<std::optional<std::string_view>>{rng.uniform() < 1 / (1 + std::exp(-eta)) ? "1" : "0",
                                                     cell, clinics[clinic]},
        std::nullopt);
  }
  std::vector<Draws> fits;
  for (const char* privacy : {"privacy.not_private=true", "privacy.epsilon=300"}) {
    const FitConfig config =
        parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"y ~ x + (1 | clinic)\"",
                              "method.draws=1000", "method.chains=2", "privacy.delta=1e-6", privacy});
    TestEntropy entropy(19);
    RunRecord record = fit(config, make_problem(config, table), entropy);
    EXPECT_EQ(record.priors.size(), record.draws.parameters.size());
    for (std::size_t j = 0; j < record.priors.size(); ++j)
      EXPECT_EQ(record.priors[j].parameter, record.draws.parameters[j]);
    EXPECT_EQ(record.priors[2].distribution, "half-student_t(3, 0, 2.5)");
    fits.push_back(std::move(record.draws));
  }
  return fits;
}

// With little noise release-once is the fit without privacy, whose chains sample a posterior made another way: means within
// half a standard deviation, a fixed seed.
TEST(Groups, intercepts_vary_between_clinics) {
  const Position deviations = 0.6 * ChainRng(10).normals(8);
  const std::vector<Draws> fits = fits_of_clinics(4000, deviations);
  ASSERT_EQ(fits[0].parameters,
            (std::vector<std::string>{"Intercept", "x", "sd(clinic)", "clinic[a]", "clinic[b]", "clinic[c]",
                                      "clinic[d]", "clinic[e]", "clinic[f]", "clinic[g]", "clinic[h]"}));
  ASSERT_EQ(fits[1].parameters, fits[0].parameters);
  for (Eigen::Index j = 0; j < 11; ++j) {
    const auto [open, open_sd] = mean_and_sd(fits[0].chains[0].draws.col(j));
    const auto [noisy, noisy_sd] = mean_and_sd(fits[1].chains[0].draws.col(j));
    EXPECT_NEAR(noisy, open, 0.5 * open_sd) << fits[0].parameters[static_cast<std::size_t>(j)];
    EXPECT_NEAR(noisy_sd, open_sd, 0.25 * open_sd) << fits[0].parameters[static_cast<std::size_t>(j)];
  }
  for (const Draws& fit : fits) {
    const Matrix& draws = fit.chains[0].draws;
    for (Eigen::Index k = 0; k < 8; ++k) {
      const auto [mean, sd] = mean_and_sd(draws.col(0).array() + draws.col(3 + k).array());
      EXPECT_NEAR(mean, -0.5 + deviations[k], 4 * sd) << k;
      EXPECT_LT(sd, 0.2) << "an intercept of a clinic's own is known better than the one of all";
    }
    const auto [spread, doubt] = mean_and_sd(draws.col(2));
    EXPECT_NEAR(spread, 0.6, 3 * doubt);
  }
}

// Few persons in clinics that do not differ: deviations shrink to nothing, far below what each clinic alone would say (0.2).
TEST(Groups, intercepts_that_do_not_vary_are_pooled) {
  for (const Draws& fit : fits_of_clinics(1000, Position::Zero(8))) {
    for (Eigen::Index k = 0; k < 8; ++k) {
      EXPECT_LT(mean_and_sd(fit.chains[0].draws.col(3 + k)).second, 0.16) << k;
    }
  }
}

// With little noise release-once is the fit without privacy, whose chains sample a posterior made another way, on columns scaled
// otherwise: priors of the slopes' spread differ by a factor. Means within half a standard deviation, a fixed seed.
TEST(Groups, slopes_vary_between_clinics) {
  const Clinics clinics = some_clinics(6000, 0.02, 11);
  std::vector<Draws> fits;
  for (const char* privacy : {"privacy.not_private=true", "privacy.epsilon=300"}) {
    TestEntropy entropy(19);
    const FitConfig config = config_of(privacy);
    RunRecord record = fit(config, make_problem(config, clinics.table), entropy);
    ASSERT_EQ(record.priors.size(), record.draws.parameters.size());
    for (std::size_t j = 0; j < record.priors.size(); ++j)
      EXPECT_EQ(record.priors[j].parameter, record.draws.parameters[j]);
    fits.push_back(std::move(record.draws));
  }
  ASSERT_EQ(fits[0].parameters, fits[1].parameters);
  const auto find = [&](const std::string& name) {
    return std::find(fits[0].parameters.begin(), fits[0].parameters.end(), name) - fits[0].parameters.begin();
  };
  for (std::size_t j = 0; j < fits[0].parameters.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    const auto [open, open_sd] = mean_and_sd(fits[0].chains[0].draws.col(column));
    const auto [noisy, noisy_sd] = mean_and_sd(fits[1].chains[0].draws.col(column));
    EXPECT_NEAR(noisy, open, 0.5 * open_sd) << fits[0].parameters[j];
    EXPECT_NEAR(noisy_sd, open_sd, 0.3 * open_sd) << fits[0].parameters[j];
  }
  for (const Draws& fit : fits) {
    const Matrix& draws = fit.chains[0].draws;
    for (Eigen::Index k = 0; k < 6; ++k) {
      const auto [slope, sd] =
          mean_and_sd(draws.col(find("age")).array() + draws.col(find("age:clinic[a]") + k).array());
      EXPECT_NEAR(slope, 0.02 + clinics.slopes[k], 4 * sd) << k;
      EXPECT_LT(sd, 0.008) << "a clinic's own slope is known better than the mean of all";
    }
  }
}

// At epsilon 1, four tables of 20,000 rows: of 72 intervals of 90 % for what is known of levels fewer than 54 hold it once in ten
// thousand such tests, were they independent. Two of 54 such fits had one warning, so that two of four have in one test of a hundred and thirty.
TEST(Groups, slopes_are_covered_at_epsilon_one) {
  int covered = 0;
  int all = 0;
  int warnings = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Clinics clinics = some_clinics(20000, 0.015, seed);
    TestEntropy entropy(seed);
    const FitConfig config = config_of("privacy.epsilon=1");
    const RunRecord record = fit(config, make_problem(config, clinics.table), entropy);
    const auto find = [&](const std::string& name) {
      return std::find(record.draws.parameters.begin(), record.draws.parameters.end(), name) -
             record.draws.parameters.begin();
    };
    const Matrix& draws = record.draws.chains[0].draws;
    const auto cover = [&](Eigen::ArrayXd values, double truth) {
      std::sort(values.begin(), values.end());
      const auto tail = static_cast<Eigen::Index>(0.05 * static_cast<double>(values.size()));
      covered += values[tail] <= truth && truth <= values[values.size() - 1 - tail] ? 1 : 0;
      ++all;
    };
    for (Eigen::Index k = 0; k < 6; ++k) {
      cover(draws.col(find("age")).array() + draws.col(find("age:clinic[a]") + k).array(),
            0.02 + clinics.slopes[k]);
      cover(draws.col(0).array() + draws.col(find("clinic[a]") + k).array() +
                50 * draws.col(find("age")).array(),
            -0.3 + clinics.intercepts[k]);
      cover(draws.col(find("age:clinic[a]") + k).array(), clinics.slopes[k]);
    }
    for (const std::string& sentence : record.warnings) warnings += sentence.starts_with("Note: ") ? 0 : 1;
  }
  EXPECT_LE(warnings, 1);
  EXPECT_EQ(all, 72);
  EXPECT_GE(covered, 54);
}

}  // namespace
}  // namespace sotto
