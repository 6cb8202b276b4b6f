// Responses in ordered categories, logit link: proportional odds regression.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/response_kind.hpp"

namespace sotto::family {

/// A row is a threshold k of a response: y is the response's category 0, 1, .., and P(y > k) = 1 / (1 + exp(-eta)). Rows of one response
/// are not independent: its likelihood is in model/glm/ordered_row.hpp.
/// Source     [McC80]
struct CumulativeLogit {
  static constexpr std::string_view name = "cumulative-logit";
  static constexpr std::string_view alias = "ordinal";
  static constexpr std::string_view ratio = "odds ratio";
  [[nodiscard]] static std::string title() { return "ordinal regression (cumulative logit)"; }

  static constexpr ResponseKind response = ResponseKind::ordered;
  static constexpr Interval support{0, HUGE_VAL};
  static constexpr std::string_view needs =
      "a cumulative-logit model needs a response in three or more ordered categories: declare it with kind = "
      "\"category\" and its levels in order, or write C(y) ~ ... for a count of few values";

  static constexpr bool thresholds = true;
  static constexpr Link link = Link::logit;
  /// Between that of an even response and that of a rare one.
  [[nodiscard]] static double information(const Interval&) { return 0.2; }
};

}  // namespace sotto::family
