// A small figure: lines, areas and dots in inline SVG that stretches to any width; axis labels are plain text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto {

/// Text made safe for HTML content and attributes.
[[nodiscard]] std::string escape_html(std::string_view text);

/// An interval of an axis; never empty.
struct Span {
  double low = 0;
  double high = 1;
};

/// The least span that holds all finite `values`, with a margin on both sides as a fraction of its width.
[[nodiscard]] Span span_of(const std::vector<double>& values, double margin);

/// Where an axis is labelled.
using Ticks = std::vector<std::pair<double, std::string>>;

/// About `count` round numbers inside a span, and two at least.
[[nodiscard]] Ticks round_ticks(Span span, int count);

using Curve = std::vector<std::pair<double, double>>;  ///< points (x, y)

/// Marks are added in painting order; `style` is a class of the page's style sheet. Points that are not
/// finite are left out, those outside the spans are cut off by the edge.
class Plot {
 public:
  Plot(Span x, Span y) : x_(x), y_(y) {}
  void line(const Curve& points, std::string_view style);
  /// Between the curve and the height `base`.
  void area(const Curve& points, double base, std::string_view style);
  /// Between two curves.
  void band(const Curve& lower, const Curve& upper, std::string_view style);
  void dot(double x, double y, std::string_view style);
  void horizontal(double y, std::string_view style) { line({{x_.low, y}, {x_.high, y}}, style); }
  void vertical(double x, std::string_view style) { line({{x, y_.low}, {x, y_.high}}, style); }

  /// The marks alone, as wide as their container. `description` is read out by assistive technology; an empty
  /// one hides the figure from it.
  [[nodiscard]] std::string svg(std::string_view description) const;
  /// With axes. No ticks, no axis.
  [[nodiscard]] std::string html(std::string_view description, const Ticks& x, const Ticks& y) const;

  /// Labels below a figure, by their place on the x axis.
  [[nodiscard]] static std::string x_axis(Span span, const Ticks& ticks);

 private:
  [[nodiscard]] std::string path(const Curve& points) const;
  Span x_;
  Span y_;
  std::string marks_;
};

}  // namespace sotto
