// The chains without an acceptance test against a closed form: where the step is small, moments agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kRows = 2000;

struct Moments {
  double mean_error;      // in posterior standard deviations
  double variance_ratio;  // mean over the coordinates
};

// Normal rows with sd 1 within [-5, 5], two coordinates; posterior sd 1 / sqrt(kRows) under a flat prior.
template <Kernel K>
Moments sample(double rate, double noise_multiplier, double step_size, double diffusion, std::size_t draws,
               double spread = 0) {
  Rows rows(kRows, 2);
  ChainRng rng(41);
  Position mean = Position::Zero(2);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      rows.at(i, j) = std::clamp(rng.normal(), -5.0, 5.0);
      mean[static_cast<Eigen::Index>(j)] += rows.at(i, j) / kRows;
    }
    rows.weight(i) = 1;
  }
  const double sd = 1 / std::sqrt(double{kRows});
  Budget budget(Epsilon(1e9), Delta(1e-6));
  TestEntropy entropy(3);
  const OwnerContext context{LocationModel({{-5, 5}, {-5, 5}}, Matrix::Identity(2, 2))};
  DataOwner owner(std::move(rows),
                  measure_batches(context, {rate, noise_multiplier, 2 * (draws + 500)}, budget, Epsilon(1)),
                  1, budget, entropy, std::make_unique<DiscreteGaussianMechanism>(entropy));
  const LogPrior flat{[](const Position&) { return 0.0; },
                      [](const Position& x) { return Position::Zero(x.size()).eval(); }};
  const K kernel({.rate = rate,
                  .noise_multiplier = noise_multiplier,
                  .scale = Position::Constant(2, sd),
                  .spread = spread,
                  .step_size = step_size,
                  .diffusion = diffusion},
                 flat);
  const std::vector<Position> starts(2, mean);
  const auto chains = run_chains(kernel, std::span<const Position>(starts), owner,
                                 {.warmup = 500, .draws = draws, .thin = 1, .seed = 9},
                                 [&](const Position& x) -> Position { return (x - mean) / sd; });
  Moments moments{0, 0};
  Position average = Position::Zero(2);
  for (const Chain& chain : chains) {
    EXPECT_EQ(chain.stop, StopReason::finished);
    average += chain.draws.colwise().mean().transpose() / 2;
    moments.variance_ratio += chain.draws.array().square().mean() / 2;
  }
  moments.mean_error = average.cwiseAbs().maxCoeff();
  return moments;
}

// In scaled coordinates the chain is x <- (1 - h/2) x + N(0, h + h^2 s / 4) with s = (1 - rate) / rate, the
// batch's own spread: variance (1 + h s / 4) / (1 - h / 4). Autocorrelation time 4 / h = 40: over 2 chains, 2
// coordinates and 60,000 draws the variance has a standard error of sqrt(2 * 20 / 240000) = 1.3 % of it, the
// mean one of sqrt(40 / 120000) = 0.018. Bands: 4 standard errors, false alarm below 1e-4 each.
TEST(Langevin, sgld_injects_no_more_than_the_privacy_noise_leaves_over) {
  // The privacy noise is 9/10 of what is injected.
  const Moments moments = sample<Sgld>(1, 38, 0.1, 0, 60000);
  EXPECT_NEAR(moments.variance_ratio / (1 / (1 - 0.1 / 4)), 1, 0.052);
  EXPECT_LT(moments.mean_error, 0.08);
}

TEST(Langevin, sgld_is_heated_by_its_batches_as_predicted) {
  const Moments moments = sample<Sgld>(0.1, 2, 0.1, 0, 60000);
  EXPECT_NEAR(moments.variance_ratio / ((1 + 0.1 * 9 / 4) / (1 - 0.1 / 4)), 1, 0.052);
  EXPECT_LT(moments.mean_error, 0.08);
}

// With the batch's spread and the curvature of the step taken off what is injected, x <- (1 - h/2) x + N(0, h - h^2/4): unit
// variance. Autocorrelation time 20, a standard error of 0.9 %; the rows' own variance, known to 2 %, is half of the noise.
TEST(Langevin, sgld_takes_known_spread_for_injected_noise) {
  const Moments moments = sample<Sgld>(0.1, 2, 0.2, 0, 60000, 10);
  EXPECT_NEAR(moments.variance_ratio, 1, 0.05);
  EXPECT_LT(moments.mean_error, 0.08);
}

// The thermostat takes the batches' heat out, which would be a factor 2 in the variance of the momentum; what
// is left is the error of the step, about h / 2.
TEST(Langevin, sgnht_takes_out_the_heat_of_its_batches) {
  const Moments moments = sample<Sgnht>(0.1, 0.2, 0.05, 0.2, 100000);
  EXPECT_NEAR(moments.variance_ratio, 1, 0.08);
  EXPECT_LT(moments.mean_error, 0.1);
}

// Noise beyond what a step may inject shortens the step instead of heating the chain: here to h = 0.044, a
// standard error of 1.9 %.
TEST(Langevin, sgld_shortens_steps_when_the_noise_is_too_large) {
  const Moments moments = sample<Sgld>(1, 60, 0.5, 0, 60000);
  EXPECT_NEAR(moments.variance_ratio, 1 / (1 - 0.044 / 4), 0.077);
}

}  // namespace
}  // namespace sotto
