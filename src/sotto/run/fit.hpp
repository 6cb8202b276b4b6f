// A fit: problem + method + budget -> draws and the statement of what they cost.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/chain/lockstep.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Steps done, of how many, and epsilon spent so far. Returning false ends the run with the draws made so far.
using FitProgress = std::function<bool(std::size_t done, std::size_t total, double epsilon)>;

/// Told how many rows a release says that there are: what it throws ends the run.
using RowsReleased = std::function<void(double rows)>;

/// Told of what first releases say before the rest of the budget is spent: what either throws ends the run.
struct Prospects {
  RowsReleased rows = {};  ///< by release-once of a regression, where their number is not public
  std::function<void(double)> draws =
      {};  ///< by a chain that looked: what is left buys so many (ForetoldDraws::of_budget)
};

/// What ended a run that had paid for something already, with the statement of what it paid for.
class PaidError : public Error {
 public:
  PaidError(const Error& error, PrivacyStatement privacy) : Error(error), privacy_(std::move(privacy)) {}
  [[nodiscard]] const PrivacyStatement& privacy() const { return privacy_; }

 private:
  PrivacyStatement privacy_;
};

/// `writer` is told of each charge before noise is drawn for it. Durations enter the record only where the configuration asks for
/// them. Errors: configuration when method and model do not fit, budget when the budget cannot
/// pay for anything; as PaidError once something was paid for.
[[nodiscard]] RunRecord fit(const FitConfig& config, const Problem& problem, EntropySource& entropy,
                            const FitProgress& progress = {}, const BookingWriter& writer = {},
                            const Prospects& prospects = {});

/// Draws anew from releases that an earlier fit paid for, as many and with whatever seed the configuration says. Nobody is asked and
/// nothing is charged; the record's privacy is left to the caller, whose statement of the earlier fit stays true.
/// Errors: configuration, naming what is not as it was; data where `kept` is damaged.
/// Checked by tests/run/fit_again_test.cpp: draws_are_those_of_the_fit_that_paid, goes_on_from_no_other_fit
[[nodiscard]] RunRecord fit_again(const FitConfig& config, const Problem& problem, const KeptAnswers& kept,
                                  const FitProgress& progress = {});

}  // namespace sotto
