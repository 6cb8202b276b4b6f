#include "sotto/posterior/skewness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kRows = 20000;
constexpr double kNoise = 30;

/// Residuals of rows whose standardised predictor is below and above 0, counted with noise.
struct Counted {
  Position edges{{0, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2.8, 5.6, 11.2, 22.4}};
  std::vector<ResidualSides> parts;
  std::vector<double> residual, predictor;

  /// Mean of what a clip takes off, and its product with the predictor.
  [[nodiscard]] Eigen::Vector2d taken_off(double clip) const {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (std::size_t i = 0; i < residual.size(); ++i) {
      const double off = residual[i] - std::clamp(residual[i], -clip, clip);
      sum += Eigen::Vector2d(off, off * predictor[i]);
    }
    return sum / kRows;
  }
};

Counted count(const std::function<double(double, ChainRng&)>& draw, std::uint64_t seed) {
  ChainRng rng(seed);
  Counted c;
  const Eigen::Index cells = c.edges.size() - 1;
  for (int p = 0; p < 2; ++p) c.parts.push_back({kNoise * rng.normals(cells), kNoise * rng.normals(cells)});
  for (int i = 0; i < kRows; ++i) {
    const double e = rng.normal();
    const double r = draw(e, rng);
    c.residual.push_back(r);
    c.predictor.push_back(e);
    const auto place = std::upper_bound(c.edges.begin(), c.edges.end(), std::abs(r)) - c.edges.begin();
    ResidualSides& part = c.parts[e < 0 ? 0 : 1];
    (r < 0 ? part.below : part.above)[std::min<Eigen::Index>(place - 1, cells - 1)] += 1;
  }
  return c;
}

ClipBias found(const Counted& c, double clip) {
  return Skewness::find(c.edges, c.parts, kNoise * kNoise, kRows, 1).bias({clip});
}

// One percent of the rows' standard deviation is 1.4 standard errors of a mean of 20,000. Twenty seeds.
TEST(Skewness, normal_residuals_have_little) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ClipBias bias = found(count([](double, ChainRng& rng) { return rng.normal(); }, seed), 2.5);
    EXPECT_LT(bias.mean.norm(), 0.01) << seed;
    EXPECT_LT(std::sqrt(bias.square.trace()), 0.015) << seed;
  }
}

// Residuals off centre, as far as a position in the middle of a fit is, are not taken for skewed ones.
TEST(Skewness, a_wrong_centre_is_not_skewness) {
  const auto shifted = [](double, ChainRng& rng) { return rng.normal() + 0.1; };
  EXPECT_LT(found(count(shifted, 1), 2.5).mean.norm(), 0.01);
}

// Gamma residuals of shape 2, of the same size everywhere and growing with the mean; what a clip takes off is known within
// three of its standard deviations, and these are honest: not below a tenth of the bias. Two numbers of ten seeds and two
// laws; a 3 sigma event in one of 40 has a chance of .1 if the deviations are right, so one is let pass.
TEST(Skewness, what_a_clip_takes_off_is_found) {
  int far = 0;
  for (const double growth : {0.0, 0.3}) {
    const auto gamma = [&](double e, ChainRng& rng) {
      const double g = -(std::log1p(-rng.uniform()) + std::log1p(-rng.uniform()));
      return std::max(1 + growth * e, 0.1) * (g - 2) / std::sqrt(2.0);
    };
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Counted c = count(gamma, seed);
      const Eigen::Vector2d truth = c.taken_off(2);
      const ClipBias bias = found(c, 2);
      EXPECT_LT((bias.mean - truth).norm(), 0.5 * truth.norm()) << growth << ' ' << seed;
      for (int k = 0; k < 2; ++k)
        far += std::abs(bias.mean[k] - truth[k]) > 3 * std::sqrt(bias.covariance()(k, k));
    }
  }
  EXPECT_LE(far, 1);
}

TEST(Skewness, none_known_is_none) { EXPECT_EQ(Skewness().bias({1}).mean, Eigen::Vector2d::Zero()); }

}  // namespace
}  // namespace sotto
