// The release-once sampler against closed forms and quadrature. Bounds are five standard errors of independent draws with
// half the sample size: false alarm below 1e-5 a comparison.
#include "sotto/posterior/once_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/posterior/once_prior.hpp"

namespace sotto {
namespace {

struct Moments {
  double mean, sd;
};

Moments moments(const OncePosterior& posterior, Eigen::Index coordinate) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const Chain& chain : posterior.chains) {
    sum += chain.draws.col(coordinate).sum();
    squares += chain.draws.col(coordinate).squaredNorm();
    count += static_cast<double>(chain.draws.rows());
  }
  return {sum / count, std::sqrt(squares / count - sum / count * (sum / count))};
}

constexpr OnceSampling kSampling{4, 200, 5000, 5, 17};
constexpr double kDraws = 10000;

void expect_moments(const Moments& found, double mean, double sd) {
  EXPECT_NEAR(found.mean, mean, 5 * sd / std::sqrt(kDraws));
  EXPECT_NEAR(found.sd, sd, 5 * sd / std::sqrt(2 * kDraws) * 1.3);
}

OnceRelease one_coordinate(double information_variance) {
  return {Position{{0.4}},
          Matrix{{2.0}},
          Position{{3.0}},
          4.0,
          Matrix{{10.0}},
          information_variance,
          8.0,
          Matrix{{12.0}},
          6.0,
          100,
          1.2};
}

TEST(OnceSampler, known_information_gives_the_closed_form) {
  const OnceRelease release{Position{{0.5, -1.0}},
                            Matrix{{2, 0}, {0.5, 1}},
                            Position{{3, -2}},
                            5.0,
                            Matrix{{20, 4}, {4, 12}},
                            1e-8,
                            28.8,
                            Matrix{{20, 0}, {0, 20}},
                            4.0,
                            100,
                            1.2};
  const NormalPrior prior{Position{{0.2, 0.1}}, Position{{0.7, 1.5}}};
  const OncePosterior posterior = sample_once(release, prior, {}, kSampling);
  // In theta: score ~ N(G F^-T (theta - anchor), 0.9 G + 5 I).
  const Matrix slope = release.information * release.frame.transpose().inverse();
  const Matrix weight = (0.9 * release.information + 5 * Matrix::Identity(2, 2)).inverse();
  const Matrix prior_precision = prior.sd.array().square().inverse().matrix().asDiagonal();
  const Matrix covariance = (slope.transpose() * weight * slope + prior_precision).inverse();
  const Position mean = covariance * (slope.transpose() * weight * (release.score + slope * release.anchor) +
                                      prior_precision * prior.mean);
  for (Eigen::Index j = 0; j < 2; ++j)
    expect_moments(moments(posterior, j), mean[j], std::sqrt(covariance(j, j)));
}

/// Posterior moments of theta by summing over a grid of (information, theta).
template <class LogPriorDensity>
Moments quadrature(const OnceRelease& release, const LogPriorDensity& log_prior) {
  double total = 0;
  double first = 0;
  double second = 0;
  for (double g = 0.02; g < 45; g += 0.04) {
    const double miss_g = g - release.information(0, 0);
    const double weight_g = -miss_g * miss_g / (2 * release.information_variance) +
                            (release.expected_weight - 2) / 2 * std::log(g) -
                            release.expected_weight * g / (2 * release.expected(0, 0));
    const double ratio = std::clamp(release.squares / g, 0.5, 1.0);
    const double variance = ratio * g + release.score_variance;
    for (double theta = -12; theta < 14; theta += 0.02) {
      const double phi = (theta - release.anchor[0]) / release.frame(0, 0);
      const double miss = release.score[0] - g * phi;
      const double w =
          std::exp(weight_g - miss * miss / (2 * variance) - std::log(variance) / 2 + log_prior(theta));
      total += w;
      first += w * theta;
      second += w * theta * theta;
    }
  }
  return {first / total, std::sqrt(second / total - first / total * (first / total))};
}

TEST(OnceSampler, noisy_information_is_integrated_over) {
  for (const double variance : {9.0, 60.0}) {
    const OnceRelease release = one_coordinate(variance);
    const NormalPrior prior{Position{{0.0}}, Position{{1.5}}};
    const Moments truth = quadrature(release, [](double theta) { return -theta * theta / (2 * 1.5 * 1.5); });
    expect_moments(moments(sample_once(release, prior, {}, kSampling), 0), truth.mean, truth.sd);
  }
}

TEST(OnceSampler, priors_that_are_not_normal_keep_their_shape) {
  const OnceRelease release = one_coordinate(9.0);
  for (const PriorFamily family : {PriorFamily::laplace, PriorFamily::student_t}) {
    const CoefficientPrior prior{family, -0.3, 0.4, 4};
    const OncePrior split = once_prior(std::span(&prior, 1));
    const Moments truth = quadrature(release, [&](double theta) { return prior.log_density(theta); });
    OnceSampling longer = kSampling;
    longer.thin = 12;
    expect_moments(moments(sample_once(release, split.normal, split.ratio, longer), 0), truth.mean, truth.sd);
  }
}

TEST(OnceSampler, an_information_that_is_not_positive_definite_is_only_weak_evidence) {
  OnceRelease release{Position::Zero(2),
                      Matrix::Identity(2, 2),
                      Position{{1, 1}},
                      50.0,
                      Matrix{{-30, 40}, {40, -20}},
                      400.0,
                      10,
                      Matrix{{20, 0}, {0, 20}},
                      3.0,
                      100,
                      1.0};
  const NormalPrior prior{Position::Zero(2), Position::Constant(2, 2.5)};
  const OncePosterior posterior = sample_once(release, prior, {}, kSampling);
  for (Eigen::Index j = 0; j < 2; ++j) {
    EXPECT_TRUE(posterior.chains[0].draws.allFinite());
    EXPECT_GT(moments(posterior, j).sd, 0.5);
    EXPECT_LT(moments(posterior, j).sd, 2.6);
  }
}

TEST(OnceSampler, the_same_seed_gives_the_same_draws) {
  const NormalPrior prior{Position{{0.0}}, Position{{1.5}}};
  const OnceSampling sampling{2, 10, 20, 1, 5};
  const OncePosterior a = sample_once(one_coordinate(9), prior, {}, sampling);
  const OncePosterior b = sample_once(one_coordinate(9), prior, {}, sampling);
  EXPECT_EQ(a.chains[1].draws, b.chains[1].draws);
  EXPECT_NE(a.chains[0].draws, a.chains[1].draws);
}

TEST(OncePrior, stand_in_has_the_priors_moments_and_the_ratio_is_the_rest) {
  const std::vector<CoefficientPrior> priors{{PriorFamily::normal, 1, 2},
                                             {PriorFamily::student_t, 0.5, 1.5, 6},
                                             {PriorFamily::laplace, 0, 2},
                                             {PriorFamily::flat}};
  const OncePrior split = once_prior(priors);
  EXPECT_NEAR(split.normal.sd[1], 1.5 * std::sqrt(1.5), 1e-12);
  EXPECT_NEAR(split.normal.sd[2], 2 * std::sqrt(2.0), 1e-12);
  EXPECT_TRUE(std::isinf(split.normal.sd[3]));
  const Position a{{0.3, 2, -1, 5}};
  const Position b{{1.3, -2, 3, -5}};
  const auto log_stand_in = [&](const Position& x) {
    return -((x - split.normal.mean).array() / split.normal.sd.array()).square().sum() / 2;
  };
  const LogPrior prior = product(priors);
  EXPECT_NEAR(log_stand_in(a) + split.ratio(a) - log_stand_in(b) - split.ratio(b),
              prior.log_density(a) - prior.log_density(b), 1e-12);
  EXPECT_FALSE(once_prior(std::span(priors).first(1)).ratio);
}

}  // namespace
}  // namespace sotto
