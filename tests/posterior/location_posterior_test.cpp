#include "sotto/posterior/location_posterior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "support/location_oracle.hpp"

namespace sotto {
namespace {

/// Three columns, correlated.
Matrix three_columns() { return Matrix{{1.0, 0.6, 0}, {0.6, 2.0, -0.5}, {0, -0.5, 0.5}}; }

struct LocationSetting {
  Adjacency adjacency;
  double rows, rho, half_width, prior_sd;
};

LocationFacts facts_of(const LocationSetting& setting) {
  LocationFacts made{.bounds = {}, .covariance = three_columns(), .rows = {}, .unit = {setting.adjacency, 1}};
  for (int j = 0; j < 3; ++j) made.bounds.push_back({-setting.half_width, setting.half_width});
  if (setting.adjacency == Adjacency::substitute) made.rows = setting.rows;
  return made;
}

// Calibration: the mean is drawn from its prior, rows from the model. With mean m and covariance C of the posterior, the sum over
// 300 tables of (mean - m)' C^-1 (mean - m) is chi-squared with 900 degrees of freedom, and so is it of a draw, whose distance
// has twice the covariance. Six standard deviations: fewer than one false alarm in 10^7 of each; seeds are fixed. Narrow
// and wide bounds, noise far below and far above the rows' own, few rows of an unknown number.
TEST(LocationPosterior, holds_the_truth_as_often_as_it_says) {
  constexpr int kTables = 300;
  for (const LocationSetting& setting : {LocationSetting{Adjacency::substitute, 400, 5, 6, 1},
                                         LocationSetting{Adjacency::substitute, 200, 0.01, 6, 1},
                                         LocationSetting{Adjacency::substitute, 2000, 0.05, 2000, 100},
                                         LocationSetting{Adjacency::add_remove, 2000, 0.05, 200, 20},
                                         LocationSetting{Adjacency::add_remove, 30, 0.05, 8, 1}}) {
    const Matrix factor = Cholesky(three_columns()).lower();
    const MeanPrior prior{Position::Zero(3), Position::Constant(3, setting.prior_sd)};
    double distance = 0;
    double of_draws = 0;
    for (int table = 0; table < kTables; ++table) {
      ChainRng rng(static_cast<std::uint64_t>(table), 91);
      const Position truth = prior.sd.cwiseProduct(rng.normals(3));
      Matrix rows(static_cast<Eigen::Index>(setting.rows), 3);
      for (Eigen::Index i = 0; i < rows.rows(); ++i) rows.row(i) = truth + factor * rng.normals(3);
      LocationOracle owner(rows, {setting.adjacency, 1}, Rho(setting.rho), static_cast<std::uint64_t>(table));
      const LocationRelease release = release_location(facts_of(setting), owner, Rho(setting.rho));
      const LocationPosterior posterior(release, prior);
      const Cholesky spread(posterior.covariance());
      distance += spread.half_solve(Matrix(truth - posterior.mean())).squaredNorm();
      of_draws += spread.half_solve(Matrix(truth - posterior.draw(rng))).squaredNorm() / 2;
    }
    const double freedom = 3 * kTables;
    EXPECT_NEAR(distance, freedom, 6 * std::sqrt(2 * freedom))
        << setting.rows << " rows, rho " << setting.rho;
    EXPECT_NEAR(of_draws, freedom, 6 * std::sqrt(2 * freedom))
        << setting.rows << " rows, rho " << setting.rho;
  }
}

/// A sum of `rows` unclipped rows around zero, whose mean is `mean`, in the identity's frame.
LocationRelease plain(double rows, const Position& mean, double noise) {
  const Eigen::Index dim = mean.size();
  return {.at = Position::Zero(dim),
          .frame = Matrix::Identity(dim, dim),
          .sum = rows * mean,
          .slope = 1,
          .spread = three_columns().topLeftCorner(dim, dim),
          .noise = noise,
          .rows = rows};
}

TEST(LocationPosterior, is_the_conjugate_one) {
  const Position mean{{0.5, -1}};
  const MeanPrior prior{Position{{1, 1}}, Position{{2, 0.5}}};
  const LocationPosterior posterior(plain(40, mean, 30), prior);
  const Matrix likelihood =
      inverse(three_columns().topLeftCorner(2, 2) / 40 + Matrix::Identity(2, 2) * 30 / 1600);
  const Matrix own = prior.sd.cwiseAbs2().cwiseInverse().asDiagonal();
  const Matrix expected = inverse(likelihood + own);
  EXPECT_LT((posterior.covariance() - expected).norm(), 1e-12);
  EXPECT_LT((posterior.mean() - expected * (likelihood * mean + own * prior.location)).norm(), 1e-12);
}

// The number of rows is weighed by how well the sum fits: against a sum over all whole numbers.
TEST(LocationPosterior, allows_for_an_unknown_number_of_rows) {
  LocationRelease release = plain(6, Position{{3}}, 4);
  release.rows_sd = 3;
  const MeanPrior prior{Position{{0}}, Position{{2}}};
  double total = 0, mean = 0, square = 0;
  for (int n = 0; n <= 60; ++n) {
    const double scatter = n * three_columns()(0, 0) + 4;
    const double marginal = scatter + n * n * 4.0;
    const double weight =
        std::exp(-std::pow(n - 6, 2) / 18.0 - 18.0 * 18.0 / (2 * marginal)) / std::sqrt(marginal);
    const double variance = 1 / (n * n / scatter + 0.25);
    const double centre = variance * n * 18 / scatter;
    total += weight;
    mean += weight * centre;
    square += weight * (variance + centre * centre);
  }
  mean /= total;
  const LocationPosterior posterior(release, prior);
  EXPECT_NEAR(posterior.mean()[0], mean, 1e-6);
  EXPECT_NEAR(posterior.covariance()(0, 0), square / total - mean * mean, 1e-6);
}

TEST(LocationPosterior, of_no_rows_is_the_prior) {
  LocationRelease release = plain(0, Position{{1, 1}}, 1);
  release.rows = -40;
  release.rows_sd = 1;
  const MeanPrior prior{Position{{1, 2}}, Position{{3, 0.5}}};
  const LocationPosterior posterior(release, prior);
  EXPECT_LT((posterior.mean() - prior.location).norm(), 1e-12);
  EXPECT_LT((posterior.covariance() - Matrix(prior.sd.cwiseAbs2().asDiagonal())).norm(), 1e-12);
}

LocationVerdict verdict(const LocationRelease& release, const MeanPrior& prior, const Interval& bounds) {
  const Eigen::Index dim = prior.location.size();
  LocationFacts known{.bounds = std::vector<Interval>(static_cast<std::size_t>(dim), bounds),
                      .covariance = three_columns().topLeftCorner(dim, dim),
                      .rows = 100.0,
                      .unit = {}};
  return check_location(known, release, prior, LocationPosterior(release, prior));
}

TEST(LocationPosterior, says_what_is_wrong) {
  const MeanPrior wide{Position{{0, 0}}, Position{{10, 10}}};
  const LocationVerdict fine = verdict(plain(100, Position{{0.5, -1}}, 10), wide, {-9, 9});
  EXPECT_TRUE(fine.hidden.empty() && fine.held.empty() && fine.beyond.empty());
  EXPECT_FALSE(fine.astray || fine.noise_dominates);
  EXPECT_NEAR(fine.sd_inflation[0], std::sqrt(1 + 10 / 100.0), 1e-3);

  const LocationVerdict hidden = verdict(plain(100, Position{{0.5, -1}}, 1e8), wide, {-9, 9});
  EXPECT_EQ(hidden.hidden.size(), 2u);
  EXPECT_TRUE(hidden.noise_dominates);

  const MeanPrior narrow{Position{{0, 0}}, Position{{0.2, 10}}};
  EXPECT_EQ(verdict(plain(100, Position{{1, -1}}, 10), narrow, {-9, 9}).held, (std::vector<Eigen::Index>{0}));

  // Half a standard deviation from the bound three rows in ten were moved to it.
  const LocationVerdict beyond = verdict(plain(100, Position{{0.5, 0}}, 10), wide, {-9, 1});
  EXPECT_EQ(beyond.beyond, (std::vector<Eigen::Index>{0, 1}));
  EXPECT_NEAR(beyond.share_beyond[0], 0.3085, 0.01);
  EXPECT_LT(beyond.pull[0], -1);
  // As many at either end: nothing is pulled.
  EXPECT_TRUE(verdict(plain(100, Position{{0, 0}}, 10), wide, {-1, 1}).beyond.empty());

  LocationRelease clipped = plain(100, Position{{0.1, 0}}, 10);
  clipped.clipped = 0.01;
  clipped.bound = 2.6;
  EXPECT_FALSE(verdict(clipped, wide, {-9, 9}).astray);
  clipped.sum *= 20;
  EXPECT_TRUE(verdict(clipped, wide, {-9, 9}).astray);
}

TEST(LocationPosterior, says_what_noise_decides) {
  const MeanPrior wide{Position{{0, 0}}, Position{{10, 10}}};
  const LocationRelease noisy = plain(100, Position{{0.5, -1}}, 1e4);
  EXPECT_EQ(verdict(noisy, wide, {-9, 9}).by_noise, (std::vector<Eigen::Index>{0, 1}));
  EXPECT_TRUE(verdict(plain(100, Position{{0.5, -1}}, 100), wide, {-9, 9}).by_noise.empty());
  // Of how many rows nobody knows: what intervals would be without noise is not known.
  LocationRelease unknown = noisy;
  unknown.rows_sd = 60;
  const LocationVerdict hidden = verdict(unknown, wide, {-9, 9});
  EXPECT_TRUE(hidden.rows_hidden);
  EXPECT_TRUE(std::isnan(hidden.sd_inflation[0]));
}

// Half of the rows beyond the bound: they moved the mean, unless the sum reached out for them.
TEST(LocationPosterior, says_what_clipping_did_to_rows_far_out) {
  const MeanPrior wide{Position{{0, 0}}, Position{{10, 10}}};
  LocationRelease release = plain(100, Position{{0, 0}}, 10);
  release.clipped = 0.01;
  release.bound = 3.03;
  release.lengths = {.at = Position::Zero(2),
                     .edges = Position{{0, 1.18, 3.03, 6.07, 12.1}},
                     .counts = Position{{25, 25, 0, 50, 0}},
                     .noise_sd = 2};
  const LocationVerdict shortened = verdict(release, wide, {-9, 9});
  ASSERT_TRUE(shortened.covariance);
  EXPECT_TRUE(shortened.covariance->far);
  EXPECT_TRUE(shortened.far_shortened);
  release.bound = 12.1;
  EXPECT_FALSE(verdict(release, wide, {-9, 9}).far_shortened);
  release.bound = 6.07;
  EXPECT_TRUE(verdict(release, wide, {-9, 9}).far_shortened);
  release.lengths->counts = Position{{50, 49, 1, 0, 0}};
  const LocationVerdict fine = verdict(release, wide, {-9, 9});
  EXPECT_FALSE(fine.covariance->far || fine.far_shortened || fine.covariance->other_spread);
  EXPECT_GT(fine.unseen_pull, 0.1);
}

}  // namespace
}  // namespace sotto
