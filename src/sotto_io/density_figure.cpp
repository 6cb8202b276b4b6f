#include "sotto_io/density_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

Curve curve(const Position& x, const Position& y) {
  Curve points;
  for (Eigen::Index i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  return points;
}

std::string line_drawing(const ColumnDensity& c) {
  // The whole outer band, unless it would press the rest flat.
  const double pointwise = std::max(c.bands.upper.maxCoeff(), c.prior.maxCoeff());
  const double top =
      1.03 * std::max(std::clamp(c.bands.simultaneous_upper.maxCoeff(), pointwise, 1.6 * pointwise), 1e-300);
  const Span x{c.grid[0], c.grid[c.grid.size() - 1]};
  Plot plot(x, {0, top});
  plot.band(curve(c.grid, c.bands.simultaneous_lower), curve(c.grid, c.bands.simultaneous_upper), "outer");
  plot.band(curve(c.grid, c.bands.lower), curve(c.grid, c.bands.upper), "inner");
  plot.line(curve(c.grid, c.prior), "priorline");
  if (c.deconvolution) plot.line(curve(c.grid, *c.deconvolution), "kernel");
  plot.line(curve(c.grid, c.bands.mean), "postline");
  const bool cut = c.bands.simultaneous_upper.maxCoeff() > top;
  return plot.html(
             "Posterior density of " + c.name + " with bands, prior predictive and deconvolution estimate",
             round_ticks(x, 5), round_ticks({0, top}, 4)) +
         (cut ? fmt::format("<p class=\"note\">The band for the whole curve goes on above, up to {}.</p>",
                            format_number(c.bands.simultaneous_upper.maxCoeff()))
              : "");
}

// Names of points along the axis of a phone: four have room to wrap, more where they are short.
Ticks names_of(const DensityReport& report, std::size_t d) {
  constexpr std::size_t kLetters = 40;
  const Eigen::Index points = report.result.columns[d].grid.size();
  std::size_t longest = 1;
  for (Eigen::Index at = 0; at < points; ++at)
    longest = std::max(longest, point_name(report, d, at).size() + 2);
  const auto room = static_cast<Eigen::Index>(std::max<std::size_t>(kLetters / longest, 4));
  Ticks names;
  for (Eigen::Index at = 0; at < points; at += (points + room - 1) / room)
    names.emplace_back(static_cast<double>(at), escape_html(point_name(report, d, at)));
  return names;
}

// At each point two bars for the bands, lines across for the mean, the prior and the inverted frequency.
std::string bar_drawing(const DensityReport& report, std::size_t d) {
  const ColumnDensity& c = report.result.columns[d];
  const double top = 1.03 * std::max({c.bands.simultaneous_upper.maxCoeff(), c.prior.maxCoeff(), 1e-300});
  Plot plot({-0.5, static_cast<double>(c.grid.size()) - 0.5}, {0, top});
  for (Eigen::Index at = 0; at < c.grid.size(); ++at) {
    const auto middle = static_cast<double>(at);
    const auto flat = [&](double half, double height) {
      return Curve{{middle - half, height}, {middle + half, height}};
    };
    plot.band(flat(0.3, c.bands.simultaneous_lower[at]), flat(0.3, c.bands.simultaneous_upper[at]), "outer");
    plot.band(flat(0.2, c.bands.lower[at]), flat(0.2, c.bands.upper[at]), "inner");
    plot.line(flat(0.4, c.prior[at]), "priorline");
    if (c.deconvolution) plot.line(flat(0.4, (*c.deconvolution)[at]), "kernel");
    plot.line(flat(0.4, c.bands.mean[at]), "postline");
  }
  return plot.html("Posterior probabilities of " + c.name + " with bands and prior predictive",
                   names_of(report, d), round_ticks({0, top}, 4));
}

const char* kernel_name(const ColumnDensity& c) {
  return c.discrete ? "frequencies with the noise taken out" : "deconvolution kernel estimate";
}

// At most so many points; density.csv has all.
std::string numbers(const DensityReport& report, std::size_t d) {
  constexpr Eigen::Index kMost = 40;
  const ColumnDensity& c = report.result.columns[d];
  const double percent = 100 * report.settings.level;
  std::vector<std::string> headings{escape_html(c.name), "mean", fmt::format("{:.4g} % band", percent),
                                    fmt::format("{:.4g} % band for the whole", percent), "prior"};
  if (c.deconvolution) headings.emplace_back(kernel_name(c));
  const auto band = [](double low, double high) { return format_number(low) + " to " + format_number(high); };
  std::vector<std::vector<std::string>> rows;
  const Eigen::Index step = (c.grid.size() + kMost - 1) / kMost, last = c.grid.size() - 1;
  for (Eigen::Index i = 0; i <= last; i = i == last ? last + 1 : std::min(i + step, last)) {
    rows.push_back({c.discrete ? escape_html(point_name(report, d, i)) : format_number(c.grid[i]),
                    format_number(c.bands.mean[i]), band(c.bands.lower[i], c.bands.upper[i]),
                    band(c.bands.simultaneous_lower[i], c.bands.simultaneous_upper[i]),
                    format_number(c.prior[i])});
    if (c.deconvolution) rows.back().push_back(format_number((*c.deconvolution)[i]));
  }
  return figure_table(headings, rows);
}

std::string key(const ColumnDensity& c, double level) {
  const auto mark = [](const char* style, const std::string& meaning) {
    return fmt::format("<span><i class=\"{}\"></i>{}</span>", style, meaning);
  };
  const double percent = 100 * level;
  std::string text = "<div class=\"legend\">" + mark("", "posterior mean");
  text += mark("inner", fmt::format("{:.4g} % band at each point", percent));
  text += mark("outer", fmt::format("{:.4g} % band for the whole {} at once", percent,
                                    c.discrete ? "distribution" : "curve"));
  text += mark("priorline", "what the prior alone expects");
  if (c.deconvolution) text += mark("kernel", kernel_name(c));
  return text + "</div>";
}

}  // namespace

std::string density_figure(const DensityReport& report, std::size_t column) {
  const ColumnDensity& c = report.result.columns[column];
  const std::string name = escape_html(c.name);
  return key(c, report.settings.level) + "<figure class=\"tall\">" +
         (c.discrete ? bar_drawing(report, column) : line_drawing(c)) +
         fmt::format("<figcaption>Up: {}. Across: {}.</figcaption>",
                     c.discrete ? "probability" : "density, per unit of " + name, name) +
         numbers(report, column) + "</figure>\n";
}

}  // namespace sotto
