// Whether a budget gives an answer at all: the very fit, of made-up rows, before anything is spent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/diagnostics/summary.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Why a fit tells nothing, as a clause, and what would help.
struct Hopeless {
  std::string why;
  std::string advice;  ///< what to take, beside a larger epsilon
};

/// Chains that did not converge or are short, releases that disagree, noise that dominates; none where a fit tells something.
[[nodiscard]] std::optional<Hopeless> hopeless(const RunRecord& record,
                                               const std::vector<ParameterSummary>& summary);

/// Refuses a private fit that would tell nothing of made-up tables of its design, with as many rows as `problem` has: of a chain two of
/// three, of release-once two, or one where there are more than a hundred parameters.
/// Counts are made up about three means, as theirs is not known, and noise hides small ones first: they must tell nothing about any.
/// Nothing is taken from the rows but their number, and nothing is done where that is not public, nor for owners who each hold rows,
/// a model that rows are not made up for, or `config.force`. Chains of fewer than kShortChain draws are refused as they are, whoever holds rows. `progress`: share done of one table's fit; false ends all.
/// Errors: budget, with the reason and what to do; interrupted.
void refuse_hopeless(const FitConfig& config, const Problem& problem, EntropySource& entropy,
                     const std::function<bool(double)>& progress = {});

/// Likewise where the number of rows is not public, once a fit has released it: `rows`. Nothing is done for persons, of whose rows it
/// does not tell how many are whose.
void refuse_hopeless_of(double rows, const FitConfig& config, const Problem& problem, EntropySource& entropy,
                        const std::function<bool(double)>& progress = {});

/// Why a chain of so many effective draws, of all chains together, tells nothing; none where they are enough.
[[nodiscard]] std::optional<Hopeless> few_draws(double draws, const Problem& problem);

/// A chain whose look says that what is left of the budget buys so few. Nothing is done for `config.force`. Errors: budget.
void refuse_few_draws(double draws, const FitConfig& config, const Problem& problem);

}  // namespace sotto
