// The wavelet releases of a column, each called by its row's number: rows of several columns are rows of numbers.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sotto/channel/haar.hpp"

namespace sotto {

/// As a part of a product (product.hpp): its z is the number of a row, and stands for what that row's `HaarChannel` released.
/// Copies share the releases.
///
/// Computes   log q(z | y) of the row's coefficients
/// Checked by tests/channel/product_test.cpp: a_wavelet_is_one_of_the_parts
class HaarReleases {
 public:
  /// `values`: shape (rows * coefficients). Errors: data when that is no whole number of rows.
  HaarReleases(HaarChannel law, std::span<const double> values)
      : law_(std::move(law)),
        releases_(std::make_shared<const std::vector<HaarChannel::Observed>>(law_.observed(values))) {}

  [[nodiscard]] double log_density(double row, double y) const { return law_.log_density(release(row), y); }
  [[nodiscard]] double initial(double row, ChainRng& rng) const { return law_.initial(release(row), rng); }
  [[nodiscard]] const HaarChannel& law() const { return law_; }
  [[nodiscard]] const Interval& domain() const { return law_.domain(); }
  [[nodiscard]] std::size_t rows() const { return releases_->size(); }

 private:
  [[nodiscard]] const HaarChannel::Observed& release(double row) const {
    return (*releases_)[static_cast<std::size_t>(row)];
  }

  HaarChannel law_;
  std::shared_ptr<const std::vector<HaarChannel::Observed>> releases_;
};

}  // namespace sotto
