#include "sotto/posterior/location_release.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "support/location_oracle.hpp"

namespace sotto {
namespace {

/// Two columns of correlation 0.9.
const Matrix& two_columns() {
  static const Matrix made{{1.0, 1.8}, {1.8, 4.0}};
  return made;
}

Matrix normal_rows(Eigen::Index rows, const Position& mean, std::uint64_t seed) {
  ChainRng rng(seed, 3);
  const Matrix factor = Cholesky(two_columns()).lower();
  Matrix all(rows, mean.size());
  for (Eigen::Index i = 0; i < rows; ++i) all.row(i) = mean + factor * rng.normals(mean.size());
  return all;
}

LocationFacts known_facts(double half_width, const PrivacyUnit& unit, double rows) {
  LocationFacts made{.bounds = {}, .covariance = two_columns(), .rows = {}, .unit = unit};
  for (Eigen::Index j = 0; j < 2; ++j) {
    const double reach = half_width * std::sqrt(two_columns()(j, j));
    made.bounds.push_back({-reach, reach});
  }
  if (unit.rows_are_public()) made.rows = rows;
  return made;
}

constexpr PrivacyUnit kSubstitute{Adjacency::substitute, 1};
constexpr PrivacyUnit kAddRemove{Adjacency::add_remove, 1};

TEST(LocationRelease, spends_exactly_its_cost) {
  for (const PrivacyUnit& unit : {kSubstitute, kAddRemove}) {
    for (const double half_width : {2.0, 30.0, 1e5}) {
      LocationOracle owner(normal_rows(2000, Position{{0.3, -0.5}}, 1), unit, Rho(0.1), 2);
      const LocationRelease release = release_location(known_facts(half_width, unit, 2000), owner, Rho(0.1));
      double spent = 0;
      for (const ClippedDeviationsQuery& query : owner.asked) spent += query.cost.value();
      for (const DeviationLengthsQuery& query : owner.lengths_asked) spent += query.cost.value();
      EXPECT_NEAR(spent, 0.1, 1e-9);
      EXPECT_EQ(owner.asked.size(), release.looks + 1);
    }
  }
}

TEST(LocationRelease, of_narrow_bounds_is_one_unclipped_sum) {
  LocationOracle owner(normal_rows(500, Position{{0, 0}}, 1), kSubstitute, Rho(0.05), 2);
  LocationFacts narrow = known_facts(1, kSubstitute, 500);
  narrow.covariance = Matrix(two_columns().diagonal().asDiagonal());
  const LocationRelease release = release_location(narrow, owner, Rho(0.05));
  EXPECT_EQ(release.looks, 0u);
  EXPECT_EQ(release.clipped, 0);
  EXPECT_EQ(release.slope, 1);
  // No corner of the bounds is longer than the question's bound, so none is clipped; all are as long.
  const Position corner = release.frame * (Position{{1, -2}} - release.at);
  EXPECT_LE(corner.norm(), owner.asked[0].bound);
  EXPECT_GT(corner.norm(), 0.99 * owner.asked[0].bound);
}

TEST(LocationRelease, of_wide_bounds_finds_the_rows_first) {
  const Position mean{{25, -70}};
  for (const PrivacyUnit& unit : {kSubstitute, kAddRemove}) {
    for (const double half_width : {100.0, 1e6}) {
      LocationOracle owner(normal_rows(20'000, mean, 5), unit, Rho(0.05), 6);
      const LocationRelease release =
          release_location(known_facts(half_width, unit, 20'000), owner, Rho(0.05));
      EXPECT_GE(release.looks, 1u);
      EXPECT_LE(release.looks, 4u);
      EXPECT_LT((release.frame * (release.at - mean)).norm(), 0.2);
      EXPECT_NEAR((release.frame * two_columns() * release.frame.transpose()).trace(), 2, 1e-9);
      EXPECT_GT(release.clipped, 0);
      EXPECT_LE(release.clipped, 0.0101);
      EXPECT_EQ(release.rows_sd == 0, unit.rows_are_public());
      EXPECT_NEAR(release.rows, 20'000, 5 * release.rows_sd);
      EXPECT_GT(owner.asked.back().cost.value(), 0.7 * 0.05);  // of what was to be spent
      ASSERT_TRUE(release.lengths);
      EXPECT_NEAR(
          release.lengths->counts.sum(), 20'000,
          5 * release.lengths->noise_sd * std::sqrt(static_cast<double>(release.lengths->counts.size())));
    }
  }
}

// Rows with a missing cell are in no sum: the mean is that of the others, and so is the number of rows.
TEST(LocationRelease, knows_how_many_rows_of_a_public_number_count) {
  const Position mean{{25, -70}};
  for (const double half_width : {100.0, 1e4}) {
    LocationOracle owner(normal_rows(14'000, mean, 5), kSubstitute, Rho(0.05), 6);
    const LocationRelease release =
        release_location(known_facts(half_width, kSubstitute, 20'000), owner, Rho(0.05));
    ASSERT_TRUE(release.usable);
    EXPECT_NEAR(*release.usable, 0.7, 0.03);
    EXPECT_NEAR(release.rows, 14'000, 5 * release.rows_sd);
    EXPECT_GT(release.rows_sd, 0);
    const Position found = release.at + inverse(release.frame) * release.sum / (release.slope * release.rows);
    const double sd = std::sqrt(release.noise + 14'000) / 14'000;
    EXPECT_LT((release.frame * (found - mean)).norm(), 5 * sd) << half_width;
  }
}

TEST(LocationRelease, that_finds_nothing_clips_nothing) {
  LocationOracle owner(normal_rows(15, Position{{500, 1000}}, 5), kAddRemove, Rho(0.001), 6);
  const LocationRelease release = release_location(known_facts(1e4, kAddRemove, 15), owner, Rho(0.001));
  EXPECT_EQ(release.clipped, 0);
  EXPECT_EQ(release.slope, 1);
  EXPECT_GT(owner.asked.back().cost.value(), 0.6 * 0.001);
}

// Two columns' standard deviation of the answer over that without noise, where all of the cost bought the shortest sum around the mean:
// looks, and the lengths, cost a half of that at the most.
TEST(LocationRelease, of_few_rows_looks_as_often_as_it_pays) {
  for (const double half_width : {10.0, 50.0, 300.0}) {
    constexpr double kRows = 800;
    LocationOracle owner(normal_rows(800, Position{{3, -4}}, 5), kSubstitute, Rho(0.02), 6);
    const LocationRelease release =
        release_location(known_facts(half_width, kSubstitute, kRows), owner, Rho(0.02));
    const double best = std::sqrt(kRows + std::pow(2 * 3.035, 2) / (2 * 0.02));
    const Matrix back = inverse(release.frame);
    const Matrix error =
        back * (kRows * release.spread + release.noise * Matrix::Identity(2, 2)) * back.transpose();
    const double own = inverse(two_columns()).cwiseProduct(error).sum() / (release.slope * release.slope);
    EXPECT_LT(std::sqrt(own / 2), 1.5 * best) << half_width;
    EXPECT_GE(release.looks, 1u);
  }
}

TEST(LocationRelease, of_rows_that_noise_hides_tells_nothing_of_their_covariance) {
  LocationOracle owner(normal_rows(15, Position{{0, 0}}, 5), kSubstitute, Rho(0.001), 6);
  const LocationRelease release = release_location(known_facts(100, kSubstitute, 15), owner, Rho(0.001));
  EXPECT_FALSE(release.lengths);
  EXPECT_TRUE(owner.lengths_asked.empty());
  EXPECT_TRUE(std::isinf(release.bound));
}

// One row in ten lies seven standard deviations off: of many rows all are counted in full, of few they are drawn in as ever.
// Of few rows the noise hides how many lie far out, and most often nothing is reached out for: of 40 noises, more than 12 would be
// chance once in a thousand times were it one in eight.
TEST(LocationRelease, reaches_out_for_rows_that_are_many) {
  const auto released = [](Eigen::Index count, bool far, double rho, std::uint64_t seed = 6) {
    Matrix rows = normal_rows(count, Position{{5, 5}}, 7);
    for (Eigen::Index i = 0; far && i < count; i += 10) rows(i, 0) += 7;
    LocationOracle owner(rows, kSubstitute, Rho(rho), seed);
    return release_location(known_facts(50, kSubstitute, static_cast<double>(count)), owner, Rho(rho));
  };
  const double usual = released(100'000, false, 0.02).bound;
  EXPECT_GT(released(100'000, true, 0.02).bound, 15);  // seven, of columns with correlation 0.9
  EXPECT_GT(usual, 3);
  const double of_few = released(2'000, false, 0.02).bound;
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    reached += released(2'000, true, 0.002, seed).bound > of_few ? 1 : 0;
  EXPECT_LE(reached, 12);
}

TEST(LocationRelease, takes_no_more_than_it_is_given) {
  LocationOracle owner(normal_rows(50, Position{{0, 0}}, 1), kSubstitute, Rho(0.01), 2);
  EXPECT_THROW(static_cast<void>(release_location(known_facts(4, kSubstitute, 50), owner, Rho(0.05))), Error);
  EXPECT_TRUE(owner.asked.empty());
  EXPECT_THROW(static_cast<void>(
                   release_location(known_facts(4, kSubstitute, 50), owner, Rho(0.01), [] { return false; })),
               Error);
  EXPECT_TRUE(owner.asked.empty());
}

}  // namespace
}  // namespace sotto
