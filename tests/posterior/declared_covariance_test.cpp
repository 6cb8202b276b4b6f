#include "sotto/posterior/declared_covariance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sotto/math/shortened_normal.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

/// A row's deviation, in a frame in which the declared covariance is the identity.
using Deviation = std::function<Position(ChainRng&)>;

Deviation normal_deviation(double spread, const Position& offset) {
  return [=](ChainRng& rng) { return Position(offset + spread * rng.normals(offset.size())); };
}

/// Counts of rows under noise of standard deviation `noise`, as release_location asks for them.
ReleasedLengths counted_lengths(std::size_t rows, double noise, Eigen::Index dim, const Deviation& deviation,
                                std::uint64_t seed) {
  ChainRng rng(seed, 77);
  const int d = static_cast<int>(dim);
  const double far = normal_length(d, 0.01);
  ReleasedLengths made{.at = Position::Zero(dim),
                       .edges = Position{{0, normal_length(d, 0.5), far, 2 * far, 4 * far}},
                       .counts = Position::Zero(5),
                       .noise_sd = noise};
  for (std::size_t i = 0; i < rows; ++i)
    made.counts[(made.edges.array() <= deviation(rng).norm()).count() - 1] += 1;
  made.counts += noise * rng.normals(5);
  return made;
}

// Of rows as they are declared each of two things is said falsely once in eighty times at the most: of 1,200 tables that is 15 or so of
// the spread, fewer as it must matter as well, and of those far out 8. More than 30: fewer than one false alarm of this test in 1000.
TEST(DeclaredCovariance, of_rows_as_they_are_declared_nothing_is_said) {
  int far = 0;
  int spread = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const Position& offset : {Position{{0}}, Position{{0.4}}, Position{{0.2, 0, -0.3}}}) {
      const auto dim = offset.size();
      const CovarianceVerdict verdict =
          check_covariance(counted_lengths(600, 15, dim, normal_deviation(1, offset), seed), 600, 0, offset);
      far += verdict.far ? 1 : 0;
      spread += verdict.other_spread ? 1 : 0;
    }
  }
  EXPECT_LE(far, 30);
  EXPECT_LE(spread, 30);
}

TEST(DeclaredCovariance, another_spread_is_found) {
  for (const double spread : {0.5, 1.5, 2.0}) {
    for (const Position& offset : {Position{{0.3}}, Position{{0, 0, 0}}}) {
      const CovarianceVerdict verdict = check_covariance(
          counted_lengths(4000, 20, offset.size(), normal_deviation(spread, offset), 5), 4000, 0, offset);
      EXPECT_TRUE(verdict.other_spread);
      EXPECT_NEAR(verdict.spread, spread, 0.1 * spread);
      EXPECT_EQ(verdict.far, spread > 1);
    }
  }
}

TEST(DeclaredCovariance, rows_far_out_are_counted) {
  const Deviation deviation = [](ChainRng& rng) {
    Position z = rng.normals(2);
    if (rng.below(10) == 0) z[0] += 7;
    return z;
  };
  const Position none = Position::Zero(2);
  const CovarianceVerdict verdict =
      check_covariance(counted_lengths(3000, 20, 2, deviation, 5), 3000, 0, none);
  EXPECT_TRUE(verdict.far);
  EXPECT_NEAR(verdict.far_share, 0.11, 0.03);
  EXPECT_NEAR(verdict.far_by_model, 0.01, 1e-6);
  EXPECT_LT(verdict.unseen, 0.03);
  // Under much noise they are not seen, and how many that may be is known.
  const CovarianceVerdict hidden = check_covariance(counted_lengths(300, 60, 2, deviation, 5), 300, 0, none);
  EXPECT_FALSE(hidden.far);
  EXPECT_GT(hidden.unseen, 0.1);
}

// One in a hundred stands where the model lets none, and the rest so close together that in all no more lie beyond the first edge.
TEST(DeclaredCovariance, a_few_rows_very_far_out_are_counted) {
  const Deviation deviation = [](ChainRng& rng) {
    return rng.below(100) == 0 ? Position{{70.0}} : Position(0.1 * rng.normals(1));
  };
  const CovarianceVerdict verdict =
      check_covariance(counted_lengths(3000, 2, 1, deviation, 5), 3000, 0, Position::Zero(1));
  EXPECT_TRUE(verdict.far);
  EXPECT_NEAR(verdict.far_share, 0.01, 0.005);
  EXPECT_LT(verdict.far_by_model, 1e-4);
}

// The mean lies one standard deviation from where rows were counted: that is not their spread.
TEST(DeclaredCovariance, the_mean_may_lie_elsewhere) {
  const Position offset{{1.0}};
  const ReleasedLengths lengths = counted_lengths(5000, 10, 1, normal_deviation(1, offset), 9);
  EXPECT_FALSE(check_covariance(lengths, 5000, 0, offset).other_spread);
  EXPECT_TRUE(check_covariance(lengths, 5000, 0, Position{{0.0}}).other_spread);
}

// A number of rows that is known to a tenth only does not make a tenth of them lie far out.
TEST(DeclaredCovariance, an_unknown_number_of_rows_is_allowed_for) {
  const Position none = Position::Zero(1);
  const ReleasedLengths lengths = counted_lengths(2000, 10, 1, normal_deviation(1, none), 9);
  EXPECT_TRUE(check_covariance(lengths, 2200, 0, none).far);
  EXPECT_FALSE(check_covariance(lengths, 2200, 200, none).far);
}

}  // namespace
}  // namespace sotto
