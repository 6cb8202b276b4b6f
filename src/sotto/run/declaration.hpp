// What an analyst and an owner elsewhere agree upon before anything is asked: the model, and the columns that it reads.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sotto/run/fit_config.hpp"

namespace sotto {

/// Priors, methods and budgets are the analyst's own business. Where both sides hold the same, they come to the same prices.
struct Declaration {
  ModelConfig model;
  std::string schema;  ///< of the columns that the model reads: PublicProblem::declaration
};

[[nodiscard]] nlohmann::json to_json(const Declaration& declaration);

/// What `to_json` wrote: every field must be there, and no other.
/// Errors: data, in a constant sentence, for anything else. Whether model and schema fit is `make_problem`'s to say.
/// Checked by tests/sotto_rpc/served_table_test.cpp: what_is_no_declaration_is_refused
[[nodiscard]] Declaration declaration_from_json(const nlohmann::json& json);

}  // namespace sotto
