// What the figures of a parameter share: its interval, its prior and where that goes on beyond the figure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sotto/report/plot.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

struct Quantiles {
  double q05, q25, q50, q75, q95;
};
[[nodiscard]] Quantiles interval_of(const Draws& draws, std::size_t parameter);
/// A number of it, as it is written.
[[nodiscard]] std::string within(double x, const Quantiles& of);

/// Null where none is known.
[[nodiscard]] const PriorDescription* prior_of(const RunRecord& record, const std::string& parameter);
/// The place of the parameter of this name; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> same_parameter(const std::optional<Draws>& draws,
                                                        const std::string& parameter);

/// Arrows where a prior's bar goes on beyond the figure. `half`: half an arrow's height.
void mark_cut(Plot& plot, const PriorDescription& prior, Span x, double height, double half);

}  // namespace sotto
