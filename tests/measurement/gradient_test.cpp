#include "sotto/measurement/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/data/table.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/design.hpp"
#include "sotto/model/design_rows.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

const OwnerContext kContext{LocationModel({{-1, 1}, {-2, 2}}, Matrix::Identity(2, 2)), {}, 1};

double sensitivity(const OwnerContext& context, const Position& at) {
  const auto measured = measure(GradientQuery{at, Rho(0.1)}, context);
  const Charge& charge = measured->parts[0].charge;
  return charge.sensitivity * charge.grid;
}

// Rows in the box [-1, 1] x [-2, 2]: the longest difference of two is its diagonal, 2 sqrt(5); at the centre
// the longest gradient is half of that.
TEST(Gradient, sensitivity_is_the_declared_boxs_for_both_adjacencies) {
  const double diagonal = 2 * std::sqrt(5.0);
  EXPECT_NEAR(sensitivity(kContext, Position::Zero(2)), diagonal, 1e-6);
  OwnerContext added = kContext;
  added.unit.adjacency = Adjacency::add_remove;
  EXPECT_NEAR(sensitivity(added, Position::Zero(2)), diagonal / 2, 1e-6);
}

// Products of columns that few numbers lie between go up in steps: here one of them is at its end in the middle of w, and the other at
// its other end, which no corner of the box shows. Such a row would be 1.19 times as long as any corner.
TEST(Gradient, products_of_columns_a_few_ulps_wide_count_no_more_than_priced) {
  Schema schema;
  schema.adjacency = Adjacency::add_remove;
  schema.columns = {{.name = "x", .bounds = {1.8631921584387974, 1.8631921584387978}},
                    {.name = "z", .bounds = {1.9492008296466155, 1.9492008296466159}},
                    {.name = "w", .bounds = {1.1261228820174429, 1.1261228820174434}},
                    {.name = "y", .kind = ColumnKind::binary}};
  const Design design(parse_formula("y ~ x:w + z:w"), schema);
  const Glm glm(family::Bernoulli{}, design.domain(), design.response().range, design.pieces());
  const OwnerContext context{glm, {.adjacency = Adjacency::add_remove}, 1};
  const GradientQuery query{Position::Zero(glm.dim()), Rho(0.01)};
  const auto measured = measure(query, context);
  ASSERT_TRUE(measured);
  const auto steps = [&](const char* x, const char* z, const char* w) {
    Table table(schema);
    const std::vector<std::optional<std::string_view>> cells = {x, z, w, "1"};
    table.append(cells, std::nullopt);
    const Rows rows = design_rows(table, design);
    const auto& pass = std::get<RowPass>(measured->parts[0].pass);
    std::vector<std::int64_t> sums(pass.entries);
    pass.add(rows, 0, rows.tiles(), sums);
    double squared = 0;
    for (const std::int64_t sum : sums) squared += static_cast<double>(sum) * static_cast<double>(sum);
    return std::sqrt(squared);
  };
  const double declared = measured->parts[0].charge.sensitivity;
  EXPECT_LE(steps("1.8631921584387974", "1.9492008296466159", "1.1261228820174431"), declared);
  const double corner = steps("1.8631921584387978", "1.9492008296466159", "1.1261228820174434");
  EXPECT_LE(corner, declared);
  EXPECT_GT(corner, declared / 2) << "a row that is priced counts";
}

TEST(Gradient, a_unit_of_several_rows_counts_several_times) {
  OwnerContext three = kContext;
  three.unit.rows_per_unit = 3;
  EXPECT_NEAR(sensitivity(three, Position::Zero(2)), 3 * sensitivity(kContext, Position::Zero(2)), 1e-6);
}

TEST(Gradient, the_likelihoods_power_scales_it) {
  OwnerContext half = kContext;
  half.likelihood_power = 0.5;
  EXPECT_NEAR(sensitivity(half, Position::Zero(2)), sensitivity(kContext, Position::Zero(2)) / 2, 1e-6);
}

TEST(Gradient, positions_that_are_no_numbers_have_no_answer) {
  EXPECT_FALSE(measure(GradientQuery{Position::Constant(2, NAN), Rho(0.1)}, kContext));
  EXPECT_FALSE(measure(GradientQuery{Position::Constant(2, INFINITY), Rho(0.1)}, kContext));
}

bool is_refused(const Position& at, const Position& scale) {
  try {
    (void)measure(GradientQuery{at, Rho(0.1), scale}, kContext);
  } catch (const Error& error) {
    return error.code() == ErrorCode::configuration;
  }
  return false;
}

TEST(Gradient, positions_and_scales_of_another_shape_are_refused) {
  const Position zero = Position::Zero(2);
  EXPECT_FALSE(is_refused(zero, {}));
  EXPECT_FALSE(is_refused(zero, Position{{1, 3}}));
  for (const Eigen::Index size : {1, 3}) {
    EXPECT_TRUE(is_refused(Position::Zero(size), {}));
    EXPECT_TRUE(is_refused(zero, Position::Ones(size)));
  }
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
    EXPECT_TRUE(is_refused(zero, Position{{1, bad}}));
}

// Steps beyond every double would count a row whose gradient is zero as no number: far out sigma leaves no gradient, and a
// scale makes up for it.
TEST(Gradient, coordinates_of_more_steps_than_a_double_holds_have_no_answer) {
  const Glm normal(family::Normal{}, Domain({{{0}, Matrix::Ones(1, 1)}, {{1}, Matrix{{-1.0}, {1.0}}}}),
                   {-1, 1});
  const OwnerContext context{AnyModel(normal), {Adjacency::add_remove, 1}, 1};
  EXPECT_TRUE(measure(GradientQuery{Position::Zero(3), Rho(1e-8), Position{{1e300, 1, 1}}}, context));
  EXPECT_FALSE(measure(GradientQuery{Position{{0, 0, 800}}, Rho(1e-8), Position{{1e300, 1, 1}}}, context));
}

}  // namespace
}  // namespace sotto
