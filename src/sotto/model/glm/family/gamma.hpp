// Responses that are not negative and vary the more the larger their mean is, log link: gamma regression of costs and times.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/law.hpp"
#include "sotto/model/response_kind.hpp"

namespace sotto::family {

/// Responses are counted in so many steps of their upper bound. Where means are many steps, negative binomial counts of variance
/// m + a m^2 are gamma responses of shape 1 / a, so release-once takes them for counts, and finds a. The law below is that of shape 1:
/// it gives the score up to a factor, and no chain takes it for the likelihood.
struct Gamma {
  static constexpr std::string_view name = "gamma";
  static constexpr std::string_view alias = "Gamma";
  static constexpr std::string_view ratio = "ratio of means";
  [[nodiscard]] static std::string title() { return "gamma regression (log)"; }

  static constexpr ResponseKind response = ResponseKind::real;
  static constexpr Interval support{0, HUGE_VAL};
  static constexpr std::string_view needs =
      "a gamma model needs a response that is not negative: declare its bounds from 0 on";
  static constexpr double steps = 1e5;

  static constexpr auto log_density = -(law::y * exp(-law::eta)) - law::eta;
  static constexpr auto score = law::y * exp(-law::eta) - 1;
  static constexpr Link link = Link::log;
  /// Of shape 1.
  [[nodiscard]] static double information(const Interval&) { return 1; }
};

}  // namespace sotto::family
