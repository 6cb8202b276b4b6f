#include "sotto/posterior/told_of_table.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace sotto {
namespace {

// Of the rows:
constexpr double kNextToNone = 0.1;
constexpr double kMany = 0.25;            // that could not be used
constexpr double kCodedOtherwise = 0.1;   // likewise, where responses that could are all alike
constexpr double kHardlyAnyWithin = 0.9;  // with a response at its bound

/// Whether enough rows are there to look at anything else.
bool rows_are_there(const OnceRelease& release, OnceVerdict& verdict) {
  if (release.few_usable) {
    verdict.warnings.push_back(
        fmt::format("Only about {:.0f} % of the rows could be used: the others hold cells that are missing "
                    "or that the schema cannot "
                    "read, as where levels are spelled otherwise or dates stand for numbers. Do not take "
                    "these intervals for an answer; "
                    "run sotto schema --check "
                    "on the table.",
                    100 * *release.few_usable));
    verdict.unreliable = true;
    verdict.noise_dominates = *release.few_usable < kNextToNone;
    if (verdict.noise_dominates) return false;
  }
  if (release.not_all_usable && !release.few_usable) {
    const bool many = *release.not_all_usable < 1 - kMany;
    auto& sentences = many ? verdict.warnings : verdict.notes;
    sentences.push_back(fmt::format(
        "About {:.0f} % of the rows could be used: the others hold cells that are missing or that "
        "the schema cannot read, as where levels are spelled otherwise{}; sotto schema --check "
        "tells the curator which.",
        100 * *release.not_all_usable,
        many && release.facts.link == Link::logit && !release.facts.thresholds
            ? " or a yes or no is coded 1 and 2 (declare that as a count, and fit y == 2)"
            : ""));
  }
  if (!release.rows_seen) {
    verdict.unreliable = verdict.noise_dominates = true;
    verdict.warnings.emplace_back(
        "Hardly any row could be used, as far as the noise shows: there are too few rows for this "
        "epsilon, or cells are missing or not what the schema declares, which sotto schema --check tells "
        "of the table. Do not take these intervals for an answer.");
    return false;
  }
  return true;
}

void tell_of_responses(const OnceRelease& release, OnceVerdict& verdict) {
  const double used = release.few_usable.value_or(release.not_all_usable.value_or(1));
  const bool coded_otherwise = used < 1 - kMany;
  if (release.no_zero_seen && !release.nearly_all && coded_otherwise) {
    verdict.unreliable = true;
    verdict.warnings.emplace_back(
        "No response that is 0 is seen among the rows that could be used, as far as the noise shows: do not "
        "take these intervals for an answer, and see how the column is coded. 1, true and yes count, and "
        "rows with other codes are left out: status == 2 ~ ... takes another value of a column that is "
        "declared as a count or category.");
  }
  if (release.nearly_all) {
    const bool times = release.facts.link == Link::log_rate;
    verdict.unreliable = verdict.unreliable || coded_otherwise;
    auto& sentences = used < 1 - kCodedOtherwise ? verdict.warnings : verdict.notes;
    sentences.push_back(fmt::format(
        "About {:.0f} % of the {}{} see how the column is coded. 1, true "
        "and yes count, and rows with other codes are left out: {} "
        "takes another value of a column that is declared as a count or category.",
        100 * *release.nearly_all, times ? "times end with the event" : "responses are 1",
        coded_otherwise ? ", of the rows that could be used: do not take these intervals for an answer, and"
                        : ": where that surprises,",
        times ? "Surv(time, status == 2)" : "status == 2 ~ ..."));
  }
  const bool outside = std::ranges::any_of(release.at_bounds, [&](const AtBound& piled) {
    return piled.column == AtBound::kResponse && !piled.only_ends && piled.share > kHardlyAnyWithin &&
           release.facts.response.width() > 1;
  });
  if (outside) {
    verdict.unreliable = true;
    verdict.warnings.emplace_back(
        "Nearly all responses lie at one bound, which says next to nothing of where they are: do not take "
        "these intervals for an answer.");
  }
  if (release.hardly_lived) {
    verdict.warnings.push_back(fmt::format(
        "Hardly anybody was followed to the end of the last interval of time: about {:.0f} % of it was lived "
        "through, on average. Its hazard may be off by more than its interval says. Declare the end of "
        "follow-up as the time's upper bound, or cut there (--cuts).",
        100 * *release.hardly_lived));
  }
}

}  // namespace

OnceVerdict told_of_table(const OnceRelease& release) {
  OnceVerdict verdict;
  if (!rows_are_there(release, verdict)) return verdict;  // whatever else is seen comes from that
  tell_of_responses(release, verdict);
  verdict.at_bounds = release.at_bounds;
  return verdict;
}

}  // namespace sotto
