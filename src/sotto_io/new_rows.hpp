// Rows that someone wants predictions of, decoded as a fit decodes its own, and what could not be taken as it is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/data/table.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Of the rows as they are, without noise: for the eyes of whoever holds them.
struct NewRows {
  struct Count {
    std::string column;
    std::size_t rows = 0;
  };

  Table table;
  std::size_t unread = 0;             ///< rows that are not kept
  std::size_t beyond = 0;             ///< kept rows of which a number was moved to a bound
  std::vector<Count> unread_cells{};  ///< by column, where there are any
  std::vector<Count> beyond_cells{};  ///< likewise, of kept rows
  std::vector<Count>
      imputed_cells{};  ///< likewise: the schema's own value stands in the place of a missing one
};

/// `columns`: those of the schema that the table has; of the others the imputed value stands in every row.
/// Errors: those of read_records.
[[nodiscard]] NewRows read_new_rows(const RecordReader& read, const Schema& schema,
                                    const std::vector<std::string>& columns);

/// A sentence for each count that is not zero.
[[nodiscard]] std::vector<std::string> told_of(const NewRows& rows);

}  // namespace sotto
