// The sensitivities of weighted scores and informations, against the integers that rows really contribute.
#include "sotto/model/weighted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/model/glm/weighted_pass.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr std::size_t kDim = 3;
constexpr double kGrid = 0x1p-30;

struct Case {
  GlmFamily family;
  Interval response;
};

const Case kCases[] = {
    {{Family::bernoulli}, {0, 1}}, {{Family::poisson}, {0, 20}}, {{Family::normal, false, 0.7}, {-3, 5}}};

Weighting some_weighting(ChainRng& rng) {
  Weighting weighting{1.5 * rng.normals(kDim), Matrix(kDim, kDim), 0.1 + 2 * rng.uniform(),
                      0.1 + 2 * rng.uniform()};
  for (double& entry : weighting.frame.reshaped()) entry = 2 * rng.normal();
  return weighting;
}

/// What one row contributes: x, y in an otherwise empty tile.
template <class Pass>
std::vector<std::int64_t> contribution(const Case& model, const WeightedTask& task, std::size_t entries,
                                       const std::vector<double>& x, double y, const Pass& pass) {
  Rows rows(1, kDim + 1);
  for (std::size_t j = 0; j < kDim; ++j) rows.at(0, j) = x[j];
  rows.at(0, kDim) = y;
  rows.weight(0) = 1;
  std::vector<std::int64_t> sums(entries, 0);
  pass(model.family, model.response, GlmTiles{rows.tile(0), 1, kDim}, task, std::span(sums));
  return sums;
}

/// Corners, the origin and points between; now and then what no decoded row holds.
std::vector<double> some_row(ChainRng& rng) {
  const std::size_t kind = rng.below(8);
  std::vector<double> x(kDim);
  for (double& value : x) {
    value = kind < 4    ? (rng.below(2) == 0 ? -1.0 : 1.0)
            : kind == 4 ? 0.0
            : kind == 5 ? 1e200 * rng.normal()
                        : rng.normal();
  }
  if (kind == 7 && rng.below(4) == 0) x[0] = std::numeric_limits<double>::quiet_NaN();
  return x;
}

double some_response(const Case& model, ChainRng& rng) {
  const double y = model.response.lower + model.response.width() * rng.uniform();
  return model.family.family == Family::normal ? (rng.below(2) == 0 ? y : model.response.upper)
                                               : (rng.below(2) == 0 ? std::round(y) : model.response.upper);
}

double norm(const std::vector<std::int64_t>& v) {
  double sum = 0;
  for (const std::int64_t entry : v) sum += static_cast<double>(entry) * static_cast<double>(entry);
  return std::sqrt(sum);
}

double distance(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= b[j];
  return norm(a);
}

template <class Pass>
void expect_bounds_hold(const Pass& pass, bool information) {
  ChainRng rng(information ? 2 : 1);
  for (const Case& model : kCases) {
    double closest = 0;
    for (int trial = 0; trial < 60; ++trial) {
      const Weighting weighting = some_weighting(rng);
      const std::size_t entries = information ? information_entries(kDim) : kDim;
      const VectorBound bound =
          information ? information_bound(weighting, kDim) : weighted_score_bound(weighting);
      const WeightedTask task = weighted_task(weighting, bound, entries, GridStep(kGrid));
      const double rounding = std::sqrt(static_cast<double>(entries));
      std::vector<std::vector<std::int64_t>> seen;
      for (int i = 0; i < 40; ++i) {
        const std::vector<double> x = some_row(rng);
        seen.push_back(contribution(model, task, entries, x, some_response(model, rng), pass));
        EXPECT_LE(norm(seen.back()), bound.norm / kGrid * (1 + 0x1p-40) + rounding);
        for (const auto& other : seen) {
          const double gap = distance(seen.back(), other);
          EXPECT_LE(gap, bound.diameter / kGrid * (1 + 0x1p-40) + rounding);
          closest = std::max(closest, gap * kGrid / bound.diameter);
        }
      }
    }
    EXPECT_GT(closest, 0.8);  // the bound is not idle: rows come close to it
  }
}

TEST(Weighted, no_pair_of_rows_moves_a_score_further_than_declared) {
  expect_bounds_hold(glm_score_pass, false);
}

TEST(Weighted, no_pair_of_rows_moves_an_information_further_than_declared) {
  expect_bounds_hold(glm_information_pass, true);
}

// Where neither bound weighs the row down, where that of the score does, and where that of the information does.
TEST(Weighted, entries_are_the_definition) {
  const Case& model = kCases[0];
  const std::vector<double> x = {1, 0.5, -1};
  const double mean = 1 / (1 + std::exp(0.3));  // eta = 0.3 - 0.1 - 0.5 = -0.3
  const double v = mean * (1 - mean);
  for (const auto& [score_bound, information] : {std::pair{5.0, 5.0}, {0.3, 5.0}, {0.6, 0.2}}) {
    const Weighting weighting{Position{{0.3, -0.2, 0.5}}, Matrix::Identity(3, 3), score_bound, information};
    const double c = std::min({1.0, score_bound / ((1 - mean) * 1.5), information / (v * 2.25)});
    const WeightedTask score = weighted_task(weighting, weighted_score_bound(weighting), 3, GridStep(kGrid));
    const auto g = contribution(model, score, 3, x, 1, glm_score_pass);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(static_cast<double>(g[j]) * kGrid, c * (1 - mean) * x[j], 1e-8);
    const WeightedTask task = weighted_task(weighting, information_bound(weighting, 3), 8, GridStep(kGrid));
    const auto h = contribution(model, task, 8, x, 1, glm_information_pass);
    EXPECT_NEAR(static_cast<double>(h[0]) * kGrid, c * v, 1e-8);
    EXPECT_NEAR(static_cast<double>(h[4]) * kGrid, c * v * std::sqrt(2.0) * 0.5 * -1, 1e-8);
    EXPECT_NEAR(static_cast<double>(h[6]) * kGrid, c * c * v * 2.25 / std::sqrt(3.0), 1e-8);
    EXPECT_NEAR(static_cast<double>(h[7]) * kGrid, information / std::sqrt(3.0), 1e-8);
  }
}

// At the true position a weighted score has mean zero whatever the covariates: E[c (y - mean) z | x] = 0.
TEST(Weighted, score_is_unbiased_given_the_covariates) {
  const Weighting weighting{Position{{0.3, -0.2, 0.5}}, Matrix::Identity(3, 3), 0.3, 0.1};
  const WeightedTask task = weighted_task(weighting, weighted_score_bound(weighting), 3, GridStep(kGrid));
  const std::vector<double> x = {1, 0.5, -1};
  const double mean = 1 / (1 + std::exp(0.3));
  const auto one = contribution(kCases[0], task, 3, x, 1, glm_score_pass);
  const auto zero = contribution(kCases[0], task, 3, x, 0, glm_score_pass);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(mean * static_cast<double>(one[j]) + (1 - mean) * static_cast<double>(zero[j]), 0, 1);
  }
}

TEST(Weighted, refuses_what_has_no_bound) {
  Weighting weighting{Position::Zero(3), Matrix::Identity(3, 3), 1, 1};
  EXPECT_TRUE(legal_weighting(weighting, 3));
  EXPECT_FALSE(legal_weighting(weighting, 4));
  weighting.score_bound = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(legal_weighting(weighting, 3));
  weighting.score_bound = 1;
  weighting.frame(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(legal_weighting(weighting, 3));
}

}  // namespace
}  // namespace sotto
