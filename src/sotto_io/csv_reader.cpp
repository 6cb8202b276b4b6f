#include "sotto_io/csv_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sotto/base/error.hpp"
#include "sotto/base/text_fault.hpp"
#include "sotto/data/decode.hpp"
#include "sotto_io/csv_cells.hpp"

namespace sotto {

CsvReader::CsvReader(const std::filesystem::path& path, char delimiter)
    : path_(path),
      delimiter_(delimiter),
      file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      input_(std::size_t{1} << 16) {
  if (file_ < 0)
    throw Error(ErrorCode::no_input, fmt::format("{} cannot be opened for reading", path.string()));
  try {
    read_header();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

CsvReader::~CsvReader() { ::close(file_); }

void CsvReader::read_header() {
  const bool any = fill();
  const std::string_view begin(input_.data(), any ? filled_ : 0);
  if (is_utf16(begin)) throw Error(ErrorCode::data, fmt::format("{} {}", path_.string(), kSaveAsUtf8));
  if (begin.starts_with("\xef\xbb\xbf")) at_ = 3;
  const bool some = next();
  if (beyond_) {
    throw Error(ErrorCode::data,
                fmt::format("{}: the first record, which names the columns, is longer than {} bytes",
                            path_.string(), kMostRecordBytes));
  }
  for (std::string& name : names_) name = trim(name);
  if (!some || (names_.size() == 1 && names_[0].empty()))
    throw Error(ErrorCode::data, fmt::format("{}: the first record must name the columns", path_.string()));
  if (!std::ranges::all_of(names_, is_utf8))
    throw Error(ErrorCode::data,
                fmt::format("{}: the names of the columns are not UTF-8 text: save the file as UTF-8",
                            path_.string()));
  in_header_ = false;
  select({});
}

void CsvReader::select(std::span<const std::size_t> places) {
  slot_of_field_.assign(names_.size(), kSkipped);
  slot_of_selected_.clear();
  std::size_t slots = 0;
  for (const std::size_t place : places) {
    std::size_t& slot = slot_of_field_.at(place);
    if (slot == kSkipped) slot = slots++;
    slot_of_selected_.push_back(slot);
  }
  cells_.assign(slots, {});
  // All that a record can need, touched now: no record changes what the process occupies.
  kept_ = WipedVector<char>(std::min(kMostRecordBytes, slots * kMostCellBytes));
}

bool CsvReader::fill() {
  ssize_t count = 0;
  do {
    count = ::read(file_, input_.data(), input_.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw Error(ErrorCode::io, fmt::format("reading {} failed", path_.string()));
  at_ = 0;
  filled_ = static_cast<std::size_t>(count);
  return count > 0;
}

void CsvReader::keep(char byte) {
  if (!in_header_ && (field_ >= slot_of_field_.size() || slot_of_field_[field_] == kSkipped)) return;
  // The header's names are public, and so is their size.
  if (in_header_ && used_ == kept_.size()) kept_.resize(std::min(kMostRecordBytes, 2 * used_ + 1024));
  if (used_ == kept_.size() || (!in_header_ && used_ - start_ == kMostCellBytes)) {
    beyond_ = true;
  } else {
    kept_[used_++] = byte;
  }
}

void CsvReader::end_field() {
  if (in_header_) {
    names_.emplace_back(kept_.data() + start_, used_ - start_);
  } else if (field_ < slot_of_field_.size() && slot_of_field_[field_] != kSkipped) {
    cells_[slot_of_field_[field_]] = {start_, used_ - start_};
  }
  start_ = used_;
  ++field_;
}

void CsvReader::not_well_formed() const {
  throw Error(
      ErrorCode::data,
      fmt::format(
          "{} is not well-formed CSV (RFC 4180): quote cells that hold quotes, delimiters or line ends, "
          "double the quotes inside, and close every quote; save a spreadsheet as CSV first",
          path_.string()));
}

bool CsvReader::next() {
  field_ = used_ = start_ = 0;
  beyond_ = false;
  State state = State::start;
  for (std::size_t bytes = 0;; ++bytes) {
    const int byte = read_byte();
    if (byte == kEnd) {
      if (state == State::quoted || state == State::line_end) not_well_formed();
      if (bytes == 0) return false;
      end_field();
      return true;
    }
    if (bytes == kMostRecordBytes) beyond_ = true;
    const char c = static_cast<char>(byte);
    if (state == State::line_end && c != '\n') not_well_formed();
    if (state == State::quoted) {
      if (c == '"') {
        state = State::closed;
      } else {
        keep(c);
      }
    } else if (c == '\n') {
      end_field();
      return true;
    } else if (c == '\r') {
      state = State::line_end;
    } else if (c == delimiter_) {
      end_field();
      state = State::start;
    } else if (c == '"' && state != State::bare) {
      if (state == State::closed) keep(c);  // doubled
      state = State::quoted;
    } else if (c == '"' || state == State::closed) {
      not_well_formed();
    } else {
      keep(c);
      state = State::bare;
    }
  }
}

}  // namespace sotto
