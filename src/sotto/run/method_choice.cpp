#include "sotto/run/method_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/run/pilot.hpp"

namespace sotto {
namespace {

/// Chains without an acceptance test are as wrong as the width that they take for the posterior's.
void check_width_is_known(const FitConfig& config, const Problem& problem) {
  if (problem.public_info.own) return;
  const auto* location = problem.model.as<LocationModel>();
  if (location != nullptr && location->bend().a != 0) {
    refuse(
        "sgld and sgnht take the posterior to be as wide wherever it is, and a banana is not: choose "
        "release-once, "
        "penalty or hmc");
  }
  if (can_look(config, problem)) return;
  if (location == nullptr) {
    refuse(
        "sgld and sgnht need to know how wide the posterior is, which nothing tells of this model: choose "
        "penalty or hmc");
  }
  if (!problem.public_info.rows) {
    refuse(
        "sgld and sgnht need the number of rows here, which is not public: choose penalty or hmc, or "
        "adjacency \"substitute\" with units of one row");
  }
}

/// A proposal that is not the method's own, or a start, goes with some methods only.
void check_chain_settings(const FitConfig& config, const Problem& problem, const Method& method) {
  if (method.run == nullptr && problem.public_info.chosen_start)
    refuse("release-once runs no chain that could start anywhere: drop [start], or choose penalty or hmc");
  const std::string& proposal = config.method.proposal.name;
  if (proposal.empty()) return;
  const bool penalty = method.name == "penalty" || method.name == "metropolis";
  const bool barker = method.name == "barker" || method.name == "nonprivate-barker";
  if (!penalty && !barker) {
    refuse(
        fmt::format("{} has no proposal to choose: drop [proposal], or set method.name to penalty or "
                    "barker (without privacy: metropolis, nonprivate-barker)",
                    method.name));
  }
  if (proposal != "independence") return;
  if (barker) {
    refuse(
        "barker's noise is fixed, so a proposal that cannot be made shorter would nearly always cost too "
        "much: choose proposal.name normal, truncated or coordinate, or method penalty");
  }
  if (method.for_study || !can_look(config, problem)) {
    refuse(
        "an independence proposal is placed by a first noisy release, which only private fits of "
        "regressions and normal means begin with: choose proposal.name normal, truncated or coordinate");
  }
}

/// A chain would pay for every threshold what a response's one likelihood tells.
void check_thresholds(const Problem& problem, const Method& method) {
  if (problem.public_info.thresholds.empty() || method.run == nullptr || method.for_study) return;
  refuse(fmt::format(
      "{} does not know ordered categories: choose method.name release-once, the default (without "
      "privacy: nonprivate-hmc, metropolis)",
      method.name));
}

/// The law of such responses is known up to its first two moments.
void check_steps(const Problem& problem, const Method& method) {
  if (!problem.public_info.steps || method.run == nullptr) return;
  refuse(
      fmt::format("{} needs a likelihood, and the gamma family is known by its mean and variance alone: "
                  "choose method.name release-once, the default",
                  method.name));
}

bool is_category(const Problem& problem) { return problem.model.as<distribution::Categorical>() != nullptr; }

void check_category(const FitConfig& config, const Problem& problem, const Method& method) {
  if (method.run != nullptr || !is_category(problem)) return;
  if (!problem.owners.empty())
    refuse("several owners' categories are not released once: choose guided-walk or penalty");
  if (config.model.likelihood_power != 1)
    refuse("release-once takes the likelihood as it is: drop model.likelihood_power, or choose penalty");
}

bool can_release_once(const FitConfig& config, const Problem& problem) {
  if (is_category(problem)) return problem.owners.empty() && config.model.likelihood_power == 1;
  return can_look(config, problem);
}

}  // namespace

QueryRegime regime_of(const Method& method, const Problem& problem) {
  return method.run == nullptr && is_category(problem) ? QueryRegime::statistics : method.regime;
}

const Method& resolve_method(const FitConfig& config, const Problem& problem) {
  std::string name = config.method.name;
  if (name == "auto") {
    const bool open_chain = config.not_private && !problem.public_info.steps;
    name = open_chain ? "nonprivate-hmc" : can_release_once(config, problem) ? "release-once" : "guided-walk";
  }
  const auto names = [](bool for_study) {
    std::vector<std::string> list;
    for (const Method& method : methods()) {
      if (method.for_study == for_study) list.push_back(method.name);
    }
    return fmt::format("{}", fmt::join(list, ", "));
  };
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const Method& method) { return method.name == name; });
  if (found == methods().end()) {
    std::vector<std::string> known{"auto"};
    for (const Method& method : methods()) known.push_back(method.name);
    refuse(fmt::format("there is no method {}{}: choose auto, {} or, for study only, {}", name,
                       suggestion(name, known), names(false), names(true)));
  }
  if (found->for_study && !config.not_private) {
    refuse(fmt::format("{} is not private: it needs --not-private, for study only", name));
  }
  const bool without_noise = found->run == nullptr && problem.model.as<Glm>() != nullptr;
  if (!found->for_study && config.not_private && !without_noise) {
    refuse(fmt::format("{} is private: drop --not-private, or choose {}", name, names(true)));
  }
  const MethodConfig& method = config.method;
  if (!found->for_study && (method.clip_ratio || method.clip_gradient)) {
    refuse(
        "clipping changes the posterior: method.clip_ratio and method.clip_gradient are for study, with "
        "--not-private");
  }
  if (name == "nonprivate-hmc" && method.clip_ratio && !method.clip_gradient) {
    refuse(
        "nonprivate-hmc clips both or neither: set method.clip_gradient too, large if only ratios are to be "
        "clipped");
  }
  if (found->regime == QueryRegime::batches) check_width_is_known(config, problem);
  check_thresholds(problem, *found);
  check_steps(problem, *found);
  check_category(config, problem, *found);
  check_chain_settings(config, problem, *found);
  return *found;
}

}  // namespace sotto
