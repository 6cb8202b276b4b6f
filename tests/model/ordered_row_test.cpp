#include "sotto/model/glm/ordered_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/model/glm/glm.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr std::size_t kThresholds = 4;
constexpr Pieces kPieces{kThresholds, 1};

/// The intercept, thresholds but the first, a number in [-1, 1] and one in [0, 3].
Domain domain_of() {
  DomainComponent thresholds{{1, 2, 3}, Matrix::Zero(4, 3)};
  for (Eigen::Index k = 0; k < 3; ++k) thresholds.vertices(k + 1, k) = 1;
  return Domain(
      {{{0}, Matrix::Ones(1, 1)}, thresholds, {{4}, Matrix{{-1.0}, {1.0}}}, {{5}, Matrix{{0.0}, {3.0}}}});
}

Position somewhere(ChainRng& rng) {
  Position at = rng.normals(6);
  at[1] = -std::abs(at[1]) - 1e-2;
  at[2] = at[1] - std::abs(at[2]) - 1e-2;
  at[3] = at[2] - std::abs(at[3]) - 1e-2;
  return at;
}

std::vector<double> row_of(ChainRng& rng, double category) {
  const double x = rng.below(3) == 0 ? (rng.below(2) == 0 ? -1 : 1) : 2 * rng.uniform() - 1;
  const double z = rng.below(3) == 0 ? (rng.below(2) == 0 ? 0 : 3) : 3 * rng.uniform();
  return {1, 0, 0, 0, x, z, category};
}

TEST(OrderedRow, categories_have_probability_one_together) {
  ChainRng rng(1);
  const Domain domain = domain_of();
  const OrderedRow model(domain, kPieces);
  for (int trial = 0; trial < 100; ++trial) {
    const Position at = somewhere(rng);
    std::vector<double> row = row_of(rng, 0);
    double sum = 0;
    double beyond = 1;
    const double eta = at[0] + row[4] * at[4] + row[5] * at[5];
    for (std::size_t k = 0; k <= kThresholds; ++k) {
      row.back() = static_cast<double>(k);
      const double probability = std::exp(model.log_density(row, at));
      const double next =
          k == kThresholds ? 0 : 1 / (1 + std::exp(-eta - (k == 0 ? 0 : at[static_cast<Eigen::Index>(k)])));
      EXPECT_NEAR(probability, beyond - next, 1e-12);
      sum += probability;
      beyond = next;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(OrderedRow, the_gradient_is_that_of_the_density) {
  ChainRng rng(2);
  const Domain domain = domain_of();
  const OrderedRow model(domain, kPieces);
  for (int trial = 0; trial < 100; ++trial) {
    const Position at = somewhere(rng);
    const std::vector<double> row = row_of(rng, static_cast<double>(rng.below(kThresholds + 1)));
    Position gradient(6);
    model.gradient(row, at, gradient);
    for (Eigen::Index j = 0; j < 6; ++j) {
      const Position step = 1e-5 * Position::Unit(6, j);
      const double slope = (model.log_density(row, at + step) - model.log_density(row, at - step)) / 2e-5;
      EXPECT_NEAR(gradient[j], slope, 1e-5 * (1 + std::abs(slope))) << j;
    }
  }
}

// Rows of the second to the last threshold say what the first says already.
TEST(OrderedRow, a_response_counts_once) {
  ChainRng rng(3);
  const Domain domain = domain_of();
  const OrderedRow model(domain, kPieces);
  const Position at = somewhere(rng);
  Position gradient(6);
  for (std::size_t k = 1; k < kThresholds; ++k) {
    std::vector<double> row = row_of(rng, 2);
    row[k] = 1;
    EXPECT_EQ(model.log_density(row, at), 0);
    model.gradient(row, at, gradient);
    EXPECT_EQ(gradient.norm(), 0);
  }
}

TEST(OrderedRow, bounds_enclose_every_row) {
  ChainRng rng(4);
  const Domain domain = domain_of();
  const OrderedRow model(domain, kPieces);
  double nearest_ratio = 0;
  double nearest_gradient = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Position from = somewhere(rng);
    const Position to = rng.below(2) == 0 ? somewhere(rng) : Position(from + 0.01 * rng.normals(6));
    const Position scale = rng.normals(6).cwiseAbs();
    const Interval range = model.ratio_range(from, to);
    const double bound = model.gradient_bound(from, scale).norm;
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> row = row_of(rng, static_cast<double>(rng.below(kThresholds + 1)));
      const double change = model.log_density(row, to) - model.log_density(row, from);
      EXPECT_GE(change, range.lower);
      EXPECT_LE(change, range.upper);
      Position gradient(6);
      model.gradient(row, from, gradient);
      const double norm = gradient.cwiseProduct(scale).norm();
      EXPECT_LE(norm, bound);
      nearest_ratio = std::max({nearest_ratio, change / range.upper, change / range.lower});
      nearest_gradient = std::max(nearest_gradient, norm / bound);
    }
  }
  EXPECT_GT(nearest_ratio, 0.8);
  EXPECT_GT(nearest_gradient, 0.8);
}

TEST(OrderedRow, is_the_likelihood_of_an_ordinal_regression) {
  const Glm glm(family::CumulativeLogit(), domain_of(), {0, kThresholds}, kPieces);
  ChainRng rng(5);
  Rows rows(kThresholds, 7);
  const std::vector<double> first = row_of(rng, 3);
  for (std::size_t k = 0; k < kThresholds; ++k) {
    for (std::size_t j = 0; j < 7; ++j) rows.at(k, j) = first[j];
    if (k > 0) rows.at(k, k) = 1;
    rows.weight(k) = 1;
  }
  const Position from = somewhere(rng);
  const Position to = somewhere(rng);
  std::vector<std::int64_t> sums(1, 0);
  const RatioTask task{&from, &to, -(1LL << 40), 1LL << 40};
  glm.add_ratios(rows, 0, rows.tiles(), std::span(&task, 1), 1e6, sums);
  const Domain domain = domain_of();
  const OrderedRow model(domain, kPieces);
  EXPECT_NEAR(static_cast<double>(sums[0]) / 1e6,
              model.log_density(first, to) - model.log_density(first, from), 2e-6);
}

}  // namespace
}  // namespace sotto
