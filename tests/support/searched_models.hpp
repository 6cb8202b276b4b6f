// Models with bounds from subnormal to 1e300 and a few ulps apart, and rows of theirs: what searches for rows that contribute more than
// was declared go through.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/model/any_model.hpp"
#include "sotto/model/clipped.hpp"
#include "sotto/model/distribution/categorical.hpp"
#include "sotto/model/distribution/gamma.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/every_family.hpp"

namespace sotto {

inline double pick(std::initializer_list<double> values, ChainRng& rng) {
  return values.begin()[rng.below(values.size())];
}

/// From `at` on: wide, or a few ulps.
inline Interval some_bounds_from(double at, ChainRng& rng) {
  if (rng.below(3) == 0) {
    double upper = at;
    for (std::size_t i = 0; i <= rng.below(4); ++i)
      upper = std::nextafter(upper, std::numeric_limits<double>::infinity());
    return {at, upper};
  }
  return {at, at + std::abs(at) * pick({1e-9, 0.5, 3}, rng) + pick({1e-310, 1e-3, 1, 50}, rng)};
}

/// Ordinary, tiny, huge, or a few ulps wide.
inline Interval some_bounds(ChainRng& rng) {
  return some_bounds_from(
      pick({0, 1, -1, 3.7, 1e-310, 1e-160, 1e15, -1e100, 1e300}, rng) * (1 + rng.uniform()), rng);
}
inline Interval some_positive_bounds(ChainRng& rng) {
  return some_bounds_from(pick({1, 3.7, 1e-310, 1e-160, 1e15, 1e100, 1e300}, rng) * (1 + rng.uniform()), rng);
}

inline double inside(const Interval& bounds, ChainRng& rng) {
  switch (rng.below(4)) {
    case 0:
      return bounds.lower;
    case 1:
      return bounds.upper;
    default:
      return std::clamp(bounds.lower + rng.uniform() * (bounds.upper - bounds.lower), bounds.lower,
                        bounds.upper);
  }
}

/// A model, and what a legal row's values may be.
struct SearchedModel {
  AnyModel model;
  std::vector<Interval> bounds;  // of each value of a row; the response last for a regression
  Position typical;              // a position that is not absurd

  [[nodiscard]] const Glm* regression() const { return model.as<Glm>(); }
  [[nodiscard]] Pieces pieces() const { return regression() == nullptr ? Pieces{} : regression()->pieces(); }
};

/// Few; now and then more than a vector of the processor holds.
inline Eigen::Index some_columns(ChainRng& rng) {
  return static_cast<Eigen::Index>(rng.below(12) == 0 ? 13 : 1 + rng.below(3));
}

inline SearchedModel some_location(ChainRng& rng) {
  const Eigen::Index dim = some_columns(rng);
  std::vector<Interval> bounds;
  Position typical(dim);
  for (Eigen::Index j = 0; j < dim; ++j) {
    bounds.push_back(some_bounds(rng));
    typical[j] = inside(bounds.back(), rng);
  }
  const Bend bend{.a = pick({0, 0, 0.3}, rng), .b = rng.normal(), .m = typical[0]};
  Matrix factor(dim, dim);
  for (double& entry : factor.reshaped()) entry = rng.normal();
  const double scale = pick({1e-6, 1, 1e4}, rng);
  Matrix precision = scale * (factor * factor.transpose() + Matrix::Identity(dim, dim));
  if (rng.below(4) == 0) {  // coordinates of units as far apart as numbers are
    Position unit(dim);
    for (double& entry : unit) entry = pick({1e-100, 1, 1e100}, rng);
    precision = Matrix((unit.cwiseAbs2().cwiseProduct(precision.diagonal())).asDiagonal());
  }
  const LocationModel model(bounds, precision, bend);
  if (rng.below(6) != 0) return {model, bounds, typical};
  const ClipBounds clips{pick({1e-100, 0.3, HUGE_VAL}, rng), pick({1e-100, 0.3, 1e100}, rng)};
  return {Clipped<LocationModel>(model, clips), bounds, typical};
}

/// Columns of numbers, and behind them those of pieces, if rows are pieces.
inline SearchedModel some_regression(ChainRng& rng) {
  const Eigen::Index numbers = some_columns(rng);
  std::vector<DomainComponent> components;
  std::vector<Interval> bounds;
  for (Eigen::Index j = 0; j < numbers; ++j) {
    bounds.push_back(some_bounds(rng));
    components.push_back({{j}, Matrix{{bounds.back().lower}, {bounds.back().upper}}});
  }
  const std::vector<FamilyCase> all = every_family();
  auto [family, response] = all[rng.below(all.size())];
  const auto* sigma = sigma_of(family);
  if (sigma != nullptr && *sigma) family = *find_family(family_name(family), pick({1e-3, 1, 50}, rng));
  const bool times = family_name(family) == family::PiecewiseExponential::name;
  Pieces pieces{1, numbers};
  if (times || has_thresholds(family)) pieces.count += rng.below(3);
  if (has_thresholds(family)) {
    response = {0, static_cast<double>(pieces.count)};
  } else if (response.lower < 0) {
    response = some_bounds(rng);
  } else if (response.upper > 1 && !times) {
    response.upper = pick({1, 30, 1e6}, rng);
  }
  const auto others = static_cast<Eigen::Index>(pieces.count) - 1;
  if (others > 0) {
    DomainComponent own{{}, Matrix::Zero(others + 1, others)};
    for (Eigen::Index k = 0; k < others; ++k) {
      own.columns.push_back(numbers + k);
      own.vertices(k + 1, k) = 1;
      bounds.push_back({0, 1});
    }
    components.push_back(own);
  }
  bounds.push_back(response);
  const Glm model(family, Domain(std::move(components)), response, pieces);
  Position typical = Position::Zero(model.dim());
  for (Eigen::Index j = 0; j < model.domain().columns(); ++j)
    typical[j] = rng.normal() / std::max(1e-300, bounds[static_cast<std::size_t>(j)].magnitude());
  return {model, bounds, typical};
}

inline SearchedModel some_distribution(ChainRng& rng) {
  if (rng.below(2) == 0) {
    const std::size_t levels = 2 + rng.below(4);
    const distribution::Categorical model(levels);
    return {model, {{0, static_cast<double>(levels - 1)}}, rng.normals(model.dim())};
  }
  const Interval bounds = some_positive_bounds(rng);
  return {PerRow(distribution::Gamma(bounds)),
          {bounds},
          Position{{std::log(inside(bounds, rng)), pick({0.1, 1, 8}, rng) * rng.normal()}}};
}

/// A model of one's own: values with long tails around the position. Bounds that need none of the rows, and code that returns
/// whatever comes of them.
struct LongTails {
  Position unit;  ///< of each value

  [[nodiscard]] Eigen::Index dim() const { return unit.size(); }
  [[nodiscard]] static Interval ratio_range(const Position& from, const Position& to) {
    const double reach = (to - from).lpNorm<1>();
    return {-reach, reach};
  }
  [[nodiscard]] static VectorBound gradient_bound(const Position&, const Position& scale) {
    return {scale.norm(), 2 * scale.norm()};
  }
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const {
    double sum = 0;
    for (Eigen::Index j = 0; j < dim(); ++j)
      sum -= unit[j] * std::hypot(1, (row[static_cast<std::size_t>(j)] - at[j]) / unit[j]);
    return sum;
  }
  void gradient(std::span<const double> row, const Position& at, Position& out) const {
    for (Eigen::Index j = 0; j < dim(); ++j) {
      const double away = (row[static_cast<std::size_t>(j)] - at[j]) / unit[j];
      out[j] = away / std::hypot(1, away);
    }
  }
};

/// The same by arrays.
struct LongTailedArrays : LongTails {
  [[nodiscard]] bool log_densities(const Matrix& rows, const Position& at, Position& out) const {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const Position row = rows.row(i);
      out[i] = log_density({row.data(), static_cast<std::size_t>(row.size())}, at);
    }
    return true;
  }
  [[nodiscard]] bool gradients(const Matrix& rows, const Position& at, Matrix& out) const {
    Position slope(dim());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const Position row = rows.row(i);
      gradient({row.data(), static_cast<std::size_t>(row.size())}, at, slope);
      out.col(i) = slope;
    }
    return true;
  }
};

inline SearchedModel some_own_model(ChainRng& rng) {
  const Eigen::Index dim = some_columns(rng);
  std::vector<Interval> bounds;
  Position typical(dim), units(dim);
  for (Eigen::Index j = 0; j < dim; ++j) {
    bounds.push_back(some_bounds(rng));
    typical[j] = inside(bounds.back(), rng);
    units[j] = pick({1e-100, 1e-3, 1, 1e100}, rng);
  }
  const LongTails model{units};
  if (rng.below(2) == 0) return {PerRow(model), bounds, typical};
  return {PerArray(LongTailedArrays{model}, typical, PrivacyUnit{}, rng.below(2) == 0), bounds, typical};
}

/// Normal rows, a regression, or others, by turns.
inline SearchedModel some_model(std::size_t turn, ChainRng& rng) {
  switch (turn % 3) {
    case 0:
      return some_location(rng);
    case 1:
      return some_regression(rng);
    default:
      return rng.below(2) == 0 ? some_distribution(rng) : some_own_model(rng);
  }
}

/// A row's values; now and then one that no decoded row holds.
inline std::vector<double> some_values(const std::vector<Interval>& bounds, ChainRng& rng) {
  std::vector<double> row;
  for (const Interval& of_value : bounds) row.push_back(inside(of_value, rng));
  if (rng.below(5) == 0) row[rng.below(row.size())] = pick({NAN, HUGE_VAL, -HUGE_VAL, 1e200}, rng);
  return row;
}

/// What a row of a table becomes: rows of a model.
using Record = std::vector<std::vector<double>>;

/// One row of a regression, or one for each of its pieces: legal.
inline Record some_regression_record(const SearchedModel& searched, ChainRng& rng) {
  std::vector<double> row;
  for (const Interval& bounds : searched.bounds) row.push_back(inside(bounds, rng));
  const auto [count, first] = searched.pieces();
  if (count == 1) return {row};
  const auto length = static_cast<double>(count);
  const bool ordered = has_thresholds(searched.regression()->family());
  const double category = std::round(length * rng.uniform());
  TimeAtRisk time;
  for (std::size_t k = 1; k <= count; ++k) time.ends.push_back(static_cast<double>(k));
  const double until = pick({1, 1, rng.uniform()}, rng) * length;
  const bool event = rng.below(2) == 0;
  Record rows;
  for (std::size_t k = 0; k < count; ++k) {
    const auto reached = time.response(k, until, event);
    if (!ordered && !reached) break;
    std::fill(row.begin() + first, row.end(), 0.0);
    if (k > 0) row[static_cast<std::size_t>(first) + k - 1] = 1;
    row.back() = ordered ? category : reached->coded();
    rows.push_back(row);
  }
  return rows;
}

/// Models but regressions take whatever they are given.
inline Record some_record(const SearchedModel& searched, ChainRng& rng) {
  if (searched.regression() != nullptr) return some_regression_record(searched, rng);
  std::vector<double> row = some_values(searched.bounds, rng);
  if (searched.model.as<distribution::Categorical>() != nullptr) row[0] = std::round(row[0]);
  return {row};
}

/// Often alike, so that they pull one way.
template <class MakeRecord>
Record some_records(std::size_t count, const MakeRecord& make, ChainRng& rng) {
  const bool alike = rng.below(2) == 0;
  Record all, record;
  for (std::size_t r = 0; r < count; ++r) {
    if (r == 0 || !alike) record = make();
    all.insert(all.end(), record.begin(), record.end());
  }
  return all;
}

inline Rows rows_of(const Record& record, std::size_t columns) {
  Rows rows(record.size(), columns);
  for (std::size_t i = 0; i < record.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) rows.at(i, j) = record[i][j];
    rows.weight(i) = 1;
  }
  return rows;
}

/// Mostly as many as a unit may hold.
inline std::size_t some_number(const PrivacyUnit& unit, ChainRng& rng) {
  return rng.below(4) == 0 ? rng.below(unit.table_rows() + 1) : unit.table_rows();
}

/// All rows of a unit of privacy.
inline Rows some_unit(const SearchedModel& searched, const PrivacyUnit& unit, ChainRng& rng) {
  const Record all = some_records(
      some_number(unit, rng), [&] { return some_record(searched, rng); }, rng);
  Rows rows = rows_of(all, searched.bounds.size());
  if (unit.side_by_side) {
    rows.stand_by_units();
    if (!all.empty()) rows.start_unit(0);
  }
  return rows;
}

/// One row, or five; of a regression that is not in pieces also side by side.
inline PrivacyUnit some_unit_of_privacy(const SearchedModel& searched, ChainRng& rng) {
  const std::size_t pieces = searched.pieces().count;
  PrivacyUnit unit{.adjacency = rng.below(2) == 0 ? Adjacency::substitute : Adjacency::add_remove,
                   .rows_per_unit = pieces * (rng.below(3) == 0 ? 5 : 1),
                   .pieces = pieces};
  const Glm* glm = searched.regression();
  const auto link = glm == nullptr ? std::nullopt : link_of(glm->family());
  const bool one_by_one = !link || *link == Link::log_rate || has_thresholds(glm->family());
  if (!one_by_one && unit.rows_per_unit > 1 && rng.below(2) == 0) {
    unit.is_row = false;
    unit.side_by_side = true;
  }
  return unit;
}

/// Near the typical position, or absurdly far.
inline Position somewhere(const SearchedModel& searched, ChainRng& rng) {
  Position at = searched.typical;
  const double far = pick({0, 1e-12, 1e-3, 1, 1e3, 1e30, 1e300}, rng);
  for (double& entry : at) entry += far * rng.normal() * std::max(std::abs(entry), 1e-3);
  return at;
}

inline Position some_scale(Eigen::Index dim, ChainRng& rng) {
  Position scale = rng.normals(dim).cwiseAbs() + Position::Constant(dim, 1e-3);
  if (rng.below(4) == 0) {
    for (double& entry : scale) entry *= pick({1e-205, 1e-155, 1e-110, 1, 1e200}, rng);
  }
  return scale;
}

}  // namespace sotto
