// A model of one's own as a problem: everything that a built-in one gets follows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/data/table.hpp"
#include "sotto/model/any_model.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// All of it is public but what `rows` makes. A model whose bounds come from rows protects nobody.
struct OwnModel {
  std::string title;           ///< of the report
  AnyModel model;              ///< usually PerRow(...) of a struct that sees one row, or PerArray(...)
  std::function<Rows()> rows;  ///< the curator's copy; called once per fit. Where the model is a Glm with
                               ///< pieces, every response's rows are as `Pieces` says: nobody checks
  std::vector<std::string> parameters;     ///< names, one per coordinate
  std::vector<CoefficientPrior> priors{};  ///< one per coordinate, independent; or else
  std::optional<LogPrior> log_prior{};     ///< of all coordinates together
  PrivacyUnit unit{};                      ///< whose rows are protected, against which neighbours
  std::string person{};                    ///< the column that tells persons apart, where they are the unit
  double expected_rows = 1000;             ///< a guess, not a count: where warmup starts
  std::optional<Position> start{};         ///< a central position; none: zero
  std::optional<Position> posterior_scale{};  ///< rough sd of the posterior; none: from bounds and priors
  std::function<Position(const Position&)>
      to_report{};  ///< position -> reported parameters; none: as they are
};

/// Errors: configuration when a part is missing, has another number of coordinates than the model, or is said in `config` too.
[[nodiscard]] Problem own_problem(const FitConfig& config, OwnModel own);

/// The same for the values of `columns` in the rows of a table, which outlives the problem. `own.rows`, `own.unit`, `own.person`
/// and, where the number of rows is public, `own.expected_rows` are taken from it. Errors: also data for a table without rows where
/// their number is public.
[[nodiscard]] Problem own_problem(const FitConfig& config, const Table& table,
                                  const std::vector<std::string>& columns, OwnModel own);

}  // namespace sotto
