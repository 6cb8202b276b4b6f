#include "sotto/model/clipped.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/model/location/location.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kFactor = 1 << 20;

// The normal mean written row by row, with a gradient that is not a number for rows beyond 5.
struct NormalMean {
  [[nodiscard]] Eigen::Index dim() const { return 2; }
  [[nodiscard]] Interval ratio_range(const Position&, const Position&) const { return {-HUGE_VAL, HUGE_VAL}; }
  [[nodiscard]] VectorBound gradient_bound(const Position&, const Position&) const {
    return {HUGE_VAL, HUGE_VAL};
  }
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    return -(std::pow(row[0] - at[0], 2) + std::pow(row[1] - at[1], 2)) / 2;
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    out << row[0] - at[0], row[1] - at[1];
    if (row[0] > 5) out[0] = NAN;
  }
};

Rows one_row(double x, double y) {
  Rows rows(1, 2);
  rows.at(0, 0) = x;
  rows.at(0, 1) = y;
  rows.weight(0) = 1;
  return rows;
}

template <class M>
Position gradient(const M& model, const Rows& rows) {
  const Position at = Position::Zero(2);
  const GradientTask task{&at, Position::Constant(2, kFactor), HUGE_VAL, HUGE_VAL};
  std::vector<std::int64_t> sums(2, 0);
  model.add_gradients(rows, 0, rows.tiles(), std::span(&task, 1), sums);
  return Position{{static_cast<double>(sums[0]), static_cast<double>(sums[1])}} / kFactor;
}

const LocationModel kLocation({{-100, 100}, {-100, 100}}, Matrix::Identity(2, 2));

TEST(Clipped, shortens_long_gradients_and_leaves_short_ones) {
  const Clipped tiles(kLocation, {.ratio = 1, .gradient = 0.5});
  const Clipped rows(PerRow(NormalMean{}), {.ratio = 1, .gradient = 0.5});
  for (const auto& [x, y] : {std::pair{3.0, 4.0}, {-0.3, 0.2}, {0.0, -0.5}}) {
    const double norm = std::hypot(x, y);
    const Position expected = Position{{x, y}} * std::min(1.0, 0.5 / norm);
    EXPECT_LT((gradient(tiles, one_row(x, y)) - expected).norm(), 2 / kFactor) << x;
    EXPECT_LT((gradient(rows, one_row(x, y)) - expected).norm(), 2 / kFactor) << x;
  }
}

TEST(Clipped, zero_and_undefined_gradients_contribute_zero) {
  const Clipped tiles(kLocation, {.ratio = 1, .gradient = 0.5});
  const Clipped rows(PerRow(NormalMean{}), {.ratio = 1, .gradient = 0.5});
  EXPECT_EQ(gradient(tiles, one_row(0, 0)).norm(), 0);
  EXPECT_EQ(gradient(rows, one_row(0, 0)).norm(), 0);
  EXPECT_EQ(gradient(rows, one_row(6, 0)).norm(), 0);
}

TEST(Clipped, every_contribution_stays_inside_its_bound) {
  const Clipped model(kLocation, {.ratio = 0.7, .gradient = 0.5});
  ChainRng rng(2);
  for (int i = 0; i < 200; ++i) {
    const Rows rows = one_row(10 * rng.normal(), 10 * rng.normal());
    EXPECT_LE(gradient(model, rows).norm(), 0.5 + 2 / kFactor);
    const Position from = rng.normals(2);
    const Position to = rng.normals(2);
    const Interval range = model.ratio_range(from, to);
    EXPECT_LE(range.magnitude(), 0.7 * (to - from).norm() * (1 + 1e-12));
    const RatioTask task{&from, &to, static_cast<std::int64_t>(std::floor(range.lower * kFactor)),
                         static_cast<std::int64_t>(std::ceil(range.upper * kFactor))};
    std::int64_t sum = 0;
    model.add_ratios(rows, 0, 1, std::span(&task, 1), kFactor, std::span(&sum, 1));
    EXPECT_LE(std::abs(static_cast<double>(sum)), 0.7 * (to - from).norm() * kFactor + 2);
  }
}

TEST(Clipped, refuses_bounds_that_bound_nothing) {
  EXPECT_THROW(Clipped(kLocation, {.ratio = 1, .gradient = HUGE_VAL}), Error);
  EXPECT_THROW(Clipped(kLocation, {.ratio = 0, .gradient = 1}), Error);
}

}  // namespace
}  // namespace sotto
