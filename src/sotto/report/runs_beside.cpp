#include "sotto/report/runs_beside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

using Summary = std::vector<ParameterSummary>;

const ParameterSummary* line_of(const Summary& summary, const std::string& parameter) {
  const auto found = std::ranges::find(summary, parameter, &ParameterSummary::parameter);
  return found == summary.end() ? nullptr : &*found;
}

std::string described(std::size_t number, const RunRecord& record, const Summary& summary) {
  const PrivacyStatement& s = record.privacy;
  const std::string promise =
      s.is_private
          ? fmt::format("epsilon {}, delta {}, of {} ({})", format_at_most(s.epsilon),
                        format_at_most(s.delta), escape_html(s.privacy_unit), adjacency_name(s.adjacency))
          : not_private_badge();
  const std::string none = no_answer(record, summary);
  return fmt::format("<li>run {}: {}, {}, method {}, started {}; {}{}</li>", number,
                     escape_html(record.title), escape_html(record.model), escape_html(record.method),
                     escape_html(record.manifest.started), promise,
                     none.empty() ? "" : "<span class=\"badge\">NO ANSWER</span>");
}

std::string together(const RunRecord& record, const std::vector<RunRecord>& others) {
  double epsilon = record.privacy.epsilon + record.privacy.earlier.epsilon;
  double delta = record.privacy.delta + record.privacy.earlier.delta;
  constexpr const char* kNoFigure = "These runs do not all protect the same: no figure covers them together.";
  for (const RunRecord& other : others) {
    if (!record.privacy.is_private || !other.privacy.is_private ||
        other.privacy.adjacency != record.privacy.adjacency ||
        other.privacy.privacy_unit != record.privacy.privacy_unit)
      return kNoFigure;
    epsilon += other.privacy.epsilon + other.privacy.earlier.epsilon;
    delta += other.privacy.delta + other.privacy.earlier.delta;
  }
  if (!std::isfinite(epsilon)) return kNoFigure;
  return fmt::format(
      "Of a unit whose rows were in all of them these runs promise no more than epsilon {} (delta {}) "
      "together.",
      format_at_most(epsilon), format_at_most(delta));
}

}  // namespace

std::string runs_beside(const RunRecord& record, const std::vector<RunRecord>& others) {
  std::vector<const RunRecord*> runs{&record};
  for (const RunRecord& other : others) runs.push_back(&other);
  std::vector<Summary> summaries;
  std::string text = "<ul>";
  std::vector<std::string> headings{"parameter"};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    summaries.push_back(summarise(runs[k]->draws));
    text += described(k + 1, *runs[k], summaries.back());
    for (const char* what : {"mean", "5 %", "95 %"})
      headings.push_back(fmt::format("{}, run {}", what, k + 1));
  }
  text += "</ul>" + open_table(headings);
  for (const ParameterSummary& own : summaries.front()) {
    text += fmt::format("<tr><td>{}</td>", escape_html(own.parameter));
    for (const Summary& summary : summaries) {
      const ParameterSummary* line = line_of(summary, own.parameter);
      for (double ParameterSummary::*number :
           {&ParameterSummary::mean, &ParameterSummary::q05, &ParameterSummary::q95})
        text += fmt::format("<td>{}</td>",
                            line == nullptr ? "-" : format_known(line->*number, line->mcse_mean / 2));
    }
    text += "</tr>";
  }
  const bool alike = std::ranges::all_of(others, [&](const RunRecord& other) {
    return other.model == record.model && other.title == record.title;
  });
  return text + "</tbody></table></div>" +
         (alike ? ""
                : "<p class=\"note\">Their models differ: numbers in one line may not mean the same.</p>") +
         "<p class=\"note\">Intervals that are far apart disagree; that they overlap settles nothing. Runs "
         "of one model and method on the same rows differ by their noise, and their intervals leave out "
         "what they have in common; others differ by more. " +
         together(record, others) + "</p>";
}

}  // namespace sotto
