#include "sotto_io/density_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/report/format_number.hpp"

namespace sotto {

std::string draw_longer(const DensityReport& report) {
  const DensityResult& r = report.result;
  return fmt::format("Draw longer, as with --warmup {} --thin {}{}",
                     r.warmup + report.settings.draws * r.thin, 2 * r.thin,
                     report.channel ? ": it costs no privacy." : ".");
}

Learned learned(const ColumnDensity& column) {
  if (!(column.width < kNextToNothing * column.prior_width)) return Learned::next_to_nothing;
  return column.width < kMuch * column.prior_width && column.width < 1 ? Learned::much : Learned::little;
}

bool has_verdict(const DensityReport& report) {
  const double worst = worst_rhat(report.diagnostics);
  return worst > 0 && worst <= kMixedRhat;
}

std::string verdict(const DensityReport& report, std::size_t column) {
  const double worst = worst_rhat(report.diagnostics);
  if (!(worst > 0))
    return "No verdict: the draws are too few to tell whether the chains have mixed. " + draw_longer(report);
  if (worst > kMixedRhat)
    return fmt::format("No verdict: the chains have not mixed (R-hat up to {:.2f}). {}", worst,
                       draw_longer(report));
  const ColumnDensity& c = report.result.columns[column];
  const std::string widths =
      fmt::format("the {:g} % bands are {:.0f} % of the {} wide on average, {:.0f} % before any data",
                  100 * report.settings.level, 100 * c.width, c.discrete ? "probability" : "density",
                  100 * c.prior_width);
  const char* source = report.channel ? "release says" : "confidential data say";
  switch (learned(c)) {
    case Learned::next_to_nothing:
      return fmt::format("The {} next to nothing: {}. Do not read shape into the estimate.", source, widths);
    case Learned::little:
      return fmt::format("The {} little: {}. Expect broad location and spread, not details.", source, widths);
    case Learned::much:
      break;
  }
  return fmt::format("The {} much: {}.{}", source, widths,
                     c.hellinger < 0.1 ? " The estimate is close to what the prior expected." : "");
}

std::vector<std::string> release_of(const ChannelFile& file) {
  std::vector<std::string> fingerprints;
  for (const auto& [column, fingerprint] : file.fingerprints) fingerprints.push_back(fingerprint);
  return fingerprints;
}

std::vector<std::string> release_of(const DensityReport& report) {
  return report.channel ? release_of(*report.channel) : std::vector<std::string>();
}

std::vector<std::string> illegal_cells(const DensityReport& report) {
  std::vector<std::string> sentences;
  if (!report.channel) return sentences;
  for (const Column& column : report.channel->columns)
    if (std::ranges::find(report.result.columns, column.settings.name, &ColumnDensity::name) !=
        report.result.columns.end())
      sentences.push_back(illegal_cells(column));
  return sentences;
}

bool draws_are_private(const DensityReport& report) { return report.channel && report.channel->is_private; }

bool is_private(const DensityReport& report) {
  return draws_are_private(report) && report.agreement_is_private && report.differences_are_private;
}

std::string quantity_name(const DensityReport& report, const std::string& parameter) {
  const auto& all = report.result.quantities;
  const auto found = std::ranges::find(all, parameter, &QuantityEstimate::parameter);
  if (found != all.end()) return found->text;
  const auto& points = report.result.log_densities;
  const auto point = std::ranges::find(points, parameter, &MonitoredDensity::parameter);
  if (point == points.end()) return parameter;
  const std::vector<ColumnDensity>& columns = report.result.columns;
  const std::string at = point_name(report, point->column, point->at);
  return columns.size() == 1 ? "log density at " + at
                             : fmt::format("log density of {} at {}", columns[point->column].name, at);
}

std::string from_to(double lower, double upper) {
  return fmt::format("{} to {}", format_within(lower, upper - lower), format_within(upper, upper - lower));
}

std::string sentence(const QuantityEstimate& q, double level) {
  return fmt::format("{}: {} ({:g} % interval {}; before any data {})", q.text,
                     format_within(q.mean, q.upper - q.lower), 100 * level, from_to(q.lower, q.upper),
                     from_to(q.prior_lower, q.prior_upper));
}

std::string sentence(const QuantityDifference& d, double level) {
  return fmt::format("{}, less the other group's: {} ({:g} % interval {}; above 0 with probability {:.3f})",
                     d.text, format_within(d.mean, d.upper - d.lower), 100 * level, from_to(d.lower, d.upper),
                     d.positive);
}

bool ended_early(const DensityReport& report) {
  const std::vector<Chain>& chains = report.result.draws.chains;
  return std::any_of(chains.begin(), chains.end(),
                     [](const Chain& chain) { return chain.stop == StopReason::interrupted; });
}

std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x) {
  const std::vector<std::string>& levels = report.levels[column];
  return levels.empty() ? fmt::format("{:.10g}", report.result.columns[column].grid[x])
                        : levels[static_cast<std::size_t>(x)];
}

}  // namespace sotto
