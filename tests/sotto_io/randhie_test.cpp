// The demonstration's table under its declaration.
#include <gtest/gtest.h>

#include "sotto/model/design_rows.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"

namespace sotto {
namespace {

TEST(Randhie, every_row_is_used_and_lies_in_the_declared_box) {
  const Schema schema = read_schema(SOTTO_DATA "/randhie.schema.toml");
  const Table table = read_table(SOTTO_DATA "/randhie.csv", schema);
  ASSERT_EQ(table.rows(), 20190U);
  for (std::size_t i = 0; i < table.rows(); ++i) ASSERT_TRUE(table.kept(i));
  const Design design(
      parse_formula("mdvis > 0 ~ lncoins + idp + lpi + fmde + physlm + disea + hlthg + hlthf + hlthp"),
      schema);
  const Rows rows = design_rows(table, design);
  double visited = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    visited += rows.at(i, 10);
    for (std::size_t j = 0; j < 10; ++j) ASSERT_LE(std::abs(rows.at(i, j)), 1) << i << ' ' << j;
  }
  EXPECT_EQ(visited, 13882);  // counted in the file by other means: awk -F, 'NR > 1 && $1 > 0' | wc -l
}

}  // namespace
}  // namespace sotto
