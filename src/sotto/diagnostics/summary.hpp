// The summary of a run: one line of numbers per parameter, and a verdict on whether to trust them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"

namespace sotto {

/// NaN stands for "cannot be told": constant or non-finite draws, or too few.
struct ParameterSummary {
  std::string parameter;
  double mean = 0;
  double sd = 0;
  double mcse_mean = 0;
  double mcse_sd = 0;
  double q05 = 0;
  double q50 = 0;
  double q95 = 0;
  double ess_bulk = 0;
  double ess_tail = 0;
  double rhat = 0;
};

[[nodiscard]] std::vector<ParameterSummary> summarise(const Draws& draws);

/// What is wrong with a number.
enum class Verdict { good, poor, unknown };

/// Thresholds from which a summary is not to be trusted.
inline constexpr double kRhatLimit = 1.01;      ///< [VGSCB21, section 4.1]
inline constexpr double kRhatApart = 1.1;       ///< no answer: above the laxer limit that was usual before
inline constexpr double kEssPerChain = 100;     ///< [VGSCB21, section 4.1]: 50 for each half of a chain
inline constexpr std::size_t kShortChain = 50;  ///< fewer draws than this: the usual diagnostics say little

[[nodiscard]] Verdict rhat_verdict(double rhat);
/// `chains` before splitting.
[[nodiscard]] Verdict ess_verdict(double ess, std::size_t chains);

/// Sentences about what is wrong, the worst first; empty when nothing is. Each says what to do. Independent
/// draws are only checked for being finite, varying and enough.
[[nodiscard]] std::vector<std::string> warnings(const Draws& draws,
                                                const std::vector<ParameterSummary>& summary,
                                                bool markov_chain = true);

/// Whether Markov chains may be taken for the posterior at all: none ran away or is short, and no R-hat is far from 1 or unknown.
[[nodiscard]] bool converged(const Draws& draws, const std::vector<ParameterSummary>& summary);

/// Greatest nested R-hat over the parameters, where every chain is taken for a group of its own: what can be
/// said of chains too short for the usual one. Empty with fewer than two chains.
[[nodiscard]] std::optional<double> short_chain_rhat(const Draws& draws);

}  // namespace sotto
