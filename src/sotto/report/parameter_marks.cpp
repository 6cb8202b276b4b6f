#include "sotto/report/parameter_marks.hpp"

#include <algorithm>
#include <vector>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/format_number.hpp"

namespace sotto {

Quantiles interval_of(const Draws& draws, std::size_t parameter) {
  std::vector<double> all = pooled(draws, static_cast<Eigen::Index>(parameter));
  std::sort(all.begin(), all.end());
  const auto at = [&](double p) { return quantile_of_sorted(all, p); };
  return {at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)};
}

std::string within(double x, const Quantiles& of) { return format_within(x, of.q95 - of.q05); }

const PriorDescription* prior_of(const RunRecord& record, const std::string& parameter) {
  const auto found = std::find_if(record.priors.begin(), record.priors.end(),
                                  [&](const auto& prior) { return prior.parameter == parameter; });
  return found == record.priors.end() ? nullptr : &*found;
}

std::optional<std::size_t> same_parameter(const std::optional<Draws>& draws, const std::string& parameter) {
  if (!draws) return std::nullopt;
  const auto found = std::find(draws->parameters.begin(), draws->parameters.end(), parameter);
  if (found == draws->parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - draws->parameters.begin());
}

void mark_cut(Plot& plot, const PriorDescription& prior, Span x, double height, double half) {
  const double length = 0.02 * (x.high - x.low);
  const auto arrow = [&](double tip, double back) {
    plot.line({{back, height + half}, {tip, height}, {back, height - half}}, "cut");
  };
  if (prior.q05 < x.low) arrow(x.low + 0.2 * length, x.low + length);
  if (prior.q95 > x.high) arrow(x.high - 0.2 * length, x.high - length);
}

}  // namespace sotto
