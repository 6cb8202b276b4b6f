// Everything an output directory is made from: draws, priors, privacy statement, manifest.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/release/kept_answers.hpp"
#include "sotto/report/privacy_statement.hpp"

namespace sotto {

/// The prior of one parameter in numbers a figure can show. NaN where there is none (flat, Cauchy).
struct PriorDescription {
  std::string parameter;
  std::string distribution;  ///< e.g. "normal(0, 2.5)"
  double mean = std::numeric_limits<double>::quiet_NaN();
  double sd = std::numeric_limits<double>::quiet_NaN();
  double q05 = std::numeric_limits<double>::quiet_NaN();
  double q50 = std::numeric_limits<double>::quiet_NaN();
  double q95 = std::numeric_limits<double>::quiet_NaN();
};

/// What a column does along a curve of it, poly(age, 3) for instance: `weights` times these parameters is the linear predictor there
/// less that at the middle of the column's declared bounds.
struct EffectCurve {
  std::string column;
  std::vector<double> at;               ///< values of the column, even over its bounds
  std::vector<std::string> parameters;  ///< the curve's coefficients
  Matrix weights;                       ///< shape (at, parameters)
};

/// How a run was made. Never holds a value of a row or of a file's content.
struct Manifest {  // NOLINT(bugprone-exception-escape): of a JSON value that is moved
  std::vector<std::pair<std::string, std::string>>
      versions;  ///< "sotto" -> "MAJOR.MINOR.PATCH", ...; filled by `current_versions`
  nlohmann::ordered_json configuration;  ///< resolved: every setting, defaults included
  nlohmann::ordered_json schema{};  ///< what was declared of the columns that the model reads; null: unknown
  std::string started;              ///< UTC, "YYYY-MM-DD HH:MM:SS UTC"
  // Durations depend on the rows: NaN unless they were asked for.
  double wall_seconds = std::numeric_limits<double>::quiet_NaN();
  double warmup_seconds =
      std::numeric_limits<double>::quiet_NaN();  ///< of all chains, which advance in lockstep
  double sampling_seconds = std::numeric_limits<double>::quiet_NaN();
};

/// Versions of the program and of the libraries it was compiled with.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> current_versions();

/// The time now, as `Manifest::started` wants it.
[[nodiscard]] std::string utc_now();

/// One finished run.
struct RunRecord {           // NOLINT(bugprone-exception-escape): likewise
  std::string title;         ///< e.g. "visited ~ coins + health"
  std::string model;         ///< e.g. "logistic regression (bernoulli, logit)"
  std::string method;        ///< e.g. "release-once", "hmc"
  bool markov_chain = true;  ///< false when the draws are independent: no traces, no convergence to judge
  Draws draws;
  std::vector<PriorDescription> priors;  ///< any order; parameters without an entry are shown without a prior
  std::optional<Draws> comparison;       ///< NOT PRIVATE: the same model without noise, marked on every page
  std::optional<double> rows{};          ///< where their number is public
  std::vector<std::string> warnings;     ///< of the method itself: one plain sentence each
  bool unreliable = false;               ///< the method's own verdict: its intervals are no answer
  /// By parameter, as far as the releases tell: posterior sd over what it were without their noise. Not of all methods.
  std::vector<std::pair<std::string, double>> sd_inflation{};
  /// By parameter, of release-once: how far its posterior moves when the prior is raised to a power (posterior/prior_sensitivity.hpp).
  std::vector<std::pair<std::string, double>> prior_sensitivity{};
  std::vector<std::string> effects{};  ///< regressions: parameters that are effects of columns
  std::vector<EffectCurve> curves{};   ///< regressions: of columns that have one
  std::string ratio{};  ///< what exp of an effect is, "odds ratio" for instance; empty: nothing
  nlohmann::ordered_json
      certificate{};  ///< of this design, from simulated tables (report/design_certificate.hpp); null: none
  std::optional<KeptAnswers>
      kept{};  ///< the releases behind the draws, where these can be drawn again from them
  PrivacyStatement privacy;
  Manifest manifest;
};

/// The program that made it, with its version.
[[nodiscard]] std::string made_by(const RunRecord& record);

/// How much wider than without noise intervals are, in one sentence; empty where that is not known.
[[nodiscard]] std::string width_sentence(const RunRecord& record);

/// Whether a fit by release-once shows the prior and the noise, hardly the data.
[[nodiscard]] bool noise_dominates(const RunRecord& record);

/// What stands in the place of numbers that must not be taken for an answer; empty where they may be. `summary`: of the record's draws.
[[nodiscard]] std::string no_answer(const RunRecord& record, const std::vector<ParameterSummary>& summary);

/// The method's own warnings, then what the draws show. `summary`: of the record's draws.
[[nodiscard]] std::vector<std::string> all_warnings(const RunRecord& record,
                                                    const std::vector<ParameterSummary>& summary);

}  // namespace sotto
