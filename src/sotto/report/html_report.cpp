#include "sotto/report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/posterior/prior_sensitivity.hpp"
#include "sotto/report/answer.hpp"
#include "sotto/report/design_certificate.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto/report/runs_beside.hpp"

namespace sotto {
namespace {

// For sections on this run alone.
std::string own_badge(const RunRecord& record) {
  return record.privacy.is_private ? "" : not_private_badge();
}

// For sections of intervals, which also show the comparison.
std::string badge(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  std::string text = own_badge(record);
  if (record.privacy.is_private && record.comparison)
    text = "<span class=\"badge\">IN PART NOT PRIVATE</span>";
  if (!no_answer(record, summary).empty()) text += "<span class=\"badge\">NO ANSWER</span>";
  return text;
}

// Of counts, as the releases tell.
bool overdispersed(const RunRecord& record) {
  const auto& settings = record.manifest.configuration;
  if (!settings.contains("release_once")) return false;
  const auto dispersion = settings["release_once"].find("count_dispersion");
  return dispersion != settings["release_once"].end() && dispersion->is_number() &&
         dispersion->get<double>() > 0;
}

std::string head(const RunRecord& record) {
  const PrivacyStatement& s = record.privacy;
  std::size_t draws = 0;
  for (const Chain& chain : record.draws.chains) draws += static_cast<std::size_t>(chain.draws.rows());
  std::string text = fmt::format(
      "<header><p class=\"kicker\">{}</p><h1>{}{}</h1><p class=\"muted\">{}; {} parameter{}, method {}</p>",
      s.is_private ? "Posterior under differential privacy" : "Posterior without privacy",
      escape_html(record.title), s.is_private ? "" : not_private_badge(), escape_html(record.model),
      record.draws.parameters.size(), record.draws.parameters.size() == 1 ? "" : "s",
      escape_html(record.method));
  if (!s.is_private) {
    text += box("np", {"NOT PRIVATE: this page may reveal single records. Do not publish it."});
  } else if (record.comparison) {
    const bool settled = converged(*record.comparison, summarise(*record.comparison));
    const bool of_poisson = overdispersed(record);
    text += box(
        "np", {fmt::format(
                  "This page also shows a fit WITHOUT privacy, for comparison. What is marked NOT PRIVATE is "
                  "outside the guarantee: do not publish this page. The report.html one folder up is without "
                  "it.{}{}",
                  settled ? "" : " The fit without privacy has not converged: compare nothing with it.",
                  of_poisson ? " Counts vary more than Poisson ones, as the private fit knows and that "
                               "without privacy does not: the latter's intervals are too narrow."
                             : "")});
  }
  text += "<dl class=\"facts\">";
  if (s.is_private) {
    const bool more = s.earlier.count > 0 && std::isfinite(s.earlier.epsilon);
    text += fact("epsilon", format_at_most(s.epsilon),
                 fmt::format("charged {}{}", format_at_most(s.spent_epsilon),
                             more ? fmt::format("; with other runs of this directory {}",
                                                format_at_most(s.epsilon + s.earlier.epsilon))
                                  : ""));
    text += fact("delta", format_at_most(s.delta));
    text += fact("protected unit", escape_html(s.privacy_unit));
    text += fact("neighbouring data",
                 s.adjacency == Adjacency::substitute ? "one exchanged" : "one added or removed");
  }
  if (record.rows) text += fact("rows", fmt::format("{:.0f}", *record.rows), s.is_private ? "public" : "");
  text +=
      fact("draws", fmt::format("{}", draws),
           fmt::format("{} chain{}", record.draws.chains.size(), record.draws.chains.size() == 1 ? "" : "s"));
  text += fact("target", s.approximations.empty() ? "exact posterior" : "approximate",
               record.markov_chain ? "" : "independent draws");
  return text + "</dl></header>";
}

std::string privacy_section(const RunRecord& record) {
  const PrivacyStatement& s = record.privacy;
  std::string text = heading("privacy", s.is_private ? "What was promised" : "No privacy", own_badge(record));
  for (const auto& paragraph : in_plain_words(s)) text += "<p>" + escape_html(paragraph) + "</p>";
  if (!s.approximations.empty()) {
    text += "<h3>What is approximate</h3><div class=\"box\"><ul>";
    for (const auto& sentence : s.approximations) text += "<li>" + escape_html(sentence) + "</li>";
    text += "</ul></div>";
  }
  if (!s.is_private || s.curve.empty()) return text;
  return text +
         fmt::format(
             "<div class=\"pair\"><figure>{}<figcaption>delta against epsilon: every point of the curve "
             "is promised. The red dot is the pair of the "
             "promise.</figcaption></figure><figure>{}<figcaption>An "
             "attacker's greatest true-positive rate (up) against the false-positive rate (across). Dashed: "
             "guessing.</figcaption></figure></div>",
             privacy_curve_figure(s), tradeoff_figure(s));
}

// All lines of one query and mechanism.
struct Group {
  std::size_t count = 0;
  double rho = 0;
  double least_multiplier = HUGE_VAL;
  double greatest_multiplier = 0;
};

std::string optional_number(const std::optional<double>& x) { return x ? format_number(*x) : "-"; }

std::string all_charges(const PrivacyStatement& s) {
  constexpr std::size_t kMost = 400;
  std::string text = fmt::format(
      "<details><summary>Every charge ({} line{})</summary><div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th>query</th>"
      "<th class=\"text\">mechanism</th><th>sensitivity</th><th>noise sd</th><th>count</th><th>rho "
      "each</th><th>slack each"
      "</th></tr></thead><tbody>",
      s.releases.size(), s.releases.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(kMost, s.releases.size()); ++i) {
    const ReleaseLine& line = s.releases[i];
    text += fmt::format(
        "<tr><td>{}</td><td "
        "class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        escape_html(line.query), escape_html(line.mechanism), optional_number(line.sensitivity),
        optional_number(line.noise_scale), line.count, format_number(line.rho), format_number(line.slack));
  }
  text += "</tbody></table></div>";
  if (s.releases.size() > kMost)
    text += fmt::format("<p class=\"note\">The first {}; privacy.json has all.</p>", kMost);
  return text + "</details>";
}

std::string budget_section(const RunRecord& record) {
  const PrivacyStatement& s = record.privacy;
  if (s.releases.empty()) return "";
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const ReleaseLine& line : s.releases) {
    Group& group = groups[{line.query, line.mechanism}];
    group.count += line.count;
    group.rho += static_cast<double>(line.count) * line.rho;
    const double multiplier = line.rho > 0 ? 1 / std::sqrt(2 * line.rho) : HUGE_VAL;
    group.least_multiplier = std::min(group.least_multiplier, multiplier);
    group.greatest_multiplier = std::max(group.greatest_multiplier, multiplier);
  }
  std::string text = heading("budget", "What it was spent on", own_badge(record));
  text += fmt::format("<p>Noise from: {}. ", escape_html(s.noise_source));
  text +=
      std::isfinite(s.rho)
          ? fmt::format("Cost in all: rho = {} (slack {}).</p>", format_number(s.rho), format_number(s.slack))
          : fmt::format(
                "Cost in all: epsilon = {}, the price of the whole run at once; below, every release counts "
                "as if its batch were known.</p>",
                format_at_most(s.spent_epsilon));
  text +=
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>query</th><th "
      "class=\"text\">mechanism</th><th>releases</th>"
      "<th>noise / sensitivity</th><th>rho</th><th>share</th></tr></thead><tbody>";
  for (const auto& [name, group] : groups) {
    const double whole = std::isfinite(s.rho) ? s.rho : group.rho;
    const double share = whole > 0 ? std::min(1.0, group.rho / whole) : 0;
    const std::string least = format_number(group.least_multiplier);
    const std::string greatest = format_number(group.greatest_multiplier);
    text += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{} <span "
        "class=\"bar\" "
        "aria-hidden=\"true\"><b style=\"width:{:.1f}%\"></b></span></td></tr>",
        escape_html(name.first), escape_html(name.second), group.count,
        least == greatest ? least : fmt::format("{} to {}", least, greatest), format_number(group.rho),
        format_percent(share), 100 * share);
  }
  text += "</tbody></table></div>";
  return text + all_charges(s);
}

std::string chain_legend(const RunRecord& record) {
  std::string text = "<div class=\"legend\">";
  for (std::size_t c = 0; c < std::min<std::size_t>(record.draws.chains.size(), 6); ++c) {
    text += fmt::format("<span><i class=\"k{}\"></i>chain {}</span>", c, c + 1);
  }
  return text + (record.draws.chains.size() > 6 ? "<span>colours repeat</span></div>" : "</div>");
}

const char* cell_style(Verdict verdict) {
  switch (verdict) {
    case Verdict::poor:
      return " class=\"poor\"";
    case Verdict::unknown:
      return " class=\"unknown\"";
    case Verdict::good:
      break;
  }
  return "";
}

std::string convergence_table(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  std::string text =
      "<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th>parameter</th><th>MCSE</th><th>ESS bulk</th><th>ESS tail</th>"
      "<th>R-hat</th></tr></thead><tbody>";
  const std::size_t chains = record.draws.chains.size();
  for (const auto& line : summary) {
    text += fmt::format("<tr><td>{}</td><td>{}</td><td{}>{}</td><td{}>{}</td><td{}>{}</td></tr>",
                        escape_html(line.parameter), format_number(line.mcse_mean),
                        cell_style(ess_verdict(line.ess_bulk, chains)), format_count(line.ess_bulk),
                        cell_style(ess_verdict(line.ess_tail, chains)), format_count(line.ess_tail),
                        cell_style(rhat_verdict(line.rhat)), format_rhat(line.rhat));
  }
  return text +
         "</tbody></table></div><p class=\"note\">R-hat: rank-normalised, split; above 1.01 the chains "
         "disagree. ESS: "
         "effective draws; below 100 a chain they are too few. MCSE: standard error of the mean from "
         "finitely many "
         "draws.</p>";
}

std::string diagnostics_sections(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  const std::string own = own_badge(record);
  std::string text =
      heading("densities", "Densities", badge(record, summary)) + legend(record) + density_figures(record);
  text += heading("diagnostics", "Diagnostics", own);
  const std::vector<std::string> told = warnings(record.draws, summary, record.markov_chain);
  if (told.empty()) {
    text += box("good", {record.markov_chain
                             ? "The chains agree and hold enough effective draws."
                             : "Draws are as good as independent: there is no convergence to judge."});
  } else {
    text += box("", told);
  }
  text += convergence_table(record, summary);
  if (record.draws.parameters.size() > 1)
    text += heading("pairs", "Pairs", own) +
            "<p class=\"note\">What is not known of two parameters apart may be known of both together: "
            "those that go "
            "together most.</p>" +
            pair_figures(record);
  if (!record.markov_chain) return text;
  text += heading("traces", "Traces", own) + chain_legend(record) + trace_figures(record);
  if (record.draws.chains.size() > 1) {
    text += heading("ranks", "Ranks by chain", own) + chain_legend(record) +
            "<p class=\"note\">Share of each chain's draws in every slice of the ranks of all draws. Dashed: "
            "chains that agree.</p>" +
            rank_figures(record);
  }
  return text;
}

std::string manifest_section(const RunRecord& record) {
  std::string text = heading("manifest", "How it was made");
  text += fmt::format("<p>Started {}", escape_html(record.manifest.started));
  if (record.manifest.wall_seconds > 0)
    text += fmt::format("; took {} s", format_number(record.manifest.wall_seconds));
  text += ".</p>";
  text +=
      "<div class=\"scroll\" "
      "tabindex=\"0\"><table><thead><tr><th>chain</th><th>seed</th><th>warmup</th><th>draws</th>"
      "<th class=\"text\">ended</th></tr></thead><tbody>";
  for (std::size_t c = 0; c < record.draws.chains.size(); ++c) {
    const Chain& chain = record.draws.chains[c];
    std::string reason = stop_reason_name(chain.stop);
    std::replace(reason.begin(), reason.end(), '_', ' ');
    text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>",
                        c + 1, chain.seed, chain.warmup, chain.draws.rows(), reason);
  }
  text +=
      "</tbody></table></div><p class=\"note\">A seed repeats a chain given its releases, of which each "
      "chain takes its own stream of random numbers; it cannot repeat the noise.</p>";
  if (!record.priors.empty()) {
    text +=
        "<h3>Priors</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>parameter</th><th "
        "class=\"text\">prior</th>";
    const auto& sensitivity = record.prior_sensitivity;
    if (!sensitivity.empty()) text += "<th>prior sensitivity</th>";
    text += "</tr></thead><tbody>";
    for (const auto& prior : record.priors) {
      text += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td>", escape_html(prior.parameter),
                          escape_html(prior.distribution));
      const auto of = std::find_if(sensitivity.begin(), sensitivity.end(),
                                   [&](const auto& one) { return one.first == prior.parameter; });
      if (!sensitivity.empty())
        text += of == sensitivity.end() ? "<td></td>" : fmt::format("<td>{:.2f}</td>", of->second);
      text += "</tr>";
    }
    text += "</tbody></table></div>";
    if (!sensitivity.empty()) {
      text += fmt::format(
          "<p class=\"note\">Prior sensitivity: how far the posterior moves, in shape or place, as the "
          "coefficients' "
          "priors are raised to a power; from {:g} on the prior counts.</p>",
          kPriorSensitive);
    }
  }
  text += "<h3>How to cite this result</h3><p>" + escape_html(citation(record)) + "</p>";
  if (record.privacy.is_private)
    text +=
        "<p class=\"note\">An entry for a registry of deployments of differential privacy stands in "
        "deployment.json.</p>";
  text += "<details><summary>Configuration and versions</summary><pre tabindex=\"0\">";
  nlohmann::ordered_json json;
  json["configuration"] = record.manifest.configuration;
  for (const auto& [name, version] : record.manifest.versions) json["versions"][name] = version;
  return text + escape_html(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         "</pre></details>";
}

}  // namespace

std::string html_report(const RunRecord& record, const std::vector<RunRecord>& beside) {
  const auto summary = summarise(record.draws);
  const auto complaints = all_warnings(record, summary);
  std::string text = head(record);
  text += heading("answer", "What was found", badge(record, summary)) + answer(record, summary, complaints);
  if (!beside.empty())
    text += heading("beside", "Beside other runs", own_badge(record)) + runs_beside(record, beside);
  text += privacy_section(record) + diagnostics_sections(record, summary);
  if (!record.certificate.is_null())
    text += heading("certificate", "What simulations of this design showed") +
            certificate_section(record.certificate);
  text += budget_section(record);
  text += manifest_section(record);
  return html_page((record.privacy.is_private ? "" : "NOT PRIVATE: ") + record.title, text);
}

}  // namespace sotto
