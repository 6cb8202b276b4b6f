// Times to an event, log hazard that is constant within pieces of time: piecewise exponential survival regression.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/law.hpp"
#include "sotto/model/response_kind.hpp"
#include "sotto/model/time_at_risk.hpp"

namespace sotto::family {

/// A row is a piece of time at risk: event d and share s of the piece, coded as 2 d + s; e^eta is the hazard times the piece's
/// length. Rows of one time multiply to the likelihood of the time, whatever ended it without an event.
/// Source     [LO81]
struct PiecewiseExponential {
  static constexpr std::string_view name = "piecewise-exponential";
  static constexpr std::string_view alias = "survival";
  static constexpr std::string_view ratio = "hazard ratio";
  [[nodiscard]] static std::string title() {
    return "survival regression (piecewise exponential, log hazard)";
  }

  static constexpr ResponseKind response = ResponseKind::time;
  static constexpr Interval support = PieceResponse::kCodes;
  static constexpr std::string_view needs =
      "a piecewise-exponential model needs a time and what ended it: write Surv(time, event) ~ ...";

  static constexpr auto event = floor(law::y * 0.5);
  static constexpr auto share = law::y - event * 2;
  static constexpr auto log_density = event * law::eta - share * exp(law::eta);
  static constexpr auto score = event - share * exp(law::eta);
  /// It neither rises nor falls in the code.
  [[nodiscard]] static Interval score_range(const Interval& eta) { return {-std::exp(eta.upper), 1}; }
  static constexpr Link link = Link::log_rate;
  /// That of a piece in which one of ten has the event.
  [[nodiscard]] static double information(const Interval&) { return 0.1; }
};

}  // namespace sotto::family
