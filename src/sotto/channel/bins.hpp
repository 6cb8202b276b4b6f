// Equal bins over a declared domain, and the counts in them.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sotto/channel/grid.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// `count` equal bins; every double falls into one of them.
class Bins {
 public:
  /// Errors: configuration unless 1 <= count <= 2^20.
  Bins(Interval domain, int count) : domain_(Grid(domain).domain()), count_(count) {
    if (count < 1 || count > (1 << 20))
      throw Error(ErrorCode::configuration, "a histogram needs 1 to 1048576 bins");
    per_unit_ = count / domain.width();
  }
  [[nodiscard]] int operator()(double y) const {
    const double x = (y - domain_.lower) * per_unit_;
    if (!(x > 0)) return 0;
    return x >= count_ ? count_ - 1 : static_cast<int>(x);
  }
  [[nodiscard]] Interval bounds(int bin) const {
    return {domain_.lower + bin / per_unit_, domain_.lower + (bin + 1) / per_unit_};
  }
  [[nodiscard]] int count() const { return count_; }
  /// Their number and width; where bounds are whole numbers and bins narrow, also those with which whole numbers lie in the middle of
  /// bins: elsewhere a bin holds one or two of them, not in its middle, and means are off.
  [[nodiscard]] std::string in_words() const {
    constexpr double kNarrow = 3;
    std::string words = fmt::format("{} bins of width {:.3g}", count_, domain_.width() / count_);
    const bool whole =
        std::floor(domain_.lower) == domain_.lower && std::floor(domain_.upper) == domain_.upper;
    if (!whole || domain_.width() < 2 || domain_.width() >= kNarrow * count_) return words;
    return words +
           fmt::format(
               " (of whole numbers --lower {:.10g} --upper {:.10g} --bins {:.0f} puts each in the middle of "
               "a bin of its own; with these bins their mean is off)",
               domain_.lower - 0.5, domain_.upper + 0.5, domain_.width() + 1);
  }
  /// Data in each bin, shape (count()).
  [[nodiscard]] std::vector<std::size_t> counts(std::span<const double> data) const {
    std::vector<std::size_t> counts(static_cast<std::size_t>(count_), 0);
    for (const double y : data) ++counts[static_cast<std::size_t>((*this)(y))];
    return counts;
  }
  /// n points, each uniform in a bin that is picked by its weight; weights below 0 count as 0. Shape of `weights`: (count()).
  [[nodiscard]] std::vector<double> draw(std::size_t n, std::span<const double> weights,
                                         ChainRng& rng) const {
    std::vector<double> cumulated(weights.size());
    double total = 0;
    for (std::size_t j = 0; j < weights.size(); ++j)
      cumulated[j] = total += std::max(0.0, weights[j]) + 1e-9;  // so that not all are 0
    std::vector<double> points(n);
    for (double& y : points) {
      const auto found = std::upper_bound(cumulated.begin(), cumulated.end(), rng.uniform() * total);
      const auto bin = std::min<std::ptrdiff_t>(found - cumulated.begin(), count_ - 1);
      const Interval inside = bounds(static_cast<int>(bin));
      y = inside.lower + rng.uniform() * inside.width();
    }
    return points;
  }
  [[nodiscard]] const Interval& domain() const { return domain_; }

 private:
  Interval domain_;
  int count_;
  double per_unit_ = 0;
};

}  // namespace sotto
