#include "sotto/report/format_number.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace sotto {

namespace {

/// 1e-06 and 4e+07 read better as 1e-6 and 4e7.
std::string shorter_exponent(std::string text) {
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  if (text[exponent + 1] == '+') text.erase(exponent + 1, 1);
  const auto zero = text.find_first_of("0123456789", exponent);
  if (text[zero] == '0') text.erase(zero, 1);
  return text;
}

constexpr int kMostDigits = 9;
constexpr int kMostDecimals = 5;  // of a small number without an exponent, so that those of a row look alike

bool is_far_from_one(double size) { return size != 0 && (size < 1e-3 || size >= 1e6); }

int decimals_of_four(double size) {
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 4);
}

/// What the third significant digit is worth.
double third_digit(double x) { return std::pow(10, std::floor(std::log10(x)) - 2); }

/// Whether a number, as it is written, is less than x by more than rounding on the way.
bool is_less(const std::string& written, double x) { return std::stod(written) < x * (1 - 1e-9); }

}  // namespace

std::string format_number(double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "infinite" : "-infinite";
  const double size = std::abs(x);
  if (is_far_from_one(size)) return shorter_exponent(fmt::format("{:.3g}", x));
  if (x == std::round(x)) return fmt::format("{:.0f}", x);
  const std::string four = fmt::format("{:.{}f}", x, decimals_of_four(size));
  const std::string shortest = fmt::format("{:.9g}", x);  // sums that were rounded up too
  return shortest.size() < four.size() ? shortest : four;
}

std::string format_known(double x, double error) {
  if (!std::isfinite(x) || x == 0 || !(error > 0) || !std::isfinite(error)) return format_number(x);
  const int known = -static_cast<int>(std::ceil(std::log10(error)));
  const int first = -static_cast<int>(std::floor(std::log10(std::abs(x))));
  if (is_far_from_one(std::abs(x)) && (first < 0 || known > kMostDecimals))
    return shorter_exponent(fmt::format("{:.{}e}", x, std::clamp(known - first, 1, kMostDigits - 1)));
  std::string text = fmt::format("{:.{}f}", x, std::max(std::min(known, first + kMostDigits - 1), 0));
  const bool nothing = text.find_first_of("123456789") == std::string::npos;
  return nothing && text.front() == '-' ? text.substr(1) : text;
}

std::string format_within(double x, double width) { return format_known(x, width / 100); }

std::string format_known_ratio(double x, double error) {
  return format_known(x, std::min(error, std::abs(x) / 100));
}

std::string format_upwards(double x) {
  if (!(x > 0) || !std::isfinite(x)) return fmt::format("{}", x);
  const double unit = std::pow(10, std::floor(std::log10(x)) - 5);
  if (!(unit > 0)) return fmt::format("{}", x);  // of the smallest numbers
  return fmt::format("{:.6g}", std::ceil(x / unit * (1 - 1e-9)) * unit);
}

std::string format_percent(double fraction) {
  const std::string text = fmt::format("{:.3g} %", 100 * fraction);
  return text == "100 %" && fraction < 1 ? fmt::format("{:.4g} %", 100 * fraction) : text;
}

std::string format_at_most(double x) {
  std::string nearest = format_number(x);
  if (!(x > 0) || !std::isfinite(x) || !is_less(nearest, x)) return nearest;
  const double unit = is_far_from_one(x) ? third_digit(x) : std::pow(10, -decimals_of_four(x));
  return format_number(x + unit / 2);  // which is the next that is written so
}

std::string format_percent_at_most(double fraction) {
  std::string nearest = format_percent(fraction);
  const double percent = 100 * fraction;
  if (!(percent > 0) || !is_less(nearest, percent)) return nearest;
  return format_percent(std::min(1.0, (percent + third_digit(percent) / 2) / 100));
}

std::string format_rhat(double x) {
  constexpr double kMost = 99;
  if (std::isnan(x)) return "-";
  return x > kMost ? ">99" : fmt::format("{:.3f}", x);
}

std::string format_count(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", x); }

}  // namespace sotto
