// Real responses, identity link: linear regression, sigma known or not.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/law.hpp"
#include "sotto/model/response_kind.hpp"

namespace sotto::family {

struct Normal {
  std::optional<double> sigma = {};  ///< none: unknown

  static constexpr std::string_view name = "normal";
  static constexpr std::string_view alias = "gaussian";
  static constexpr std::string_view ratio = "";
  [[nodiscard]] std::string title() const {
    return sigma ? fmt::format("linear regression (normal, sigma = {:g})", *sigma)
                 : "linear regression (normal, unknown sigma)";
  }

  static constexpr ResponseKind response = ResponseKind::real;
  static constexpr Interval support{-HUGE_VAL, HUGE_VAL};
  static constexpr std::string_view needs = "a normal model needs a number as response";

  static constexpr auto residual = law::y - law::eta;
  static constexpr auto log_density = -law::log_sigma - residual * residual * (0.5 * law::precision);
  static constexpr auto score = residual * law::precision;
  static constexpr auto sigma_score = residual * residual * law::precision - 1;
  static constexpr Link link = Link::identity;

  /// Where sigma is unknown, a quarter of the responses' range stands in for it.
  [[nodiscard]] double information(const Interval& responses) const {
    const double spread = sigma.value_or(responses.width() / 4);
    return 1 / (spread * spread);
  }

  [[nodiscard]] static Interval sigma_score_range(const Interval& eta, const Interval& y,
                                                  const law::Spread& spread) {
    const double residual = std::max(y.upper - eta.lower, eta.upper - y.lower) / spread.sigma;
    return {-1, std::max(1.0, residual * residual - 1)};
  }

  /// With a = (y - eta) / sigma the log density is -log(sigma) - a^2 / 2, and both a - a' and a + a' are linear in (x, y).
  template <class Range>
  [[nodiscard]] static Interval ratio_range(const Position& from, const law::Spread& from_spread,
                                            const Position& to, const law::Spread& to_spread,
                                            const Range& linear) {
    const double u = 1 / from_spread.sigma;
    const double v = 1 / to_spread.sigma;
    const Interval product = linear(u - v, to * v - from * u) * linear(u + v, -(to * v + from * u));
    const double shift = std::log(v / u);
    return {product.lower / 2 + shift, product.upper / 2 + shift};
  }
};

}  // namespace sotto::family
