#include "sotto/model/response.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "sotto/model/formula_tokens.hpp"

namespace sotto {
namespace {

constexpr double kMostLevelsOfCount = 256;
constexpr double kNarrowestPiece = 1e-100;
constexpr std::size_t kMostPieces = 20;  // every one is a row, and shares its unit's bound

void check_function(const Variable& variable, const SchemaColumn& column) {
  if (variable.function == nullptr) return;
  if (column.kind == ColumnKind::category)
    refuse_formula(fmt::format("{}: {} is a category", variable.text(), column.name));
  const auto [lower, upper] = column.range();
  if (variable.function->defined != nullptr && !variable.function->defined(lower))
    refuse_formula(fmt::format("{} is not defined at the declared lower bound {}; raise it{}",
                               variable.text(), lower,
                               variable.function->name == "log" && lower > -1 ? ", or take log1p" : ""));
  if (variable.is_basis() && column.kind != ColumnKind::real && upper - lower < variable.number)
    refuse_formula(fmt::format("{}: {} takes {} values alone; write C({}), or a smaller number",
                               variable.text(), column.name, upper - lower + 1, column.name));
}

/// A comparison that no legal value, or every one, fulfils.
void refuse_constant(const Source& source) {
  const double with = std::get<double>(source.comparison->with);
  const auto [lower, upper] = source.range;
  bool constant = false;
  switch (source.comparison->relation) {
    case Comparison::Relation::equal:
    case Comparison::Relation::not_equal:
      constant = with < lower || with > upper;
      break;
    case Comparison::Relation::less:
    case Comparison::Relation::greater_equal:
      constant = with <= lower || with > upper;
      break;
    case Comparison::Relation::less_equal:
    case Comparison::Relation::greater:
      constant = with < lower || with >= upper;
      break;
  }
  if (!constant) return;
  if (source.declared.kind == ColumnKind::binary) {
    refuse_formula(fmt::format(
        "{0} is declared binary, whose cells are yes or no, 1 or 0, and is compared with {1:g}: of other "
        "codes "
        "declare {0} as a count whose bounds hold them all, or as a category, and write {0} == '{1:g}'",
        source.declared.name, with));
  }
  refuse_formula(
      fmt::format("{} is compared with {:g}, and by its declared bounds, {:g} to {:g}, the result is the "
                  "same in every row: "
                  "compare it with another number, or declare other bounds",
                  source.variable.text(), with, lower, upper));
}

/// The column with 0 and 1 for its values: whether it is so to a number or level.
Source compared(Source source, Comparison comparison) {
  const SchemaColumn& column = source.declared;
  const auto* level = std::get_if<std::string>(&comparison.with);
  if (level && column.kind == ColumnKind::binary) {
    refuse_formula(fmt::format("{0} is binary, yes or no already: write {1} alone", column.name,
                               name_in_formula(column.name)));
  }
  if (source.is_category() != (level != nullptr)) {
    refuse_formula(fmt::format("{} is {}", column.name,
                               level ? "no category; compare it with a number, without quotes"
                                     : "a category; compare it with a level in quotes: == 'level'"));
  }
  if (level) {
    const auto found = std::find(source.levels.begin(), source.levels.end(), *level);
    if (found == source.levels.end()) {
      refuse_formula(fmt::format("'{}' is no level of {}; its levels are {}", *level, column.name,
                                 fmt::join(source.levels, ", ")));
    }
    comparison.with = static_cast<double>(found - source.levels.begin());
  }
  source.comparison = comparison;
  if (!level) refuse_constant(source);
  source.range = {0, 1};
  return source;
}

/// Yes or no.
Source event_of(const Formula& formula, const Schema& schema) {
  Source event = source_of(*formula.event, schema);
  if (formula.event_comparison) return compared(std::move(event), *formula.event_comparison);
  const SchemaColumn& column = event.declared;
  if (column.kind == ColumnKind::binary) return event;
  if (!event.is_category() && schema.column(formula.response.column).kind == ColumnKind::binary) {
    refuse_formula(fmt::format(
        "Surv({0}, {1}): time and event look swapped, as {0} is declared binary; write Surv({1}, {0})",
        name_in_formula(formula.response.column), name_in_formula(column.name)));
  }
  const std::string time = name_in_formula(formula.response.column);
  const std::string name = name_in_formula(column.name);
  refuse_formula(fmt::format(
      "Surv({}, {}): {} is not yes or no; declare it with kind = \"binary\", or say which value "
      "is the event, as in Surv({}, {} == {})",
      time, name, name, time, name, event.is_category() ? fmt::format("'{}'", event.levels.back()) : "1"));
}

void check_cuts(const std::vector<double>& cuts, const std::string& time, double upper) {
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const double before = k == 0 ? 0 : cuts[k - 1];
    const char* fault = !(cuts[k] >= kNarrowestPiece)            ? "is not above 0, where times begin"
                        : !(upper - cuts[k] >= kNarrowestPiece)  ? "is not below it"
                        : !(cuts[k] - before >= kNarrowestPiece) ? "is not above the one before it"
                                                                 : nullptr;
    if (fault == nullptr) continue;
    refuse_formula(
        fmt::format("model.cuts (--cuts) must ascend, between 0 and the upper bound of {}, {:g}: {:g} {}",
                    time, upper, cuts[k], fault));
  }
}

Response survival_of(const Formula& formula, const Schema& schema, std::vector<double> ends) {
  const Source time = source_of(formula.response, schema);
  const Source event = event_of(formula, schema);
  const auto [lower, upper] = time.range;
  const std::string name = time.declared.name;
  if (time.is_category() || time.declared.kind == ColumnKind::binary)
    refuse_formula(fmt::format("Surv({}, ...): the time is a number; declare it with kind = \"real\"", name));
  if (lower < 0 || !(upper > 0))
    refuse_formula(
        fmt::format("Surv({0}, ...): times are not negative; declare bounds of {0} from 0 on", name));
  if (ends.size() >= kMostPieces)
    refuse_formula(fmt::format("model.cuts (--cuts): at most {} intervals of time", kMostPieces));
  check_cuts(ends, name, upper);
  ends.push_back(upper);
  return {fmt::format("Surv({}, {})", name, event.declared.name),
          ResponseKind::time,
          PieceResponse::kCodes,
          time,
          1,
          event,
          TimeAtRisk{std::move(ends)}};
}

}  // namespace

Source source_of(const Variable& variable, const Schema& schema) {
  const SchemaColumn& column = schema.column(variable.column);
  check_function(variable, column);
  Source source{variable, column, column.range(), {}};
  if (variable.function != nullptr) source.range = variable.function->range(column.range(), variable.number);
  if (column.kind == ColumnKind::category) source.levels = column.levels;
  if (!variable.categorical || column.kind == ColumnKind::category) return source;
  if (column.kind == ColumnKind::real) {
    refuse_formula(fmt::format(
        "C({0}): {0} is declared as a real number; declare it as a category with levels", column.name));
  }
  const auto [lower, upper] = column.range();
  if (upper - lower >= kMostLevelsOfCount) {
    refuse_formula(fmt::format("C({0}): {0} has more than {1} levels; narrow its bounds", column.name,
                               kMostLevelsOfCount));
  }
  for (double level = lower; level <= upper; ++level) source.levels.push_back(fmt::format("{:.0f}", level));
  return source;
}

Response response_of(const Formula& formula, const Schema& schema, const std::vector<double>& cuts) {
  if (formula.event) return survival_of(formula, schema, cuts);
  if (!cuts.empty())
    refuse_formula("model.cuts (--cuts) are for times to an event: write Surv(time, event) ~ ...");
  Source source = source_of(formula.response, schema);
  const SchemaColumn& column = source.declared;
  if (formula.comparison) {
    return {formula.response.text(),
            ResponseKind::binary,
            {0, 1},
            compared(std::move(source), *formula.comparison)};
  }
  if (source.is_category()) {
    if (source.levels.size() < 3 || source.levels.size() > kMostPieces + 1)
      refuse_formula(fmt::format(
          "{0} is a category of {2} levels; for a response of 0 and 1 write {0} == '{1}' ~ ..., of family "
          "bernoulli; ordered categories (--family ordinal) are three to {3}",
          name_in_formula(column.name), source.levels.back(), source.levels.size(), kMostPieces + 1));
    return {formula.response.text(),
            ResponseKind::ordered,
            {0, static_cast<double>(source.levels.size()) - 1},
            source};
  }
  Response response{formula.response.text(), ResponseKind::real, source.range, source};
  if (formula.response.function != nullptr) return response;
  if (column.kind == ColumnKind::binary) response.kind = ResponseKind::binary;
  if (column.kind == ColumnKind::count) response.kind = ResponseKind::count;
  return response;
}

double Response::value(double cell) const {
  return unit == 1 ? source.value(cell) : std::clamp(source.value(cell) / unit, range.lower, range.upper);
}

void Response::count_in_steps(double steps) {
  if (!(range.lower >= 0) || !(range.upper > 0) || !std::isfinite(range.upper) ||
      !std::isfinite(steps / range.upper))
    refuse_formula(fmt::format(
        "{}: a gamma model needs a response that is not negative: declare its bounds from 0 on", name));
  unit = range.upper / steps;
  range = {std::clamp(range.lower / unit, 0.0, steps), steps};
}

std::vector<std::string> Response::pieces() const {
  std::vector<std::string> names;
  if (time_at_risk) {
    for (std::size_t k = 0; k < time_at_risk->ends.size(); ++k)
      names.push_back(fmt::format("{:g}-{:g}", time_at_risk->start(k), time_at_risk->ends[k]));
  }
  if (kind == ResponseKind::ordered) {
    for (std::size_t k = 1; k < source.levels.size(); ++k)
      names.push_back(fmt::format("{}|{}", source.levels[k - 1], source.levels[k]));
  }
  return names;
}

std::string Source::name() const {
  if (!variable.is_basis()) return variable.text();
  return fmt::format("{}({})[{}]", variable.function->name, variable.column, part);
}

double Source::value(double cell) const {
  double value = cell;
  if (variable.function != nullptr) {
    const Interval values = variable.function->range(declared.range(), variable.number);
    value = std::clamp(variable.function->value(cell, declared.range(), variable.number, part), values.lower,
                       values.upper);
  } else if (!levels.empty() && declared.kind != ColumnKind::category) {
    value = cell - declared.range().lower;
  }
  if (!comparison) return value;
  const double with = std::get<double>(comparison->with);
  switch (comparison->relation) {
    case Comparison::Relation::less:
      return value < with ? 1 : 0;
    case Comparison::Relation::less_equal:
      return value <= with ? 1 : 0;
    case Comparison::Relation::equal:
      return value == with ? 1 : 0;
    case Comparison::Relation::not_equal:
      return value != with ? 1 : 0;
    case Comparison::Relation::greater_equal:
      return value >= with ? 1 : 0;
    case Comparison::Relation::greater:
      return value > with ? 1 : 0;
  }
  return 0;
}

}  // namespace sotto
