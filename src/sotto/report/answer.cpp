#include "sotto/report/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/base/first_names.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

constexpr std::size_t kNamed = 8;

bool is_effect(const RunRecord& record, const std::string& parameter) {
  return std::find(record.effects.begin(), record.effects.end(), parameter) != record.effects.end();
}

/// Those that the levels of the effects stand against: ", north of region".
std::string first_levels(const RunRecord& record) {
  std::string text;
  if (record.manifest.schema.is_null()) return text;
  for (const auto& column : record.manifest.schema.value("column", nlohmann::ordered_json::array())) {
    const auto levels = column.value("levels", std::vector<std::string>());
    const auto name = column.value("name", std::string());
    if (levels.empty() || std::ranges::none_of(record.effects, [&](const std::string& effect) {
          return effect.find(name + "[" + levels.back() + "]") != std::string::npos;
        }))
      continue;
    text += fmt::format(", {} of {}", escape_html(levels.front()), escape_html(name));
  }
  return text;
}

bool has_products(const RunRecord& record) {
  return std::ranges::any_of(record.effects,
                             [](const std::string& name) { return name.find(':') != std::string::npos; });
}

std::string times_as_wide(const RunRecord& record, const std::string& parameter) {
  const auto found = std::find_if(record.sd_inflation.begin(), record.sd_inflation.end(),
                                  [&](const auto& one) { return one.first == parameter; });
  return found == record.sd_inflation.end() ? "" : fmt::format("{:.1f}", found->second);
}

std::string table(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  const bool ratios = !record.ratio.empty() && !record.effects.empty();
  const auto others = record.comparison ? summarise(*record.comparison) : std::vector<ParameterSummary>{};
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>parameter</th><th>mean</th><th>sd</th>"
      "<th>5 %</th><th>50 %</th><th>95 %</th>";
  if (ratios) text += fmt::format("<th>{}</th><th>5 %</th><th>95 %</th>", record.ratio);
  if (!record.sd_inflation.empty()) text += "<th>times as wide</th>";
  if (record.comparison)
    text += "<th class=\"np\">mean, not private</th><th class=\"np\">sd, not private</th>";
  text += "</tr></thead><tbody>";
  for (const ParameterSummary& line : summary) {
    text += fmt::format("<tr><td>{}</td>", escape_html(line.parameter));
    const double error =
        line.mcse_mean / 2;  // one number of decimals in a row, as far as the draws know them
    for (const double x : {line.mean, line.sd, line.q05, line.q50, line.q95})
      text += fmt::format("<td>{}</td>", format_known(x, error));
    if (ratios) {
      const bool has = is_effect(record, line.parameter);
      for (const double x : {line.q50, line.q05, line.q95})
        text += fmt::format("<td>{}</td>",
                            has ? format_known_ratio(std::exp(x), std::exp(line.q50) * error) : "");
    }
    if (!record.sd_inflation.empty())
      text += fmt::format("<td>{}</td>", times_as_wide(record, line.parameter));
    if (record.comparison) {
      const auto other = std::find_if(others.begin(), others.end(), [&](const auto& candidate) {
        return candidate.parameter == line.parameter;
      });
      const bool found = other != others.end();
      text += fmt::format("<td class=\"np\">{}</td><td class=\"np\">{}</td>",
                          found ? format_known(other->mean, other->mcse_mean / 2) : "-",
                          found ? format_known(other->sd, other->mcse_mean) : "-");
    }
    text += "</tr>";
  }
  text += "</tbody></table></div>";
  if (ratios) {
    text += fmt::format(
        "<p class=\"note\">{0}: exp of the coefficient's median and of its interval's ends, for one unit "
        "more "
        "of the column, or for the level against the first{1}.{2}</p>",
        record.ratio, first_levels(record),
        has_products(record) ? fmt::format(" Of a column in a product it holds where the product's other "
                                           "column is 0, or at its first level; that of the product is by "
                                           "how much the {} changes with the other column.",
                                           record.ratio)
                             : "");
  }
  if (!record.effects.empty() &&
      std::ranges::find(record.draws.parameters, "Intercept") != record.draws.parameters.end())
    text +=
        "<p class=\"note\">Intercept: where every term is 0, each category at its first level; that may be "
        "far from all rows.</p>";
  if (!record.sd_inflation.empty()) {
    text +=
        "<p class=\"note\">Times as wide: the interval's width over what it were without noise, as far as "
        "the "
        "releases tell.</p>";
  }
  return text;
}

std::string intervals(const RunRecord& record) {
  return legend(record) + forest_figure(record) + curve_figures(record) +
         "<p class=\"note\">Thin line: 90 % interval; thick: 50 %; dot: median; an arrow at an edge: the "
         "prior goes on. Where the posterior fills "
         "its "
         "prior's bar, the data said little at this budget.</p>";
}

}  // namespace

std::string answer_sentence(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  std::vector<std::string> above, below, around;
  for (const ParameterSummary& line : summary) {
    if (!is_effect(record, line.parameter) || !std::isfinite(line.q05) || !std::isfinite(line.q95)) continue;
    (line.q05 > 0 ? above : line.q95 < 0 ? below : around).push_back(line.parameter);
  }
  if (above.empty() && below.empty() && around.empty()) return {};
  std::vector<std::string> parts;
  if (!above.empty()) parts.push_back("lie above 0 for " + first_names(above, kNamed));
  if (!below.empty()) parts.push_back("lie below 0 for " + first_names(below, kNamed));
  if (!around.empty()) parts.push_back("contain 0 for " + first_names(around, kNamed));
  return fmt::format(
      "{}90 % intervals of effects {}.",
      noise_dominates(record) ? "The noise dominates, so that this fit says little of any effect. " : "",
      fmt::join(parts, "; "));
}

std::string answer(const RunRecord& record, const std::vector<ParameterSummary>& summary,
                   const std::vector<std::string>& complaints) {
  const std::string none = no_answer(record, summary);
  const std::string wrong = complaints.empty() ? std::string() : box("", complaints);
  std::string text;
  if (!none.empty()) {
    text = fmt::format("<div class=\"box np\" role=\"note\"><p>{}: what is wrong is said below.</p></div>",
                       escape_html(none));
    text += wrong;
    text += "<details><summary>The numbers nevertheless</summary>";
    return text + intervals(record) + table(record, summary) + "</details>";
  }
  for (const std::string& sentence : {answer_sentence(record, summary), width_sentence(record)}) {
    if (!sentence.empty()) text += "<p>" + escape_html(sentence) + "</p>";
  }
  return text + wrong + intervals(record) + table(record, summary);
}

std::string citation(const RunRecord& record) {
  const PrivacyStatement& s = record.privacy;
  std::string promise = "no privacy: not for publication";
  if (s.is_private) {
    const bool together = s.earlier.count > 0 && std::isfinite(s.earlier.epsilon);
    promise = fmt::format("({}, {})-differential privacy of {} ({})",
                          format_at_most(s.epsilon + (together ? s.earlier.epsilon : 0)),
                          format_at_most(s.delta + (together ? s.earlier.delta : 0)), s.privacy_unit,
                          s.adjacency == Adjacency::substitute ? "one exchanged" : "one added or removed");
    if (together) promise += ", with all that was released into its directory";
    if (s.earlier.count > 0 && !together)
      promise += ", of this run alone: what else was released into its directory adds to it";
  }
  return fmt::format("{}, {}; {}, method {}. {}, {}.", record.title, record.model, promise, record.method,
                     made_by(record), record.manifest.started.substr(0, 10));
}

}  // namespace sotto
