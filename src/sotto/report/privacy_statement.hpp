// What a run promised about privacy: the numbers, every charge, and the same in plain words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accountant/spending.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

/// Equal releases in a row: one line of the budget table.
struct ReleaseLine {
  std::string query;                  ///< e.g. "log-likelihood ratio"
  std::string mechanism;              ///< e.g. "discrete Gaussian"
  std::optional<double> sensitivity;  ///< L2, in the query's own unit; the largest among them
  std::optional<double> noise_scale;  ///< standard deviation of that one's noise, in the same unit
  std::optional<double> grid;         ///< the unit of its integers: sensitivity and noise are computed in it
  std::size_t count = 1;
  double rho = 0;                         ///< of one release
  double slack = 0;                       ///< of one release; adds to epsilon
  std::optional<double> sampling_rate{};  ///< of secret batches: how likely a row is in one
};

/// A point of the privacy curve.
struct CurvePoint {
  double epsilon = 0;
  double delta = 0;
};

/// A point of the trade-off curve: no test with this false-positive rate has more power.
struct TradeoffPoint {
  double false_positive_rate = 0;
  double true_positive_rate = 0;
};

/// Runs whose charges stand in the same directory: their results may be gone, what they released is not.
struct EarlierRuns {
  std::size_t count = 0;
  double epsilon =
      0;  ///< promised, added up; infinite where one of them did not protect what this run protects
  double delta = 0;    ///< likewise
  bool later = false;  ///< some of them were begun after this run
};

/// What an owner in another process says of its own books: they cover all who ask it, and every run.
struct OwnerPromise {
  std::string name;
  std::string address;
  double epsilon = 0;
  double delta = 0;
  std::string noise_source{};
  bool noise_is_private = false;
};

struct PrivacyStatement {
  bool is_private =
      false;           ///< true only when noise came from the operating system and every release was paid for
  double epsilon = 0;  ///< promised: the limit that the filter enforced
  double delta = 0;
  double rho = 0;            ///< charged in all; NaN where secret batches were priced as one composition
  double slack = 0;          ///< charged in all, for the discreteness of the noise
  double spent_epsilon = 0;  ///< of what was charged, at `delta`; at most `epsilon`
  Adjacency adjacency = Adjacency::substitute;
  std::string privacy_unit;  ///< e.g. "one row", "one person (at most 5 rows)"
  std::string trust_model;   ///< e.g. "central: one curator holds the rows"
  std::vector<ReleaseLine> releases;
  std::string noise_source;  ///< EntropySource::name()
  std::vector<std::string>
      approximations;            ///< sentences such as "clipped: ..."; empty when the target is exact
  bool times_published = false;  ///< durations stand in the files, because they were asked for
  /// Results computed without noise that stand beside this run, by their names in its directory; the promise leaves them out.
  std::vector<std::string> not_private_files;
  EarlierRuns earlier{};
  std::vector<OwnerPromise> owners{};  ///< in other processes
  std::vector<CurvePoint> curve;  ///< of the promise, through (epsilon, delta); delta falls as epsilon grows
};

/// The statement of what is on the books, curve included. The caller adds `approximations`.
[[nodiscard]] PrivacyStatement statement_of(const Spending& spending, Adjacency adjacency,
                                            std::string privacy_unit, std::string trust_model,
                                            std::string noise_source, bool noise_is_private);

/// A mechanism that publishes a random row has delta = 1 / rows. `rows`: their number, where it is public; else ten stand for it, as
/// hardly any table has fewer. Errors: configuration for a larger delta.
/// Checked by tests/report/privacy_statement_test.cpp: are_of_promises_that_protect_little
void check_promise(double delta, std::optional<double> rows);

/// What is to be said of a promise that protects little: one plain sentence each. `rows`: their number, where it is public.
[[nodiscard]] std::vector<std::string> promise_warnings(double epsilon, double delta,
                                                        std::optional<double> rows);
/// Likewise of a bound, which may be endless.
[[nodiscard]] std::vector<std::string> bound_warnings(double epsilon, double delta);

/// A statement for a run without privacy: no number in it, every page says NOT PRIVATE. The caller adds `approximations`.
[[nodiscard]] PrivacyStatement not_private_statement();

/// Points of the curve of Gaussian releases of total cost `rho` with `slack`, `count` epsilons evenly spaced
/// on [0, largest], where delta at the largest is about `smallest_delta`.
[[nodiscard]] std::vector<CurvePoint> privacy_curve(double rho, double slack, double smallest_delta = 1e-12,
                                                    std::size_t count = 61);

/// Largest power of any test of "the unit's data is in" against a neighbour at a false-positive rate, over
/// all points of a privacy curve.
/// Computes   min(1, min over points of e^epsilon fpr + delta, min over points of 1 - (1 - delta - fpr) e^-epsilon)
/// Source     [WZ10, Theorem 2.4]: each (epsilon, delta) pair bounds the power; the least bound holds
/// Checked by tests/report/privacy_statement_test.cpp: power_is_the_gaussian_tests_and_never_below
[[nodiscard]] double best_true_positive_rate(const std::vector<CurvePoint>& curve,
                                             double false_positive_rate);

/// The trade-off curve of a privacy curve at evenly spaced false-positive rates.
[[nodiscard]] std::vector<TradeoffPoint> tradeoff_curve(const std::vector<CurvePoint>& curve,
                                                        std::size_t count = 101);

/// What was promised, what that means, and what it does not promise: paragraphs in plain words.
[[nodiscard]] std::vector<std::string> in_plain_words(const PrivacyStatement& statement);

/// What earlier runs and this one come to, in a sentence; empty where there were none.
[[nodiscard]] std::string with_earlier(const PrivacyStatement& statement);

/// What is claimed of time, in one or two sentences.
[[nodiscard]] std::string claim_on_time(const PrivacyStatement& statement);

/// "substitute" or "add-remove", as written to privacy.json.
[[nodiscard]] std::string adjacency_name(Adjacency adjacency);

}  // namespace sotto
