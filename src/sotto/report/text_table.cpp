#include "sotto/report/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/diagnostics/summary.hpp"

namespace sotto {
namespace {

// Four significant digits without an exponent where that fits into nine places.
std::string value(double x) {
  if (std::isnan(x)) return "-";
  const double size = std::abs(x);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return fmt::format("{:.2e}", x);
  const int digits = size == 0 ? 3 : std::clamp(3 - static_cast<int>(std::floor(std::log10(size))), 0, 4);
  return fmt::format("{:.{}f}", x, digits);
}

std::string count(double x) { return std::isnan(x) ? "-" : fmt::format("{:.0f}", x); }
std::string ratio(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3f}", x); }

// Places a name takes on a terminal: continuation bytes of UTF-8 take none.
std::size_t places(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, places(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::string posterior_table(const Draws& draws, const std::optional<Draws>& comparison) {
  std::vector<std::vector<std::string>> rows{
      {"parameter", "mean", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "rhat"}};
  const std::size_t own = rows[0].size();
  if (comparison) rows[0].insert(rows[0].end(), {"mean*", "sd*"});
  const auto others = comparison ? summarise(*comparison) : std::vector<ParameterSummary>{};
  for (const ParameterSummary& line : summarise(draws)) {
    rows.push_back({line.parameter, value(line.mean), value(line.sd), value(line.q05), value(line.q50),
                    value(line.q95), count(line.ess_bulk), count(line.ess_tail), ratio(line.rhat)});
    if (!comparison) continue;
    const auto other = std::find_if(others.begin(), others.end(), [&](const auto& candidate) {
      return candidate.parameter == line.parameter;
    });
    rows.back().push_back(other == others.end() ? "-" : value(other->mean));
    rows.back().push_back(other == others.end() ? "-" : value(other->sd));
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], places(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : i == own ? "  | " : "  ") + padded(row[i], widths[i], i > 0);
    }
    text += line + "\n";
  }
  if (comparison) text += "* NOT PRIVATE: the same model fitted without noise, for comparison only\n";
  return text;
}

}  // namespace sotto
