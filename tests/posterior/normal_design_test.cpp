#include "sotto/posterior/normal_design.hpp"

#include <gtest/gtest.h>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

const Matrix kCovariance{{0, 0, 0}, {0, 0.5, 0.2}, {0, 0.2, 0.3}};
const Position kMean{{1, -0.4, 0.2}};

TEST(NormalDesign, moments_give_back_the_design) {
  const Matrix moments = 50 * (kMean * kMean.transpose() + kCovariance);
  const NormalDesign design = NormalDesign::from_moments(moments, true, 1);
  EXPECT_NEAR(design.mass, 50, 1e-12);
  EXPECT_LT((design.mean - kMean).norm(), 1e-12);
  EXPECT_LT((design.covariance - kCovariance).norm(), 1e-12);
}

// 200,000 simulated rows; six standard errors, false alarm below 1e-8.
TEST(NormalDesign, expected_score_matches_simulated_rows) {
  const NormalDesign design{1, kMean, kCovariance};
  const MeanFunction logistic;
  const Position theta{{-0.5, 1.2, 0.8}};
  ChainRng rng(3);
  const double l11 = std::sqrt(0.5);
  const double l21 = 0.2 / l11;
  const double l22 = std::sqrt(0.3 - l21 * l21);
  Position sum = Position::Zero(3);
  Position squares = Position::Zero(3);
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double a = rng.normal();
    const double b = rng.normal();
    const Position x = kMean + Position{{0, l11 * a, l21 * a + l22 * b}};
    const Position term = x / (1 + std::exp(-x.dot(theta)));
    sum += term;
    squares += term.cwiseProduct(term);
  }
  const Position expected = design.expected(logistic, theta);
  for (Eigen::Index j = 0; j < 3; ++j) {
    const double mean = sum[j] / n;
    EXPECT_NEAR(expected[j], mean, 6 * std::sqrt((squares[j] / n - mean * mean) / n));
  }
}

TEST(NormalDesign, information_is_the_derivative_of_the_expected_score) {
  const NormalDesign design{7, kMean, kCovariance};
  const Position theta{{-0.5, 1.2, 0.8}};
  for (const MeanFunction f :
       {MeanFunction{Link::logit, 1}, MeanFunction{Link::log, 1}, MeanFunction{Link::identity, 2}}) {
    const Matrix information = design.information(f, theta);
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Position step = 1e-5 * Position::Unit(3, j);
      const Position slope = (design.expected(f, theta + step) - design.expected(f, theta - step)) / 2e-5;
      EXPECT_LT((information.col(j) - slope).norm(), 1e-6 * (1 + information.norm()));
    }
  }
}

}  // namespace
}  // namespace sotto
