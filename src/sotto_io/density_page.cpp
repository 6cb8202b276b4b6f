#include "sotto_io/density_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/report/plot.hpp"
#include "sotto_io/density_figure.hpp"

namespace sotto {
namespace {

std::string column_section(const DensityReport& report, std::size_t d) {
  const ColumnDensity& c = report.result.columns[d];
  std::string page =
      report.result.columns.size() > 1 ? "<h3>" + escape_html(c.name) + "</h3>\n" : std::string();
  page += fmt::format(
      "<p><b>{}</b> Hellinger distance from the prior: {:.3f} (0: the same, 1: nothing in common).</p>\n",
      escape_html(verdict(report, d)), c.hellinger);
  page += density_figure(report, d);
  if (c.deconvolution && c.discrete) {
    page += "<p>Frequencies with the noise taken out may be negative.</p>\n";
  } else if (c.deconvolution) {
    page += fmt::format("<p>The deconvolution kernel estimate needs no prior; its bandwidth is {:.4g}.</p>\n",
                        c.bandwidth);
  }
  return page;
}

std::string quantity_table(const DensityReport& report) {
  if (report.result.quantities.empty()) return {};
  const double percent = 100 * report.settings.level;
  std::string text = fmt::format(
      "<h2>Quantities</h2>\n<table><tr><th></th><th>mean</th><th>sd</th><th>{0:.4g} % interval</th>"
      "<th>before any data</th></tr>\n",
      percent);
  for (const QuantityEstimate& q : report.result.quantities)
    text += fmt::format(
        "<tr><td>{}</td><td>{:.4g}</td><td>{:.2g}</td><td>{:.4g} to {:.4g}</td><td>{:.4g} to "
        "{:.4g}</td></tr>\n",
        escape_html(q.text), q.mean, q.sd, q.lower, q.upper, q.prior_lower, q.prior_upper);
  return text + "</table>\n";
}

std::string difference_table(const DensityReport& report) {
  if (report.differences.empty()) return {};
  std::string text = fmt::format(
      "<h2>Differences from the other group</h2>\n{}<p>This group less the other, whose rows are taken to be "
      "other "
      "people's.</p>\n<table><tr><th></th><th>mean</th><th>sd</th><th>{:.4g} % interval</th><th>probability "
      "that it "
      "is above 0</th></tr>\n",
      report.differences_are_private
          ? ""
          : "<p class=\"alarm\">NOT PRIVATE, as that run was made without noise.</p>\n",
      100 * report.settings.level);
  for (const QuantityDifference& d : report.differences)
    text += fmt::format(
        "<tr><td>{}</td><td>{:.4g}</td><td>{:.2g}</td><td>{:.4g} to {:.4g}</td><td>{:.3f}</td></tr>\n",
        escape_html(d.text), d.mean, d.sd, d.lower, d.upper, d.positive);
  return text + "</table>\n";
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

// So that nobody reads a number of groups into what the prior alone would give.
std::string prior_clusters(const DensityReport& report) {
  std::string text =
      "<p>Clusters are components of the mixture that have rows; they need not be groups of the population.";
  const DensitySettings& s = report.settings;
  if (s.mixing == "dirichlet-process" && !s.concentration_prior) {
    double expected = 0;
    for (std::size_t i = 0; i < report.rows; ++i)
      expected += s.concentration / (s.concentration + static_cast<double>(i));
    text += fmt::format(" The prior alone expects {:.1f} of them among {} rows.", expected, report.rows);
  }
  return text + "</p>\n";
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
  return s.concentration_prior
             ? fmt::format("Dirichlet process (concentration with a gamma prior of shape {} and rate {})",
                           s.concentration_prior->shape, s.concentration_prior->rate)
             : fmt::format("Dirichlet process (concentration {})", s.concentration);
}

std::string base_sentence(const ColumnDensity& column) {
  std::string numbers;
  for (const auto& [name, value] : column.base)
    numbers += fmt::format("{}{} {:.6g}", numbers.empty() ? "" : ", ", name, value);
  return fmt::format(" Base measure of {}: {}.", escape_html(column.name), numbers);
}

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 "
    "1rem;color:#222;background:#fff}"
    "figure{margin:1rem 0}figure>svg{width:100%;height:auto}.key svg{vertical-align:middle;margin-right:.4em}"
    ".key span{display:inline-block;margin-right:1.2em}text{font-size:13px;fill:currentColor}"
    ".outer{fill:#9ecae1;opacity:.45}.inner{fill:#6baed6;opacity:.6}polyline{fill:none;stroke-width:2}"
    ".mean{stroke:#08519c}.prior{stroke:#777;stroke-dasharray:6 4}.kernel{stroke:#d94801;stroke-dasharray:2 "
    "3}"
    ".frame{fill:none;stroke:#888}.rule{stroke:#888;opacity:.25}"
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
  page += quantity_table(report) + difference_table(report);
  page += "<h2>Clusters</h2>\n" + cluster_figure(r) + prior_clusters(report);
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
    page += fmt::format(
        "<p>{}Adjusted Rand index with {}: {:.3f} ({:g} % interval of the draws {:.3f} to {:.3f}).</p>\n",
        report.agreement_is_private ? ""
        : report.with_labels        ? "NOT PRIVATE unless the labels are public: "
                                    : "NOT PRIVATE, as that run was made without noise: ",
        report.with_labels ? "the labels" : "the partition of the other run", *report.agreement,
        100 * report.settings.level, report.agreement_lower, report.agreement_upper);
  page += fmt::format(
      "<h2>How it was computed</h2>\n<p>{} mixture of {} kernels, algorithm {}, {} chains of {} draws "
      "every {} sweeps after {} sweeps of warmup, seed {}.",
      mixing_name(report.settings), escape_html(r.kernel), escape_html(r.algorithm), report.settings.chains,
      report.settings.draws, report.settings.thin, report.settings.warmup, report.settings.seed);
  for (const ColumnDensity& column : r.columns) page += base_sentence(column);
  if (report.settings.imputations > 1)
    page += fmt::format(" {} confidential values were imputed per row.", report.settings.imputations);
  if (r.proposals.proposed > 0) {
    page += fmt::format(
        " {:.1f} % of the proposals for the confidential data were accepted.",
        100 * static_cast<double>(r.proposals.accepted) / static_cast<double>(r.proposals.proposed));
  }
  page +=
      "</p>\n<p>log_density.1, 2, ...: the logarithm of the density at evenly spaced points of the "
      "range; quantity.1, 2, ...: the quantities in their order.</p>\n"
      "<table><tr><th>quantity</th><th>R-hat</th><th>ESS bulk</th><th>ESS tail</th></tr>\n";
  for (const ParameterSummary& p : report.diagnostics) {
    page += fmt::format("<tr><td>{}</td><td>{:.3f}</td><td>{:.0f}</td><td>{:.0f}</td></tr>\n", p.parameter,
                        p.rhat, p.ess_bulk, p.ess_tail);
  }
  page += "</table>\n";
  for (const std::string& warning : warnings(report))
    page += fmt::format("<p>{}</p>\n", escape_html(warning));
  return page + "</body></html>\n";
}

}  // namespace sotto
