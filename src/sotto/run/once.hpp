// Release-once for a regression: settings from what is public, the releases, draws and warnings for the record.
#pragma once

#include <string>
#include <vector>

#include "sotto/chain/lockstep.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_release.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// `cost`: of all releases; leave a millionth of the budget for slack.
[[nodiscard]] OnceSettings once_settings(const FitConfig& config, const PublicProblem& problem,
                                         const Glm& model, const PrivacyUnit& unit, Rho cost);

/// A verdict in sentences, with columns' names.
[[nodiscard]] std::vector<std::string> in_sentences(OnceVerdict verdict, const OnceRelease& release,
                                                    const PublicProblem& problem);

/// Asks, checks, draws; `progress` may end the drawing, and what `released` throws the asking. Fills in the record's draws, priors,
/// warnings and what the releases predict.
/// A normal mean takes run/location_once.hpp. Errors: budget before anything is released; configuration for other models.
void run_release_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                      QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record,
                      const RowsReleased& released = {});

}  // namespace sotto
