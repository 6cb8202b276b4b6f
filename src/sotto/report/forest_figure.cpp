#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sotto/base/first_names.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/parameter_marks.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

// Parameters on a scale of their own, which would squeeze the effects of columns: intercept, thresholds, spread of residuals. And
// coefficients of curves, which are drawn as such.
bool stands_apart(const RunRecord& record, const std::string& name) {
  if (std::ranges::any_of(record.curves, [&](const EffectCurve& curve) {
        return std::ranges::find(curve.parameters, name) != curve.parameters.end();
      }))
    return true;
  if (record.effects.empty() || std::ranges::find(record.effects, name) != record.effects.end()) return false;
  return name == "Intercept" || name == "sigma" || name.find('|') != std::string::npos;
}

std::vector<std::size_t> in_forest(const RunRecord& record) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < record.draws.parameters.size(); ++i)
    if (!stands_apart(record, record.draws.parameters[i])) shown.push_back(i);
  return shown;
}

// Axis of these parameters: what posterior and comparison need; the priors too unless they would dwarf them.
Span forest_span(const RunRecord& record, const std::vector<std::size_t>& shown) {
  std::vector<double> ends{0};
  std::vector<double> priors;
  for (const std::size_t i : shown) {
    const Quantiles own = interval_of(record.draws, i);
    ends.insert(ends.end(), {own.q05, own.q95});
    if (const auto j = same_parameter(record.comparison, record.draws.parameters[i])) {
      const Quantiles other = interval_of(*record.comparison, *j);
      ends.insert(ends.end(), {other.q05, other.q95});
    }
    if (const auto* prior = prior_of(record, record.draws.parameters[i])) {
      priors.insert(priors.end(), {prior->q05, prior->q95});
    }
  }
  const Span needed = span_of(ends, 0.06);
  std::vector<double> all = ends;
  all.insert(all.end(), priors.begin(), priors.end());
  const Span wide = span_of(all, 0.03);
  return wide.high - wide.low <= 3 * (needed.high - needed.low) ? wide : needed;
}

// Of a level, a share, a piece of time: in no unit of a column, so that they compare with each other. Coefficients of curves
// ("poly(age)[1]") and of products do not.
bool is_one_of_several(const std::string& name) {
  const bool of_curve = name.find(")[") != std::string::npos && !name.starts_with("C(");
  const bool of_group = name.starts_with("sd(");  // beside its levels
  return (name.ends_with(']') || of_group) && !of_curve && name.find(':') == std::string::npos;
}

// Whether an interval would look like a point on the axis of all: columns have units of their own.
bool wants_own_scales(const RunRecord& record, const std::vector<std::size_t>& shown, Span span) {
  constexpr double kPoint = 0.02;
  return std::ranges::any_of(shown, [&](std::size_t i) {
    const Quantiles own = interval_of(record.draws, i);
    return own.q95 - own.q05 < kPoint * (span.high - span.low);
  });
}

// Those that share one scale, and those that have one each.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> by_scale(
    const RunRecord& record, const std::vector<std::size_t>& shown) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> parts;
  for (const std::size_t i : shown)
    (is_one_of_several(record.draws.parameters[i]) ? parts.first : parts.second).push_back(i);
  if (parts.first.size() < 2) return {{}, shown};
  return parts;
}

std::string forest_row(const RunRecord& record, std::size_t i, Span span) {
  const std::string& name = record.draws.parameters[i];
  const Quantiles own = interval_of(record.draws, i);
  const auto other = same_parameter(record.comparison, name);
  Plot plot(span, {0, 1});
  plot.vertical(0, "zero");
  const double height = other ? 0.66 : 0.5;
  std::string cut;
  std::string description = fmt::format("{}: posterior median {}, 90 % interval {} to {}", name,
                                        within(own.q50, own), within(own.q05, own), within(own.q95, own));
  if (const auto* prior = prior_of(record, name); prior != nullptr && prior->q05 < prior->q95) {
    plot.line({{prior->q05, height}, {prior->q95, height}}, "prior");
    mark_cut(plot, *prior, span, height, 0.14);
    const double width = prior->q95 - prior->q05;
    const std::string ends =
        fmt::format("prior {} to {}", format_within(prior->q05, width), format_within(prior->q95, width));
    description += "; " + ends;
    if (prior->q05 < span.low || prior->q95 > span.high)
      cut = fmt::format("<span class=\"muted cutprior\">{}</span>", ends);
  }
  plot.line({{own.q05, height}, {own.q95, height}}, "post90");
  plot.line({{own.q25, height}, {own.q75, height}}, "post50");
  plot.dot(own.q50, height, "postring");
  plot.dot(own.q50, height, "postdot");
  if (other) {
    const Quantiles clear = interval_of(*record.comparison, *other);
    plot.line({{clear.q05, 0.22}, {clear.q95, 0.22}}, "np90");
    plot.dot(clear.q50, 0.22, "npdot");
    description +=
        fmt::format("; without privacy {} to {}", within(clear.q05, clear), within(clear.q95, clear));
  }
  return fmt::format(
      "<div class=\"frow\"><div class=\"fname\">{}</div><div class=\"fplot{}\">{}</div><div "
      "class=\"fnum\">{} "
      "<span class=\"muted\">[{}, {}]</span>{}</div></div>",
      escape_html(name), other ? " two" : "", plot.svg(description), within(own.q50, own),
      within(own.q05, own), within(own.q95, own), cut);
}

}  // namespace

std::string forest_figure(const RunRecord& record) {
  const std::vector<std::size_t> all = in_forest(record);
  std::vector<std::size_t> together = all, apart;
  if (wants_own_scales(record, all, forest_span(record, all))) {
    std::tie(together, apart) = by_scale(record, all);
  }
  std::string text;
  if (!apart.empty()) {
    text += "<div class=\"forest\">";
    for (const std::size_t i : apart) text += forest_row(record, i, forest_span(record, {i}));
    text += fmt::format("</div><p class=\"note\">{}ach of these lines has a scale of its own; dotted: 0.</p>",
                        together.empty() ? "E" : "Columns have units of their own: e");
  }
  if (!together.empty()) {
    const Span span = forest_span(record, together);
    text += "<div class=\"forest\">";
    for (const std::size_t i : together) text += forest_row(record, i, span);
    text += "<div class=\"frow faxis\"><div class=\"fname\"></div><div class=\"fplot\">" +
            Plot::x_axis(span, round_ticks(span, 5)) + "</div><div class=\"fnum\"></div></div></div>";
  }
  std::vector<std::string> left_out;
  for (const std::string& name : record.draws.parameters)
    if (stands_apart(record, name)) left_out.push_back(name);
  if (left_out.empty()) return text;
  return text + fmt::format("<p class=\"note\">On another scale{}, and so in the table alone: {}.</p>",
                            record.curves.empty() ? "" : " or of a curve",
                            escape_html(first_names(left_out)));
}

}  // namespace sotto
