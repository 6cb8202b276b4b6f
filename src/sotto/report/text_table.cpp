#include "sotto/report/text_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/format_number.hpp"

namespace sotto {
namespace {

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
    const double error =
        line.mcse_mean / 2;  // one number of decimals in a row, as far as the draws know them
    rows.push_back({line.parameter, format_known(line.mean, error), format_known(line.sd, error),
                    format_known(line.q05, error), format_known(line.q50, error),
                    format_known(line.q95, error), format_count(line.ess_bulk), format_count(line.ess_tail),
                    format_rhat(line.rhat)});
    if (!comparison) continue;
    const auto other = std::find_if(others.begin(), others.end(), [&](const auto& candidate) {
      return candidate.parameter == line.parameter;
    });
    rows.back().push_back(other == others.end() ? "-" : format_known(other->mean, other->mcse_mean / 2));
    rows.back().push_back(other == others.end() ? "-" : format_known(other->sd, other->mcse_mean / 2));
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
