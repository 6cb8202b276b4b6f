#include "sotto/run/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/measurement/gradient.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/distribution_problem.hpp"
#include "sotto/run/location_problem.hpp"
#include "sotto/run/method_choice.hpp"
#include "sotto/run/regression_problem.hpp"

namespace sotto {
namespace {

/// What is not named stays where it is at the usual start.
std::optional<Position> chosen_start(const std::map<std::string, double>& start,
                                     const PublicProblem& problem) {
  if (start.empty()) return std::nullopt;
  Position reported = problem.to_report(problem.start);
  for (const auto& [name, value] : start) {
    const auto found = std::find(problem.parameters.begin(), problem.parameters.end(), name);
    if (found == problem.parameters.end()) {
      refuse(fmt::format("start.{} names no parameter of this model: they are {}{}", name,
                         fmt::join(problem.parameters, ", "), suggestion(name, problem.parameters)));
    }
    if (name == "sigma" && !problem.coordinates.empty() && problem.coordinates.back() == "sigma" &&
        !(value > 0))
      refuse("start.sigma must be > 0");
    reported[found - problem.parameters.begin()] = value;
  }
  const Position position = problem.from_report(reported);
  const bool far =
      problem.reach.size() > 0 && ((position - problem.start).array().abs() > problem.reach.array()).any();
  if (far || !position.allFinite())
    refuse("start lies where responses and priors allow no posterior: choose one nearer to where it may be");
  return position;
}

std::string declaration_of(const Schema& schema) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const SchemaColumn& column : schema.columns) {
    columns.push_back({column.name, static_cast<int>(column.kind), column.bounds.lower, column.bounds.upper,
                       column.levels, static_cast<int>(column.missing), column.imputed,
                       static_cast<int>(column.out_of_range)});
  }
  return nlohmann::ordered_json({columns, schema.unit.person, schema.unit.maximum_rows,
                                 schema.adjacency == Adjacency::substitute})
      .dump();
}

/// Columns and their meaning are the table's; `rows`: of all owners together, where their number is public.
/// How many cells took a declared value is not asked.
void tell_about_imputed(const Schema& schema, std::vector<std::string>& warnings) {
  for (const SchemaColumn& column : schema.columns) {
    if (column.missing != MissingPolicy::impute) continue;
    const bool level = column.kind == ColumnKind::category;
    const std::string value =
        level ? column.levels[static_cast<std::size_t>(column.imputed)] : fmt::format("{:g}", column.imputed);
    warnings.push_back(fmt::format(
        "Note: Missing cells of {0} count as {1}, as the schema says, however many there are. Where they are "
        "many, and would be something else, what is said of {0} and of columns like it is off by more than "
        "intervals say: without missing = \"impute\" rows with such cells are left out instead.",
        column.name, value));
  }
}

Problem problem_of(const FitConfig& config, const Table& table, std::optional<double> rows) {
  Problem problem = is_location(config.model) ? location_problem(config, table, rows)
                    : is_distribution(config) ? distribution_problem(config, table, rows)
                                              : regression_problem(config, table, rows);
  const Glm* glm = problem.model.as<Glm>();
  problem.unit = unit_of(table.schema(), glm == nullptr ? 1 : glm->pieces().count);
  problem.unit.side_by_side = glm != nullptr && stand_side_by_side(table.schema().unit, *glm);
  problem.public_info.person = table.schema().unit.person;
  problem.public_info.privacy_unit = in_words(problem.unit, problem.public_info.person);
  problem.public_info.schema = table.schema().select(columns_read(config.model));
  problem.public_info.declaration = declaration_of(problem.public_info.schema);
  tell_about_imputed(problem.public_info.schema, problem.public_info.warnings);
  problem.public_info.chosen_start = chosen_start(config.start, problem.public_info);
  state_bounds(problem, config.model.likelihood_power);
  return problem;
}

/// Its rows are not at hand.
Problem problem_of_nobody(const FitConfig& config, const Schema& schema, std::optional<double> count) {
  const Table none(schema.select(columns_read(config.model)));
  Problem problem = problem_of(config, none, count);
  problem.rows = []() -> Rows {
    throw Error(ErrorCode::internal, "rows were asked for where none are at hand");
  };
  return problem;
}

void name_owners(std::size_t count, Problem& problem) {
  problem.public_info.owners = count;
  problem.public_info.privacy_unit += " of one owner's table";
}

Rows joined(const std::vector<OwnerAccess>& owners) {
  std::vector<Rows> parts;
  std::size_t count = 0;
  for (const OwnerAccess& owner : owners) {
    if (owner.elsewhere)
      refuse("what is not private needs all rows at hand, and some are at owners elsewhere");
    parts.push_back(owner.rows());
    count += parts.back().rows();
  }
  Rows all(count, parts.front().columns());
  std::size_t at = 0;
  for (const Rows& part : parts) {
    for (std::size_t i = 0; i < part.rows(); ++i, ++at) {
      for (std::size_t j = 0; j <= part.columns(); ++j) all.at(at, j) = part.at(i, j);
    }
  }
  return all;
}

}  // namespace

PrivacyUnit unit_of(const Schema& schema, std::size_t pieces) {
  const UnitDeclaration& unit = schema.unit;
  return {.adjacency = schema.adjacency,
          .rows_per_unit = pieces * (unit.is_row() ? 1 : unit.maximum_rows),
          .is_row = unit.is_row(),
          .pieces = pieces};
}

std::optional<double> public_rows(const Table& table) {
  const Schema& schema = table.schema();
  if (schema.adjacency != Adjacency::substitute || !schema.unit.is_row()) return std::nullopt;
  return static_cast<double>(table.rows());
}

void refuse_no_rows(const Table& table) {
  if (table.rows() == 0 && table.schema().adjacency == Adjacency::substitute)
    throw Error(ErrorCode::data, "the table has no rows: nothing was spent");
}

std::string in_words(const PrivacyUnit& unit, const std::string& person) {
  const std::size_t rows = unit.table_rows();
  if (unit.is_row && rows == 1) return "one row";
  const std::string column = person.empty() ? "" : fmt::format("by column {}, ", person);
  return fmt::format("one person ({}at most {} row{})", column, rows, rows == 1 ? "" : "s");
}

void state_bounds(Problem& problem, double likelihood_power) {
  const OwnerContext context{problem.model, problem.unit, likelihood_power};
  problem.public_info.ratio_sensitivity = [context](const Position& from, const Position& to) {
    const auto range = contribution_range({from, to, Rho(0)}, context);
    if (!range) return std::numeric_limits<double>::infinity();
    return ratio_noise(*range, context.unit, Rho(0), 1)->sensitivity * kLogDensityGrid;
  };
  problem.public_info.ratio_bound = [context](const Position& from, const Position& to) {
    const auto range = contribution_range({from, to, Rho(0)}, context);
    if (!range) return std::numeric_limits<double>::infinity();
    return static_cast<double>(std::max(-range->lower, range->upper)) * kLogDensityGrid;
  };
  problem.public_info.gradient_norm = [context](const Position& at, const Position& scale) {
    return gradient_bound(at, scale, context).norm;
  };
}

std::vector<std::string> columns_read(const ModelConfig& model) {
  if (is_categorical(model)) return columns_of_distribution(model);
  return is_location(model) ? columns_of_location(model) : columns_of_regression(model);
}

void check_model(const FitConfig& config, const Schema& schema) {
  Table table(schema.select(columns_read(config.model)));
  table.append_nothing();  // whether the number of rows is public decides which methods there are
  const Problem problem = problem_of(config, table, public_rows(table));
  static_cast<void>(resolve_method(config, problem));
}

Problem make_problem(const FitConfig& config, const Table& table) {
  if (!config.owners.empty())
    refuse("several owners' tables are for sotto fit alone: drop [[owner]], and name one table");
  refuse_no_rows(table);
  return problem_of(config, table, public_rows(table));
}

Problem make_problem_without_rows(const FitConfig& config, const Schema& schema,
                                  std::optional<double> count) {
  Problem problem = problem_of_nobody(config, schema, count);
  const std::size_t owners = config.owners.size() + config.elsewhere.size();
  if (owners > 1) name_owners(owners, problem);
  return problem;
}

Problem make_problem(const FitConfig& config, std::span<const Table> owners) {
  if (owners.size() < 2) refuse("[[owner]] is for several tables: name at least two, or one by data.file");
  return make_problem(config, owners.front().schema(), owners, {});
}

Problem make_problem(const FitConfig& config, const Schema& schema, std::span<const Table> owners,
                     std::span<const OwnerElsewhere> elsewhere) {
  const std::size_t count = owners.size() + elsewhere.size();
  if (elsewhere.empty() && count < 2) refuse("several owners are at least two tables, or one at an address");
  const auto refuse_persons = [&](const Schema& of) {
    if (count == 1 || of.unit.is_row()) return;
    refuse(
        "one person may have rows at several owners, each of whom protects only those of its own: with "
        "[[owner]] the unit of privacy must be a row");
  };
  refuse_persons(schema);
  std::optional<double> rows = 0;
  const auto add_rows = [&](const std::optional<double>& own) {
    rows = rows && own ? std::optional(*rows + *own) : std::nullopt;
  };
  for (const Table& table : owners) {
    refuse_persons(table.schema());
    refuse_no_rows(table);
    add_rows(public_rows(table));
  }
  for (const OwnerElsewhere& owner : elsewhere) add_rows(owner.rows);
  Problem problem =
      owners.empty() ? problem_of_nobody(config, schema, rows) : problem_of(config, owners.front(), rows);
  for (const Table& table : owners) problem.owners.push_back({.rows = problem_of(config, table, rows).rows});
  for (const OwnerElsewhere& owner : elsewhere) {
    problem.owners.push_back({.elsewhere = owner.interface});
    problem.public_info.owner_promises.push_back(
        {owner.name, owner.address, owner.epsilon, owner.delta, owner.noise_source, owner.noise_is_private});
  }
  problem.rows = [all = problem.owners] { return joined(all); };
  if (count > 1) name_owners(count, problem);
  return problem;
}

}  // namespace sotto
