// How well a table fits its declaration: counts for the curator's eyes. NOT PRIVATE.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sotto/data/decode.hpp"
#include "sotto/data/schema.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Said wherever such counts are shown.
inline constexpr const char* kCheckIsNotPrivate =
    "NOT PRIVATE: these counts are computed from the rows without noise; they are for the curator's eyes "
    "alone";

struct ColumnCheck {
  std::string name;
  ColumnKind kind = ColumnKind::real;
  std::array<std::size_t, 5> cells{};  ///< by CellReading
  // Of the undecodable; none of them is repeated.
  std::size_t dates = 0;       ///< such as 2020-03-01, 1/3/2020 or 01.03.20
  std::size_t commas = 0;      ///< numbers but for commas, as 3,5 or 1,899.73
  std::size_t other_case = 0;  ///< a level but for capitals
  std::size_t not_utf8 = 0;

  [[nodiscard]] std::size_t count(CellReading reading) const {
    return cells[static_cast<std::size_t>(reading)];
  }
};

/// NOT PRIVATE: every number depends on single rows.
struct TableCheck {
  std::size_t records = 0;
  std::size_t not_whole = 0;  ///< another number of cells than the header, or beyond the limits
  std::size_t used = 0;       ///< rows that contribute
  std::size_t cut = 0;        ///< rows that do not because their person has maximum_rows others
  std::size_t nobodys = 0;    ///< rows that do not because the cell of their person is empty
  std::vector<ColumnCheck> columns;
};

/// Errors: those of read_table.
[[nodiscard]] TableCheck check_table(const RecordReader& read, const Schema& schema);

/// The counts with that sentence, as `sotto schema --check --json` prints them.
[[nodiscard]] nlohmann::ordered_json to_json(const TableCheck& check);

}  // namespace sotto
