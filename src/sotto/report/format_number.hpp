// How numbers are written for people.
#pragma once

#include <string>

namespace sotto {

/// Four significant digits, or fewer that are all of it but for one in 1e9; an exponent only where the number is below 0.001 or from a million on; "-" for
/// NaN.
[[nodiscard]] std::string format_number(double x);

/// The digits of which the last is worth `error`, a standard error, or more, but nine significant digits at the most, and an exponent of small numbers where more than five decimals are known; as above where it is 0 or unknown.
[[nodiscard]] std::string format_known(double x, double error);

/// An end or a middle of an interval of this width: two to three digits of what it says.
[[nodiscard]] std::string format_within(double x, double width);

/// `format_known` of a ratio: at least two significant digits, so that none looks like 0.
[[nodiscard]] std::string format_known_ratio(double x, double error);

/// Of a bound from above, or of noise that is enough: six significant digits, rounded up but for one in 1e9.
[[nodiscard]] std::string format_upwards(double x);

/// Of what is promised: as format_number, rounded up but for one in 1e9.
[[nodiscard]] std::string format_at_most(double x);

/// As a percentage with three significant digits: "1.6 %".
[[nodiscard]] std::string format_percent(double fraction);

/// The same, rounded up.
[[nodiscard]] std::string format_percent_at_most(double fraction);

/// Three decimals, or ">99" where more says nothing more; "-" for NaN.
[[nodiscard]] std::string format_rhat(double x);

/// Rounded to a whole number; "-" for NaN.
[[nodiscard]] std::string format_count(double x);

}  // namespace sotto
