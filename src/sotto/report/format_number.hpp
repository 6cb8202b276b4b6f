// How numbers are written for people.
#pragma once

#include <string>

namespace sotto {

/// Four significant digits; an exponent only where the number is below 0.001 or from a million on; "-" for
/// NaN.
[[nodiscard]] std::string format_number(double x);

/// As a percentage with three significant digits: "1.6 %".
[[nodiscard]] std::string format_percent(double fraction);

/// Rounded to a whole number; "-" for NaN.
[[nodiscard]] std::string format_count(double x);

}  // namespace sotto
