#include "sotto/model/location/location.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Matrix random_precision(Eigen::Index dim, ChainRng& rng) {
  Matrix factor(dim, dim);
  for (auto& entry : factor.reshaped()) entry = rng.normal();
  return factor * factor.transpose() + Matrix::Identity(dim, dim);
}

// The gradient of a row is linear in the row, so the corners of the box are all that needs a look; here they are
// visited one by one, each from the start.
TEST(LocationModel, gradient_bound_is_that_of_the_worst_row) {
  ChainRng rng(3);
  for (const Eigen::Index dim : {1, 2, 5, 10, 13}) {
    for (const double bend : {0.0, 0.7}) {
      const Matrix precision = random_precision(dim, rng);
      const LocationModel model(std::vector<Interval>(static_cast<std::size_t>(dim), {-1, 3}), precision,
                                {.a = bend});
      const Position at = 2 * rng.normals(dim);
      const Position scale = rng.normals(dim).cwiseAbs();
      const VectorBound bound = model.gradient_bound(at, scale);
      const auto gradient = [&](std::uint32_t corner) {
        Position row(dim);
        for (Eigen::Index j = 0; j < dim; ++j) row[j] = (corner >> j & 1u) != 0 ? 3 : -1;
        Position result = precision * (row - model.bend().mean(at));
        model.bend().pull_back(at, result);
        return Position(scale.cwiseProduct(result));
      };
      double longest = 0;
      double widest = 0;
      const std::uint32_t corners = 1u << dim;
      for (std::uint32_t corner = 0; corner < corners; ++corner) {
        longest = std::max(longest, gradient(corner).norm());
        widest = std::max(widest, (gradient(corner) - gradient(corners - 1 - corner)).norm());
      }
      EXPECT_GE(bound.norm, longest);
      EXPECT_GE(bound.diameter, widest);
      if (dim > 12) continue;  // not every corner is visited
      EXPECT_NEAR(bound.norm, longest, 1e-11 * longest);
      EXPECT_NEAR(bound.diameter, widest, 1e-11 * widest);
    }
  }
}

// With independent columns the worst row is as far out as it can be in each of them, on whichever side.
TEST(LocationModel, gradient_bound_of_many_columns_is_that_of_the_worst_row) {
  const Eigen::Index dim = 13;
  const LocationModel model(std::vector<Interval>(13, {-1, 3}), Matrix::Identity(dim, dim));
  Position at(dim);
  for (Eigen::Index j = 0; j < dim; ++j) at[j] = j % 2 == 0 ? 6 : -5;
  const VectorBound bound = model.gradient_bound(at, Position::Ones(dim));
  EXPECT_NEAR(bound.norm, std::sqrt(7 * 7.0 * 7.0 + 6 * 8.0 * 8.0), 1e-11);
  EXPECT_NEAR(bound.diameter, std::sqrt(13 * 4.0 * 4.0), 1e-11);
}

// Far from zero a gradient is a difference of large numbers: between bounds a few roundings apart, what two rows
// contribute differs by more than exact gradients would.
TEST(LocationModel, gradient_bound_holds_what_rounding_adds) {
  ChainRng rng(5);
  const double lower = 1e15;
  const double width = 0.25;
  int seen = 0;  // rounds in which rounding shows
  for (int round = 0; round < 50; ++round) {
    const Eigen::Index dim = 2 + round % 3;
    const auto columns = static_cast<std::size_t>(dim);
    const Matrix precision = random_precision(dim, rng) / 16;
    const LocationModel model(std::vector<Interval>(columns, {lower, lower + width}), precision);
    const Position at = 1e15 * rng.normals(dim);
    const double diameter = model.gradient_bound(at, Position::Ones(dim)).diameter;
    const GradientTask task{&at, Position::Constant(dim, 256), HUGE_VAL, HUGE_VAL};
    double exact = 0;
    long double computed = 0;
    for (std::uint32_t corner = 0; corner < 1u << dim; ++corner) {  // against the opposite one
      Rows one(1, columns);
      Rows other(1, columns);
      one.weight(0) = other.weight(0) = 1;
      Position apart(dim);
      for (std::size_t j = 0; j < columns; ++j) {
        const double up = static_cast<double>(corner >> j & 1u);
        one.at(0, j) = lower + up * width;
        other.at(0, j) = lower + (1 - up) * width;
        apart[static_cast<Eigen::Index>(j)] = (2 * up - 1) * width;
      }
      exact = std::max(exact, (precision * apart).norm());
      std::vector<std::int64_t> a(columns);
      std::vector<std::int64_t> b(columns);
      model.add_gradients(one, 0, 1, std::span(&task, 1), a);
      model.add_gradients(other, 0, 1, std::span(&task, 1), b);
      long double squared = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const auto steps = static_cast<long double>(a[j] - b[j]) / 256;
        squared += steps * steps;
      }
      computed = std::max(computed, std::sqrt(squared));
    }
    EXPECT_LE(computed, static_cast<long double>(diameter));
    seen += computed > 1.01L * static_cast<long double>(exact) ? 1 : 0;
  }
  EXPECT_GT(seen, 0);
}

// Where products underflow or overflow on the way to a gradient and not on the way to its bound, or the other way round: no row's
// vector is longer than its bound, and none is farther from another's.
TEST(LocationModel, no_gradient_is_longer_than_its_bound_whatever_rounding_makes_of_it) {
  struct Case {
    double bound, precision, at, scale;
  };
  // The bound of the second coordinate underflows; its gradient overflows; neither.
  for (const Case& c : {Case{1, 1e-200, 1e300, 1e-205}, {1, 4e307, -3.3, 1e-155}, {1, 1, 0.25, 1}}) {
    const LocationModel model({{0, 1}, {0, c.bound}}, Position{{1, c.precision}}.asDiagonal());
    const Position at{{0.5, c.at}};
    const Position scale{{1e-110 * c.scale / 1e-205, c.scale}};
    const VectorBound bound = model.gradient_bound(at, scale);
    if (!(bound.norm > 0) || !std::isfinite(bound.norm)) continue;  // refused
    const double grid = bound.norm / 0x1p30;
    const GradientTask task{&at, scale / grid, bound.norm / grid, bound.diameter / grid};
    std::vector<std::vector<std::int64_t>> all = {{0, 0}};
    for (const double x : {0.0, 0.5, 1.0}) {
      for (const double y : {0.0, 0.5, 0.9, 1.0}) {
        Rows row(1, 2);
        row.at(0, 0) = x;
        row.at(0, 1) = y;
        row.weight(0) = 1;
        all.emplace_back(2, 0);
        model.add_gradients(row, 0, 1, std::span(&task, 1), all.back());
      }
    }
    const auto apart = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
      return std::hypot(static_cast<double>(a[0]) - static_cast<double>(b[0]),
                        static_cast<double>(a[1]) - static_cast<double>(b[1]));
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_LE(apart(all[i], all[0]), task.longest + 1) << c.scale;
      for (std::size_t j = 1; j < i; ++j)
        EXPECT_LE(apart(all[i], all[j]), std::max(task.widest, task.longest) + 2) << c.scale;
    }
    if (c.scale == 1) {
      EXPECT_GT(apart(all[1], all.back()), 1e8) << "rows count";
    }
  }
}

// Rows lie within 2 of 1 and the position at 4: gradients from -5 to -1, in the middle -3.
TEST(LocationModel, a_gradient_beyond_what_was_priced_counts_as_none) {
  const LocationModel model({{-1, 3}}, Matrix::Identity(1, 1));
  const Position at{{4}};
  const auto steps = [&](double value, double longest, double widest) {
    Rows row(1, 1);
    row.at(0, 0) = value;
    row.weight(0) = 1;
    const GradientTask task{&at, Position{{1000}}, longest, widest};
    std::int64_t sum = 0;
    model.add_gradients(row, 0, 1, std::span(&task, 1), std::span(&sum, 1));
    return sum;
  };
  EXPECT_EQ(steps(-1, 5000, 4000), -5000);
  EXPECT_EQ(steps(3, 5000, 4000), -1000);
  EXPECT_EQ(steps(-1, 4999, 4000), 0);
  EXPECT_EQ(steps(3, 4999, 4000), -1000);
  EXPECT_EQ(steps(3, 5000, 3999), 0);
  EXPECT_EQ(steps(1, 5000, 3999), -3000);
}

constexpr Interval kBounds{-1, 3};
double moved_in(double x) { return x >= kBounds.lower ? std::min(x, kBounds.upper) : kBounds.lower; }

// Whatever instructions read them: rows one by one, in plain arithmetic.
TEST(LocationModel, ratios_are_those_of_the_density_row_by_row) {
  ChainRng rng(9);
  constexpr double kScale = 0x1p20;
  for (const Eigen::Index dim : {1, 2, 5}) {
    const auto columns = static_cast<std::size_t>(dim);
    const Matrix precision = random_precision(dim, rng);
    const LocationModel model(std::vector<Interval>(columns, kBounds), precision);
    const Position from = rng.normals(dim);
    const Position to = from + 0.1 * rng.normals(dim);
    const RatioTask wide{&from, &to, -(std::int64_t{1} << 40), std::int64_t{1} << 40};
    const std::size_t count = 3 * kTile + 5;
    Rows rows(count, columns);
    double expected = 0;
    std::int64_t apart = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Rows alone(1, columns);
      Position row(dim);
      for (std::size_t j = 0; j < columns; ++j) {
        const double odd[] = {NAN, HUGE_VAL, -HUGE_VAL, 9};
        rows.at(i, j) = alone.at(0, j) = i < 4 ? odd[i] : 4 * rng.uniform() - 1;
        row[static_cast<Eigen::Index>(j)] = moved_in(rows.at(i, j));
      }
      rows.weight(i) = alone.weight(0) = i == 7 ? 0 : 1;
      std::int64_t own = 0;
      model.add_ratios(alone, 0, 1, std::span(&wide, 1), kScale, std::span(&own, 1));
      const double change =
          0.5 * ((row - from).dot(precision * (row - from)) - (row - to).dot(precision * (row - to)));
      const double exact = i == 7 ? 0 : kScale * change;
      ASSERT_NEAR(static_cast<double>(own), exact, 0.5 + 1e-6) << i;
      apart += own;
      expected += exact;
      const RatioTask narrow{&from, &to, -7, 5};
      std::int64_t kept = 0;
      model.add_ratios(alone, 0, 1, std::span(&narrow, 1), kScale, std::span(&kept, 1));
      EXPECT_EQ(kept, std::clamp<std::int64_t>(own, -7, 5));
    }
    std::int64_t together = 0;
    model.add_ratios(rows, 0, rows.tiles(), std::span(&wide, 1), kScale, std::span(&together, 1));
    EXPECT_EQ(together, apart);
    EXPECT_NEAR(static_cast<double>(together), expected, static_cast<double>(count));
    const Position nowhere = Position::Constant(dim, NAN);
    const RatioTask lost{&from, &nowhere, -3, 3};
    std::int64_t none = 0;
    model.add_ratios(rows, 0, rows.tiles(), std::span(&lost, 1), kScale, std::span(&none, 1));
    EXPECT_EQ(none, 0) << "no number: no change";
  }
}

// Likewise, with and without a bend, clipped and not.
TEST(LocationModel, gradients_are_those_of_the_density_row_by_row) {
  ChainRng rng(10);
  constexpr double kScale = 0x1p20;
  for (const Eigen::Index dim : {1, 2, 5}) {
    const auto columns = static_cast<std::size_t>(dim);
    const Bend bend{dim > 1 ? 0.5 : 0.0, 0.1, 0.2};
    const Matrix precision = random_precision(dim, rng);
    const LocationModel model(std::vector<Interval>(columns, kBounds), precision, bend);
    const Position at = rng.normals(dim);
    const Position scale = rng.normals(dim).cwiseAbs() + Position::Constant(dim, 0.5);
    const VectorBound bound = model.gradient_bound(at, scale);
    constexpr double kClip = 1.5;
    const GradientTask whole{&at, kScale * scale, kScale * bound.norm, kScale * bound.diameter};
    const GradientTask clipped{&at, Position::Constant(dim, kScale), kScale * kClip, 2 * kScale * kClip,
                               kClip};
    const std::size_t count = 3 * kTile + 5;
    Rows rows(count, columns);
    std::vector<std::int64_t> apart(2 * columns);
    const std::vector<GradientTask> tasks{whole, clipped};
    int shortened = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Rows alone(1, columns);
      Position row(dim);
      for (std::size_t j = 0; j < columns; ++j) {
        const double odd[] = {NAN, HUGE_VAL, -HUGE_VAL, 9};
        rows.at(i, j) = alone.at(0, j) = i < 4 ? odd[i] : 4 * rng.uniform() - 1;
        row[static_cast<Eigen::Index>(j)] = moved_in(rows.at(i, j));
      }
      rows.weight(i) = alone.weight(0) = i == 7 ? 0 : 1;
      std::vector<std::int64_t> own(2 * columns);
      model.add_gradients(alone, 0, 1, tasks, own);
      Position exact = precision * (row - bend.mean(at));
      bend.pull_back(at, exact);
      const double norm = exact.norm();
      shortened += norm > kClip ? 1 : 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const double entry = i == 7 ? 0 : exact[static_cast<Eigen::Index>(j)];
        const double grid = kScale * scale[static_cast<Eigen::Index>(j)];
        EXPECT_NEAR(static_cast<double>(own[j]), grid * entry, 0.5 + 1e-6) << i;
        EXPECT_NEAR(static_cast<double>(own[columns + j]), kScale * entry * std::min(1.0, kClip / norm),
                    0.5 + 1e-6)
            << i;
        apart[j] += own[j];
        apart[columns + j] += own[columns + j];
      }
    }
    EXPECT_GT(shortened, 3);
    std::vector<std::int64_t> together(2 * columns);
    model.add_gradients(rows, 0, rows.tiles(), tasks, together);
    EXPECT_EQ(together, apart);
  }
}

TEST(Bend, leads_there_and_back) {
  const Bend bend{0.5, -2, 3};
  const Position position{{1, 4, -7}};
  EXPECT_EQ(bend.mean(position), (Position{{1, 4, -7}}));  // 4 + 0.5 (1 - 3)^2 - 2
  EXPECT_EQ(bend.mean(Position{{5, 1, 2}}), (Position{{5, 1, 2}}));
  const Position other{{-1, 0.25, 0}};
  EXPECT_EQ(bend.mean(other)[1], 6.25);
  EXPECT_EQ(bend.position(bend.mean(other)), other);
  EXPECT_EQ(bend.position(Position{{9}}), (Position{{9}}));
}

}  // namespace
}  // namespace sotto
