#include "sotto/run/rehearsal_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/report/privacy_statement.hpp"

namespace sotto {
namespace {

constexpr std::size_t kForCoverage = 20;  // repeats from which a share that was covered says something

}  // namespace

nlohmann::ordered_json to_json(const Rehearsal& rehearsal) {
  nlohmann::ordered_json without_noise = nlohmann::ordered_json::object();
  for (const RehearsedParameter& one : rehearsal.without_noise) without_noise[one.name] = one.sd;
  nlohmann::ordered_json budgets = nlohmann::ordered_json::array();
  for (const RehearsedBudget& budget : rehearsal.budgets) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const RehearsedParameter& one : budget.parameters) {
      parameters[one.name] = {
          {"sd", one.sd}, {"sd_inflation", one.sd_inflation}, {"ess", one.ess}, {"covered", one.covered}};
    }
    budgets.push_back({{"epsilon", budget.epsilon},
                       {"verdict", name_of(budget.prospect)},
                       {"why", budget.why},
                       {"parameters", parameters}});
  }
  nlohmann::ordered_json notes = nlohmann::ordered_json::array();
  if (!rehearsal.unread.empty()) notes.push_back(rehearsal.unread);
  return {{"model", rehearsal.model},
          {"method", rehearsal.method},
          {"rows", rehearsal.rows},
          {"repeats", rehearsal.repeats},
          {"delta", rehearsal.delta},
          {"adjacency", adjacency_name(rehearsal.adjacency)},
          {"privacy_unit", rehearsal.privacy_unit},
          {"made_up_rows", true},
          {"caveat", rehearsal.caveat},
          {"notes", notes},
          {"sd_without_noise", without_noise},
          {"budgets", budgets}};
}

std::string rehearsal_table(const Rehearsal& rehearsal) {
  std::size_t width = 9;
  for (const RehearsedParameter& one : rehearsal.without_noise) width = std::max(width, one.name.size());
  std::string text = fmt::format(
      "posterior sd, and how many times that without noise of the same rows (each a median over "
      "the repeats)\n{:{}}  no noise",
      "parameter", width);
  for (const RehearsedBudget& budget : rehearsal.budgets)
    text += fmt::format("  {:>16}", fmt::format("epsilon {:g}", budget.epsilon));
  text += "\n";
  for (std::size_t j = 0; j < rehearsal.without_noise.size(); ++j) {
    text +=
        fmt::format("{:{}}  {:8.3g}", rehearsal.without_noise[j].name, width, rehearsal.without_noise[j].sd);
    for (const RehearsedBudget& budget : rehearsal.budgets) {
      text += fmt::format("  {:>16}", budget.parameters.empty()
                                          ? std::string("-")
                                          : fmt::format("{:.3g} ({:.1f}x)", budget.parameters[j].sd,
                                                        budget.parameters[j].sd_inflation));
    }
    text += "\n";
  }
  text += "\n";
  for (const RehearsedBudget& budget : rehearsal.budgets) {
    std::string covered;
    if (rehearsal.repeats >= kForCoverage && !budget.parameters.empty()) {
      double share = 0;
      for (const RehearsedParameter& one : budget.parameters) share += one.covered;
      covered = fmt::format("; 90 % intervals held the truth in {:.0f} %",
                            100 * share / static_cast<double>(budget.parameters.size()));
    }
    text += fmt::format("epsilon {:g}: {}: {}{}\n", budget.epsilon, name_of(budget.prospect), budget.why,
                        covered);
  }
  if (!rehearsal.unread.empty()) text += rehearsal.unread + "\n";
  return text + "\n" + rehearsal.caveat + "\n";
}

}  // namespace sotto
