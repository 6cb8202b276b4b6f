// The declared grid on which additive channels are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"

namespace sotto {

/// `steps` equal steps over a declared domain; position k (any integer, also outside 0 .. steps) is lower + k
/// step. Two data differ by at most `steps` steps: that integer is the sensitivity of every additive channel.
class Grid {
 public:
  static constexpr long long kDefaultSteps = 1LL << 20;

  /// Errors: configuration unless lower < upper are finite and 1 <= steps <= 2^30.
  explicit Grid(Interval domain, long long steps = kDefaultSteps) : domain_(domain), steps_(steps) {
    const double width = domain.upper - domain.lower;
    if (!std::isfinite(domain.lower) || !std::isfinite(domain.upper) || !(domain.lower < domain.upper) ||
        !std::isfinite(width)) {
      throw Error(ErrorCode::configuration, "lower and upper must be finite numbers with lower < upper");
    }
    if (steps < 1 || steps > (1LL << 30)) {
      throw Error(ErrorCode::configuration, "a channel's grid needs 1 to 2^30 steps");
    }
    step_ = width / static_cast<double>(steps);
    if (!(step_ > 0) || !(domain.lower + step_ > domain.lower) || !(domain.upper - step_ < domain.upper)) {
      throw Error(ErrorCode::configuration,
                  "the channel's bounds are too close for its grid; use fewer steps");
    }
  }

  /// The nearest grid point inside the domain, for any double; NaN goes to the lower end.
  [[nodiscard]] long long index(double y) const {
    if (!(y > domain_.lower)) return 0;
    if (y >= domain_.upper) return steps_;
    return std::clamp(static_cast<long long>(std::nearbyint((y - domain_.lower) / step_)), 0LL, steps_);
  }
  [[nodiscard]] double position(double k) const { return domain_.lower + k * step_; }
  /// z in steps from the lower end; not rounded.
  [[nodiscard]] double steps_to(double z) const { return (z - domain_.lower) / step_; }
  /// The position that z is, up to the rounding of `position`; nothing when z lies between positions.
  [[nodiscard]] std::optional<std::int64_t> whole_steps(double z) const {
    const double x = steps_to(z);
    const double tolerance = 1e-3 + 1e-15 * std::max(std::abs(z), domain_.magnitude()) / step_;
    if (!(std::abs(x - std::nearbyint(x)) <= tolerance)) return std::nullopt;
    return std::llround(x);
  }

  [[nodiscard]] const Interval& domain() const { return domain_; }
  [[nodiscard]] long long steps() const { return steps_; }
  [[nodiscard]] double step() const { return step_; }

 private:
  Interval domain_;
  long long steps_;
  double step_ = 0;
};

}  // namespace sotto
