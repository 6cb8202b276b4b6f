// Equal bins over a declared domain, and the counts in them.
#pragma once

#include <cmath>
#include <vector>

#include "sotto/channel/grid.hpp"

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
  [[nodiscard]] const Interval& domain() const { return domain_; }

 private:
  Interval domain_;
  int count_;
  double per_unit_ = 0;
};

}  // namespace sotto
