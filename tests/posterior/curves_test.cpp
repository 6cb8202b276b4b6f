// Effects that are no lines are found, lines are not: through the whole run of releases, against an oracle with continuous noise.
#include "sotto/posterior/curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/posterior/once_release.hpp"
#include "support/once_study.hpp"
#include "support/regression_designs.hpp"
#include "support/row_oracle.hpp"

namespace sotto {
namespace {

std::vector<Eigen::Index> curved(const SimulatedRegression& data, std::uint64_t seed, double rho = kRho) {
  const OnceSettings settings = settings_of(data, rho);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, seed);
  return release_once(settings, oracle).curves.curved;
}

// Three and a half standard deviations: 21 releases of 2 to 5 columns each, false alarm .04 in all if the standard deviations are right.
TEST(Curves, lines_are_not_curved) {
  for (const char* name : {"logistic, d 5", "lognormal, bounds 10x", "survey units", "normal, |y| <= 100",
                           "skewed errors, large units", "Poisson, mean 2", "overdispersed counts"}) {
    for (const RegressionDesign& design : regression_designs()) {
      if (design.name != name) continue;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        ChainRng rng(seed);
        EXPECT_TRUE(curved(design.simulate(20000, rng), seed).empty()) << name << ' ' << seed;
      }
    }
  }
}

// A square of half a standard deviation's weight: ten standard deviations or more.
TEST(Curves, a_square_that_the_model_leaves_out_is_found) {
  struct Case {
    Link link;
    Interval response;
  };
  for (const Case& one :
       {Case{Link::logit, {0, 1}}, Case{Link::log, {0, 50}}, Case{Link::identity, {-20, 20}}}) {
    ChainRng rng(3);
    SimulatedRegression data = designs::uniform_logistic(20000, 5, rng);
    data.link = one.link;
    data.truth = 0.3 * rng.normals(5);
    const Position square = 3 * data.x.col(2).array().square() - 1;
    data.left_out = 0.4 * square;
    respond(data, one.response, rng);
    EXPECT_EQ(curved(data, 1), std::vector<Eigen::Index>{2}) << static_cast<int>(one.link);
  }
}

// Seven in ten values of a quantity are zero, the rest log-normal; what counts is its logarithm. Ten times the budget of the others: at theirs the noise hides it.
TEST(Curves, an_effect_that_levels_off_is_found) {
  for (const bool straight : {true, false}) {
    ChainRng rng(3);
    SimulatedRegression data = designs::uniform_logistic(20000, 3, rng);
    for (double& x : data.x.col(1))
      x = rng.uniform() < 0.7 ? -1 : -1 + std::min(0.1 * std::exp(rng.normal() - 0.5), 2.0);
    data.truth = Position{{-1, straight ? 2.0 : 0.0, 0.3}};
    data.left_out = straight ? Position::Zero(20000).eval()
                             : Position(0.3 * (1 + 1000 * (data.x.col(1).array() + 1)).log());
    respond(data, {0, 1}, rng);
    EXPECT_EQ(curved(data, 1, 10 * kRho),
              straight ? std::vector<Eigen::Index>{} : std::vector<Eigen::Index>{1});
  }
}

// Five values in equal numbers spread by more than two thirds of their mean, and none lies far out: their declared bound says so.
TEST(Curves, a_scale_of_few_numbers_has_no_long_tail) {
  for (const bool skewed : {false, true}) {
    ChainRng rng(4);
    SimulatedRegression data = designs::uniform_logistic(20000, 3, rng);
    for (double& x : data.x.col(1))
      x = skewed ? -1 + std::min(0.1 * std::exp(rng.normal() - 0.5), 2.0)
                 : -1 + 0.5 * static_cast<double>(rng.below(5));
    data.truth = Position{{-1, 0.5, 0.3}};
    data.left_out = Position::Zero(20000);
    respond(data, {0, 1}, rng);
    const OnceSettings settings = settings_of(data, kRho);
    RowOracle oracle(settings.facts, data.x, data.y, settings.cost, 1);
    const OnceRelease release = release_once(settings, oracle);
    EXPECT_EQ(long_tailed(release.facts, release.stand_in, 1), skewed);
  }
}

TEST(Curves, are_asked_of_columns_with_more_than_two_values) {
  OnceFacts facts;
  facts.column_mean = Position::Zero(4);
  facts.indicator = {false, true, false, true};
  EXPECT_EQ(columns_for_curves(facts), std::vector<Eigen::Index>{2});
  facts.intercept = false;
  EXPECT_EQ(columns_for_curves(facts), (std::vector<Eigen::Index>{0, 2}));
}

}  // namespace
}  // namespace sotto
