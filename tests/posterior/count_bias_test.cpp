#include "sotto/posterior/count_bias.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {
namespace {

/// Bounds that hold for all rows.
BoundsPlan wide_plan(double clip, double dispersion) {
  BoundsPlan plan;
  plan.clip = clip;
  plan.typical = clip;
  plan.width = 1000;
  plan.count_dispersion = dispersion;
  return plan;
}

// The linear predictor is .6 + .5 z, z standard normal; counts have log-normal effects, and negative binomial ones of dispersion 1 are
// planned for. 300,000 counts; chance of four standard errors: below 1e-4 each.
TEST(CountBias, what_log_normal_effects_lose_is_put_back) {
  OnceFacts facts;
  facts.link = Link::log;
  facts.column_mean = Position{{1, 0}};
  facts.column_sd = Position{{0, 1}};
  facts.indicator.assign(2, false);
  facts.range.assign(2, {-9, 9});
  const StandIn stand_in(facts, Matrix::Identity(2, 2), 1000);
  const Position at{{0.6, 0.5}};
  constexpr double kPlanned = 1;
  constexpr int kRows = 300000;
  for (const double log_sd : {0.8, 1.3}) {
    for (const double clip : {1.5, 4.0}) {
      ChainRng rng(7);
      Eigen::Vector2d sum = Eigen::Vector2d::Zero();
      Eigen::Vector2d squares = Eigen::Vector2d::Zero();
      for (int i = 0; i < kRows; ++i) {
        const double z = rng.normal();
        const double mean = std::exp(0.6 + 0.5 * z);
        const double y = poisson_draw(mean * std::exp(log_sd * rng.normal() - log_sd * log_sd / 2), rng);
        const double reach = clip * std::max(1.0, std::sqrt(mean + kPlanned * mean * mean));
        const double low = std::max(mean - reach, 0.0);
        const double lost =
            clipped_count({mean, kPlanned}, low, mean + reach).mean - std::clamp(y, low, mean + reach);
        const Eigen::Vector2d one = lost * Eigen::Vector2d{1, z};
        sum += one / kRows;
        squares += one.cwiseAbs2() / kRows;
      }
      const BoundsPlan plan = wide_plan(clip, kPlanned);
      const CountClip counts{stand_in, at, plan, kPlanned};
      const ClipBias bias = counts.bias({clip}, {{{}, 0.5}, {{.log_sd = log_sd}, 0.5}});
      const Eigen::Vector2d expected = (counts.taken_off(clip, {}) + sum) / 2;
      const Eigen::Vector2d error = (squares / kRows).cwiseSqrt();
      // Parts of the effect's law, and steps of the predictor: 3 % of a count of 2.
      for (int k = 0; k < 2; ++k)
        EXPECT_NEAR(bias.mean[k], expected[k], 2 * error[k] + 0.03) << log_sd << ' ' << clip << ' ' << k;
      if (log_sd > 1 && clip > 2) {
        EXPECT_GT(sum[0], 0.1);
      }
      EXPECT_GT(bias.covariance()(0, 0), 0);
    }
  }
}

// Three rows in ten are in a group with larger means. Where bounds are those of a typical row, these weigh less, and less of what goes with
// the predictor is missing.
TEST(CountBias, rows_of_a_group_count_by_their_share) {
  OnceFacts facts;
  facts.link = Link::log;
  facts.column_mean = Position{{1, 0, 0.3}};
  facts.column_sd = Position{{0, 1, std::sqrt(0.21)}};
  facts.indicator = {false, false, true};
  facts.range = {{-9, 9}, {-9, 9}, {0, 1}};
  const Matrix moments{{1, 0, 0.3}, {0, 1, 0}, {0.3, 0, 0.3}};
  const StandIn stand_in(facts, inverse(Cholesky(moments).lower()), 1000);
  const Position at{{0.6, 0.3, 1}};
  constexpr double kPlanned = 1;
  constexpr double kClip = 2;
  const CountEffect effect{.log_sd = 1.2};
  const std::vector<CountPart> parts = parts_of(effect);
  const double sd = std::hypot(0.3, std::sqrt(0.21));
  Eigen::Vector2d expected = Eigen::Vector2d::Zero();
  double weights = 0;
  for (double z = -4; z <= 4; z += 0.05) {
    for (const double group : {0, 1}) {
      const double from_centre = 0.3 * z + group - 0.3;
      const double mean = std::exp(0.9 + from_centre);
      const double reach = kClip * std::max(1.0, std::sqrt(mean + kPlanned * mean * mean));
      const double low = std::max(mean - reach, 0.0);
      const double lost = clipped_count({mean, kPlanned}, low, mean + reach).mean -
                          clipped_mean(parts, mean, low, mean + reach);
      const double weight = (group == 1 ? 0.3 : 0.7) * std::exp(-z * z / 2);
      expected += weight * lost * Eigen::Vector2d{1, from_centre / sd};
      weights += weight;
    }
  }
  expected /= weights;
  const BoundsPlan plan = wide_plan(kClip, kPlanned);
  const Eigen::Vector2d found = CountClip{stand_in, at, plan, kPlanned}.taken_off(kClip, effect);
  EXPECT_NEAR(found[0], expected[0], 0.03 * expected[0]);
  EXPECT_NEAR(found[1], expected[1], 0.05 * expected[1]);

  BoundsPlan narrow = plan;
  narrow.width = 1;
  narrow.typical = kClip * std::sqrt(std::exp(0.9) + kPlanned * std::exp(1.8));
  const Eigen::Vector2d weighted = CountClip{stand_in, at, narrow, kPlanned}.taken_off(kClip, effect);
  EXPECT_GT(weighted[1], 0);
  EXPECT_LT(weighted[1], 0.9 * found[1]);
}

}  // namespace
}  // namespace sotto
