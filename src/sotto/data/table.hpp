// Decoded rows of the declared columns: legal by construction, whatever the file held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/curator_side.hpp"
#include "sotto/data/person_rows.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/data/wiped.hpp"

namespace sotto {

/// Curator side. One vector of doubles per declared column; every value lies inside its column's range. A row
/// that is not kept contributes nothing anywhere: a cell was missing under `drop`, the person is missing, or
/// the person's maximum of rows was reached before. A row's fate depends on rows of its own person only, so
/// one unit changes at most `maximum_rows` kept rows. How many rows are kept is private; so is the number of
/// rows, unless the unit is one row and neighbours differ by substitution.
class Table {
 public:
  /// Empty. Throws ErrorCode::configuration if the schema is not consistent.
  explicit Table(Schema schema);

  /// Decodes one row. `cells`: one text per declared column, in the schema's order; `person`: the text that
  /// identifies the person, not looked at where the unit is one row. Never throws because of what the texts
  /// hold.
  void append(std::span<const std::optional<std::string_view>> cells, std::optional<std::string_view> person);

  /// A row that contributes nothing, for a record of a file that is not of the table's form.
  void append_nothing();

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] std::size_t rows() const { return kept_.size(); }
  /// Values of one declared column, shape (rows). Categories as level indices.
  [[nodiscard]] std::span<const double> column(std::size_t index) const { return columns_[index]; }
  [[nodiscard]] std::span<const double> column(const std::string& name) const {
    return columns_[schema_.index(name)];
  }
  [[nodiscard]] bool kept(std::size_t row) const { return kept_[row] != 0; }
  /// Whose a kept row is, where the unit is a person: they are numbered from 0 on, as they came.
  [[nodiscard]] std::size_t person(std::size_t row) const { return persons_[row]; }

 private:
  [[nodiscard]] std::optional<std::size_t> within_person(std::optional<std::string_view> person, bool kept);

  Schema schema_;
  std::vector<WipedVector<double>> columns_;
  WipedVector<std::uint8_t> kept_;
  WipedVector<std::size_t> persons_;  // empty where the unit is one row
  PersonRows rows_of_person_;
};

}  // namespace sotto
