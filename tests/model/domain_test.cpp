#include "sotto/model/domain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sotto/base/error.hpp"
#include "sotto/model/design.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Schema domain_schema() {
  return {{{"y", ColumnKind::binary},
           {"x", ColumnKind::real, {1, 5}, {}},
           {"z", ColumnKind::real, {-3, 1}, {}},
           {"n", ColumnKind::count, {0, 7}, {}},
           {"r", ColumnKind::category, {}, {"n", "s", "w"}},
           {"g", ColumnKind::category, {}, {"u", "v"}}},
          {}};
}

// One possible row: each source at a random legal value, often at a bound.
Position possible_row(const Design& design, ChainRng& rng) {
  std::vector<double> values;
  for (const Source& source : design.sources()) {
    if (source.is_category()) {
      values.push_back(static_cast<double>(rng.below(source.levels.size())));
    } else {
      const double at = rng.uniform() < 0.3 ? static_cast<double>(rng.below(2)) : rng.uniform();
      values.push_back(source.range.lower + at * source.range.width());
    }
  }
  Position row(design.columns());
  for (Eigen::Index j = 0; j < design.columns(); ++j) row[j] = design.column(j).scaled(values);
  return row;
}

class DomainOf : public testing::TestWithParam<const char*> {};

// No possible row goes beyond the bounds, and some possible row attains each (many random rows have all
// sources at bounds).
TEST_P(DomainOf, bounds_are_attained_and_never_passed) {
  const Design design(parse_formula(GetParam()), domain_schema());
  const Domain domain = design.domain();
  ASSERT_EQ(domain.columns(), design.columns());
  ChainRng rng(7);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Position direction = rng.normals(design.columns());
    const Interval range = domain.range(direction);
    Interval seen{1e300, -1e300};
    double longest = 0;
    double longest_scaled = 0;
    for (int i = 0; i < 20000; ++i) {
      const Position row = possible_row(design, rng);
      const double value = row.dot(direction);
      seen = hull(seen, {value, value});
      longest = std::max(longest, row.norm());
      longest_scaled = std::max(longest_scaled, row.cwiseProduct(direction).norm());
    }
    const double rounding = 1e-12 * (1 + range.magnitude());
    EXPECT_GE(seen.lower, range.lower - rounding);
    EXPECT_LE(seen.upper, range.upper + rounding);
    EXPECT_LE(seen.lower, range.lower + rounding);
    EXPECT_GE(seen.upper, range.upper - rounding);
    EXPECT_NEAR(longest, domain.max_norm(), 1e-12 * domain.max_norm());
    EXPECT_NEAR(longest_scaled, domain.max_norm(direction), 1e-12 * longest_scaled);
  }
}

INSTANTIATE_TEST_SUITE_P(Formulas, DomainOf,
                         testing::Values("y ~ x + z", "y ~ x*z + r", "y ~ x:z:n - 1", "y ~ r*g + z",
                                         "y ~ x:r - 1", "y ~ x + C(n):g", "y ~ log(x) + sqrt(n)",
                                         "y ~ poly(x, 2):g + z", "y ~ 1"));

TEST(Domain, two_functions_of_one_column_are_enclosed) {
  const Design design(parse_formula("y ~ x + log(x)"), domain_schema());
  const Domain domain = design.domain();
  ChainRng rng(8);
  for (int i = 0; i < 2000; ++i) {
    const double x = 1 + 4 * rng.uniform();
    Position row(3);
    for (Eigen::Index j = 0; j < 3; ++j)
      row[j] = design.column(j).scaled(std::vector<double>{x, std::log(x)});
    const Position direction = rng.normals(3);
    EXPECT_LE(row.dot(direction), domain.range(direction).upper + 1e-12);
    EXPECT_GE(row.dot(direction), domain.range(direction).lower - 1e-12);
  }
}

// Rows of legal cells, at the bounds as often as between them.
TEST(Domain, values_of_a_basis_are_enclosed) {
  for (const char* formula :
       {"y ~ poly(x, 4) + bs(z, 5)", "y ~ poly(x, 3):r + bs(z, 4):poly(n, 2)", "y ~ bs(x, 6) - 1"}) {
    const Design design(parse_formula(formula), domain_schema());
    const Domain domain = design.domain();
    ChainRng rng(9);
    for (int i = 0; i < 500; ++i) {
      std::map<std::string, double> cells;
      std::vector<double> values;
      for (const Source& source : design.sources()) {
        const Interval bounds = source.declared.range();
        const double place = rng.uniform() < 0.3 ? static_cast<double>(rng.below(2)) : rng.uniform();
        const double cell = bounds.lower + place * bounds.width();
        const bool whole = source.declared.kind != ColumnKind::real;
        values.push_back(source.value(
            cells.try_emplace(source.declared.name, whole ? std::round(cell) : cell).first->second));
      }
      Position row(design.columns());
      for (Eigen::Index j = 0; j < row.size(); ++j) row[j] = design.column(j).scaled(values);
      EXPECT_LE(row.norm(), domain.max_norm()) << formula;
      const Position direction = rng.normals(design.columns());
      EXPECT_LE(row.dot(direction), domain.range(direction).upper + 1e-12) << formula;
      EXPECT_GE(row.dot(direction), domain.range(direction).lower - 1e-12) << formula;
    }
  }
}

TEST(Domain, too_many_corners_are_refused) {
  Schema wide{{{"y", ColumnKind::binary}}, {}};
  std::string right;
  for (int i = 0; i < 13; ++i) {
    wide.columns.push_back({"x" + std::to_string(i), ColumnKind::real, {0, 1}, {}});
    right += (i ? ":x" : "x") + std::to_string(i);
  }
  const Design design(parse_formula("y ~ " + right), wide);
  try {
    (void)design.domain();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
  }
}

}  // namespace
}  // namespace sotto
