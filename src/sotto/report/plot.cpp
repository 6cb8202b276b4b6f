#include "sotto/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sotto {
namespace {

constexpr double kSide = 1000;  // of the drawing's own coordinate system

double place(Span span, double value) { return (value - span.low) / (span.high - span.low); }

/// 1, 2 or 5 times a power of ten, at least `raw`.
double round_step(double raw) {
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

// Of where a span lies: rounding would decide where the marks of narrower ones stand, or whether there is a next one at all.
constexpr double kNarrowestSpan = 1e-9;

bool two_within(Span span, double step) { return (std::ceil(span.low / step) + 1) * step <= span.high; }

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

Span span_of(const std::vector<double>& values, double margin) {
  Span span{HUGE_VAL, -HUGE_VAL};
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    span.low = std::min(span.low, value);
    span.high = std::max(span.high, value);
  }
  if (span.low > span.high) return {0, 1};
  const double width = span.high - span.low;
  const bool wide = width > kNarrowestSpan * std::max(std::abs(span.low), std::abs(span.high));
  const double pad = wide ? margin * width : std::max(std::abs(span.low) * 0.1, 1e-9);
  return {span.low - pad, span.high + pad};
}

Ticks round_ticks(Span span, int count) {
  Ticks ticks;
  double step = round_step((span.high - span.low) / count);
  const double far = std::max(std::abs(span.low), std::abs(span.high));
  if (!(step > kNarrowestSpan * far) || !std::isfinite(step)) return ticks;
  while (!two_within(span, step)) step = round_step(step / 3);  // one number tells no scale
  const int digits = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 8);
  for (double k = std::ceil(span.low / step); k * step <= span.high; ++k) {
    const double value = k == 0 ? 0 : k * step;
    const double size = std::abs(value);
    ticks.emplace_back(value, size >= 1e6 || (size > 0 && size < 1e-4)
                                  ? fmt::format("{:.2g}", value)
                                  : fmt::format("{:.{}f}", value, digits));
  }
  return ticks;
}

std::string Plot::path(const Curve& points) const {
  fmt::memory_buffer path;
  bool pen_down = false;
  for (const auto& [x, y] : points) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
      pen_down = false;
      continue;
    }
    // Far outside the edge is as good as a little outside, and keeps the numbers short.
    const double across = std::clamp(place(x_, x), -1.0, 2.0) * kSide;
    const double down = (1 - std::clamp(place(y_, y), -1.0, 2.0)) * kSide;
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', across, down);
    pen_down = true;
  }
  return fmt::to_string(path);
}

void Plot::line(const Curve& points, std::string_view style) {
  marks_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", style, path(points));
}

void Plot::area(const Curve& points, double base, std::string_view style) {
  if (points.empty()) return;
  Curve closed = points;
  closed.insert(closed.begin(), {points.front().first, base});
  closed.emplace_back(points.back().first, base);
  marks_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>", style, path(closed));
}

void Plot::band(const Curve& lower, const Curve& upper, std::string_view style) {
  Curve closed = lower;
  closed.insert(closed.end(), upper.rbegin(), upper.rend());
  marks_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>", style, path(closed));
}

// A line of no length with round ends stays a round dot however the drawing is stretched.
void Plot::dot(double x, double y, std::string_view style) { line({{x, y}, {x, y}}, style); }

std::string Plot::svg(std::string_view description) const {
  const std::string meaning = description.empty()
                                  ? "aria-hidden=\"true\""
                                  : fmt::format("role=\"img\" aria-label=\"{}\"", escape_html(description));
  return fmt::format("<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" {}>{}</svg>", meaning,
                     marks_);
}

std::string Plot::x_axis(Span span, const Ticks& ticks) {
  std::string text = "<div class=\"xaxis\" aria-hidden=\"true\">";
  for (const auto& [value, label] : ticks) {
    // Labels at the ends stay inside.
    const double at = place(span, value);
    const char* side = at < 0.06 ? " class=\"low\"" : at > 0.94 ? " class=\"high\"" : "";
    text += fmt::format("<span{} style=\"left:{:.2f}%\">{}</span>", side, 100 * at, label);
  }
  return text + "</div>";
}

std::string Plot::html(std::string_view description, const Ticks& x, const Ticks& y) const {
  std::string text = fmt::format("<div class=\"plot{}\">", y.empty() ? "" : " withy");
  if (!y.empty()) {
    text += "<div class=\"yaxis\" aria-hidden=\"true\">";
    for (const auto& [value, label] : y) {
      text += fmt::format("<span style=\"top:{:.2f}%\">{}</span>", 100 * (1 - place(y_, value)), label);
    }
    text += "</div>";
  }
  return text + "<div class=\"area\">" + svg(description) + "</div>" + (x.empty() ? "" : x_axis(x_, x)) +
         "</div>";
}

}  // namespace sotto
