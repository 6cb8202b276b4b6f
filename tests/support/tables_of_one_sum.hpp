// Two tables whose files have little in common, while every question about all rows has the same exact sums: what a run of either
// shows must be the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/table.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Rows may be added or left out, so that their number is a secret: y is binary, x and z real.
[[nodiscard]] inline Schema schema_of_one_sum() {
  Schema schema;
  schema.adjacency = Adjacency::add_remove;
  schema.columns = {{.name = "y", .kind = ColumnKind::binary},
                    {.name = "x", .kind = ColumnKind::real, .bounds = {-1, 1}},
                    {.name = "z", .kind = ColumnKind::real, .bounds = {-5, 5}}};
  return schema;
}

/// The second has the rows of the first backwards, what is at or beyond a bound much farther out, and between them many that cannot be
/// read, which add nothing.
[[nodiscard]] inline std::vector<Table> tables_of_one_sum() {
  constexpr std::size_t kRows = 400;  // the second table has a digit more
  std::vector<std::vector<std::string>> rows;
  ChainRng rng(3);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double x = std::clamp(rng.normal(), -1.0, 1.0);
    rows.push_back(
        {rng.uniform() < 0.5 + 0.2 * x ? "1" : "0", std::to_string(x), std::to_string(x + rng.normal())});
  }
  const auto append = [](Table& table, const std::vector<std::string>& cells) {
    const std::vector<std::optional<std::string_view>> views(cells.begin(), cells.end());
    table.append(views, std::nullopt);
  };
  std::vector<Table> tables(2, Table(schema_of_one_sum()));
  for (const auto& row : rows) append(tables[0], row);
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (std::stod((*row)[1]) == 1) (*row)[1] = "123456789.25";
    if (std::stod((*row)[1]) == -1) (*row)[1] = "-1e300";
    append(tables[1], *row);
    append(tables[1], {"1", "no number", "0.5"});
    append(tables[1], {"", "0.25", "\xff\xfe a cell that is long and no number at all"});
  }
  return tables;
}

}  // namespace sotto
