// A first look at the rows before chains begin: release-once on a small share of the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/release/query.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Part of a budget's rho that a look costs.
inline constexpr double kPilotShare = 0.1;

/// Where a posterior lies and how wide it is, as far as the releases tell.
struct Pilot {
  std::vector<Position> starts;  ///< a draw each, given the releases: as far apart as what is known allows
  Position at;                   ///< their centre
  Matrix covariance;             ///< of the posterior, without the noise of the look
  Matrix released;               ///< of the posterior given the look, its noise included
  double rows = 0;               ///< their number, as released
  bool noise_dominates = false;  ///< the look tells little: starts are far off, the covariance is rough
  std::vector<std::string>
      warnings{};           ///< of the table alone: rows that could not be used, values at bounds,
                            ///< responses that do not vary as a chain's likelihood takes them to
  bool unreliable = false;  ///< hardly any rows could be used
};

/// Whether release-once knows the model.
[[nodiscard]] bool can_look(const FitConfig& config, const Problem& problem);

/// `cost`: of all releases together. `go_on`: asked again and again whether to. Errors: budget before anything is released; interrupted.
/// Checked by tests/run/pilot_test.cpp: finds_where_the_posterior_lies_and_how_wide_it_is
[[nodiscard]] Pilot look(const FitConfig& config, const Problem& problem, QueryInterface& owner, Rho cost,
                         const std::function<bool()>& go_on = {});

/// What a look found out about the table, whatever chains make of it, into the record.
void tell(const Pilot& pilot, RunRecord& record);

/// What is known, or guessed, of the posterior's covariance and centre. `pilot`: none before a look, or without one.
[[nodiscard]] Matrix known_covariance(const PublicProblem& problem, const Pilot* pilot);
[[nodiscard]] Position known_centre(const PublicProblem& problem, const Pilot* pilot);

}  // namespace sotto
