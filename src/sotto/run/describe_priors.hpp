// Priors in numbers, on the scale of the report.
#pragma once

#include <string>
#include <vector>

#include "sotto/run/problem.hpp"

namespace sotto {

/// Of the reported parameters: a figure's worth. `where`: what follows each prior's text.
[[nodiscard]] std::vector<PriorDescription> describe_priors(const PublicProblem& problem,
                                                            const std::string& where);

}  // namespace sotto
