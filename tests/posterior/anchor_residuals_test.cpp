#include "sotto/posterior/anchor_residuals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kColumns = 4;
constexpr Eigen::Index kTableRows = 30;

struct Table {
  Matrix x;
  double sigma;
};

Table table(ChainRng& rng) {
  Table made{Matrix(kTableRows, kColumns), 1.5};
  for (Eigen::Index i = 0; i < kTableRows; ++i) made.x.row(i) = rng.normals(kColumns).transpose();
  return made;
}

PooledRelease release_of(const Table& of, const Position& residuals, double noise_sd, ChainRng& rng) {
  PooledRelease release;
  release.anchor = Position::Zero(kColumns);
  release.information = of.x.transpose() * of.x;
  release.spread = of.sigma * of.sigma * release.information;
  release.score = of.x.transpose() * residuals + noise_sd * rng.normals(kColumns);
  release.score_variance = noise_sd * noise_sd;
  release.square_level = kTableRows;
  return release;
}

AnchorResiduals residuals_of(const PooledRelease& release) {
  return anchor_residuals(release, release.spread,
                          {Position::Zero(kColumns), Matrix::Identity(kColumns, kColumns)});
}

TEST(AnchorResiduals, without_noise_are_those_of_least_squares) {
  ChainRng rng(3);
  const Table made = table(rng);
  const PooledRelease release = release_of(made, rng.normals(kTableRows), 0, rng);
  const AnchorResiduals residuals = residuals_of(release);
  EXPECT_NEAR(residuals.fitted, kColumns, 1e-9);
  const Position least_squares = Cholesky(release.information).solve(release.score);
  const double to_fit = (made.x * least_squares).squaredNorm() / kTableRows;
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(residuals.added_square(3 * rng.normals(kColumns)), to_fit, 1e-9);
}

TEST(AnchorResiduals, of_a_score_that_noise_hides_are_as_far_as_the_position) {
  ChainRng rng(4);
  const Table made = table(rng);
  const AnchorResiduals residuals = residuals_of(release_of(made, rng.normals(kTableRows), 1e6, rng));
  EXPECT_NEAR(residuals.fitted, 0, 1e-6);
  const Position phi = rng.normals(kColumns);
  EXPECT_NEAR(residuals.added_square(phi), (made.x * phi).squaredNorm() / kTableRows, 1e-3);
}

// What is expected given a score has no error that goes with anything the score says: over 40,000 tables the error's mean, and its
// mean times how far the score lies from what the position makes it, are zero within four standard errors, at three sizes of noise.
// Six comparisons; false alarm below 1e-3. With nothing fitted, and squares added as far as the position lies, the second is off by
// more than that.
TEST(AnchorResiduals, are_what_is_expected_given_the_score) {
  ChainRng rng(5);
  const Table made = table(rng);
  const Position phi = 0.4 * rng.normals(kColumns);
  for (const double noise : {0.0, 6.0, 20.0}) {
    constexpr int kTables = 40000;
    Eigen::ArrayXd error(kTables), weighted(kTables), as_if_unfitted(kTables);
    for (int k = 0; k < kTables; ++k) {
      const Position at_anchor = made.x * phi + made.sigma * rng.normals(kTableRows);
      const PooledRelease release = release_of(made, at_anchor, noise, rng);
      const AnchorResiduals residuals = residuals_of(release);
      const double square = at_anchor.squaredNorm() / kTableRows;
      const double spread = made.sigma * made.sigma;
      const double far = (release.score - release.information * phi).squaredNorm();
      error[k] = square - spread * (1 - residuals.fitted / kTableRows) - residuals.added_square(phi);
      weighted[k] = error[k] * far;
      as_if_unfitted[k] = (square - spread - (made.x * phi).squaredNorm() / kTableRows) * far;
    }
    const auto standard_errors = [](const Eigen::ArrayXd& values) {
      return values.mean() / std::sqrt((values - values.mean()).square().mean() / kTables);
    };
    EXPECT_LT(std::abs(standard_errors(error)), 4) << noise;
    EXPECT_LT(std::abs(standard_errors(weighted)), 4) << noise;
    EXPECT_GT(std::abs(standard_errors(as_if_unfitted)), noise < 10 ? 8 : 4) << noise;
  }
}

}  // namespace
}  // namespace sotto
