// A regression by formula as a problem: its design, its model, its priors, and its parameters as reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/data/schema.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// All but its unit, and what follows from that. `rows`: their number where it is public. The table outlives it.
/// Errors: configuration when model and schema do not fit.
[[nodiscard]] Problem regression_problem(FitConfig config, const Table& table, std::optional<double> rows);

/// Whether rows of a person stand side by side (base/privacy_unit.hpp): those of regressions whose responses are one row each, of at
/// most kMostSideBySide rows a person.
[[nodiscard]] bool stand_side_by_side(const UnitDeclaration& unit, const Glm& glm);
inline constexpr std::size_t kMostSideBySide = 1000;  // a run holds four of these

/// Errors: configuration for a family that does not exist, and a formula that is none.
[[nodiscard]] std::vector<std::string> columns_of_regression(const ModelConfig& model);

}  // namespace sotto
