// The law of the Haar wavelet channel: a datum's wavelet coefficients up to a level, each with Laplace noise.
#pragma once

#include <fmt/core.h>

#include <array>
#include <compare>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "sotto/channel/channel.hpp"

namespace sotto {

/// Releases z_jk = psi_jk(y) + discrete Laplace noise for j = 0 .. top_level, k = 0 .. 2^j - 1, where psi_jk
/// is + or - 2^(j/2) on the left and right half of the k-th of 2^j equal intervals of the domain and 0
/// elsewhere. So y matters through its cell among 2^(top_level + 1) only.
///
/// Query       2^(top_level + 1) - 1 integers: 0, or +- height(j) = round(2^(j/2) 2^20), in steps of 2^-20
/// Adjacency   substitute
/// Sensitivity L1: sum_j 2 height(j), exactly. At each level one coefficient is not zero; two data have
///             either the same one with opposite signs or two different ones, so a level differs by 0 or 2
///             height(j); data in the two halves of the domain differ at every level. As a formula: 2
///             (2^((J+1)/2) - 1) / (sqrt 2 - 1)
/// Noise       P(x) proportional to exp(-|x| / scale), the same scale at all levels
/// Charge      epsilon = sensitivity / scale; scale is rounded up
/// Source      [BDKS20, section 3], [BFR24, equation 3]
/// Differs     the printed scale is 9.3, 7.3, 6.6 times larger than needed for J = 2, 4, 6 (erratum E26); it
///             is available as Scale::printed
/// Checked by  tests/channel/haar_test.cpp: sensitivity_over_all_pairs, printed_scale_is_too_large
class HaarChannel {
 public:
  enum class Scale { tight, printed };
  // The row in the table of channels.
  using Datum = double;
  static constexpr std::string_view kName = "wavelet";
  static constexpr std::array<std::string_view, 5> kKeys = {"lower", "upper", "missing", "top_level",
                                                            "printed_scale"};
  static constexpr bool kNeedsDelta = false;
  [[nodiscard]] static HaarChannel make(const ColumnSettings& s, const PrivacyTarget& target, std::size_t) {
    return {{s.lower, s.upper}, s.top_level, target.pure(), s.printed_scale ? Scale::printed : Scale::tight};
  }
  [[nodiscard]] double noise_scale() const { return scale(); }
  [[nodiscard]] std::string noise_in_words() const {
    return fmt::format(
        "Laplace noise of standard deviation {:.3g} on each wavelet coefficient of a row, to level {}",
        std::numbers::sqrt2 * scale(), top_level());
  }
  /// NAME.j.k for coefficient (j, k).
  [[nodiscard]] std::vector<std::string> stored_names(const std::string& name) const;
  [[nodiscard]] static std::size_t records(std::size_t rows) { return rows; }
  [[nodiscard]] Interval reach(std::size_t) const;
  [[nodiscard]] static std::optional<std::int64_t> whole_number(double z) {
    return nearest_whole(z / kStep, 1e-3);
  }

  static constexpr double kStep = 0x1p-20;
  static constexpr int kLargestLevel = 12;

  /// Errors: configuration unless 0 <= top_level <= 12.
  HaarChannel(Interval domain, int top_level, Epsilon epsilon, Scale scale = Scale::tight);

  /// Shape (coefficients): level by level.
  [[nodiscard]] std::vector<double> release(double y, CuratorsNoise auto& noise) const {
    std::vector<double> z;
    z.reserve(coefficients());
    const std::size_t own = cell(y);
    for (int j = 0; j <= top_level_; ++j) {
      for (std::size_t k = 0; k < (std::size_t{1} << j); ++k) {
        z.push_back(static_cast<double>(coefficient(own, j, k) + noise.laplace(scale_)) * kStep);
      }
    }
    return z;
  }

  /// A release prepared for fast densities: shape (cells), log q(z | y in cell) up to a constant.
  struct Observed {
    std::vector<double> cells;
    auto operator<=>(const Observed&) const = default;
  };

  /// Errors: data when the number of coefficients is not the channel's.
  [[nodiscard]] Observed observed_one(std::span<const double> coefficients) const;
  /// The same for all rows of a released column, shape (rows * coefficients).
  [[nodiscard]] std::vector<Observed> observed(std::span<const double> values) const;
  [[nodiscard]] double log_density(const Observed& z, double y) const { return z.cells[cell(y)]; }
  /// Uniform in the cell of largest density: all levels count, not the finest one alone.
  [[nodiscard]] double initial(const Observed& z, ChainRng& rng) const;

  [[nodiscard]] std::size_t cells() const { return std::size_t{1} << (top_level_ + 1); }
  [[nodiscard]] std::size_t coefficients() const { return cells() - 1; }
  /// Any double has a cell; data beyond the domain have that of the nearer end.
  [[nodiscard]] std::size_t cell(double y) const {
    const double x = (y - domain_.lower) * cells_per_unit_;
    if (!(x > 0)) return 0;
    return x >= static_cast<double>(cells()) ? cells() - 1 : static_cast<std::size_t>(x);
  }
  [[nodiscard]] Interval cell_bounds(std::size_t cell) const {
    const double width = 1 / cells_per_unit_;
    return {domain_.lower + static_cast<double>(cell) * width,
            domain_.lower + static_cast<double>(cell + 1) * width};
  }
  /// The noise-free value of coefficient (j, k), in steps of 2^-20.
  [[nodiscard]] long long coefficient(std::size_t cell, int j, std::size_t k) const;

  [[nodiscard]] const Interval& domain() const { return domain_; }
  [[nodiscard]] int top_level() const { return top_level_; }
  [[nodiscard]] double scale() const { return scale_.value() * kStep; }
  [[nodiscard]] long long sensitivity() const { return sensitivity_; }  ///< L1, in steps of 2^-20
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  Interval domain_;
  int top_level_;
  Epsilon epsilon_;
  double cells_per_unit_;
  std::vector<long long> heights_;  // shape (levels)
  long long sensitivity_ = 0;
  RationalScale scale_{};
};

}  // namespace sotto
