#include "sotto_io/density_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

// The picture of the densities: 720 by 320 units.
class Picture {
 public:
  Picture(const Position& x, double top) : x_(x), top_(top) {}
  [[nodiscard]] std::string line(const Position& y, const std::string& style) const {
    return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, points(y, false));
  }
  [[nodiscard]] std::string band(const Position& low, const Position& high, const std::string& style) const {
    return fmt::format("<polygon class=\"{}\" points=\"{} {}\"/>\n", style, points(low, false),
                       points(high, true));
  }

 private:
  [[nodiscard]] std::string points(const Position& y, bool backwards) const {
    std::string text;
    for (Eigen::Index i = 0; i < x_.size(); ++i) {
      const Eigen::Index at = backwards ? x_.size() - 1 - i : i;
      const double across = 720 * (x_[at] - x_[0]) / (x_[x_.size() - 1] - x_[0]);
      text += fmt::format("{:.1f},{:.1f} ", across, 320 - 310 * std::min(1.05, std::max(0.0, y[at]) / top_));
    }
    return text;
  }
  const Position& x_;
  double top_;
};

// What the height of the figure stands for.
std::string height_mark(double top) { return fmt::format("<text x=\"6\" y=\"14\">{:.3g}</text>\n", top); }

std::string line_figure(const ColumnDensity& c) {
  // The whole outer band, unless it would press the rest flat.
  const double pointwise = std::max(c.bands.upper.maxCoeff(), c.prior.maxCoeff());
  const double top =
      std::max(std::clamp(c.bands.simultaneous_upper.maxCoeff(), pointwise, 1.6 * pointwise), 1e-300);
  const Picture picture(c.grid, top);
  std::string svg =
      "<svg viewBox=\"0 0 720 320\" role=\"img\" aria-label=\"Posterior density with bands, prior predictive "
      "and "
      "deconvolution estimate\">\n";
  svg += picture.band(c.bands.simultaneous_lower, c.bands.simultaneous_upper, "outer");
  svg += picture.band(c.bands.lower, c.bands.upper, "inner");
  svg += picture.line(c.prior, "prior");
  if (c.deconvolution) svg += picture.line(*c.deconvolution, "kernel");
  svg += picture.line(c.bands.mean, "mean") + height_mark(top);
  svg += "</svg>\n<div class=\"axis\">";
  for (int tick = 0; tick <= 4; ++tick) {
    svg +=
        fmt::format("<span>{:.4g}</span>", c.grid[0] + tick / 4.0 * (c.grid[c.grid.size() - 1] - c.grid[0]));
  }
  return svg + "</div>\n";
}

// Counts or categories: at each point two bars for the bands, lines across for the mean, the prior and the inverted frequency.
std::string bar_figure(const DensityReport& report, std::size_t d) {
  const ColumnDensity& c = report.result.columns[d];
  const double top = std::max({c.bands.simultaneous_upper.maxCoeff(), c.prior.maxCoeff(), 1e-300});
  const double step = 720.0 / static_cast<double>(c.grid.size());
  const auto height = [&](double p) { return 320 - 310 * std::min(1.0, std::max(0.0, p / top)); };
  std::string svg =
      "<svg viewBox=\"0 0 720 340\" role=\"img\" aria-label=\"Posterior probabilities with bands and prior "
      "predictive\">\n";
  const auto bar = [&](Eigen::Index x, double low, double high, double share, const char* style) {
    svg += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                       style, (static_cast<double>(x) + 0.5 - share / 2) * step, height(high), share * step,
                       std::max(0.5, height(low) - height(high)));
  };
  const auto across = [&](Eigen::Index x, double p, const char* style) {
    svg += fmt::format("<polyline class=\"{}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", style,
                       (static_cast<double>(x) + 0.1) * step, height(p),
                       (static_cast<double>(x) + 0.9) * step, height(p));
  };
  for (Eigen::Index x = 0; x < c.grid.size(); ++x) {
    bar(x, c.bands.simultaneous_lower[x], c.bands.simultaneous_upper[x], 0.6, "outer");
    bar(x, c.bands.lower[x], c.bands.upper[x], 0.4, "inner");
    across(x, c.prior[x], "prior");
    if (c.deconvolution) across(x, (*c.deconvolution)[x], "kernel");
    across(x, c.bands.mean[x], "mean");
  }
  // As many names as there is room for.
  const Eigen::Index stride = std::max<Eigen::Index>(1, (c.grid.size() + 15) / 16);
  for (Eigen::Index x = 0; x < c.grid.size(); x += stride)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"336\" text-anchor=\"middle\">{}</text>\n",
                       (static_cast<double>(x) + 0.5) * step, escape_html(point_name(report, d, x)));
  return svg + height_mark(top) + "</svg>\n";
}

std::string column_section(const DensityReport& report, std::size_t d) {
  const ColumnDensity& c = report.result.columns[d];
  const double percent = 100 * report.settings.level;
  std::string page =
      report.result.columns.size() > 1 ? "<h3>" + escape_html(c.name) + "</h3>\n" : std::string();
  page += c.discrete ? bar_figure(report, d) : line_figure(c);
  page += fmt::format(
      "<p>Line: posterior mean. Dark band: {0:.4g} % at each point; light band: {0:.4g} % for the whole "
      "{1} at once. Dashed grey: what the prior alone expects. ",
      percent, c.discrete ? "distribution" : "curve");
  if (c.deconvolution && c.discrete) {
    page += "Dotted orange: frequencies with the noise taken out, for comparison; they may be negative. ";
  } else if (c.deconvolution) {
    page += fmt::format("Dotted orange: deconvolution kernel estimate, bandwidth {:.4g}, for comparison. ",
                        c.bandwidth);
  }
  return page + fmt::format("</p>\n<p><b>{}</b> Hellinger distance from the prior: {:.3f}.</p>\n",
                            escape_html(c.verdict), c.hellinger);
}

std::string cluster_figure(const DensityResult& r) {
  std::string rows;
  for (std::size_t k = 1; k < r.cluster_count.size(); ++k) {
    if (r.cluster_count[k] < 0.005) continue;
    rows += fmt::format(
        "<tr><td>{}</td><td>{:.3f}</td><td class=\"bar\"><div style=\"width:{:.1f}%\"></div></td></tr>\n", k,
        r.cluster_count[k], 100 * r.cluster_count[k]);
  }
  return "<table><tr><th>clusters</th><th>probability</th><th></th></tr>\n" + rows + "</table>\n";
}

std::string privacy_paragraph(const DensityReport& report) {
  if (!report.channel) {
    return "<p class=\"alarm\">NOT PRIVATE. This page was computed from confidential data without any noise. "
           "Do not "
           "publish it.</p>\n";
  }
  const ChannelFile& file = *report.channel;
  std::string text;
  if (!file.is_private) {
    text +=
        "<p class=\"alarm\">NOT PRIVATE. The noise of the release did not come from the operating "
        "system.</p>\n";
  }
  for (std::size_t d = 0; d < report.channels.size(); ++d)
    text += fmt::format("{} column <b>{}</b> through the channel <b>{}</b>", d == 0 ? "<p>Released:" : ",",
                        escape_html(report.result.columns[d].name), escape_html(report.channels[d]));
  text += fmt::format(", of {} rows. ", file.rows);
  if (std::isfinite(file.total.epsilon.value())) {
    text += fmt::format("The release is differentially private with epsilon {:.6g} and delta {:.3g} ",
                        file.total.epsilon.value(), file.total.delta.value());
  } else {
    text += fmt::format("The release is zero-concentrated differentially private with rho {:.6g} ",
                        file.total.rho.value());
  }
  return text +
         "for the exchange of one row; the number of rows is public. Everything on this page was computed "
         "from the release "
         "alone and costs nothing more, however often it is repeated.</p>\n";
}

std::string mixing_name(const DensitySettings& s) {
  if (s.mixing == "pitman-yor")
    return fmt::format("Pitman-Yor (strength {}, discount {})", s.concentration, s.discount);
  if (s.mixing == "finite") return fmt::format("Finite (about {} components)", s.components);
  return s.concentration_prior ? "Dirichlet process (concentration with a gamma prior)"
                               : fmt::format("Dirichlet process (concentration {})", s.concentration);
}

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 "
    "1rem;color:#222;background:#fff}"
    "svg{width:100%;height:auto;border-left:1px solid #888;border-bottom:1px solid #888}"
    ".outer{fill:#9ecae1;opacity:.45}.inner{fill:#6baed6;opacity:.6}polyline{fill:none;stroke-width:2}"
    ".mean{stroke:#08519c}.prior{stroke:#777;stroke-dasharray:6 4}.kernel{stroke:#d94801;stroke-dasharray:2 "
    "3}"
    ".axis{display:flex;justify-content:space-between;font-size:.85rem}text{font-size:13px;fill:currentColor}"
    "td,"
    "th{text-align:left;padding:.1rem "
    ".8rem .1rem 0}"
    ".bar{width:60%}.bar "
    "div{background:#6baed6;height:.9em}.alarm{background:#b00020;color:#fff;padding:.5rem 1rem;"
    "font-weight:bold}@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}.mean{stroke:#9ecae1}"
    "}";

}  // namespace

std::string density_html(const DensityReport& report) {
  const DensityResult& r = report.result;
  std::string names;
  for (const ColumnDensity& c : r.columns) names += (names.empty() ? "" : ", ") + escape_html(c.name);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Density of "
      "{0}</title><style>{1}</style></head><body>\n<h1>Density of {0}</h1>\n",
      names, kStyle);
  page += privacy_paragraph(report);
  page += "<h2>Estimate</h2>\n";
  for (std::size_t d = 0; d < r.columns.size(); ++d) page += column_section(report, d);
  page += "<h2>Clusters</h2>\n" + cluster_figure(r);
  if (r.by_vi) {
    page += fmt::format(
        "<p>Clusters in the partition of least expected variation of information: {} (expected loss {:.3f} "
        "nats).</p>\n",
        1 + *std::max_element(r.by_vi->allocation.begin(), r.by_vi->allocation.end()),
        r.by_vi->expected_loss);
  } else {
    page +=
        "<p>One release describes all rows together, so it does not tell which rows belong together.</p>\n";
  }
  if (report.agreement)
    page += fmt::format("<p>Adjusted Rand index with the partition of the other run: {:.3f}.</p>\n",
                        *report.agreement);
  page += fmt::format(
      "<h2>How it was computed</h2>\n<p>{} mixture of {} kernels, algorithm {}, {} chains of {} draws "
      "every {} sweeps after {} sweeps of warmup, seed {}.",
      mixing_name(report.settings), escape_html(r.kernel), escape_html(r.algorithm), report.settings.chains,
      report.settings.draws, report.settings.thin, report.settings.warmup, report.settings.seed);
  if (r.proposals.proposed > 0) {
    page += fmt::format(
        " {:.1f} % of the proposals for the confidential data were accepted.",
        100 * static_cast<double>(r.proposals.accepted) / static_cast<double>(r.proposals.proposed));
  }
  page += "</p>\n<table><tr><th>quantity</th><th>R-hat</th><th>ESS bulk</th><th>ESS tail</th></tr>\n";
  const std::vector<ParameterSummary> summary = summarise(r.draws);
  for (const ParameterSummary& p : summary) {
    page += fmt::format("<tr><td>{}</td><td>{:.3f}</td><td>{:.0f}</td><td>{:.0f}</td></tr>\n", p.parameter,
                        p.rhat, p.ess_bulk, p.ess_tail);
  }
  page += "</table>\n";
  for (const std::string& warning : warnings(r.draws, summary))
    page += fmt::format("<p>{}</p>\n", escape_html(warning));
  return page + "</body></html>\n";
}

}  // namespace sotto
