#include "sotto_io/new_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace sotto {
namespace rows_to_predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// y is not in the table of new rows.
const Schema kDeclared{{{"y", ColumnKind::binary, {0, 1}, {}, MissingPolicy::impute, 1},
                        {"x", ColumnKind::real, {-1, 1}, {}},
                        {"z", ColumnKind::count, {0, 9}, {}, MissingPolicy::impute, 4},
                        {"g", ColumnKind::category, {}, {"a", "b"}}},
                       {}};

using Cells = std::vector<std::optional<std::string_view>>;

/// Rows of x, z and g; an empty one is not of the header's form.
NewRows read(const std::vector<Cells>& rows) {
  const RecordReader records = [&](const std::vector<std::string>& names,
                                   const std::function<void(const TableRecord&)>& visit) {
    EXPECT_THAT(names, ElementsAre("x", "z", "g"));
    for (const Cells& row : rows) visit({!row.empty(), row});
  };
  return read_new_rows(records, kDeclared, {"x", "z", "g"});
}

TEST(NewRows, are_decoded_as_a_fit_decodes_them) {
  const NewRows rows = read({{"0.5", "3", "b"}, {"7", "99", "a"}});
  EXPECT_TRUE(rows.table.kept(0));
  EXPECT_THAT(rows.table.column("x"), ElementsAre(0.5, 1));
  EXPECT_THAT(rows.table.column("z"), ElementsAre(3, 9));
  EXPECT_THAT(rows.table.column("g"), ElementsAre(1, 0));
  EXPECT_THAT(rows.table.column("y"), ElementsAre(1, 1));
  EXPECT_EQ(rows.beyond, 1U);
  EXPECT_THAT(told_of(rows), ElementsAre(HasSubstr("1 of 2 rows lie beyond declared bounds")));
  EXPECT_THAT(told_of(rows)[0], HasSubstr("(x: 1, z: 1)"));
}

TEST(NewRows, that_cannot_be_read_are_counted) {
  const NewRows rows =
      read({{"0", "1", "a"}, {"", "1", "a"}, {"0", "1", "c"}, {std::nullopt, "99", "c"}, {}});
  EXPECT_EQ(rows.table.rows(), 5U);
  EXPECT_EQ(rows.unread, 4U);
  EXPECT_EQ(rows.beyond, 0U);
  EXPECT_THAT(told_of(rows), ElementsAre(HasSubstr("4 of 5 rows have no prediction")));
  EXPECT_THAT(told_of(rows)[0], HasSubstr("(x: 2, g: 2)"));
}

TEST(NewRows, take_imputed_values_as_a_fit_does) {
  const NewRows rows = read({{"0", "NA", "a"}});
  EXPECT_EQ(rows.unread, 0U);
  EXPECT_THAT(rows.table.column("z"), ElementsAre(4));
  EXPECT_THAT(told_of(rows), ElementsAre(HasSubstr("imputes, as in a fit (z: 1)")));
  EXPECT_THAT(told_of(read({{"0", "1", "a"}})), IsEmpty());
}

}  // namespace
}  // namespace rows_to_predict
}  // namespace sotto
