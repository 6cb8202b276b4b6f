#include "sotto/model/design_rows.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr std::size_t kMostOfAPerson = 900;  // four persons fill a run

/// Persons with as many rows each, one after the other. What cannot be read of the first's comes last.
Table rows_of_persons(const std::vector<int>& sizes, int unreadable) {
  Table table(
      {{{"y", ColumnKind::count, {0, 30}}, {"x", ColumnKind::real, {0, 1e5}}}, {"id", kMostOfAPerson}});
  for (std::size_t person = 0; person < sizes.size(); ++person) {
    for (int i = 0; i < sizes[person]; ++i) {
      const bool readable = person > 0 || i < sizes[0] - unreadable;
      table.append(std::vector<std::optional<std::string_view>>{readable ? "1" : "NA", "2"},
                   fmt::format("p{}", person));
    }
  }
  return table;
}

/// Rows of twenty persons in disorder, some of which cannot be used; y tells whose they are, x numbers them.
Table rows_of_twenty_persons() {
  Table table(
      {{{"y", ColumnKind::count, {0, 30}}, {"x", ColumnKind::real, {0, 1e5}}}, {"id", kMostOfAPerson}});
  ChainRng rng(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t person = rng.below(20);
    if (person == 7 && i > 200) continue;  // a person of few
    const std::string cells[] = {rng.below(10) == 0 ? "NA" : std::to_string(person), std::to_string(i)};
    const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
    table.append(views, rng.below(50) == 0 ? "" : fmt::format("p{}", person));
  }
  return table;
}

TEST(DesignRows, rows_of_a_person_stand_side_by_side) {
  const Table table = rows_of_twenty_persons();
  const Design design(parse_formula("y ~ x"), table.schema());
  const Rows as_they_came = design_rows(table, design);
  const Rows rows = design_rows(table, design, true);
  EXPECT_EQ(as_they_came.unit_starts(0), nullptr);
  ASSERT_NE(rows.unit_starts(0), nullptr);

  std::multiset<std::pair<double, double>> here, there;
  for (std::size_t i = 0; i < as_they_came.rows(); ++i)
    if (as_they_came.weight(i) != 0) there.emplace(as_they_came.at(i, 2), as_they_came.at(i, 1));
  std::map<double, std::size_t> units;  // of each person
  double whose = -1;
  std::size_t run = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (rows.weight(i) == 0) {
      EXPECT_EQ(rows.unit_starts(0)[i], 0);
      continue;
    }
    here.emplace(rows.at(i, 2), rows.at(i, 1));
    if (rows.unit_starts(0)[i] != 0) {
      whose = rows.at(i, 2);
      run = i / kRunRows;
      ++units[whose];
    }
    EXPECT_EQ(rows.at(i, 2), whose);
    EXPECT_EQ(i / kRunRows, run) << "a unit stands in two runs";
  }
  EXPECT_EQ(here, there);
  EXPECT_EQ(units.size(), 20u);
  for (const auto& [person, count] : units) EXPECT_EQ(count, 1u) << person;
}

// One more row of the first person moves all others into later runs. And any sizes have their place.
TEST(DesignRows, which_rows_can_be_read_does_not_change_how_many_there_are) {
  const std::vector<int> tight{896, 800, 800, 800, 801, 900, 900, 900, 900};
  const Design design(parse_formula("y ~ x"), rows_of_persons(tight, 0).schema());
  const std::size_t all = design_rows(rows_of_persons(tight, 0), design, true).rows();
  EXPECT_EQ(design_rows(rows_of_persons(tight, 1), design, true).rows(), all);
  EXPECT_EQ(design_rows(rows_of_persons(tight, 896), design, true).rows(), all);

  ChainRng rng(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t longest = 1 + rng.below(kMostOfAPerson);
    std::size_t end = 0;
    std::size_t rows = 0;
    for (std::size_t units = rng.below(200); units > 0; --units) {
      const std::size_t size =
          trial % 2 == 0 ? longest - rng.below(std::min<std::size_t>(longest, 3)) : rng.below(longest + 1);
      end = Rows::next_unit(end, size) + size;
      rows += size;
    }
    ASSERT_LE(end, Rows::most_rows(rows, longest)) << longest;
  }
}

}  // namespace
}  // namespace sotto
