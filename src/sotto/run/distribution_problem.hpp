// A category's shares, or the mean and shape of a gamma distribution: models of one column and nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/data/table.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Family categorical; and family gamma with "y ~ 1" for a method that needs a likelihood: as a regression it has none, as its law is known up to
/// the first two moments there.
[[nodiscard]] bool is_distribution(const FitConfig& config);

/// `rows`: their number, where it is public. Errors: configuration when formula, schema and family do not fit.
[[nodiscard]] Problem distribution_problem(const FitConfig& config, const Table& table,
                                           std::optional<double> rows);

/// The one column that is read. Errors: configuration for a formula that says more than "y ~ 1".
[[nodiscard]] std::vector<std::string> columns_of_distribution(const ModelConfig& model);

}  // namespace sotto
