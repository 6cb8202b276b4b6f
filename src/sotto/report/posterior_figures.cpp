#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/parameter_marks.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

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
  if (sample.front() == sample.back()) return {};
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
  const Quantiles all = interval_of(record.draws, i);
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
