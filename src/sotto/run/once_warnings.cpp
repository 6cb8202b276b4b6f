#include "sotto/run/once_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sotto/base/first_names.hpp"
#include "sotto/model/formula_tokens.hpp"
#include "sotto/posterior/prior_sensitivity.hpp"

namespace sotto {
namespace {

/// "poly(age)" of "poly(age)[2]"; empty of what is no coefficient of a curve.
std::string curve_of(const std::string& name) {
  const auto end = name.find(")[");
  return end == std::string::npos || name.starts_with("C(") ? std::string() : name.substr(0, end + 1);
}

/// A number that stands for a cell without one, such as 999.
bool may_be_code(const AtBound& piled, Eigen::Index unknown) {
  return piled.alone && piled.column != AtBound::kResponse && piled.column < unknown;
}

void tell_codes(const std::vector<AtBound>& all, Eigen::Index unknown,
                const std::vector<std::string>& coordinates, std::vector<std::string>& warnings) {
  for (const AtBound& piled : all) {
    if (!may_be_code(piled, unknown)) continue;
    warnings.push_back(fmt::format(
        "Many values of {} sit at its {} bound (about {:.0f} % of the rows), and none near it: a code for "
        "missing? Then leave such cells empty, or declare narrower bounds and out_of_range = \"missing\": as "
        "numbers they change the effect of {}.",
        coordinates[static_cast<std::size_t>(piled.column)], piled.upper ? "upper" : "lower",
        100 * piled.share, coordinates[static_cast<std::size_t>(piled.column)]));
  }
}

/// What lies at declared ends, the response and an offset apart from other columns.
void tell_at_bounds(const std::vector<AtBound>& all, Eigen::Index unknown,
                    const std::vector<std::string>& coordinates, std::vector<std::string>& warnings) {
  std::vector<std::string> columns;
  for (const AtBound& piled : all) {
    if (may_be_code(piled, unknown)) continue;
    if (piled.only_ends && piled.column == AtBound::kResponse) {
      warnings.push_back(fmt::format(
          "Note: About {:.0f} % of the responses are less than a thousandth of their upper bound. Below some "
          "ten-thousandth they are not told apart, and intervals grow with the bound: declare one nearer to "
          "what may occur.",
          100 * piled.share));
      continue;
    }
    if (piled.only_ends) {
      warnings.push_back(fmt::format(
          "Note: About {:.0f} % of the rows have {} at one of its two bounds. Nothing is amiss if "
          "its values are like that, as yes and no are. Values beyond were taken as the bound: if "
          "there are many, its coefficient is far off, and wider bounds should be declared.",
          100 * piled.share, coordinates[static_cast<std::size_t>(piled.column)]));
      continue;
    }
    const char* end = piled.upper ? "upper" : "lower";
    const double percent = 100 * piled.share;
    if (piled.column == AtBound::kResponse) {
      warnings.push_back(fmt::format(
          "About {:.0f} % of the responses lie at their {} bound. If it is no natural end, those beyond were "
          "taken as the bound, and all coefficients are off: declare wider bounds.",
          percent, end));
      continue;
    }
    const std::string& name = coordinates[static_cast<std::size_t>(piled.column)];
    const std::string curve = curve_of(name);
    if (!curve.empty()) {  // its coordinates' ends are not the column's
      std::string at_end =
          fmt::format("the column of {} at one end of its declared bounds ({:.0f} %)", curve, percent);
      if (std::ranges::find(columns, at_end) == columns.end()) columns.push_back(std::move(at_end));
    } else if (piled.column < unknown) {
      columns.push_back(fmt::format("{} at its {} bound ({:.0f} %)", name, end, percent));
    } else {
      warnings.push_back(
          fmt::format("About {:.0f} % of the rows have {} at its {} bound. If it is no natural end, values "
                      "beyond were taken as the bound, and rates are off: declare wider bounds.",
                      percent, name, end));
    }
  }
  if (!columns.empty()) {
    warnings.push_back(fmt::format(
        "Many rows have {}. If that is no natural end, values beyond were taken as the bound, and the "
        "coefficient, the intercept and those of columns like it are off: declare wider bounds.",
        first_names(columns)));
  }
}

}  // namespace

std::vector<std::string> once_warnings(const OnceVerdict& verdict, const OnceFacts& facts,
                                       const std::vector<std::string>& coordinates) {
  std::vector<std::string> warnings;
  const auto names = [&](const std::vector<Eigen::Index>& columns) {
    std::vector<std::string> all;
    all.reserve(columns.size());
    for (const Eigen::Index j : columns) all.push_back(coordinates[static_cast<std::size_t>(j)]);
    return all;
  };
  // What may be the cause of all else.
  tell_codes(verdict.at_bounds, facts.unknown(), coordinates, warnings);
  tell_at_bounds(verdict.at_bounds, facts.unknown(), coordinates, warnings);
  if (!verdict.hidden.empty()) {
    const std::vector<std::string> hidden = names(verdict.hidden);
    const bool levels = std::ranges::any_of(
        hidden, [](const std::string& name) { return name.find('[') != std::string::npos; });
    warnings.push_back(fmt::format(
        "Little but the prior is left of {}: the noise, or too few rows, hide what the data say, so an "
        "interval around 0 means no small effect; take a larger epsilon or fewer columns{}.",
        first_names(hidden),
        levels ? ", and see by sotto schema --check whether levels are spelled as in the table" : ""));
  }
  if (!verdict.held.empty()) {
    warnings.push_back(fmt::format(
        "Little but the prior is left of {}, and not for the noise: the prior that was set is narrower than "
        "what the rows tell. Priors are on columns scaled to [-1, 1] over their declared bounds: set a wider "
        "one unless this is meant.",
        first_names(names(verdict.held))));
  }
  const char* counted = facts.link == Link::log_rate ? "events" : "counts";
  if (!verdict.few_events.empty()) {
    warnings.push_back(fmt::format(
        "Hardly any {0} are left of {1}: there the noise hides them, what is seen is drawn "
        "towards the others, and coefficients "
        "may be much lower than their intervals say. Join levels{2}, or take a larger epsilon.",
        counted, first_names(names(verdict.few_events)), facts.pieces > 1 ? " or pieces of time" : ""));
  }
  if (verdict.few_in_first) {
    warnings.push_back(fmt::format(
        "The rows that others are compared with, of the first levels{1}, have hardly any {0}, so the "
        "intercept may be much lower and "
        "all differences from it larger than their intervals say: let another level be the first{2}.",
        counted, facts.pieces > 1 ? " and the first piece of time" : "",
        facts.pieces > 1 ? ", or join pieces" : ""));
  }
  warnings.insert(warnings.end(), verdict.warnings.begin(), verdict.warnings.end());
  if (!verdict.drawn_off.empty()) {
    std::vector<std::string> drawn;
    for (const auto& [parameter, up, held] : verdict.drawn_off)
      drawn.push_back(fmt::format(
          "{} {} ({}{:.0f} %)", coordinates[static_cast<std::size_t>(parameter)], up ? "up" : "down",
          drawn.empty() ? "90 % intervals of such fits hold the truth in about " : "", 100 * held));
    warnings.push_back(
        fmt::format("Wide priors of loosely known effects draw {}. Set narrower priors of the effects that "
                    "you can defend "
                    "(prior.default), or take a larger epsilon, or fewer columns.",
                    first_names(drawn)));
  }
  if (!verdict.sensitive.empty()) {
    std::vector<std::string> sensitive;
    for (const auto& one : verdict.sensitive)
      sensitive.push_back(
          fmt::format("{} ({:.2f})", coordinates[static_cast<std::size_t>(one.column)], one.sensitivity));
    const auto far = std::ranges::find_if(verdict.sensitive, &OnceVerdict::Sensitive::far_out);
    const bool held = far != verdict.sensitive.end();
    warnings.push_back(fmt::format(
        "{}The prior counts in {}: prior sensitivity above {:g}. {}, prior.parameter.\"{}\" or "
        "prior.default, "
        "and see what it changes.",
        held ? "" : "Note: ", first_names(sensitive), kPriorSensitive,
        held ? "It holds coefficients back that lie more than two of its standard deviations out: set a "
               "wider one"
             : "Set one that you can defend",
        coordinates[static_cast<std::size_t>(held ? far->column : verdict.sensitive.front().column)]));
  }
  std::vector<Eigen::Index> bent =
      verdict.curved;  // a code far out bends whatever it is taken for, as do effects that differ
  std::erase_if(bent, [&](Eigen::Index j) {
    if (std::ranges::find(verdict.differing, j) != verdict.differing.end()) return true;
    return std::ranges::any_of(verdict.at_bounds, [&](const AtBound& piled) {
      return piled.column == j && may_be_code(piled, facts.unknown());
    });
  });
  if (!verdict.differing.empty()) {
    const std::vector<std::string> differing = names(verdict.differing);
    warnings.push_back(fmt::format(
        "The {} of {} {} between thresholds, so no one number is {}: what is shown is an average over the "
        "thresholds, and other programs weigh them otherwise. Join categories, or fit y >= k by logistic "
        "regressions and compare.",
        differing.size() == 1 ? "effect" : "effects", first_names(differing),
        differing.size() == 1 ? "differs" : "differ", differing.size() == 1 ? "it" : "any of them"));
  }
  std::set<std::string> curves;
  std::erase_if(bent, [&](Eigen::Index j) {
    const std::string curve = curve_of(coordinates[static_cast<std::size_t>(j)]);
    if (!curve.empty()) curves.insert(curve);
    return !curve.empty();
  });
  if (!curves.empty()) {
    warnings.push_back(
        fmt::format("{} may bend less than what {} stand{} for: take a larger number in {}, and compare.",
                    first_names({curves.begin(), curves.end()}), curves.size() == 1 ? "it" : "they",
                    curves.size() == 1 ? "s" : "", curves.size() == 1 ? "it" : "them"));
  }
  if (!bent.empty()) {
    const std::vector<std::string> curved = names(bent);
    const auto column = std::ranges::find_if(
        curved, [](const std::string& name) { return name.find_first_of(":[(") == std::string::npos; });
    const std::string as = column == curved.end()
                               ? ", or more values of one"
                               : fmt::format(", as in poly({}, 3)", name_in_formula(*column));
    warnings.push_back(fmt::format(
        "The {} of {} {} no straight line, and a coefficient is the slope of one: take a curve{}.",
        curved.size() == 1 ? "effect" : "effects", first_names(curved), curved.size() == 1 ? "is" : "are",
        as));
  }
  if (!verdict.uneven.empty()) {
    std::vector<std::string> moved, by;
    for (const auto& [column, sds] : verdict.uneven) {
      moved.push_back(coordinates[static_cast<std::size_t>(column)]);
      by.push_back(fmt::format("{:.1f}", sds));
    }
    const bool counts = facts.link == Link::log;
    warnings.push_back(
        fmt::format("{} by {}: clipping them moved {} by {} standard deviations, which is put back only as "
                    "far as a noisy "
                    "release tells; take {}a larger epsilon.",
                    !counts       ? "Residuals' tails differ"
                    : facts.steps ? "How far responses vary differs"
                                  : "How far counts vary differs",
                    first_names(moved), moved.size() == 1 ? "its coefficient" : "their coefficients",
                    first_names(by), counts ? "" : "the logarithm of the response, or "));
  }
  if (!verdict.far_rows.empty()) {
    const std::vector<std::string> far = names(verdict.far_rows);
    warnings.push_back(fmt::format(
        "About {:.1f} % of the rows lie far from the others and do not follow the model that fits the rest, "
        "as {} show{}: they have little weight, so the result is that of the rest; take narrower bounds of "
        "what lies far out, or transform it.",
        100 * verdict.far_share, first_names(far), far.size() == 1 ? "s" : ""));
  }
  // Who wrote log1p(x), poly(x, 2) or x:z has thought of that.
  const auto plain = [&](const std::vector<Eigen::Index>& of) {
    std::vector<std::string> columns = names(of);
    std::erase_if(columns,
                  [](const std::string& name) { return name.find_first_of(":[(") != std::string::npos; });
    return columns;
  };
  if (const std::vector<std::string> columns = plain(verdict.leaning); !columns.empty()) {
    warnings.push_back(fmt::format(
        "Rows far out in {} seem to leave the line that fits the others, as effects do that level off; they "
        "have little weight here, and much in other programs: coefficients may be several standard "
        "deviations off from theirs. See what log1p(...) or a category of none, some and much gives.",
        first_names(columns)));
  }
  std::vector<Eigen::Index> unseen_far;
  double could_move = 0;
  for (const auto& [column, by] : verdict.unseen_far) {
    unseen_far.push_back(column);
    could_move = std::max(could_move, by);
  }
  if (const std::vector<std::string> columns = plain(unseen_far); !columns.empty()) {
    warnings.push_back(fmt::format(
        "Rows far out in {} have little weight here, and the noise hides whether they follow the line that "
        "fits the others: if not, other programs give coefficients up to some {:.0f} standard deviations "
        "away. See what log1p(...) or a category of none, some and much gives, or take a larger epsilon.",
        first_names(columns), could_move));
  }
  std::vector<std::string> unseen;
  if (const std::vector<std::string> columns = plain(verdict.maybe_curved); !columns.empty())
    unseen.push_back(fmt::format(
        "that the effect of {} is no straight line (see what log1p(...) or a category of none, some and much "
        "gives)",
        first_names(columns)));
  if (verdict.unseen > 0)
    unseen.push_back(
        fmt::format("up to some {:.2g} % of the rows far from the others, which count little here{}",
                    100 * verdict.unseen, facts.has_sigma() ? ", in sigma too" : ""));
  if (!unseen.empty())
    warnings.push_back(
        fmt::format("Note: what the noise may hide at this epsilon: {}.", fmt::join(unseen, "; ")));
  for (const std::string& note : verdict.notes) warnings.push_back("Note: " + note);
  return warnings;
}

}  // namespace sotto
