#include <fmt/format.h>

#include <algorithm>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

struct Band {
  Curve lower, median, upper;
};

/// Of the curve at each of its points over all draws; empty where these lack a coefficient of it.
Band band_of(const EffectCurve& curve, const Draws& draws) {
  if (curve.parameters.empty()) return {};
  std::vector<std::vector<double>> coefficients;
  for (const std::string& name : curve.parameters) {
    const auto found = std::ranges::find(draws.parameters, name);
    if (found == draws.parameters.end()) return {};
    coefficients.push_back(pooled(draws, found - draws.parameters.begin()));
  }
  Band band;
  std::vector<double> values(coefficients.front().size());
  if (values.empty()) return {};
  for (std::size_t i = 0; i < curve.at.size(); ++i) {
    std::ranges::fill(values, 0.0);
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      const double weight = curve.weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      for (std::size_t draw = 0; draw < values.size(); ++draw) values[draw] += weight * coefficients[k][draw];
    }
    std::ranges::sort(values);
    band.lower.emplace_back(curve.at[i], quantile_of_sorted(values, 0.05));
    band.median.emplace_back(curve.at[i], quantile_of_sorted(values, 0.5));
    band.upper.emplace_back(curve.at[i], quantile_of_sorted(values, 0.95));
  }
  return band;
}

std::string numbers_of(const EffectCurve& curve, const Band& band) {
  constexpr std::size_t kEvery = 5;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < curve.at.size(); i += kEvery) {
    const double width = band.upper[i].second - band.lower[i].second;
    rows.push_back({format_number(curve.at[i]), format_within(band.median[i].second, width),
                    format_within(band.lower[i].second, width), format_within(band.upper[i].second, width)});
  }
  return figure_table({escape_html(curve.column), "50 %", "5 %", "95 %"}, rows);
}

std::string one_curve(const RunRecord& record, const EffectCurve& curve) {
  const Band band = band_of(curve, record.draws);
  if (band.median.empty()) return {};
  const Band clear = record.comparison ? band_of(curve, *record.comparison) : Band{};
  std::vector<double> heights{0};
  for (const Curve* line : {&band.lower, &band.upper, &clear.median})
    for (const auto& [x, y] : *line) heights.push_back(y);
  const Span x{curve.at.front(), curve.at.back()};
  const Span y = span_of(heights, 0.05);
  Plot plot(x, y);
  plot.band(band.lower, band.upper, "inner");
  plot.horizontal(0, "zero");
  plot.line(band.median, "postline");
  if (!clear.median.empty()) plot.line(clear.median, "npline");
  return fmt::format(
      "<figure class=\"tall\">{}<figcaption>Effect of {} along its curve, on the scale of the coefficients: "
      "what each "
      "value adds to the linear predictor beside {}, the middle of the declared bounds. Line: median; band: "
      "90 % "
      "interval at each point.</figcaption>{}</figure>",
      plot.html("Effect of " + curve.column + " along its curve", round_ticks(x, 5), round_ticks(y, 4)),
      escape_html(curve.column), format_number(x.low + (x.high - x.low) / 2), numbers_of(curve, band));
}

}  // namespace

std::string curve_figures(const RunRecord& record) {
  std::string text;
  for (const EffectCurve& curve : record.curves) text += one_curve(record, curve);
  return text;
}

}  // namespace sotto
