// Counts, log link: Poisson regression.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/law.hpp"
#include "sotto/model/response_kind.hpp"

namespace sotto::family {

struct Poisson {
  static constexpr std::string_view name = "poisson";
  static constexpr std::string_view alias = "";
  static constexpr std::string_view ratio = "rate ratio";
  [[nodiscard]] static std::string title() { return "Poisson regression (log)"; }

  static constexpr ResponseKind response = ResponseKind::count;
  static constexpr Interval support{0, HUGE_VAL};
  static constexpr std::string_view needs =
      "a poisson model needs a count as response: declare the column with kind = \"count\"";

  static constexpr auto log_density = law::y * law::eta - exp(law::eta);
  static constexpr auto score = law::y - exp(law::eta);
  static constexpr Link link = Link::log;
  /// That of a mean of one.
  [[nodiscard]] static double information(const Interval&) { return 1; }
};

}  // namespace sotto::family
