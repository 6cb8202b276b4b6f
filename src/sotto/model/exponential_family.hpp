// What the statistic owner needs of an exponential family, and the common scale its statistics are released
// on.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// log p(row | at) = natural(at) . statistic(row) - log_normaliser(at) + a term free of `at`.
///
/// dim()                 of the position
/// columns()             of a row
/// range()               encloses each entry of the statistic over all legal rows
/// statistic(row, out)   any bits may come out; they are clamped to the range
template <class F>
concept ExponentialFamily = requires(const F& family, std::span<const double> row, std::span<double> out,
                                     const Position& at) {
  { family.dim() } -> std::convertible_to<Eigen::Index>;
  { family.columns() } -> std::convertible_to<std::size_t>;
  { family.range() } -> std::same_as<std::vector<Interval>>;
  family.statistic(row, out);
  { family.natural(at) } -> std::same_as<Position>;
  { family.log_normaliser(at) } -> std::convertible_to<double>;
};

/// What an owner releases the noisy sum of: integers per row, whose weighted sum over the rows is the log likelihood.
///
/// size()                            entries
/// bound()                           of the entries' vector, where a row that is left out has none: norm over legal rows, diameter over
///                                   pairs of them
/// entries(row, steps, raw, out)     as integers, `steps` to the unit; rounding adds nothing to the bound. `raw`: size() numbers of room
/// coefficients(at)                  of the sum in the log likelihood, up to a term free of `at`
template <class S>
concept RowStatistic = requires(const S& statistic, std::span<const double> row, std::span<double> raw,
                                std::span<std::int64_t> out, const Position& at) {
  { statistic.size() } -> std::convertible_to<std::size_t>;
  { statistic.bound() } -> std::same_as<VectorBound>;
  statistic.entries(row, double{}, raw, out);
  { statistic.coefficients(at) } -> std::same_as<Position>;
};

/// The statistic with a leading 1 for every row, its entries centred at the middle of their ranges and scaled
/// into
/// [-1, 1] by powers of two: bounded alike, so that one noise fits all. The count of rows is an entry like
/// others: nothing else of them is public. An entry that is the same for all legal rows stays 0; the count
/// has it.
template <ExponentialFamily F>
class StandardStatistic {
 public:
  /// Errors: configuration when a range is not finite.
  explicit StandardStatistic(F family) : family_(std::move(family)) {
    for (const Interval& range : family_.range()) {
      const double half = range.width() / 2;
      if (!(half >= 0) || !std::isfinite(half)) {
        throw Error(ErrorCode::configuration, "every value of an exponential family needs finite bounds");
      }
      centre_.push_back(range.lower + half);
      scale_.push_back(half == 0 ? 0 : std::ldexp(1.0, std::ilogb(half) + 1));
      reach_.push_back(half == 0 ? 0 : half / scale_.back());
    }
  }

  [[nodiscard]] const F& family() const { return family_; }
  /// Entries, the count included.
  [[nodiscard]] std::size_t size() const { return centre_.size() + 1; }
  /// Largest absolute value of every entry; the first is the count's, 1.
  [[nodiscard]] std::vector<double> reach() const {
    std::vector<double> all = {1};
    all.insert(all.end(), reach_.begin(), reach_.end());
    return all;
  }

  /// The count is the same for two rows that both contribute.
  [[nodiscard]] VectorBound bound() const {
    double squares = 0;
    for (const double r : reach_) squares += r * r;
    return {std::sqrt(1 + squares), 2 * std::sqrt(squares)};
  }

  /// One row's entries as integers in [-steps * reach, steps * reach]; NaN gives 0.
  void entries(std::span<const double> row, double steps, std::span<double> raw,
               std::span<std::int64_t> out) const {
    family_.statistic(row, raw.first(centre_.size()));
    out[0] = static_cast<std::int64_t>(steps);
    for (std::size_t j = 0; j < centre_.size(); ++j) {
      const double limit = std::floor(steps * reach_[j]);
      const double entry = scale_[j] == 0 ? 0 : std::nearbyint((raw[j] - centre_[j]) / scale_[j] * steps);
      out[j + 1] =
          std::isnan(entry) ? 0 : static_cast<std::int64_t>(std::fmin(std::fmax(entry, -limit), limit));
    }
  }

  /// log p of all rows is coefficients(at) . sum of entries, up to a term free of `at`. Public.
  /// Computes   (natural . centre - log_normaliser, natural * scale)
  [[nodiscard]] Position coefficients(const Position& at) const {
    const Position natural = family_.natural(at);
    Position result(static_cast<Eigen::Index>(size()));
    result[0] = -family_.log_normaliser(at);
    for (std::size_t j = 0; j < centre_.size(); ++j) {
      const auto k = static_cast<Eigen::Index>(j);
      result[0] += natural[k] * centre_[j];
      result[k + 1] = natural[k] * scale_[j];
    }
    return result;
  }

 private:
  F family_;
  std::vector<double> centre_, scale_, reach_;
};

}  // namespace sotto
