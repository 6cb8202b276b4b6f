#include "sotto/data/table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <map>

namespace sotto {
namespace {

using Cells = std::vector<std::optional<std::string_view>>;

Schema two_columns(UnitDeclaration unit = {}) {
  return {{{"x", ColumnKind::real, {2, 3}, {}},
           {"r", ColumnKind::category, {}, {"a", "b"}, MissingPolicy::impute, 1}},
          unit};
}

TEST(Table, policies_for_missing_cells) {
  Table table(two_columns());
  table.append(Cells{"2.5", "a"}, std::nullopt);
  table.append(Cells{"2.5", "zebra"}, std::nullopt);
  table.append(Cells{"nan", "a"}, std::nullopt);
  table.append(Cells{std::nullopt, std::nullopt}, std::nullopt);
  table.append(Cells{}, std::nullopt);
  ASSERT_EQ(table.rows(), 5U);
  EXPECT_TRUE(table.kept(0) && table.kept(1));
  EXPECT_FALSE(table.kept(2) || table.kept(3) || table.kept(4));
  EXPECT_EQ(table.column("r")[1], 1);
  EXPECT_EQ(table.column("x")[2], 2);  // legal even where the row is not kept
}

TEST(Table, a_missing_cell_under_drop_takes_its_row_out_whichever_column_it_is_in) {
  Table table(
      {{{"x", ColumnKind::real, {2, 3}}, {"n", ColumnKind::count, {0, 9}}, {"b", ColumnKind::binary}}});
  table.append(Cells{"2.5", "4", "1"}, std::nullopt);
  for (std::size_t missing = 0; missing < 3; ++missing) {
    Cells cells{"2.5", "4", "1"};
    cells[missing] = "NA";
    table.append(cells, std::nullopt);
  }
  EXPECT_TRUE(table.kept(0));
  for (std::size_t row = 1; row < 4; ++row) EXPECT_FALSE(table.kept(row)) << row;
}

TEST(Table, person_has_at_most_the_declared_rows) {
  Table table(two_columns({"id", 2}));
  for (const char* person : {"p", " p", "q", "p ", "q", "", "NA"}) table.append(Cells{"2", "a"}, person);
  table.append(Cells{"2", "a"}, std::nullopt);
  const std::vector<bool> kept{true, true, true, false, true, false, false, false};
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(table.kept(i), kept[i]) << i;
}

// So how many are known does not tell which cells can be read.
TEST(Table, persons_are_numbered_whatever_can_be_read) {
  Table table(two_columns({"id", 2}));
  const std::vector<std::pair<const char*, const char*>> rows{{"NA", "p"}, {"2", "q"},  {"NA", "q"},
                                                              {"2", "p"},  {"NA", "r"}, {"2", "s"}};
  for (const auto& [x, person] : rows) table.append(Cells{x, "a"}, person);
  EXPECT_EQ(table.person(1), 1U);
  EXPECT_EQ(table.person(3), 0U);
  EXPECT_EQ(table.person(5), 3U);
  EXPECT_TRUE(table.kept(1) && table.kept(3) && table.kept(5));
  EXPECT_FALSE(table.kept(0) || table.kept(2) || table.kept(4));
}

// A person's rows change: every other row decodes as before, and at most 2 * maximum_rows contributions
// differ.
TEST(Table, neighbours_differ_in_one_persons_rows_only) {
  const bool held = rc::check([] {
    struct Row {
      std::string x, r, id;
    };
    const auto text =
        rc::gen::oneOf(rc::gen::element<std::string>("2.1", "2.9", "", "nan", "1e308", "b", "-1"),
                       rc::gen::arbitrary<std::string>());
    const auto row =
        rc::gen::construct<Row>(text, text, rc::gen::element<std::string>("p", "q", "s", "", "NA"));
    const auto rows = *rc::gen::container<std::vector<Row>>(row);
    const auto changed = *rc::gen::container<std::vector<Row>>(row);  // what person p holds in the neighbour
    const auto decode = [](const std::vector<Row>& all) {
      Table table(two_columns({"id", 2}));
      for (const Row& r : all) table.append(Cells{std::string_view(r.x), std::string_view(r.r)}, r.id);
      return table;
    };
    std::vector<Row> neighbour;
    for (const Row& r : changed) {
      neighbour.push_back(r);
      neighbour.back().id = "p";
    }
    const std::size_t offset = neighbour.size();
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].id == "p") continue;
      others.push_back(i);
      neighbour.push_back(rows[i]);
    }
    const Table before = decode(rows);
    const Table after = decode(neighbour);
    for (std::size_t k = 0; k < others.size(); ++k) {
      RC_ASSERT(before.kept(others[k]) == after.kept(offset + k));
      RC_ASSERT(before.column(0)[others[k]] == after.column(0)[offset + k]);
      RC_ASSERT(before.column(1)[others[k]] == after.column(1)[offset + k]);
    }
    for (const Table* table : {&before, &after}) {
      std::size_t of_p = 0;
      for (std::size_t i = 0; i < table->rows(); ++i) {
        const std::string& id = table == &before ? rows[i].id : neighbour[i].id;
        if (id == "p" && table->kept(i)) ++of_p;
        RC_ASSERT(table->column(0)[i] >= 2 && table->column(0)[i] <= 3);
        RC_ASSERT(table->column(1)[i] == 0 || table->column(1)[i] == 1);
      }
      RC_ASSERT(of_p <= 2U);
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace sotto
