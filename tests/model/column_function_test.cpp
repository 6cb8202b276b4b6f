#include "sotto/model/column_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/model/response.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

double value_of(const char* name, double x, const Interval& bounds, int number, int part) {
  return find_column_function(name)->value(x, bounds, number, part);
}

// Legendre's polynomials, written out.
TEST(ColumnFunction, poly_is_legendres_on_the_declared_bounds) {
  const Interval bounds{-2, 6};
  for (double x = -2; x <= 6; x += 0.125) {
    const double u = (x - 2) / 4;
    EXPECT_NEAR(value_of("poly", x, bounds, 4, 1), u, 1e-15);
    EXPECT_NEAR(value_of("poly", x, bounds, 4, 2), (3 * u * u - 1) / 2, 1e-15);
    EXPECT_NEAR(value_of("poly", x, bounds, 4, 3), (5 * u * u * u - 3 * u) / 2, 2e-15);
    EXPECT_NEAR(value_of("poly", x, bounds, 4, 4), (35 * u * u * u * u - 30 * u * u + 3) / 8, 4e-15);
  }
}

// Over values at even steps sums stand for integrals: of degree j and k they are 0, or 1 / (2 k + 1).
TEST(ColumnFunction, poly_is_orthogonal_for_a_uniform_column) {
  constexpr int kSteps = 20000;
  for (int j = 1; j <= 9; ++j) {
    for (int k = 1; k <= j; ++k) {
      double sum = 0;
      for (int i = 0; i < kSteps; ++i) {
        const double x = 3 + (i + 0.5) / kSteps;
        sum += value_of("poly", x, {3, 4}, 9, j) * value_of("poly", x, {3, 4}, 9, k) / kSteps;
      }
      EXPECT_NEAR(sum, j == k ? 1.0 / (2 * k + 1) : 0, 1e-6) << j << ' ' << k;
    }
  }
}

TEST(ColumnFunction, bases_know_where_values_lie_between_any_bounds) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  for (const Interval& bounds : {Interval{-kMost, kMost}, Interval{0, kLeast}, Interval{1, 1 + 0x1p-52}}) {
    EXPECT_EQ(value_of("poly", bounds.lower, bounds, 3, 1), -1);
    EXPECT_EQ(value_of("poly", bounds.upper, bounds, 3, 1), 1);
    EXPECT_EQ(value_of("bs", bounds.upper, bounds, 3, 3), 1);
  }
}

// Sensitivities follow from the range of values, so no value may pass it by a rounding: for every function, bounds from 1e-90 to 1e90, at
// the ends and in between.
TEST(ColumnFunction, no_value_leaves_its_range) {
  ChainRng rng(11);
  for (const ColumnFunction& function : column_functions()) {
    for (int repeat = 0; repeat < 3000; ++repeat) {
      const double size = std::exp(200 * (rng.uniform() - 0.5));
      Interval bounds{size * (rng.uniform() - 0.5), 0};
      if (function.defined != nullptr && !function.defined(bounds.lower)) bounds.lower = size;
      bounds.upper = bounds.lower + std::max(size * rng.uniform(), 1e-3 * size);
      const int number =
          function.least +
          static_cast<int>(rng.below(1U + static_cast<std::size_t>(function.most - function.least)));
      const Schema schema{{{"x", ColumnKind::real, bounds, {}}}, {}};
      Source source = source_of({"x", &function, false, number}, schema);
      source.part = function.basis ? 1 + static_cast<int>(rng.below(static_cast<std::size_t>(number))) : 1;
      const double inside = bounds.lower + rng.uniform() * bounds.width();
      for (const double x : {bounds.lower, bounds.upper, std::nextafter(bounds.upper, bounds.lower),
                             std::nextafter(bounds.lower, bounds.upper), std::min(inside, bounds.upper)}) {
        EXPECT_GE(source.value(x), source.range.lower) << function.name << number << ' ' << x;
        EXPECT_LE(source.value(x), source.range.upper) << function.name << number << ' ' << x;
      }
      EXPECT_LE(source.range.lower, source.range.upper);
    }
  }
}

// Whatever rounding, or a mistake, makes of it.
TEST(ColumnFunction, what_leaves_its_range_is_moved_into_it) {
  const ColumnFunction wrong{.name = "twice",
                             .value = [](double x, const Interval&, int, int) { return 2 * x; },
                             .values = Interval{-1, 1}};
  const Source source = source_of({"x", &wrong}, {{{"x", ColumnKind::real, {-3, 3}, {}}}, {}});
  EXPECT_EQ(source.value(0.25), 0.5);
  EXPECT_EQ(source.value(3), 1);
  EXPECT_EQ(source.value(-3), -1);
}

TEST(ColumnFunction, is_written_as_it_is_read) {
  EXPECT_EQ(find_column_function("log")->text("x", 0), "log(x)");
  EXPECT_EQ(find_column_function("I")->text("x", 2), "I(x^2)");
  EXPECT_EQ(find_column_function("bs")->text("the age", 5), "bs(the age, 5)");
  EXPECT_EQ(find_column_function("exp"), nullptr);
}

}  // namespace
}  // namespace sotto
