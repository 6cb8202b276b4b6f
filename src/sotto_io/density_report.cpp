#include "sotto_io/density_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr const char* kDrawLonger = "Draw longer (--warmup, --draws, --thin): it costs no privacy.";

// The names of at most three parameters, and how many more there are.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return names.size() > 3 ? fmt::format("{} and {} more", text, names.size() - 3) : text;
}

}  // namespace

std::string verdict(const DensityReport& report, std::size_t column,
                    const std::vector<ParameterSummary>& summary) {
  double worst = 0;  // constant quantities, such as the clusters of one row, have no R-hat
  for (const ParameterSummary& line : summary)
    if (line.rhat > worst) worst = line.rhat;
  if (!(worst > 0))
    return fmt::format("No verdict: the draws are too few to tell whether the chains have mixed. {}",
                       kDrawLonger);
  if (worst > kVerdictRhat)
    return fmt::format("No verdict: the chains have not mixed (R-hat up to {:.2f}). {}", worst, kDrawLonger);
  const ColumnDensity& c = report.result.columns[column];
  const double left = c.width / c.prior_width;
  const std::string widths =
      fmt::format("the {:g} % bands are {:.0f} % of the {} wide on average, {:.0f} % before any data",
                  100 * report.settings.level, 100 * c.width, c.discrete ? "probability" : "density",
                  100 * c.prior_width);
  const char* source = report.channel ? "release says" : "confidential data say";
  if (!(left < 0.75))
    return fmt::format("The {} next to nothing: {}. Do not read shape into the estimate.", source, widths);
  if (left >= 0.4)
    return fmt::format("The {} little: {}. Expect broad location and spread, not details.", source, widths);
  return fmt::format("The {} much: {}.{}", source, widths,
                     c.hellinger < 0.1 ? " The estimate is close to what the prior expected." : "");
}

std::vector<std::string> chain_warnings(const DensityReport& report,
                                        const std::vector<ParameterSummary>& summary) {
  std::vector<std::string> apart;
  std::vector<std::string> few;
  for (const ParameterSummary& line : summary) {
    if (rhat_verdict(line.rhat) == Verdict::poor)
      apart.push_back(fmt::format("{} ({:.2f})", line.parameter, line.rhat));
    const double ess = std::min(line.ess_bulk, line.ess_tail);
    if (ess_verdict(ess, report.settings.chains) == Verdict::poor)
      few.push_back(fmt::format("{} ({:.0f})", line.parameter, ess));
  }
  std::vector<std::string> sentences;
  if (!apart.empty())
    sentences.push_back(fmt::format("The chains have not mixed: R-hat is above {} for {}. {}", kRhatLimit,
                                    listed(apart), kDrawLonger));
  if (!few.empty())
    sentences.push_back(fmt::format("Fewer than {:.0f} effective draws for {}: means and bands are rough. {}",
                                    kEssPerChain * static_cast<double>(report.settings.chains), listed(few),
                                    kDrawLonger));
  return sentences;
}

std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x) {
  const std::vector<std::string>& levels = report.levels[column];
  return levels.empty() ? fmt::format("{:.10g}", report.result.columns[column].grid[x])
                        : levels[static_cast<std::size_t>(x)];
}

}  // namespace sotto
