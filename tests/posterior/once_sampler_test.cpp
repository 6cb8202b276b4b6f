#include "sotto/posterior/once_sampler.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <chrono>
#include <cmath>
#include <numeric>

#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/diagnostics/rhat.hpp"
#include "sotto/prior/varying_effects.hpp"

namespace sotto {
namespace {

PooledRelease some_release(Eigen::Index d, double information_sd, ChainRng& rng) {
  PooledRelease release;
  release.anchor = rng.normals(d);
  Matrix half(d, d);
  for (double& entry : half.reshaped()) entry = rng.normal() / std::sqrt(static_cast<double>(d));
  release.information = 100 * (Matrix::Identity(d, d) + 0.5 * half * half.transpose());
  release.square_level = release.information.trace() / static_cast<double>(d);
  release.spread = 0.9 * release.information;
  release.score_variance = 40;
  release.information_variance = information_sd * information_sd;
  release.score = 15 * rng.normals(d);
  return release;
}

/// Of scores that are linear: h is phi.
Displacement linear(const PooledRelease& release) {
  OnceFacts facts;
  facts.link = Link::identity;
  facts.intercept = false;
  facts.column_mean = Position::Zero(release.anchor.size());
  facts.column_sd = Position::Ones(release.anchor.size());
  const Matrix identity = Matrix::Identity(release.anchor.size(), release.anchor.size());
  return {StandIn(facts, identity, 1), identity, release.anchor};
}

AnchorResiduals residuals_of(const PooledRelease& release, const ResolvedPrior& prior) {
  const Matrix frame = Matrix::Identity(release.anchor.size(), release.anchor.size());
  return anchor_residuals(release, release.spread, normal_base(release, frame, prior.normal));
}

bool to_the_end() { return true; }

struct DrawnPositions {
  Matrix positions;  ///< shape (draws, dim): two of each chain
  bool settled;
};
DrawnPositions drawn(const PooledRelease& release, const ResolvedPrior& prior, Eigen::Index draws,
                     ChainRng& rng, const std::optional<SigmaPosterior>& sigma = {}) {
  const Matrix frame = Matrix::Identity(release.anchor.size(), release.anchor.size());
  const Displacement displacement = linear(release);
  const AnchorResiduals residuals = residuals_of(release, prior);
  const std::optional<Edgeworth> edgeworth;
  const PositionTarget target{release, frame, displacement, prior, sigma, residuals, edgeworth};
  PositionDensity density(target);
  fit_base(density, draws, rng, to_the_end);
  PositionChains chains(density, draws / 2, rng);
  DrawnPositions drawn{Matrix(draws, release.anchor.size()), chains.settle(rng, to_the_end)};
  drawn.positions.topRows(draws / 2) = chains.positions();
  chains.go_on(rng);
  drawn.positions.bottomRows(draws / 2) = chains.positions();
  return drawn;
}

ResolvedPrior normal_prior(Eigen::Index d, double sd) {
  return {{Matrix::Identity(d, d) / (sd * sd), Position::Zero(d)}, {}};
}

double log_target(const PooledRelease& r, const ResolvedPrior& prior, const Position& theta) {
  const Position phi = theta - r.anchor;  // frame I
  Matrix covariance = r.spread + r.information_variance / 2 * phi * phi.transpose();
  covariance.diagonal().array() += r.score_variance + r.information_variance / 2 * phi.squaredNorm();
  const Eigen::LLT<Matrix> root(covariance);
  const Position miss = root.matrixL().solve(r.score - r.information * phi);
  const Position off = theta - prior.normal.location;
  return -miss.squaredNorm() / 2 - root.matrixLLT().diagonal().array().log().sum() -
         off.dot(prior.normal.precision * off) / 2 + (prior.ratio ? prior.ratio(theta) : 0.0);
}

/// Mean and variance of both coordinates on a fine grid.
struct Grid {
  Position mean = Position::Zero(2), variance = Position::Zero(2);
};
Grid integrate(const PooledRelease& r, const ResolvedPrior& prior) {
  Grid grid;
  double total = 0;
  double best = -HUGE_VAL;
  constexpr int kSteps = 800;
  const auto point = [&](int i, int j) {
    return Position(r.anchor + Position{{(i - kSteps / 2) * 0.02, (j - kSteps / 2) * 0.02}});
  };
  for (int i = 0; i < kSteps; i += 4) {
    for (int j = 0; j < kSteps; j += 4) best = std::max(best, log_target(r, prior, point(i, j)));
  }
  Position square = Position::Zero(2);
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      const Position theta = point(i, j);
      const double weight = std::exp(log_target(r, prior, theta) - best);
      total += weight;
      grid.mean += weight * theta;
      square += weight * theta.cwiseProduct(theta);
    }
  }
  grid.mean /= total;
  grid.variance = square / total - grid.mean.cwiseProduct(grid.mean);
  return grid;
}

// 20,000 independent draws: the mean within 5 standard errors, the variance within 6 % (4 of its standard errors for a
// normal target, a little less for these). Twelve comparisons; false alarm below 1e-3.
TEST(OnceSampler, draws_from_its_target) {
  enum class Case { normal, laplace, group, squares };
  for (const Case which : {Case::normal, Case::laplace, Case::group, Case::squares}) {
    ChainRng rng(1 + static_cast<std::uint64_t>(which));
    const PooledRelease release = some_release(2, 60, rng);
    ResolvedPrior prior = normal_prior(2, 1);
    if (which == Case::group) prior.deviations = {Matrix{{0, -0.3}, {0, 1}}};
    if (which == Case::laplace || which == Case::group) {
      prior.ratio = [](const Position& theta) {
        return theta.squaredNorm() / 2 - std::sqrt(2.0) * theta.cwiseAbs().sum();
      };
    }
    std::optional<SigmaPosterior> sigma;
    ResolvedPrior with_squares = prior;
    if (which == Case::squares) {  // of 200 rows, whose residuals spread by .15 around the anchor
      OnceRound last;
      last.plan.clip = 5;
      last.residual_squares = NoisyVector{Position::Constant(1, 200 * 0.0225), 1};
      sigma.emplace(last, ResidualTails{}, SquaredRows{200},
                    CoefficientPrior{PriorFamily::normal, std::log(0.15), 0.4});
      with_squares.ratio = [&, residuals = residuals_of(release, prior)](const Position& theta) {
        return sigma->log_density(residuals.added_square(theta - release.anchor));
      };
    }
    const Grid exact = integrate(release, which == Case::squares ? with_squares : prior);
    const auto [draws, settled] = drawn(release, prior, 20000, rng, sigma);
    EXPECT_TRUE(settled);
    for (Eigen::Index j = 0; j < 2; ++j) {
      const double mean = draws.col(j).mean();
      const double variance = (draws.col(j).array() - mean).square().mean();
      EXPECT_NEAR(mean, exact.mean[j], 5 * std::sqrt(exact.variance[j] / 20000));
      EXPECT_NEAR(variance / exact.variance[j], 1, 0.06);
    }
  }
}

// One coefficient comes near its base's mean often, and leaves it along rays. A normal target of variance V after 3,200 slices: the variance
// of 20,000 draws, neighbours of which share little, within 8 % (six standard errors of independent ones), the farthest below 7 sqrt V.
TEST(OnceSampler, long_chains_stay_where_they_should) {
  ChainRng rng(9);
  const PooledRelease release = some_release(1, 0, rng);
  const double information = release.information(0, 0);
  const double precision = information * information / (release.spread(0, 0) + release.score_variance) + 1;
  const ResolvedPrior prior = normal_prior(1, 1);
  const Matrix frame = Matrix::Identity(1, 1);
  const Displacement displacement = linear(release);
  const AnchorResiduals residuals = residuals_of(release, prior);
  const std::optional<SigmaPosterior> sigma;
  const std::optional<Edgeworth> edgeworth;
  const PositionTarget target{release, frame, displacement, prior, sigma, residuals, edgeworth};
  PositionDensity density(target);
  constexpr Eigen::Index kChains = 200;
  fit_base(density, kChains, rng, to_the_end);
  PositionChains chains(density, kChains, rng);
  for (int draw = 0; draw < 300; ++draw) chains.go_on(rng);
  Position all(100 * kChains);
  for (Eigen::Index draw = 0; draw < 100; ++draw) {
    chains.go_on(rng);
    all.segment(draw * kChains, kChains) = chains.positions().col(0);
  }
  const double mean = all.mean();
  const Position off = all.array() - mean;
  EXPECT_NEAR(off.squaredNorm() / static_cast<double>(all.size()) * precision, 1, 0.08);
  EXPECT_LT(off.cwiseAbs().maxCoeff() * std::sqrt(precision), 7);
}

// Twenty levels that do not differ: the density has a peak where they do not, around which chains move in small steps.
TEST(OnceSampler, settles_where_a_group_varies_little) {
  constexpr Eigen::Index d = 20;
  ChainRng rng(4);
  PooledRelease release = some_release(d, 0, rng);
  release.information = release.spread = 1000 * Matrix::Identity(d, d);
  release.score_variance = 0;
  release.score = std::sqrt(1000) * rng.normals(d);
  release.anchor = Position::Zero(d);
  std::vector<Eigen::Index> columns(d - 1);
  std::iota(columns.begin(), columns.end(), 1);
  const VaryingEffects group(columns, 2.5);
  ResolvedPrior prior = normal_prior(d, 2.5);
  prior.ratio = [&](const Position& at) {
    return group.log_density(at) + at.tail(d - 1).squaredNorm() / (2 * 2.5 * 2.5);
  };
  prior.deviations = {Matrix::Identity(d, d)};
  prior.deviations[0].row(0).setConstant(-1.0 / d);
  prior.deviations[0](0, 0) = 0;
  EXPECT_TRUE(drawn(release, prior, 1000, rng).settled);
}

TEST(OnceSampler, hundred_coefficients_mix) {
  ChainRng rng(3);
  const PooledRelease release = some_release(100, 3, rng);
  const ResolvedPrior prior = normal_prior(100, 1);
  std::vector<Matrix> chains;
  const auto begin = std::clock();
  for (std::uint64_t c = 0; c < 4; ++c) {
    ChainRng own(7, c);
    chains.push_back(drawn(release, prior, 250, own).positions);
  }
  RecordProperty("seconds", std::to_string(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC));
  for (Eigen::Index j = 0; j < 100; ++j) {
    Matrix sequences(250, 4);  // see diagnostics/sequences.hpp
    for (Eigen::Index c = 0; c < 4; ++c) sequences.col(c) = chains[static_cast<std::size_t>(c)].col(j);
    EXPECT_LT(rhat(sequences), 1.03);  // of 1,000 independent draws: 1.01 at four times as many
    EXPECT_GT(ess_bulk(sequences), 600);
  }
}

}  // namespace
}  // namespace sotto
