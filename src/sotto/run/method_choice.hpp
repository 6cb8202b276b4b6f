// Which method a configuration means, and whether it fits the problem.
#pragma once

#include "sotto/run/method.hpp"

namespace sotto {

/// The method of this name, and what `auto` stands for. Errors: configuration when there is no such method, when it is for
/// study and the run is to be private, or the other way round.
[[nodiscard]] const Method& resolve_method(const FitConfig& config, const Problem& problem);

/// What answers the method on this problem: release-once asks a category for counts, and other models for scores.
[[nodiscard]] QueryRegime regime_of(const Method& method, const Problem& problem);

}  // namespace sotto
