// Tables whose rows cannot be used are told: through the whole run of releases, against an oracle with continuous noise.
#include "sotto/posterior/usable_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/posterior/once_release.hpp"
#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

TEST(UsableRows, rows_that_cannot_be_used_are_told) {
  ChainRng rng(2);
  std::vector<RegressionDesign> designs{
      {"categories alone", [](Eigen::Index rows, ChainRng& r) {
         return designs::logistic(
             RegressionBuilder(rows, r).factor({.9, .1}).factor({.5, .3, .15, .05}).covariates(), 1, 0, r);
       }}};
  for (const RegressionDesign& design : regression_designs()) {
    if (design.name == "Poisson, mean 2" || design.name == "logistic, d 5") designs.push_back(design);
  }
  for (const RegressionDesign& design : designs) {
    const SimulatedRegression data = design.simulate(20000, rng);
    const OnceSettings settings = settings_of(data, kRho);
    const auto released = [&](double share) {
      const auto kept = static_cast<Eigen::Index>(share * static_cast<double>(data.x.rows()));
      RowOracle oracle(settings.facts, data.x.topRows(kept), data.y.head(kept), settings.cost, 3);
      return release_once(settings, oracle);
    };
    const auto usable = [&](double share) { return released(share).few_usable; };
    EXPECT_FALSE(released(1).not_all_usable) << design.name;
    EXPECT_FALSE(usable(1)) << design.name;
    EXPECT_NEAR(released(0.9).not_all_usable.value_or(0), 0.9, 0.03) << design.name;
    EXPECT_FALSE(usable(0.6)) << design.name;
    EXPECT_NEAR(usable(0.1).value_or(1), 0.1, 0.1) << design.name;
    EXPECT_NEAR(usable(0).value_or(1), 0, 0.1) << design.name;
  }
}

TEST(UsableRows, a_tenth_that_is_lost_is_told) {
  const auto told = [](double usable, double sd) {
    return not_all_usable({Position::Constant(2, usable / 2), sd * sd / 2}, 1000);
  };
  EXPECT_NEAR(told(900, 30).value_or(0), 0.9, 1e-12);
  EXPECT_FALSE(told(900, 41)) << "it may be noise";
  EXPECT_FALSE(told(955, 1)) << "hardly any is lost";
  EXPECT_NEAR(told(945, 18).value_or(0), 0.945, 1e-12);
  EXPECT_EQ(told(-10, 20), 0);
}

// As if the other rows had never been: residuals' spread, sigma, how much counts vary, warnings.
TEST(UsableRows, missing_cells_change_nothing_but_the_number_of_rows) {
  ChainRng rng(5);
  for (const RegressionDesign& design : regression_designs()) {
    if (design.name != "Poisson, mean 2" && design.name != "normal, |y| <= 10") continue;
    const SimulatedRegression data = design.simulate(40000, rng);
    OnceSettings settings = settings_of(data, kRho);
    const Eigen::Index kept = data.x.rows() * 6 / 10;
    RowOracle oracle(settings.facts, data.x.topRows(kept), data.y.head(kept), settings.cost, 3);
    const OnceRelease release = release_once(settings, oracle);
    EXPECT_NEAR(release.rows, static_cast<double>(kept), 5 * std::sqrt(release.rows_variance)) << design.name;
    EXPECT_LT(std::sqrt(release.rows_variance), 0.02 * release.rows) << design.name;
    settings.facts.rows = static_cast<double>(kept);
    RowOracle whole(settings.facts, data.x.topRows(kept), data.y.head(kept), settings.cost, 3);
    const OnceRelease without = release_once(settings, whole);
    EXPECT_EQ(without.rows, static_cast<double>(kept));
    EXPECT_NEAR(release.spread.scale / without.spread.scale, 1, 0.1) << design.name;
    EXPECT_LT(release.spread.misfit, std::max(without.spread.misfit, 3.0)) << design.name;
    EXPECT_FALSE(release.spread.few_large) << design.name;
  }
}

}  // namespace
}  // namespace sotto
