#include "sotto/data/schema.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

std::string refusal(const Schema& schema) {
  try {
    check(schema);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

TEST(Schema, accepts_a_consistent_declaration) {
  const Schema schema{{{"x", ColumnKind::real, {-1, 1}, {}, MissingPolicy::impute, 0.5},
                       {"r", ColumnKind::category, {}, {"a", "b"}, MissingPolicy::impute, 1}},
                      {"id", 3}};
  EXPECT_EQ(refusal(schema), "");
  EXPECT_EQ(schema.select({"r"}).columns.size(), 1U);
  EXPECT_THROW((void)schema.column("z"), Error);
}

// What is priced is priced for the unit and the exchange that were declared, whichever columns are read.
TEST(Schema, fewer_columns_keep_unit_and_adjacency) {
  const Schema schema{{{"x"}, {"y"}}, {"id", 3}, Adjacency::add_remove};
  const Schema selected = schema.select({"y"});
  EXPECT_EQ(selected.unit.person, "id");
  EXPECT_EQ(selected.unit.maximum_rows, 3U);
  EXPECT_EQ(selected.adjacency, Adjacency::add_remove);
}

TEST(Schema, refuses_what_would_break_bounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto one = [](SchemaColumn column) { return refusal(Schema{{std::move(column)}, {}}); };
  EXPECT_NE(one({"x", ColumnKind::real, {1, 1}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {nan, 1}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {0, infinity}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {-1e308, 1e308}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {0, 1.01e100}, {}}), "") << "its square is to be a number";
  EXPECT_NE(one({"x", ColumnKind::real, {-1.01e100, 0}, {}}), "");
  EXPECT_EQ(one({"x", ColumnKind::real, {-1e100, 1e100}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {0, 1e-101}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::category, {}, {"a", " b"}}), "");
  EXPECT_NE(one({"x", ColumnKind::count, {0, 1.5}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::count, {-1, 5}, {}}), "");
  EXPECT_NE(one({"x", ColumnKind::category, {}, {"a"}}), "");
  EXPECT_NE(one({"x", ColumnKind::category, {}, {"a", "a"}}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {0, 1}, {}, MissingPolicy::impute, 2}), "");
  EXPECT_NE(one({"x", ColumnKind::binary, {}, {}, MissingPolicy::impute, 0.5}), "");
  EXPECT_NE(one({"x", ColumnKind::real, {0, 1}, {}, MissingPolicy::impute, nan}), "");
  EXPECT_NE(refusal({{}, {}}), "");
  EXPECT_NE(refusal({{{"x"}, {"x"}}, {}}), "");
  EXPECT_NE(refusal({{{"x"}}, {"x", 2}}), "");
  EXPECT_NE(refusal({{{"x"}}, {"id", 0}}), "");
  EXPECT_NE(refusal({{{"x"}}, {"", 2}}), "");
}

}  // namespace
}  // namespace sotto
