// Decoded rows as the passes read them: tiles of eight rows, column by column, in one stream of memory.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "sotto/data/wiped.hpp"

namespace sotto {

/// Rows per tile: one 512-bit vector, or two of 256 bits.
inline constexpr std::size_t kTile = 8;

/// Curator side. A matrix of doubles whose last column is the row's weight: 1, or 0 for rows that contribute
/// nothing (dropped, beyond a person's maximum, padding). Its memory is wiped when it is given back. Entry (row i, column j) of tile t is data(t)[j *
/// kTile + i].
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
};

}  // namespace sotto
