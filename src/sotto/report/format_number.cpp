#include "sotto/report/format_number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {

std::string format_number(double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "infinite" : "-infinite";
  const double size = std::abs(x);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.3g}", x);
  if (x == std::round(x)) return fmt::format("{:.0f}", x);
  return fmt::format("{:.{}f}", x, std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 4));
}

std::string format_percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }

std::string format_count(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", x); }

}  // namespace sotto
