#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "sotto/base/first_names.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

struct Interval {
  double q05, q25, q50, q75, q95;
};

Interval interval_of(const Draws& draws, std::size_t parameter) {
  std::vector<double> all = pooled(draws, static_cast<Eigen::Index>(parameter));
  std::sort(all.begin(), all.end());
  const auto at = [&](double p) { return quantile_of_sorted(all, p); };
  return {at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)};
}

std::string within(double x, const Interval& of) { return format_within(x, of.q95 - of.q05); }

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

// At most `most` entries, evenly spaced.
std::vector<double> thinned(const std::vector<double>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<double> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(all[i * all.size() / most]);
  return kept;
}

// Gaussian kernel density estimate on an even grid, by Silverman's rule for the width [S86, equation 3.31].
Curve density_of(std::vector<double> sample) {
  std::erase_if(sample, [](double x) { return !std::isfinite(x); });
  sample = thinned(sample, 4000);
  if (sample.size() < 2) return {};
  std::sort(sample.begin(), sample.end());
  const Eigen::Map<const Eigen::ArrayXd> x(sample.data(), static_cast<Eigen::Index>(sample.size()));
  const double sd = std::sqrt((x - x.mean()).square().sum() / static_cast<double>(sample.size() - 1));
  const double spread = (quantile_of_sorted(sample, 0.75) - quantile_of_sorted(sample, 0.25)) / 1.349;
  const double width =
      0.9 * (spread > 0 ? std::min(sd, spread) : sd) * std::pow(static_cast<double>(sample.size()), -0.2);
  if (!(width > 0)) return {};
  Curve curve;
  constexpr int kPoints = 120;
  // The outermost draws may lie far out; the curve ends where its tails are flat.
  const double low = std::max(x.minCoeff(), quantile_of_sorted(sample, 0.001) - 2 * width) - 3 * width;
  const double high = std::min(x.maxCoeff(), quantile_of_sorted(sample, 0.999) + 2 * width) + 3 * width;
  for (int i = 0; i <= kPoints; ++i) {
    const double at = low + (high - low) * i / kPoints;
    curve.emplace_back(at, (-((x - at) / width).square() / 2).exp().mean() / (width * std::sqrt(2 * M_PI)));
  }
  return curve;
}

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

// Arrows where a prior's bar goes on beyond the figure. `half`: half an arrow's height.
void mark_cut(Plot& plot, const PriorDescription& prior, Span x, double height, double half) {
  const double length = 0.02 * (x.high - x.low);
  const auto arrow = [&](double tip, double back) {
    plot.line({{back, height + half}, {tip, height}, {back, height - half}}, "cut");
  };
  if (prior.q05 < x.low) arrow(x.low + 0.2 * length, x.low + length);
  if (prior.q95 > x.high) arrow(x.high - 0.2 * length, x.high - length);
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
    const Interval own = interval_of(record.draws, i);
    ends.insert(ends.end(), {own.q05, own.q95});
    if (const auto j = same_parameter(record.comparison, record.draws.parameters[i])) {
      const Interval other = interval_of(*record.comparison, *j);
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
    const Interval own = interval_of(record.draws, i);
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
  const Interval own = interval_of(record.draws, i);
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
    const Interval clear = interval_of(*record.comparison, *other);
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

std::string card(const std::string& name, const std::string& figure) {
  return fmt::format("<div class=\"card\"><h3>{}</h3>{}</div>", escape_html(name), figure);
}

std::string cards_of(const RunRecord& record, std::string (*figure)(const RunRecord&, std::size_t)) {
  std::string text = "<div class=\"cards\">";
  for (std::size_t i = 0; i < std::min(record.draws.parameters.size(), kFigures); ++i)
    text += figure(record, i);
  text += "</div>";
  if (record.draws.parameters.size() > kFigures) {
    text += fmt::format("<p class=\"muted\">The first {} of {} parameters.</p>", kFigures,
                        record.draws.parameters.size());
  }
  return text;
}

std::string density_card(const RunRecord& record, std::size_t i) {
  const std::string& name = record.draws.parameters[i];
  const Curve own = density_of(pooled(record.draws, static_cast<Eigen::Index>(i)));
  if (own.empty()) return card(name, "<p class=\"muted\">constant, or too few draws</p>");
  Curve clear;
  if (const auto j = same_parameter(record.comparison, name)) {
    clear = density_of(pooled(*record.comparison, static_cast<Eigen::Index>(*j)));
  }
  std::vector<double> across;
  double top = 0;
  double clear_top = 0;
  for (const auto& [x, y] : own) across.push_back(x), top = std::max(top, y);
  for (const auto& [x, y] : clear) across.push_back(x), clear_top = std::max(clear_top, y);
  // A comparison far sharper than the posterior would press the latter flat; its peak is cut off then.
  top = std::max(top, std::min(clear_top, 4 * top));
  const Span x = span_of(across, 0.02);
  Plot plot(x, {-0.09 * top, 1.06 * top});
  if (x.low < 0 && x.high > 0) plot.vertical(0, "zero");
  if (const auto* prior = prior_of(record, name); prior != nullptr && prior->q05 < prior->q95) {
    plot.line({{prior->q05, -0.045 * top}, {prior->q95, -0.045 * top}}, "prior thin");
    mark_cut(plot, *prior, x, -0.045 * top, 0.035 * top);
  }
  plot.area(own, 0, "shade");
  plot.line(own, "postline");
  if (!clear.empty()) plot.line(clear, "npline");
  return card(name, plot.html("Posterior density of " + name, round_ticks(x, 4), {}));
}

std::string trace_card(const RunRecord& record, std::size_t i) {
  const auto parameter = static_cast<Eigen::Index>(i);
  std::vector<double> all = pooled(record.draws, parameter);
  double longest = 1;
  for (const Chain& chain : record.draws.chains)
    longest = std::max(longest, static_cast<double>(chain.draws.rows()));
  const Span x{1, std::max(longest, 2.0)};
  Plot plot(x, span_of(all, 0.05));
  constexpr Eigen::Index kMost = 400;
  for (std::size_t c = 0; c < record.draws.chains.size(); ++c) {
    const Matrix& draws = record.draws.chains[c].draws;
    const Eigen::Index shown = std::min(draws.rows(), kMost);
    Curve line;
    for (Eigen::Index k = 0; k < shown; ++k) {
      const Eigen::Index at = k * draws.rows() / shown;
      line.emplace_back(static_cast<double>(at + 1), draws(at, parameter));
    }
    plot.line(line, fmt::format("trace k{}", c % 6));
  }
  return card(record.draws.parameters[i],
              plot.html("Draws of " + record.draws.parameters[i] + " in their order", round_ticks(x, 3),
                        round_ticks(span_of(all, 0.05), 3)));
}

// Of each chain (a column) the share of its draws in every slice of the ranks of all draws, 1 where chains agree; empty for too few
// draws.
Matrix rank_shares(const RunRecord& record, std::size_t i) {
  const Matrix x = sequences(record.draws, static_cast<Eigen::Index>(i));
  if (x.rows() < 4 || !x.allFinite()) return {};
  const Matrix ranks = average_ranks(x);
  const auto bins = std::clamp<Eigen::Index>(x.rows() / 10, 2, 20);
  Matrix share = Matrix::Zero(bins, x.cols());
  const auto total = static_cast<double>(x.size());
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (Eigen::Index k = 0; k < x.rows(); ++k) {
      const auto bin = std::min(
          bins - 1, static_cast<Eigen::Index>((ranks(k, c) - 0.5) / total * static_cast<double>(bins)));
      share(bin, c) += static_cast<double>(bins) / static_cast<double>(x.rows());
    }
  }
  return share;
}

std::string rank_card(const RunRecord& record, std::size_t i) {
  const Matrix share = rank_shares(record, i);
  if (share.size() == 0) return card(record.draws.parameters[i], "<p class=\"muted\">too few draws</p>");
  Plot plot({0, 1}, {0, std::max(2.0, share.maxCoeff() * 1.05)});
  plot.horizontal(1, "zero");
  const auto bins = static_cast<double>(share.rows());
  for (Eigen::Index c = 0; c < share.cols(); ++c) {
    Curve steps;
    for (Eigen::Index b = 0; b < share.rows(); ++b) {
      steps.emplace_back(static_cast<double>(b) / bins, share(b, c));
      steps.emplace_back(static_cast<double>(b + 1) / bins, share(b, c));
    }
    plot.line(steps, fmt::format("trace k{}", c % 6));
  }
  return card(record.draws.parameters[i],
              plot.html("Ranks of the draws of " + record.draws.parameters[i] + " by chain", {}, {}));
}

using TableRow = std::vector<std::string>;

// The figures of `cards_of` in numbers: a line for each parameter, its name first.
std::string numbers_of(const RunRecord& record, TableRow headings,
                       TableRow (*cells)(const RunRecord&, std::size_t)) {
  headings.insert(headings.begin(), "parameter");
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < std::min(record.draws.parameters.size(), kFigures); ++i) {
    rows.push_back(cells(record, i));
    rows.back().insert(rows.back().begin(), escape_html(record.draws.parameters[i]));
  }
  return figure_table(headings, rows);
}

constexpr std::array kTableQuantiles{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

TableRow quantile_cells(const RunRecord& record, std::size_t i) {
  std::vector<double> all = pooled(record.draws, static_cast<Eigen::Index>(i));
  std::sort(all.begin(), all.end());
  TableRow cells;
  const double width = quantile_of_sorted(all, 0.95) - quantile_of_sorted(all, 0.05);
  for (const double p : kTableQuantiles) cells.push_back(format_within(quantile_of_sorted(all, p), width));
  return cells;
}

TableRow mean_cells(const RunRecord& record, std::size_t i) {
  const Interval all = interval_of(record.draws, i);
  TableRow cells;
  for (const Chain& chain : record.draws.chains)
    cells.push_back(
        within(chain.draws.rows() == 0 ? NAN : chain.draws.col(static_cast<Eigen::Index>(i)).mean(), all));
  return cells;
}

TableRow share_cells(const RunRecord& record, std::size_t i) {
  const Matrix share = rank_shares(record, i);
  if (share.size() == 0) return TableRow(record.draws.chains.size(), "-");
  TableRow cells;
  for (const auto& chain : share.colwise())
    cells.push_back(fmt::format("{:.2f} to {:.2f}", chain.minCoeff(), chain.maxCoeff()));
  return cells;
}

TableRow chain_headings(const RunRecord& record, const char* what) {
  TableRow headings;
  for (std::size_t c = 1; c <= record.draws.chains.size(); ++c)
    headings.push_back(fmt::format("chain {}, {}", c, what));
  return headings;
}

}  // namespace

std::string not_private_badge() { return "<span class=\"badge\">NOT PRIVATE</span>"; }

std::string legend(const RunRecord& record) {
  std::string text = "<div class=\"legend\"><span><i></i>posterior</span>";
  if (!record.priors.empty()) text += "<span><i class=\"p\"></i>prior, 90 %</span>";
  if (record.comparison) text += "<span><i class=\"n\"></i>without privacy" + not_private_badge() + "</span>";
  return text + "</div>";
}

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

std::string density_figures(const RunRecord& record) {
  TableRow headings;
  for (const double p : kTableQuantiles) headings.push_back(fmt::format("{:g} %", 100 * p));
  return cards_of(record, density_card) + numbers_of(record, headings, quantile_cells);
}

std::string trace_figures(const RunRecord& record) {
  return cards_of(record, trace_card) + numbers_of(record, chain_headings(record, "mean"), mean_cells);
}

std::string rank_figures(const RunRecord& record) {
  return cards_of(record, rank_card) + numbers_of(record, chain_headings(record, "shares"), share_cells);
}

}  // namespace sotto
