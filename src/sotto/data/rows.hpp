// Decoded rows as the passes read them: tiles of eight rows, column by column, in one stream of memory.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "sotto/base/curator_side.hpp"
#include "sotto/data/wiped.hpp"

namespace sotto {

/// Rows per tile: one 512-bit vector, or two of 256 bits.
inline constexpr std::size_t kTile = 8;
/// Tiles that are summed at once, at most.
inline constexpr std::size_t kLongestRun = 512;
inline constexpr std::size_t kRunRows = kLongestRun * kTile;

/// Curator side. A matrix of doubles whose last column is the row's weight: 1, or 0 for rows that contribute
/// nothing (dropped, beyond a person's maximum, padding). Its memory is wiped when it is given back. Entry (row i, column j) of tile t is data(t)[j *
/// kTile + i]. Where a unit of privacy has several rows they may stand side by side, within one run: then it is marked which row is the
/// first of a unit.
class Rows {
 public:
  /// `rows` rows of `columns` values each, all zero, weights zero.
  Rows(std::size_t rows, std::size_t columns)
      : rows_(rows),
        stride_((columns + 1) * kTile),
        tiles_((rows + kTile - 1) / kTile),
        values_(static_cast<double*>(::operator new(bytes(tiles_* stride_), kAlign)),
                Free{bytes(tiles_ * stride_)}) {
    std::fill_n(values_.get(), tiles_ * stride_, 0.0);
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return stride_ / kTile - 1; }
  [[nodiscard]] std::size_t tiles() const { return tiles_; }
  /// Doubles from one tile to the next.
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] const double* tile(std::size_t index) const { return values_.get() + index * stride_; }

  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return values_.get()[row / kTile * stride_ + column * kTile + row % kTile];
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return const_cast<Rows*>(this)->at(row, column);
  }
  [[nodiscard]] double& weight(std::size_t row) { return at(row, columns()); }
  [[nodiscard]] double weight(std::size_t row) const { return at(row, columns()); }

  /// Where the next unit, of at most kRunRows rows, begins if the one before ends at `end`: no unit stands in two runs.
  [[nodiscard]] static std::size_t next_unit(std::size_t end, std::size_t rows) {
    return end % kRunRows + rows <= kRunRows ? end : (end / kRunRows + 1) * kRunRows;
  }
  /// Where the last of units ends at most, of so many rows together and at most `longest` each: each run but the last lacks less than a unit.
  [[nodiscard]] static std::size_t most_rows(std::size_t rows, std::size_t longest) {
    return rows + rows / (kRunRows - longest + 1) * (longest - 1);
  }
  /// From now on rows stand by units, whose first rows are to be marked.
  void stand_by_units() { starts_.resize(tiles_ * kTile + 1); }
  void start_unit(std::size_t row) { starts_[row] = 1; }
  /// One entry per row, from a tile's first on: whether it is the first of its unit. Null where rows do not stand by units.
  [[nodiscard]] const std::uint8_t* unit_starts(std::size_t tile) const {
    return starts_.empty() ? nullptr : starts_.data() + tile * kTile;
  }

 private:
  static constexpr std::align_val_t kAlign{64};
  static std::size_t bytes(std::size_t doubles) { return std::max<std::size_t>(1, doubles) * sizeof(double); }
  struct Free {
    std::size_t bytes = 0;
    void operator()(double* memory) const {
      wipe(memory, bytes);
      ::operator delete(memory, kAlign);
    }
  };
  std::size_t rows_;
  std::size_t stride_;
  std::size_t tiles_;
  std::unique_ptr<double[], Free> values_;
  WipedVector<std::uint8_t> starts_;
};

}  // namespace sotto
