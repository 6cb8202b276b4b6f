#include "sotto/model/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sotto {

namespace {

constexpr std::size_t kMostVertices = 4096;
constexpr std::size_t kMostColumns = 4096;
constexpr double kSmallestWidth = 1e-100;

bool contains(const std::vector<Variable>& variables, const Variable& variable) {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

// Whether `term` without `left_out` is a term of the model; the empty rest is for the caller.
bool rest_is_in_model(const Term& term, const Variable& left_out, const std::vector<Term>& model) {
  return std::any_of(model.begin(), model.end(), [&](const Term& other) {
    if (other.variables.size() + 1 != term.variables.size()) return false;
    return std::all_of(other.variables.begin(), other.variables.end(), [&](const Variable& variable) {
      return !(variable == left_out) && contains(term.variables, variable);
    });
  });
}

/// A column alone, its powers, its levels and its other bases are sums of a basis's columns, or nearly.
void refuse_same_as_basis(const Variable& basis, const std::vector<Term>& model) {
  for (const Term& term : model) {
    if (term.variables.size() != 1 || term.variables[0] == basis) continue;
    const Variable& other = term.variables[0];
    if (other.column == basis.column && (other.function == nullptr || other.has_number()))
      refuse_formula(fmt::format("{} and {} say the same of {}: leave one out", other.text(), basis.text(),
                                 basis.column));
  }
}

}  // namespace

double DesignColumn::scaled(std::span<const double> values) const {
  double product = 1;
  for (const Part& part : parts) {
    const double value = values[part.source];
    product *= part.level ? (value == static_cast<double>(*part.level) ? 1.0 : 0.0) : value - part.centre;
  }
  return (product - center) / half_width;
}

Design::Design(const Formula& formula, const Schema& schema, const std::vector<double>& cuts)
    : response_(response_of(formula, schema, cuts)), intercept_(formula.intercept) {
  check(schema);
  if (intercept_) columns_.push_back({"Intercept", {}, {1, 1}, 0, 1});
  add_pieces();
  // Without an intercept the first category keeps all its levels and then stands for the intercept.
  bool constant_in_model = intercept_;
  for (const Term& term : formula.terms) {
    std::vector<bool> all_levels;
    for (const Variable& variable : term.variables) {
      if (is_response(variable))
        refuse_formula(fmt::format("{} is the response and cannot be a term too", variable.column));
      const bool category = sources_[add_sources(variable, schema)[0]].is_category();
      const bool alone = term.variables.size() == 1;
      if (alone && variable.is_basis()) refuse_same_as_basis(variable, formula.terms);
      const bool rest = alone ? constant_in_model : rest_is_in_model(term, variable, formula.terms);
      if (alone && category) constant_in_model = true;
      all_levels.push_back(!rest);
    }
    add_term(term, all_levels, schema);
  }
  for (const VaryingTerm& term : formula.varying) add_group(term, formula, schema);
  if (formula.offset) add_offset(*formula.offset, schema);
  for (DesignColumn& column : columns_) scale(column);
}

bool Design::is_response(const Variable& variable) const {
  return variable.column == response_.source.variable.column ||
         (response_.event && variable.column == response_.event->variable.column);
}

/// The baseline hazard, or the odds beyond each threshold: a column less than there are pieces, as the first is in the intercept.
void Design::add_pieces() {
  const std::vector<std::string> names = response_.pieces();
  if (names.empty()) return;
  if (!intercept_)
    refuse_formula(
        response_.time_at_risk
            ? "Surv(...) needs the intercept, the hazard of the first interval of time: leave + 0 or - 1 out"
            : "ordered categories need the intercept, which their thresholds are: leave + 0 or - 1 out");
  pieces_ = {names.size(), columns()};
  if (pieces_.count == 1) return;
  Source piece = response_.source;
  piece.levels = names;
  piece_source_ = sources_.size();
  for (std::size_t k = 1; k < pieces_.count; ++k) {
    columns_.push_back(
        {fmt::format("{}[{}]", piece.variable.column, piece.levels[k]), {{*piece_source_, k}}, {0, 1}, 0, 1});
  }
  sources_.push_back(std::move(piece));
}

std::vector<std::string> Design::names() const {
  std::vector<std::string> names;
  for (const DesignColumn& column : columns_) names.push_back(column.name);
  return names;
}

/// Where the variable's values stand among the sources: of a basis several, else one.
std::vector<std::size_t> Design::add_sources(const Variable& variable, const Schema& schema) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].variable == variable) found.push_back(i);
  }
  if (!found.empty()) return found;
  Source source = source_of(variable, schema);
  const int parts = variable.is_basis() ? variable.number : 1;
  for (source.part = 1; source.part <= parts; ++source.part) {
    found.push_back(sources_.size());
    sources_.push_back(source);
  }
  return found;
}

/// Of a variable alone: indicators of its levels, or its values.
std::vector<DesignColumn> Design::columns_of(const Variable& variable, bool all_levels,
                                             const Schema& schema) {
  std::vector<DesignColumn> columns;
  for (const std::size_t index : add_sources(variable, schema)) {
    const Source& source = sources_[index];
    if (!source.is_category()) columns.push_back({source.name(), {{index, std::nullopt}}, source.range});
    for (std::size_t level = all_levels ? 0 : 1; level < source.levels.size(); ++level) {
      columns.push_back(
          {fmt::format("{}[{}]", variable.column, source.levels[level]), {{index, level}}, {0, 1}});
    }
  }
  return columns;
}

// All products of the term's parts; the first variable's levels vary fastest.
void Design::add_term(const Term& term, const std::vector<bool>& all_levels, const Schema& schema) {
  std::vector<DesignColumn> products{{"", {}, {1, 1}, 0, 1}};
  for (std::size_t v = 0; v < term.variables.size(); ++v) {
    std::vector<DesignColumn> longer;
    for (const DesignColumn& own : columns_of(term.variables[v], all_levels[v], schema)) {
      for (DesignColumn product : products) {
        product.name += (v == 0 ? "" : ":") + own.name;
        product.parts.push_back(own.parts[0]);
        product.range = product.range * own.range;
        longer.push_back(std::move(product));
      }
      if (longer.size() + columns_.size() > kMostColumns) {
        refuse_formula(fmt::format(
            "more than {} columns in the design; leave out an interaction or some levels", kMostColumns));
      }
    }
    products = std::move(longer);
  }
  columns_.insert(columns_.end(), products.begin(), products.end());
}

void Design::add_group(const VaryingTerm& term, const Formula& formula, const Schema& schema) {
  const Variable& variable = term.group;
  const std::string text = variable.text();
  if (!intercept_) refuse_formula(fmt::format("(1 | {}) needs the intercept: leave + 0 or - 1 out", text));
  if (is_response(variable))
    refuse_formula(fmt::format("{} is the response and cannot be a group too", variable.column));
  const std::size_t index = add_sources(variable, schema)[0];
  const std::vector<std::string> levels = sources_[index].levels;
  if (levels.size() < 2) {
    const ColumnKind kind = schema.column(variable.column).kind;
    const bool codes = kind == ColumnKind::count || kind == ColumnKind::binary;
    refuse_formula(
        fmt::format("(1 | {0}): {0} is no category of two levels or more{1}", text,
                    codes ? fmt::format("; write (1 | C({})) to take its values for levels", text) : ""));
  }
  for (const Term& fixed : formula.terms) {
    const bool has_slope = term.slope && contains(fixed.variables, *term.slope);
    const bool same = fixed.variables.size() == (term.slope ? 2 : 1) && (has_slope || !term.slope);
    if (same && std::any_of(fixed.variables.begin(), fixed.variables.end(),
                            [&](const Variable& v) { return v.column == variable.column; })) {
      refuse_formula(fmt::format("{0} is a term and a group too: leave out one of {0} and ({1} | {2})",
                                 term.slope ? term.slope->text() + ":" + text : text,
                                 term.slope ? term.slope->text() : "1", text));
    }
  }
  DesignGroup group{variable.column, levels, {}};
  for (std::size_t k = 1; k < levels.size(); ++k) {
    group.columns.push_back(columns() + static_cast<Eigen::Index>(k) - 1);
  }
  if (term.slope) {
    add_slopes(sources_[add_sources(*term.slope, schema)[0]], index, std::move(group));
  } else {
    add_term({{variable}}, {false}, schema);
    groups_.push_back(std::move(group));
  }
}

/// Slopes of `source` that vary between a category's levels about the column's own.
void Design::add_slopes(const Source& source, std::size_t category, DesignGroup group) {
  const std::string text = source.variable.text();
  if (is_response(source.variable))
    refuse_formula(fmt::format("{} is the response and cannot be a term too", source.variable.column));
  if (source.is_category() || source.variable.is_basis())
    refuse_formula(fmt::format("({0} | {1}): {0} is {2}, and slopes are of numbers", text, group.name,
                               source.is_category() ? "a category" : "a curve"));
  const auto own = std::find_if(columns_.begin(), columns_.end(), [&](const DesignColumn& column) {
    return column.name == text && column.parts.size() == 1;
  });
  if (own == columns_.end())
    refuse_formula(fmt::format("({0} || {1}) varies about the slope of {0}: write {0} + ({0} || {1})", text,
                               group.name));
  const std::size_t value = own->parts[0].source;
  group.mean = own - columns_.begin();
  group.centre = std::midpoint(source.range.lower, source.range.upper);
  group.half_width = source.range.width() / 2;
  const Interval range{-group.half_width, group.half_width};
  for (std::size_t k = 1; k < group.levels.size(); ++k) {
    columns_.push_back({fmt::format("{}:{}[{}]", text, group.name, group.levels[k]),
                        {{value, std::nullopt, group.centre}, {category, k}},
                        range});
  }
  group.name = fmt::format("{}:{}", text, group.name);
  groups_.push_back(std::move(group));
}

void Design::add_offset(const Variable& variable, const Schema& schema) {
  if (is_response(variable))
    refuse_formula(fmt::format("{} is the response and cannot be the offset too", variable.column));
  if (response_.time_at_risk) refuse_formula("Surv(...) knows the time at risk: leave offset(...) out");
  const std::size_t index = add_sources(variable, schema)[0];
  if (sources_[index].is_category())
    refuse_formula(fmt::format("offset({0}): {0} is a category", variable.column));
  columns_.push_back(
      {fmt::format("offset({})", variable.text()), {{index, std::nullopt}}, sources_[index].range, 0, 1});
  offset_ = true;
}

void Design::scale(DesignColumn& column) const {
  const bool indicators = std::all_of(column.parts.begin(), column.parts.end(),
                                      [](const DesignColumn::Part& part) { return part.level.has_value(); });
  if (indicators) return;
  const auto [lower, upper] = column.range;
  column.center = intercept_ ? lower + (upper - lower) / 2 : 0;
  column.half_width = intercept_ ? (upper - lower) / 2 : column.range.magnitude();
  if (!(column.half_width >= kSmallestWidth) || !std::isfinite(upper - lower)) {
    refuse_formula(fmt::format(
        "the declared range of {} is too narrow or too wide to compute with; change its unit", column.name));
  }
}

Domain Design::domain() const {
  // Columns that share a source belong together: `group` maps each source to its representative.
  std::vector<std::size_t> group(sources_.size());
  std::iota(group.begin(), group.end(), 0);
  const auto same_group = [&group](std::size_t from, std::size_t to) {
    const std::size_t old = group[from];
    std::replace(group.begin(), group.end(), old, group[to]);
  };
  for (const DesignColumn& column : columns_) {
    for (const DesignColumn::Part& part : column.parts) same_group(part.source, column.parts[0].source);
  }

  std::vector<DomainComponent> components;
  if (intercept_) components.push_back({{0}, Matrix::Ones(1, 1)});
  for (std::size_t g = 0; g < sources_.size(); ++g) {
    std::vector<std::size_t> members;
    std::size_t count = 1;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      if (group[s] != g) continue;
      members.push_back(s);
      count *= sources_[s].is_category() ? sources_[s].levels.size() : 2;
      if (count > kMostVertices) {
        refuse_formula(fmt::format(
            "the interactions with {} have more than {} corners; use fewer variables or levels in them",
            sources_[members[0]].variable.text(), kMostVertices));
      }
    }
    if (members.empty()) continue;
    DomainComponent component;
    for (Eigen::Index j = 0; j < columns(); ++j) {
      if (!column(j).parts.empty() && group[column(j).parts[0].source] == g) component.columns.push_back(j);
    }
    component.vertices.resize(static_cast<Eigen::Index>(count),
                              static_cast<Eigen::Index>(component.columns.size()));
    std::vector<double> values(sources_.size(), 0.0);
    for (std::size_t vertex = 0; vertex < count; ++vertex) {
      std::size_t rest = vertex;
      for (const std::size_t s : members) {
        const std::size_t choices = sources_[s].is_category() ? sources_[s].levels.size() : 2;
        const std::size_t choice = rest % choices;
        rest /= choices;
        values[s] = sources_[s].is_category() ? static_cast<double>(choice)
                    : choice == 0             ? sources_[s].range.lower
                                              : sources_[s].range.upper;
      }
      for (std::size_t j = 0; j < component.columns.size(); ++j) {
        component.vertices(static_cast<Eigen::Index>(vertex), static_cast<Eigen::Index>(j)) =
            column(component.columns[j]).scaled(values);
      }
    }
    components.push_back(std::move(component));
  }
  return Domain(std::move(components));
}

Matrix Design::original_from_scaled() const {
  Matrix map = Matrix::Zero(columns(), columns());
  for (Eigen::Index j = 0; j < columns(); ++j) {
    if (column(j).center != 0) map(0, j) = -column(j).center / column(j).half_width;
    map(j, j) = 1 / column(j).half_width;
  }
  return map;
}

Matrix Design::scaled_from_original() const {
  Matrix map = Matrix::Zero(columns(), columns());
  for (Eigen::Index j = 0; j < columns(); ++j) {
    if (column(j).center != 0) map(0, j) = column(j).center;
    map(j, j) = column(j).half_width;
  }
  return map;
}

Position Design::to_units() const {
  Position shift = Position::Zero(columns());
  if (response_.unit != 1) shift[0] = std::log(response_.unit);
  if (!response_.time_at_risk) return shift;
  const TimeAtRisk& time = *response_.time_at_risk;
  shift[0] = -std::log(time.width(0));
  for (std::size_t k = 1; k < pieces_.count; ++k)
    shift[pieces_.first + static_cast<Eigen::Index>(k) - 1] = std::log(time.width(0) / time.width(k));
  return shift;
}

}  // namespace sotto
