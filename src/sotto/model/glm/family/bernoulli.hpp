// Binary responses, logit link: logistic regression.
#pragma once

#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/law.hpp"
#include "sotto/model/response_kind.hpp"

namespace sotto::family {

struct Bernoulli {
  static constexpr std::string_view name = "bernoulli";
  static constexpr std::string_view alias = "binomial";
  static constexpr std::string_view ratio = "odds ratio";
  [[nodiscard]] static std::string title() { return "logistic regression (bernoulli, logit)"; }

  static constexpr ResponseKind response = ResponseKind::binary;
  static constexpr Interval support{0, 1};
  static constexpr std::string_view needs =
      "a bernoulli model (the default family) needs a binary response: declare the column binary, compare "
      "it, "
      "as in 'y > 0 ~ x', or choose --family poisson for counts, gamma for costs, normal for other numbers "
      "and survival for Surv(time, event)";

  /// -log(1 + e^t) with t = eta for y = 0 and -eta for y = 1
  static constexpr auto log_density = -softplus(law::eta * (1 - 2 * law::y));
  static constexpr auto score = law::y - logistic(law::eta);
  static constexpr Link link = Link::logit;
  /// Between that of an even response and that of a rare one.
  [[nodiscard]] static double information(const Interval&) { return 0.2; }
};

}  // namespace sotto::family
