// The figures of a report, as HTML fragments.
#pragma once

#include <string>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// Intervals of every parameter: prior (90 %), posterior (90 %, 50 %, median) and the comparison without
/// privacy.
[[nodiscard]] std::string forest_figure(const RunRecord& record);

/// Each curve of a column with its band; empty where there is none.
[[nodiscard]] std::string curve_figures(const RunRecord& record);

/// A kernel density estimate for every parameter; the prior's 90 % interval as a bar.
[[nodiscard]] std::string density_figures(const RunRecord& record);

/// Draws in their order, one line per chain.
[[nodiscard]] std::string trace_figures(const RunRecord& record);

/// How the ranks of each chain's draws spread among all draws: flat when the chains agree.
/// Source     [VGSCB21, section 4.4]
[[nodiscard]] std::string rank_figures(const RunRecord& record);

/// Draws of the two parameters of each of the pairs that are most correlated, six at the most.
[[nodiscard]] std::string pair_figures(const RunRecord& record);

/// delta against epsilon, with the promised point.
[[nodiscard]] std::string privacy_curve_figure(const PrivacyStatement& statement);

/// An attacker's greatest true-positive rate against the false-positive rate.
[[nodiscard]] std::string tradeoff_figure(const PrivacyStatement& statement);

/// What the marks of these figures mean.
[[nodiscard]] std::string legend(const RunRecord& record);

/// Says of a block that it holds results without privacy.
[[nodiscard]] std::string not_private_badge();

/// Parameters beyond this many have no figure of their own.
inline constexpr std::size_t kFigures = 48;

}  // namespace sotto
