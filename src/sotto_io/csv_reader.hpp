// Records of a CSV file, one at a time, in memory that no record can enlarge.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/data/wiped.hpp"

namespace sotto {

/// A record with more bytes, or with more in one of the cells asked for, contributes nothing.
inline constexpr std::size_t kMostRecordBytes = std::size_t{1} << 24;
inline constexpr std::size_t kMostCellBytes = 4096;

/// Reads RFC 4180: records end with LF or CRLF, cells may stand in quotes and then hold delimiters, line ends and doubled
/// quotes; a byte order mark is skipped. Stricter than most: a quote within a bare cell, anything between a closing quote
/// and the delimiter, a quote left open and a carriage return alone make the file not well formed, because each lets one
/// record become several. An own parser, since the libraries hold a whole cell or record in memory however long it is.
class CsvReader {
 public:
  /// Opens the file and reads its header. Errors: no_input; data when the first record names no columns or is too long;
  /// like `next`.
  CsvReader(const std::filesystem::path& path, char delimiter);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// The header's cells, without blanks at their ends.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Which fields `cell` gives, by their place in the header. All others are skipped. Before the first `next`.
  void select(std::span<const std::size_t> places);
  /// False at the end of the file. Errors: data, one sentence for every file that is not well formed; io.
  [[nodiscard]] bool next();
  /// Whether the record has as many fields as the header and stays within the limits. If not, its cells mean nothing.
  [[nodiscard]] bool whole() const { return !beyond_ && field_ == names_.size(); }
  /// The i-th selected cell of the record, valid until `next`.
  [[nodiscard]] std::string_view cell(std::size_t i) const {
    const Cell& at = cells_[slot_of_selected_[i]];
    return {kept_.data() + at.begin, at.size};
  }

 private:
  enum class State { start, bare, quoted, closed, line_end };
  struct Cell {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  static constexpr int kEnd = -1;
  static constexpr std::size_t kSkipped = static_cast<std::size_t>(-1);

  [[nodiscard]] int read_byte() {
    return at_ != filled_ || fill() ? static_cast<unsigned char>(input_[at_++]) : kEnd;
  }
  [[nodiscard]] bool fill();
  void read_header();
  void keep(char byte);
  void end_field();
  [[noreturn]] void not_well_formed() const;

  std::filesystem::path path_;
  char delimiter_;
  int file_;
  WipedVector<char> input_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;

  std::vector<std::string> names_;
  std::vector<std::size_t> slot_of_field_;  // kSkipped where the field is not asked for
  std::vector<std::size_t> slot_of_selected_;
  WipedVector<char> kept_;  // the selected cells of the record, one after the other
  std::vector<Cell> cells_;

  bool in_header_ = true;
  bool beyond_ = false;
  std::size_t field_ = 0;
  std::size_t used_ = 0;   // of kept_
  std::size_t start_ = 0;  // of the field in kept_
};

}  // namespace sotto
