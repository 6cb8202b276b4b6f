// A normal mean, or a banana, of columns as they are, as a problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/run/problem.hpp"

namespace sotto {

/// All but its unit, and what follows from that. `rows`: their number where it is public. The table outlives it.
/// Errors: configuration when model and schema do not fit.
[[nodiscard]] Problem location_problem(const FitConfig& config, const Table& table,
                                       std::optional<double> rows);

/// The columns whose mean is asked for. Errors: configuration, saying what is missing, where the settings are those of another model.
[[nodiscard]] std::vector<std::string> columns_of_location(const ModelConfig& model);

}  // namespace sotto
