#include "sotto_io/density_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"
#include "sotto_io/density_figure.hpp"
#include "sotto_io/density_warnings.hpp"

namespace sotto {
namespace {

constexpr const char* kTableEnd = "</tbody></table></div>\n";

std::string title(const DensityReport& report) {
  std::string names;
  for (const ColumnDensity& c : report.result.columns) names += (names.empty() ? "" : ", ") + c.name;
  const bool shares = std::ranges::all_of(report.levels, [](const auto& levels) { return !levels.empty(); });
  return (shares ? "Shares of " : "Density of ") + names;
}

// For what was drawn from the release alone.
std::string own_badge(const DensityReport& report) {
  return draws_are_private(report) ? "" : not_private_badge();
}

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
  std::string text =
      heading("quantities", "Quantities", own_badge(report)) +
      open_table({"quantity", "mean", "sd", fmt::format("{:.4g} % interval", percent), "before any data"});
  for (const QuantityEstimate& q : report.result.quantities)
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.2g}</td><td>{}</td><td>{}</td></tr>\n",
                        escape_html(q.text), format_within(q.mean, q.upper - q.lower), q.sd,
                        from_to(q.lower, q.upper), from_to(q.prior_lower, q.prior_upper));
  return text + kTableEnd;
}

std::string difference_table(const DensityReport& report) {
  if (report.differences.empty()) return {};
  std::string text = heading("differences", "Differences from the other group",
                             report.differences_are_private ? own_badge(report) : not_private_badge());
  if (!report.differences_are_private)
    text += box("np", {"NOT PRIVATE, as that run was made without noise."});
  text += "<p>This group less the other, whose rows are taken to be other people's.</p>\n" +
          open_table({"quantity", "mean", "sd", fmt::format("{:.4g} % interval", 100 * report.settings.level),
                      "probability that it is above 0"});
  for (const QuantityDifference& d : report.differences)
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.2g}</td><td>{}</td><td>{:.3f}</td></tr>\n",
                        escape_html(d.text), format_within(d.mean, d.upper - d.lower), d.sd,
                        from_to(d.lower, d.upper), d.positive);
  return text + kTableEnd;
}

std::string cluster_figure(const DensityResult& r) {
  std::string text = open_table({"clusters", "probability"});
  double others = 0;
  for (std::size_t k = 1; k < r.cluster_count.size(); ++k) {
    if (r.cluster_count[k] < 0.005) {
      others += r.cluster_count[k];
      continue;
    }
    text += fmt::format(
        "<tr><td>{}</td><td>{:.3f} <span class=\"bar\" aria-hidden=\"true\"><b style=\"width:{:.1f}%\">"
        "</b></span></td></tr>\n",
        k, r.cluster_count[k], 100 * r.cluster_count[k]);
  }
  if (others >= 0.0005) text += fmt::format("<tr><td>others</td><td>{:.3f}</td></tr>\n", others);
  return text + kTableEnd;
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

std::string mixing_name(const DensitySettings& s) {
  if (s.mixing == "pitman-yor")
    return fmt::format("Pitman-Yor (strength {}, discount {})", s.concentration, s.discount);
  if (s.mixing == "finite") return fmt::format("Finite (about {} components)", s.components);
  return s.concentration_prior
             ? fmt::format("Dirichlet process (concentration with a gamma prior of shape {} and rate {})",
                           s.concentration_prior->shape, s.concentration_prior->rate)
             : fmt::format("Dirichlet process (concentration {})", s.concentration);
}

// What all of the page is, before anything else.
std::string head(const DensityReport& report) {
  const DensityResult& r = report.result;
  const bool own = draws_are_private(report);
  std::string text = fmt::format(
      "<header><p class=\"kicker\">{}</p><h1>{}{}</h1><p class=\"muted\">{} mixture of {} kernels, algorithm "
      "{}</p>",
      own ? "Density under differential privacy" : "Density without privacy", escape_html(title(report)),
      own_badge(report), mixing_name(report.settings), escape_html(r.kernel), escape_html(r.algorithm));
  if (!report.channel) {
    text += box("np", {"NOT PRIVATE. This page was computed from confidential data without any noise. Do not "
                       "publish it."});
  } else if (!own) {
    text += box("np", {"NOT PRIVATE. The noise of the release did not come from the operating system."});
  } else if (!is_private(report)) {
    text += box("np", {"IN PART NOT PRIVATE: what is marked so is outside the guarantee. Do not publish this "
                       "page."});
  }
  text += "<dl class=\"facts\">";
  if (own) {
    const Guarantee& total = report.channel->total;
    if (std::isfinite(total.epsilon.value())) {
      text += fact("epsilon", format_upwards(total.epsilon.value())) +
              fact("delta", format_upwards(total.delta.value()));
    } else {
      text += fact("rho", format_upwards(total.rho.value()), "zero-concentrated");
    }
    text += fact("protected unit", "one row") + fact("neighbouring data", "one exchanged");
  }
  text += fact("rows", fmt::format("{}", report.rows), own ? "public" : "");
  std::size_t draws = 0;
  for (const Chain& chain : r.draws.chains) draws += static_cast<std::size_t>(chain.draws.rows());
  text += fact("draws", fmt::format("{}", draws), fmt::format("{} chains", r.draws.chains.size()));
  text += "</dl></header>";
  const std::vector<std::string> told = warnings(report);
  return told.empty() ? text : text + box("", told);
}

std::string privacy_section(const DensityReport& report) {
  if (!report.channel) return {};
  const ChannelFile& file = *report.channel;
  std::string text = heading("privacy", "What was promised", own_badge(report));
  for (std::size_t d = 0; d < report.channels.size(); ++d)
    text += fmt::format("{} column <b>{}</b> through the channel <b>{}</b>", d == 0 ? "<p>Released:" : ",",
                        escape_html(report.result.columns[d].name), escape_html(report.channels[d]));
  text += fmt::format(", of {} rows. ", file.rows);
  const bool concentrated = !std::isfinite(file.total.epsilon.value());
  text += fmt::format(
      "The release is {}differentially private with {} for the exchange of one row; the number "
      "of rows is public. ",
      concentrated ? "zero-concentrated " : "", in_words(file.total));
  if (is_private(report))
    text +=
        "Everything on this page was computed from the release alone and costs nothing more, however often "
        "it is repeated. ";
  for (const std::string& sentence : illegal_cells(report)) text += escape_html(sentence) + " ";
  if (!file.shuffled && std::ranges::none_of(file.columns, [](const Column& column) {
        return channel_row(column.settings.channel).global;
      }))
    text += "Rows stand in the order of the table: the promise takes it that this tells nothing of them. ";
  if (!file.earlier.empty())
    text +=
        fmt::format("{} under this name before: a row that was in all of them has {} in all. ",
                    file.earlier.size() == 1 ? "Another release stood"
                                             : fmt::format("{} other releases stood", file.earlier.size()),
                    in_words(with_earlier(file)));
  return text +
         "Other releases of the same rows add up, and so do the rows of one person who has several.</p>\n";
}

std::string base_sentence(const ColumnDensity& column) {
  std::string numbers;
  for (const auto& [name, value] : column.base)
    numbers += fmt::format("{}{} {:.6g}", numbers.empty() ? "" : ", ", name, value);
  return fmt::format(" Base measure of {}: {}.", escape_html(column.name), numbers);
}

std::string clusters_section(const DensityReport& report) {
  const DensityResult& r = report.result;
  std::string text =
      heading("clusters", "Clusters", own_badge(report)) + cluster_figure(r) + prior_clusters(report);
  if (r.by_vi) {
    text += fmt::format(
        "<p>Clusters in the partition of least expected variation of information: {} (expected loss {:.3f} "
        "nats).</p>\n",
        1 + *std::max_element(r.by_vi->allocation.begin(), r.by_vi->allocation.end()),
        r.by_vi->expected_loss);
  } else {
    text +=
        "<p>One release describes all rows together, so it does not tell which rows belong together.</p>\n";
  }
  if (report.agreement)
    text += fmt::format(
        "<p>{}Adjusted Rand index with {}: {:.3f} of that partition; of the {:g} % of the "
        "draws' partitions in the middle {:.3f} to {:.3f}.</p>\n",
        report.agreement_is_private ? ""
        : report.with_labels        ? "NOT PRIVATE unless the labels are public: "
                                    : "NOT PRIVATE, as that run was made without noise: ",
        report.with_labels ? "the labels" : "the partition of the other run", *report.agreement,
        100 * report.settings.level, report.agreement_lower, report.agreement_upper);
  return text;
}

std::string diagnostics_section(const DensityReport& report) {
  std::string text = heading("diagnostics", "Diagnostics", own_badge(report)) +
                     open_table({"quantity", "R-hat", "ESS bulk", "ESS tail"});
  for (const ParameterSummary& p : report.diagnostics)
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escape_html(quantity_name(report, p.parameter)),
                        std::isnan(p.rhat) ? "-" : fmt::format("{:.3f}", p.rhat), format_count(p.ess_bulk),
                        format_count(p.ess_tail));
  return text + kTableEnd +
         "<p class=\"note\">log_density.1, 2, ...: the logarithm of the density at evenly spaced points of "
         "the range.</p>\n";
}

std::string method_section(const DensityReport& report) {
  const DensityResult& r = report.result;
  std::string text =
      heading("manifest", "How it was made") +
      fmt::format(
          "<p>{} mixture of {} kernels, algorithm {}, {} chains of {} draws every {} sweeps after {} sweeps "
          "of warmup, seed {}.",
          mixing_name(report.settings), escape_html(r.kernel), escape_html(r.algorithm),
          report.settings.chains, report.settings.draws, r.thin, r.warmup, report.settings.seed);
  for (const ColumnDensity& column : r.columns) text += base_sentence(column);
  if (report.settings.imputations > 1)
    text += fmt::format(" {} confidential values were imputed per row.", report.settings.imputations);
  if (r.proposals.proposed > 0) {
    text += fmt::format(
        " {:.1f} % of the proposals for the confidential data were accepted.",
        100 * static_cast<double>(r.proposals.accepted) / static_cast<double>(r.proposals.proposed));
  }
  return text + "</p>\n";
}

}  // namespace

std::string density_html(const DensityReport& report) {
  const bool none = !has_verdict(report);
  std::string text =
      head(report) + heading("answer", "What was found",
                             own_badge(report) + (none ? "<span class=\"badge\">NO VERDICT</span>" : ""));
  if (none) {
    text += "<p>" + escape_html(verdict(report, 0)) +
            "</p>\n<details><summary>The numbers nevertheless</summary>";
  }
  for (std::size_t d = 0; d < report.result.columns.size(); ++d) text += column_section(report, d);
  text += quantity_table(report) + difference_table(report) + clusters_section(report);
  if (none) text += "</details>";
  text += privacy_section(report) + diagnostics_section(report) + method_section(report);
  return html_page((is_private(report) ? "" : "NOT PRIVATE: ") + title(report), text);
}

}  // namespace sotto
