// Laws of a group's responses against simulated rows.
#include "sotto/posterior/group_laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/random/chain_rng.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {
namespace {

constexpr int kSimulated = 200000;

/// Shares of simulated residuals between neighbouring edges.
Position shares_of(const std::vector<double>& residuals, const Position& edges) {
  Position counts = Position::Zero(edges.size() - 1);
  for (const double r : residuals) {
    const auto above = std::upper_bound(edges.begin(), edges.end(), r) - edges.begin();
    counts[std::clamp<Eigen::Index>(above - 1, 0, counts.size() - 1)] += 1.0 / kSimulated;
  }
  return counts;
}

double effect_draw(const CountEffect& effect, ChainRng& rng) {
  if (effect.log_sd > 0) return std::exp(effect.log_sd * rng.normal() - effect.log_sd * effect.log_sd / 2);
  const double exponential = -std::log1p(-rng.uniform());  // dispersion 1
  if (effect.weibull_shape == 0) return exponential;
  return std::pow(exponential, 1 / effect.weibull_shape) / std::tgamma(1 + 1 / effect.weibull_shape);
}

/// The first of the list: the likeliest law of all rows.
std::unique_ptr<GroupLaw> law_of(const CountEffect& effect, const BoundsPlan& plan) {
  OnceFacts facts;
  facts.link = Link::log;
  facts.column_mean = Position{{1, 0}};
  facts.column_sd = Position{{0, 1}};
  facts.indicator.assign(2, false);
  facts.range.assign(2, {-9, 9});
  const Matrix frame = Matrix::Identity(2, 2);
  const StandIn stand_in(facts, frame, 1000);
  const Position at{{1, 0}};
  return std::move(count_laws({facts, stand_in, frame, at, {.effects = {{effect, 1}}}}, plan).front());
}

// 200,000 rows: a share's standard error is at most .0011, that of a clipped mean .003 of its standard deviation. Log-normal effects are
// gamma effects around steps, which are off by .02 at the most (math/count_effect.hpp), and means are taken at seven predictors.
TEST(GroupLaws, counts_are_where_their_clipped_mean_says) {
  const Position edges{{0, .4, 1, 2, 4, 1e300}};
  BoundsPlan plan;
  plan.clip = 2;
  plan.count_dispersion = 0.5;
  constexpr double kMove = 0.6;
  for (const CountEffect& effect :
       {CountEffect{.dispersion = 1}, CountEffect{.log_sd = 1.3}, CountEffect{.weibull_shape = .6}}) {
    const auto law = law_of(effect, plan);
    for (const double sd : {0.0, 0.3}) {
      ChainRng rng(1);
      const GroupRows rows{0.1, Position::Ones(1), 1.0, sd};
      std::vector<double> ratios;
      double more = 0;
      for (int i = 0; i < kSimulated; ++i) {
        const double fitted = std::exp(rows.predictor + sd * rng.normal());
        const double y = poisson_draw(std::exp(kMove) * fitted * effect_draw(effect, rng), rng);
        ratios.push_back(y / fitted);
        const double reach = plan.clip * std::sqrt(fitted + 0.5 * fitted * fitted);
        const double low = std::max(fitted - reach, 0.0);
        const ClippedCount planned = clipped_count({fitted, 0.5}, low, fitted + reach);
        more += (std::clamp(y, low, fitted + reach) - planned.mean) / planned.slope / kSimulated;
      }
      EXPECT_LT((law->shares(rows, edges, kMove) - shares_of(ratios, edges)).cwiseAbs().maxCoeff(), 0.03);
      // The planned law puts true predictors `more` beyond the fitted ones.
      EXPECT_NEAR(law->true_move(rows, plan.clip, more), kMove, 0.08) << effect.log_sd << ' ' << sd;
    }
  }
}

TEST(GroupLaws, skewed_residuals_are_where_their_clipped_mean_says) {
  ChainRng rng(2);
  BoundsPlan plan;
  plan.clip = 3;
  plan.dispersion = 4;
  const GroupLawList laws = normal_laws(plan);
  const GroupRows rows{0.1, Position::Ones(1), 0, 1};
  const Position edges{{-1e100, -2, -1, 0, 1, 3, 6, 1e100}};
  // Standard deviations and log-normal laws as normal_laws has them: the best law of simulated rows is theirs.
  for (const double log_sd : {0.6, 1.0}) {
    const double sd = 2 * 1.6;
    const double scale = sd / std::sqrt(std::exp(log_sd * log_sd) * std::expm1(log_sd * log_sd));
    std::vector<double> residuals;
    double clipped = 0;
    for (int i = 0; i < kSimulated; ++i) {
      const double r = 0.7 + scale * (std::exp(log_sd * rng.normal()) - std::exp(log_sd * log_sd / 2));
      residuals.push_back(r);
    }
    const Position seen = shares_of(residuals, edges);
    const GroupLaw* best = nullptr;
    double least = 1;
    for (const auto& law : laws) {
      const double off = (law->shares(rows, edges, 0.7) - seen).cwiseAbs().maxCoeff();
      if (off < least) best = law.get();
      least = std::min(least, off);
    }
    EXPECT_LT(least, 0.006);
    // The place where the mean of clipped residuals is zero is what a score finds.
    double place = 0;
    for (int step = 0; step < 40; ++step) {
      clipped = 0;
      for (const double r : residuals) clipped += std::clamp(r - place, -3.0, 3.0) / kSimulated;
      place += clipped;
    }
    // Fitted predictors are zero here; the mode lies `place` further.
    EXPECT_NEAR(best->true_move(rows, 3, place), 0.7, 0.03);
  }
}

}  // namespace
}  // namespace sotto
