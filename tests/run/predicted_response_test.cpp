#include "sotto/run/predicted_response.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/run/regression.hpp"

namespace sotto {
namespace predicted_response {
namespace {

const Schema kColumns{{{"y", ColumnKind::binary},
                       {"n", ColumnKind::count, {0, 9}, {}},
                       {"c", ColumnKind::real, {0, 500}, {}},
                       {"t", ColumnKind::real, {0, 60}, {}},
                       {"o", ColumnKind::category, {}, {"low", "middle", "high"}},
                       {"x", ColumnKind::real, {-1, 1}, {}}},
                      {}};

PredictedResponse law_of(const std::string& family, const std::string& formula,
                         std::optional<double> dispersion = 0, const std::vector<double>& cuts = {}) {
  ModelConfig model;
  model.family = family;
  model.formula = formula;
  model.cuts = cuts;
  const Regression regression = regression_of(model, kColumns);
  return {regression.family, regression.design.response(), dispersion};
}

std::vector<double> means_of(const PredictedResponse& law, const std::vector<double>& predictors) {
  std::vector<double> means(law.parts().size());
  law.means(predictors, means);
  return means;
}

TEST(PredictedResponse, means_are_those_of_the_laws) {
  using testing::DoubleNear;
  using testing::ElementsAre;
  EXPECT_THAT(means_of(law_of("bernoulli", "y ~ x"), {std::log(3.0)}), ElementsAre(DoubleNear(0.75, 1e-15)));
  EXPECT_THAT(means_of(law_of("poisson", "n ~ x"), {std::log(2.5)}), ElementsAre(DoubleNear(2.5, 1e-15)));
  EXPECT_THAT(means_of(law_of("normal", "c ~ x"), {-7.25}), ElementsAre(-7.25));
  // A gamma response is counted in 100,000 steps of its upper bound, 500.
  EXPECT_THAT(means_of(law_of("gamma", "c ~ x"), {std::log(2000.0)}), ElementsAre(DoubleNear(10, 1e-12)));
  // Odds of 3 beyond the first threshold, and of 1/3 beyond the second.
  const PredictedResponse ordered = law_of("ordinal", "o ~ x");
  EXPECT_EQ(ordered.part(), "category");
  EXPECT_THAT(ordered.parts(), ElementsAre("low", "middle", "high"));
  EXPECT_THAT(means_of(ordered, {std::log(3.0), -std::log(3.0)}),
              ElementsAre(DoubleNear(0.25, 1e-15), DoubleNear(0.5, 1e-15), DoubleNear(0.25, 1e-15)));
  // Hazards of pieces that add up to 0.5, 0.75 and 2.
  const PredictedResponse time = law_of("survival", "Surv(t, y) ~ x", 0, {7, 30.5});
  EXPECT_EQ(time.part(), "time");
  EXPECT_THAT(time.parts(), ElementsAre("7", "30.5", "60"));
  EXPECT_THAT(means_of(time, {std::log(0.5), std::log(0.25), std::log(1.25)}),
              ElementsAre(DoubleNear(std::exp(-0.5), 1e-15), DoubleNear(std::exp(-0.75), 1e-15),
                          DoubleNear(std::exp(-2.0), 1e-15)));
}

TEST(PredictedResponse, no_probability_is_negative) {
  const std::vector<double> crossed = means_of(law_of("ordinal", "o ~ x"), {-1, 1});
  EXPECT_EQ(crossed[1], 0);
  EXPECT_DOUBLE_EQ(crossed[0] + crossed[2], 1);
}

// Of 100,000 draws with a fixed seed: five standard errors of the mean, and a twentieth of the variance.
TEST(PredictedResponse, new_responses_have_the_moments_of_their_laws) {
  const auto expect_moments = [](const PredictedResponse& law, double predictor, double sigma, double mean,
                                 double variance) {
    constexpr int kDraws = 100'000;
    ChainRng rng(5);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double y = law.draw(predictor, sigma, rng);
      sum += y - mean;
      squares += (y - mean) * (y - mean);
    }
    EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(variance / kDraws));
    EXPECT_NEAR(squares / kDraws / variance, 1, 0.05);
  };
  expect_moments(law_of("bernoulli", "y ~ x"), std::log(3.0), 1, 0.75, 0.1875);
  expect_moments(law_of("normal", "c ~ x"), 20, 3, 20, 9);
  expect_moments(law_of("poisson", "n ~ x"), std::log(4.0), 1, 4, 4);
  // Negative binomial: m + a m^2.
  expect_moments(law_of("poisson", "n ~ x", 0.5), std::log(4.0), 1, 4, 12);
  // Gamma of shape 2, in units.
  expect_moments(law_of("gamma", "c ~ x", 0.5), std::log(2000.0), 1, 10, 50);
}

TEST(PredictedResponse, counts_of_any_mean_are_drawn) {
  const PredictedResponse law = law_of("poisson", "n ~ x", 0.5);
  ChainRng rng(1);
  EXPECT_EQ(law.draw(-900, 1, rng), 0);
  EXPECT_GT(law.draw(60, 1, rng), 0);
  EXPECT_EQ(law_of("poisson", "n ~ x").draw(60, 1, rng), std::exp(60.0));
}

TEST(PredictedResponse, refuses_new_responses_that_are_no_numbers) {
  EXPECT_THROW(law_of("ordinal", "o ~ x").check_draws(), Error);
  EXPECT_THROW(law_of("survival", "Surv(t, y) ~ x").check_draws(), Error);
  EXPECT_NO_THROW(law_of("bernoulli", "y ~ x").check_draws());
  // How much they vary is not known.
  EXPECT_THROW(law_of("poisson", "n ~ x", std::nullopt).check_draws(), Error);
  EXPECT_THROW(law_of("gamma", "c ~ x", 0).check_draws(), Error);
  EXPECT_NO_THROW(law_of("poisson", "n ~ x", 0).check_draws());
}

}  // namespace
}  // namespace predicted_response
}  // namespace sotto
