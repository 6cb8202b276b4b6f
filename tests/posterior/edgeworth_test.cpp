#include "sotto/posterior/edgeworth.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

double second_derivative(Link link, double predictor) {
  if (link == Link::log) return std::exp(predictor);
  const double mean = 1 / (1 + std::exp(-predictor));
  return mean * (1 - mean) * (1 - 2 * mean);
}

// Two million rows as the stand-in takes them to be: of one value, of two values with the rarer in 15 %, and normal. Four standard
// errors of what they add up to, two links at three places: false alarm below 4e-4.
TEST(Edgeworth, is_what_simulated_rows_say) {
  constexpr int kSimulated = 2000000;
  constexpr double kOfTable = 1000;
  constexpr double kLevel = 0.8;
  const Matrix moments{{1, -0.7, 0.2}, {-0.7, 1, -0.1}, {0.2, -0.1, 1.2}};
  const Matrix frame = Matrix(Eigen::LLT<Matrix>(moments).matrixL()).inverse();
  const Matrix rotation = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const Position anchor{{-1, 0.4, 0.5}};
  const Position precision{{0.003, 0.008, 0.005}};
  for (const Link link : {Link::logit, Link::log}) {
    OnceFacts facts;
    facts.link = link;
    facts.column_mean = Position::Zero(3);
    facts.indicator = {false, true, false};
    facts.range = {{1, 1}, {-1, 1}, {-9, 9}};
    const StandIn stand_in(facts, frame, kOfTable);
    ASSERT_EQ(stand_in.parts().size(), 2u);
    const Edgeworth turned = Edgeworth(stand_in, frame, anchor, kLevel).turned(rotation, precision);
    ChainRng rng(7);
    const Matrix root = Eigen::SelfAdjointEigenSolver<Matrix>(stand_in.within()).operatorSqrt();
    const Matrix to_psi = rotation.transpose() * frame;
    for (int place = 0; place < 3; ++place) {
      const Position phi = 0.05 * rng.normals(3);
      const Position w = 0.05 * rng.normals(3);
      double sum = 0;
      double squares = 0;
      for (int i = 0; i < kSimulated; ++i) {
        const Part& part = stand_in.parts()[rng.uniform() < stand_in.parts()[0].share ? 0 : 1];
        const Position x = part.mean + root * rng.normals(3);
        const Position z = to_psi * x;
        const double zw = z.dot(w);
        const double both = z.dot(phi + w);
        const double value =
            second_derivative(link, x.dot(anchor)) *
            (z.dot(phi) * zw * zw / 2 + zw * zw * zw / 6 - z.cwiseAbs2().dot(precision) * both / 2);
        sum += value;
        squares += value * value;
      }
      const double mean = sum / kSimulated;
      const double error = std::sqrt((squares / kSimulated - mean * mean) / kSimulated);
      EXPECT_NEAR(turned(turned.images() * phi, phi, w, {}), kLevel * kOfTable * mean,
                  4 * kLevel * kOfTable * error)
          << place;
    }
  }
}

double mean(double predictor) { return 1 / (1 + std::exp(-predictor)); }

OnceFacts intercept_alone() {
  OnceFacts facts;
  facts.column_mean = Position::Ones(1);
  facts.column_sd = Position::Zero(1);
  facts.indicator = {false};
  facts.range = {{1, 1}};
  return facts;
}

// An intercept alone, many rows, no noise: the score's log density is the likelihood's to the third order. Without what is added it is
// off by a quarter at the ends.
TEST(Edgeworth, makes_the_likelihoods_third_derivative) {
  constexpr double kMany = 1e6;
  const Matrix frame = Matrix::Identity(1, 1);
  const Position anchor{{-1.2}};
  const double m = mean(anchor[0]);
  const double variance = kMany * m * (1 - m);
  const Edgeworth added = Edgeworth(StandIn(intercept_alone(), frame, kMany), frame, anchor, 1)
                              .turned(frame, Position::Constant(1, 1 / variance));
  for (const double far : {-0.02, -0.01, 0.01, 0.02}) {
    const double off = kMany * (mean(anchor[0] + far) - m);
    const double normal = -off * off / (2 * variance);
    const double likelihood =
        kMany * (m * far - std::log1p(std::exp(anchor[0] + far)) + std::log1p(std::exp(anchor[0])));
    const Position phi = Position::Constant(1, far);
    const Position w = Position::Constant(1, -off / variance);
    EXPECT_NEAR(normal + added(added.images() * phi, phi, w, {}), likelihood, 0.01) << far;
    EXPECT_GT(std::abs(normal - likelihood), 0.02) << far;
  }
}

// An intercept alone, ten events of a thousand rows, no noise: a variance that follows the position, and the series for the rest, make
// the likelihood where five to 25 events are expected, and leave next to nothing where one is.
TEST(Edgeworth, follows_the_likelihood_of_few_events) {
  constexpr double kRows = 1000;
  const Matrix frame = Matrix::Identity(1, 1);
  const Position anchor{{std::log(0.01 / 0.99)}};
  const auto variance_at = [&](double predictor) { return kRows * mean(predictor) * (1 - mean(predictor)); };
  const double variance = variance_at(anchor[0]);
  const Edgeworth added = Edgeworth(StandIn(intercept_alone(), frame, kRows), frame, anchor, 1)
                              .turned(frame, Position::Constant(1, 1 / variance));
  for (const double events : {1.0, 5.0, 8.0, 13.0, 18.0, 25.0}) {
    const double at = std::log(events / (kRows - events));
    const double far = at - anchor[0];
    const double off = events - 10;
    const double level = variance_at(at) / variance;
    const double normal = -off * off / (2 * level * variance) - std::log(level) / 2;
    const double likelihood = 10 * far - kRows * (std::log1p(std::exp(at)) - std::log1p(std::exp(anchor[0])));
    const Position phi = Position::Constant(1, far);
    const Position w = Position::Constant(1, -off / (level * variance));
    const double growth = (1 - 2 * mean(anchor[0])) * far;
    const double density =
        normal + added(added.images() * phi, phi, w,
                       {.level = level, .growth = growth, .of_w = variance * w[0] * w[0], .of_precision = 1});
    if (events < 3) {
      EXPECT_LT(density, -10);
    } else {
      EXPECT_NEAR(density, likelihood, 0.3) << events;
    }
  }
}

}  // namespace
}  // namespace sotto
