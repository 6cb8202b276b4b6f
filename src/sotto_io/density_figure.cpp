#include "sotto_io/density_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

// The drawing: 720 by 380 units, of which the frame holds the data.
constexpr double kLeft = 70;
constexpr double kRight = 710;
constexpr double kTop = 10;
constexpr double kBottom = 320;

class Drawing {
 public:
  Drawing(Span x, double top) : x_(x), top_(top) {}

  void line(const Position& x, const Position& y, const char* style) {
    svg_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, points(x, y));
  }
  void band(const Position& x, const Position& low, const Position& high, const char* style) {
    svg_ += fmt::format("<polygon class=\"{}\" points=\"{}{}\"/>\n", style, points(x, low),
                        points(x.reverse(), high.reverse()));
  }
  void bar(double left, double right, double low, double high, const char* style) {
    svg_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                        style, across(left), down(high), across(right) - across(left),
                        std::max(0.5, down(low) - down(high)));
  }
  void x_tick(double x, const std::string& label) {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", across(x),
                        kBottom + 18, escape_html(label));
  }
  void y_ticks() {
    for (const auto& [y, label] : round_ticks({0, top_}, 5)) {
      svg_ += fmt::format(
          "<line class=\"rule\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" "
          "y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5}</text>\n",
          kLeft, kRight, down(y), kLeft - 6, down(y) + 4, label);
    }
  }
  [[nodiscard]] std::string html(const std::string& description, const std::string& x_title,
                                 const std::string& y_title) const {
    return fmt::format(
        "<svg viewBox=\"0 0 720 380\" role=\"img\" aria-label=\"{}\">\n<rect class=\"frame\" x=\"{}\" "
        "y=\"{}\" width=\"{}\" "
        "height=\"{}\"/>\n{}<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text x=\"16\" "
        "y=\"{}\" "
        "text-anchor=\"middle\" transform=\"rotate(-90 16 {})\">{}</text>\n</svg>\n",
        escape_html(description), kLeft, kTop, kRight - kLeft, kBottom - kTop, svg_, (kLeft + kRight) / 2,
        kBottom + 46, escape_html(x_title), (kTop + kBottom) / 2, (kTop + kBottom) / 2, escape_html(y_title));
  }

 private:
  [[nodiscard]] double across(double x) const {
    return kLeft + (kRight - kLeft) * (x - x_.low) / (x_.high - x_.low);
  }
  // What is higher than the frame is cut off by it.
  [[nodiscard]] double down(double y) const {
    return kBottom - (kBottom - kTop) * std::clamp(y / top_, 0.0, 1.0);
  }
  [[nodiscard]] std::string points(const Position& x, const Position& y) const {
    std::string text;
    for (Eigen::Index i = 0; i < x.size(); ++i)
      text += fmt::format("{:.1f},{:.1f} ", across(x[i]), down(y[i]));
    return text;
  }
  Span x_;
  double top_;
  std::string svg_;
};

std::string line_drawing(const ColumnDensity& c) {
  // The whole outer band, unless it would press the rest flat.
  const double pointwise = std::max(c.bands.upper.maxCoeff(), c.prior.maxCoeff());
  const double top =
      1.03 * std::max(std::clamp(c.bands.simultaneous_upper.maxCoeff(), pointwise, 1.6 * pointwise), 1e-300);
  const Span x{c.grid[0], c.grid[c.grid.size() - 1]};
  Drawing drawing(x, top);
  drawing.band(c.grid, c.bands.simultaneous_lower, c.bands.simultaneous_upper, "outer");
  drawing.band(c.grid, c.bands.lower, c.bands.upper, "inner");
  drawing.y_ticks();
  drawing.line(c.grid, c.prior, "prior");
  if (c.deconvolution) drawing.line(c.grid, *c.deconvolution, "kernel");
  drawing.line(c.grid, c.bands.mean, "mean");
  for (const auto& [at, label] : round_ticks(x, 8)) drawing.x_tick(at, label);
  return drawing.html(
      "Posterior density of " + c.name + " with bands, prior predictive and deconvolution estimate", c.name,
      "density, per unit of " + c.name);
}

// At each point two bars for the bands, lines across for the mean, the prior and the inverted frequency.
std::string bar_drawing(const DensityReport& report, std::size_t d) {
  const ColumnDensity& c = report.result.columns[d];
  const double top = 1.03 * std::max({c.bands.simultaneous_upper.maxCoeff(), c.prior.maxCoeff(), 1e-300});
  Drawing drawing({-0.5, static_cast<double>(c.grid.size()) - 0.5}, top);
  const auto bar = [&](Eigen::Index at, const Position& low, const Position& high, double share,
                       const char* style) {
    const auto middle = static_cast<double>(at);
    drawing.bar(middle - share / 2, middle + share / 2, low[at], high[at], style);
  };
  const auto across = [&](Eigen::Index at, const Position& p, const char* style) {
    const auto middle = static_cast<double>(at);
    drawing.line(Position{{middle - 0.4, middle + 0.4}}, Position{{p[at], p[at]}}, style);
  };
  drawing.y_ticks();
  for (Eigen::Index at = 0; at < c.grid.size(); ++at) {
    bar(at, c.bands.simultaneous_lower, c.bands.simultaneous_upper, 0.6, "outer");
    bar(at, c.bands.lower, c.bands.upper, 0.4, "inner");
    across(at, c.prior, "prior");
    if (c.deconvolution) across(at, *c.deconvolution, "kernel");
    across(at, c.bands.mean, "mean");
  }
  // As many names as there is room for.
  const Eigen::Index stride = std::max<Eigen::Index>(1, (c.grid.size() + 15) / 16);
  for (Eigen::Index at = 0; at < c.grid.size(); at += stride)
    drawing.x_tick(static_cast<double>(at), point_name(report, d, at));
  return drawing.html("Posterior probabilities of " + c.name + " with bands and prior predictive", c.name,
                      "probability");
}

std::string key(const ColumnDensity& c, double level) {
  const auto band = [](const char* style, const std::string& meaning) {
    return fmt::format(
        "<span><svg width=\"24\" height=\"12\"><rect class=\"{}\" width=\"24\" "
        "height=\"12\"/></svg>{}</span>\n",
        style, meaning);
  };
  const auto line = [](const char* style, const std::string& meaning) {
    return fmt::format(
        "<span><svg width=\"24\" height=\"12\"><polyline class=\"{}\" points=\"0,6 24,6\"/></svg>{}</span>\n",
        style, meaning);
  };
  const double percent = 100 * level;
  std::string text = "<figcaption class=\"key\">" + line("mean", "posterior mean");
  text += band("inner", fmt::format("{:.4g} % band at each point", percent));
  text += band("outer", fmt::format("{:.4g} % band for the whole {} at once", percent,
                                    c.discrete ? "distribution" : "curve"));
  text += line("prior", "what the prior alone expects");
  if (c.deconvolution)
    text +=
        line("kernel", c.discrete ? "frequencies with the noise taken out" : "deconvolution kernel estimate");
  return text + "</figcaption>";
}

}  // namespace

std::string density_figure(const DensityReport& report, std::size_t column) {
  const ColumnDensity& c = report.result.columns[column];
  return "<figure>" + (c.discrete ? bar_drawing(report, column) : line_drawing(c)) +
         key(c, report.settings.level) + "</figure>\n";
}

}  // namespace sotto
