// Misfits of the cumulative logit: what is asked about them, and which answers are told.
#include "sotto/posterior/threshold_effects.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kResponses = 200000;
const Position kAt{{0.5, -1, -2, 0.8, -0.4}};

OnceFacts three_thresholds() {
  OnceFacts facts;
  facts.thresholds = 1;
  facts.pieces = 3;
  facts.column_mean = Position::Zero(5);
  facts.column_sd = Position::Ones(5);
  facts.indicator.assign(5, false);
  facts.range.assign(5, {-9, 9});
  facts.threshold_weights = Position{{1.5, 1, 0.5}};
  return facts;
}

/// Column 3 has mean .3, both others' moments are 1.
Matrix frame_of_rows() {
  Matrix moments = Matrix::Identity(5, 5);
  moments(0, 3) = moments(3, 0) = 0.3;
  for (const Eigen::Index k : {1, 2}) {
    moments(k, k) = moments(0, k) = moments(k, 0) = 1.0 / 3;
    moments(3, k) = moments(k, 3) = 0.1;
  }
  moments(1, 2) = moments(2, 1) = 0;
  return Eigen::LLT<Matrix>(moments).matrixL().toDenseMatrix().inverse();
}

struct Asked {
  OnceFacts facts = three_thresholds();
  Matrix frame = frame_of_rows();
  StandIn stand_in{facts, frame, 3 * kResponses};
  PlanPoint point{facts, stand_in, frame, kAt, {}};
  ThresholdEffectsQuery query = threshold_effects_query(point, columns_for_threshold_effects(facts), Rho(1));
};

template <class Visit>
void for_each_simulated_response(const Visit& visit) {
  ChainRng rng(11);
  for (int i = 0; i < static_cast<int>(kResponses); ++i) {
    Position x = Position::Zero(5);
    x[0] = 1;
    x[3] = 0.3 + std::sqrt(1 - 0.09) * rng.normal();
    x[4] = rng.normal();
    visit(x, rng.uniform());
  }
}

// 200,000 responses: four standard deviations of the least precise entry are half a per cent of the whole.
TEST(StandIn, rows_of_a_threshold_match_simulated_rows) {
  const Asked asked;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const ThresholdRows rows = asked.stand_in.threshold(kAt, k);
    const auto bent = [](double mean) { return mean * mean * (1 - mean); };
    const Position average = asked.stand_in.over_threshold(kAt, k, bent);
    double mean = 0;
    Matrix information = Matrix::Zero(5, 5);
    Position bent_average = Position::Zero(5);
    for_each_simulated_response([&](Position x, double) {
      if (k > 0) x[k] = 1;
      const double m = 1 / (1 + std::exp(-x.dot(kAt)));
      mean += m / kResponses;
      information += m * (1 - m) / kResponses * x * x.transpose();
      bent_average += bent(m) / kResponses * x;
    });
    EXPECT_NEAR(rows.mean, mean, 0.003) << k;
    EXPECT_LT((rows.information - information).norm(), 0.006 * information.norm()) << k;
    EXPECT_LT((average - bent_average).norm(), 0.006 * bent_average.norm()) << k;
  }
}

TEST(ThresholdEffects, are_asked_of_all_columns_but_thresholds) {
  const Asked asked;
  EXPECT_EQ(asked.query.columns, (std::vector<Eigen::Index>{3, 4}));
  EXPECT_EQ(asked.query.contrasts.cols(), 2);
  OnceFacts two = three_thresholds();
  two.pieces = 2;
  two.threshold_weights = Position{{1, 1}};
  const StandIn stand_in(two, Matrix::Identity(5, 5), 100);
  const Matrix frame = Matrix::Identity(5, 5);
  EXPECT_EQ(threshold_effects_query({two, stand_in, frame, kAt, {}}, {3}, Rho(1)).contrasts.cols(), 1);
}

// Under the model the sums' variance over the responses is at most their number, and at this position nearly that; what bounds a response
// leaves most as they are.
TEST(ThresholdEffects, are_scaled_to_a_typical_response) {
  const Asked asked;
  const ThresholdEffectsQuery& query = asked.query;
  Position squares = Position::Zero(5);
  double bounded = 0;
  for_each_simulated_response([&](const Position& x, double u) {
    Position r(3), tails(3);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double m = 1 / (1 + std::exp(-(x.dot(kAt) + (k > 0 ? kAt[k] : 0))));
      r[k] = (u < m ? 1 : 0) - m;
      tails[k] = query.tails[k] * ((1 - 2 * m) * (1 - 2 * m) - query.level);
    }
    const Position q{{(x[3] - query.centre[0]) / query.scale[0], (x[4] - query.centre[1]) / query.scale[1]}};
    const Position t = query.contrasts.transpose() * r;
    Position v(5);
    v << t[0] * q, t[1] * q, tails.dot(r);
    squares += v.cwiseAbs2() / kResponses;
    bounded += (v.norm() > query.bound ? 1 : 0) / kResponses;
  });
  EXPECT_LT(squares.maxCoeff(), 1.05);
  EXPECT_GT(squares.head(4).minCoeff(), 0.7);
  EXPECT_GT(squares[4], 0.3);
  EXPECT_LT(bounded, 0.15);
}

// Where the search for the mode put thresholds across each other, or at one place.
TEST(ThresholdEffects, are_asked_wherever_thresholds_lie) {
  for (const Position& at : {Position{{0.5, -1, -0.8, 0.8, -0.4}}, Position{{0.5, 0, 0, 0.8, -0.4}},
                             Position{{0.5, -1, -1, 0.8, -0.4}}, Position{{60, -1, -2, 0, 0}},
                             Position{{-900, -1, -2, 0, 0}}, Position{{0.5, 3, 9, 0.8, -0.4}}}) {
    const Asked asked;
    const PlanPoint point{asked.facts, asked.stand_in, asked.frame, at, {}};
    const ThresholdEffectsQuery query = threshold_effects_query(point, {3, 4}, Rho(1));
    EXPECT_TRUE(query.contrasts.allFinite() && query.tails.allFinite()) << at.transpose();
    EXPECT_TRUE(std::isfinite(query.level) && std::isfinite(query.bound) && query.bound > 0)
        << at.transpose();
    EXPECT_LT(query.contrasts.cwiseAbs().maxCoeff(), 1e6) << at.transpose();
    const ThresholdEffects found =
        threshold_effects(query, {Position::Zero(5), 1}, point, {Position::Zero(5), Matrix::Identity(5, 5)});
    EXPECT_TRUE(found.differing.empty()) << at.transpose();
  }
}

// An answer that is the model's at the posterior's mean; then one entry is off by what is told, or by half of it.
TEST(ThresholdEffects, stand_clear_of_noise_and_of_the_posterior) {
  const Asked asked;
  NormalBase base{Position::Zero(5), 1e-6 * Matrix::Identity(5, 5)};
  NoisyVector answer{Position::Zero(5), kResponses};
  const auto found = [&] { return threshold_effects(asked.query, answer, asked.point, base); };
  EXPECT_TRUE(found().differing.empty());
  EXPECT_FALSE(found().skewed);
  const double sd = std::sqrt(2 * kResponses);
  answer.value[1] = -6 * sd;
  EXPECT_EQ(found().differing, std::vector<Eigen::Index>{4});
  answer.value[1] = -2 * sd;
  EXPECT_TRUE(found().differing.empty());
  answer.value[2] = 6 * sd;
  EXPECT_EQ(found().differing, std::vector<Eigen::Index>{3});
  EXPECT_FALSE(found().skewed);
  answer.value[4] = 6 * sd;
  EXPECT_TRUE(found().skewed);
  // Where the position is far from known, so is what equal effects do.
  base.covariance = 25 * Matrix::Identity(5, 5);
  EXPECT_TRUE(found().differing.empty());
  EXPECT_FALSE(found().skewed);
}

// Effects that are the same at all thresholds are not taken for others: the answer's mean where the position is off by a little.
TEST(ThresholdEffects, follow_the_posterior_s_mean) {
  const Asked asked;
  const Position move{{0.1, -0.1, 0.05, 0.2, -0.15}};
  NoisyVector answer{Position::Zero(5), 1};
  for_each_simulated_response([&](const Position& x, double) {
    const Position q{{(x[3] - asked.query.centre[0]) / asked.query.scale[0],
                      (x[4] - asked.query.centre[1]) / asked.query.scale[1]}};
    for (Eigen::Index k = 0; k < 3; ++k) {
      Position row = x;
      if (k > 0) row[k] = 1;
      const double m = 1 / (1 + std::exp(-row.dot(kAt)));
      const double r = 1 / (1 + std::exp(-row.dot(kAt + move))) - m;
      for (Eigen::Index a = 0; a < 2; ++a)
        answer.value.segment(2 * a, 2) += asked.query.contrasts(k, a) * r * q;
      answer.value[4] += asked.query.tails[k] * ((1 - 2 * m) * (1 - 2 * m) - asked.query.level) * r;
    }
  });
  const Position phi = asked.frame.transpose().inverse() * move;
  const ThresholdEffects found =
      threshold_effects(asked.query, answer, asked.point, {phi, 1e-8 * Matrix::Identity(5, 5)});
  EXPECT_TRUE(found.differing.empty());
  EXPECT_FALSE(found.skewed);
  const ThresholdEffects without =
      threshold_effects(asked.query, answer, asked.point, {Position::Zero(5), 1e-8 * Matrix::Identity(5, 5)});
  EXPECT_TRUE(without.skewed || !without.differing.empty());
}

}  // namespace
}  // namespace sotto
