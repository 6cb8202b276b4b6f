// A formula meets a schema: columns of the design, scaled by the declared bounds and never by the data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/model/domain.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/response.hpp"

namespace sotto {

/// A column of the design: a product of sources' values and indicators of levels, shifted and scaled. The
/// intercept is the empty product.
struct DesignColumn {
  struct Part {
    std::size_t source;
    std::optional<std::size_t> level;  ///< an indicator of this level, else the value itself
    double centre = 0;                 ///< is taken off the value
  };
  std::string name;  ///< "Intercept", "x", "region[north]", "x:region[north]", "poly(x)[2]"
  std::vector<Part> parts;
  Interval range;  ///< of the product, in original units
  double center = 0;
  double half_width = 1;

  /// (product - center) / half_width; `values`: one per source.
  [[nodiscard]] double scaled(std::span<const double> values) const;
};

/// Levels of a category between which the intercept varies, or the coefficient of another column.
struct DesignGroup {
  std::string name;                   ///< "clinic", or "age:clinic"
  std::vector<std::string> levels;    ///< of the category
  std::vector<Eigen::Index> columns;  ///< of the design: those of all levels but the first
  Eigen::Index mean =
      0;  ///< the column whose coefficient is the first level's: the intercept, or the other column
  double centre = 0;      ///< the other column's value at which slopes turn: the middle of its declared range
  double half_width = 1;  ///< of the columns
};

/// With an intercept a column that is not made of indicators alone is centred at the middle of its declared
/// range and divided by half its width, so that it lies in [-1, 1]; without one it is divided by the largest
/// magnitude of its range. Indicators stay 0 or 1. Categories are coded as in R: a level less (the first is
/// the baseline) where the rest of the term is in the model, all levels otherwise. Slopes that vary between levels turn about the
/// middle of their column's range: there intercepts and slopes deviate independently. Everything here is public.
class Design {
 public:
  /// `cuts`: where the pieces of a time at risk meet. Throws ErrorCode::configuration, saying what to change, if formula, schema
  /// and cuts do not fit.
  Design(const Formula& formula, const Schema& schema, const std::vector<double>& cuts = {});

  [[nodiscard]] Eigen::Index columns() const { return static_cast<Eigen::Index>(columns_.size()); }
  [[nodiscard]] const DesignColumn& column(Eigen::Index index) const {
    return columns_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool has_intercept() const { return intercept_; }  ///< then it is column 0
  /// The last column's coefficient, scaled, where that column is an offset.
  [[nodiscard]] std::optional<double> offset() const {
    return offset_ ? std::optional(columns_.back().half_width) : std::nullopt;
  }
  [[nodiscard]] const std::vector<DesignGroup>& groups() const { return groups_; }
  /// Rows of the design for each of the table, and the columns that tell them apart.
  [[nodiscard]] Pieces pieces() const { return pieces_; }
  /// Of the sources, what is no column of the table but the index of a piece, or of a threshold.
  [[nodiscard]] std::optional<std::size_t> piece_source() const { return piece_source_; }
  [[nodiscard]] const Response& response() const { return response_; }
  /// Response::count_in_steps.
  void count_response_in_steps(double steps) { response_.count_in_steps(steps); }
  [[nodiscard]] const std::vector<Source>& sources() const { return sources_; }

  /// All rows that the schema allows. Throws ErrorCode::configuration if a component has more than 4096
  /// vertices.
  [[nodiscard]] Domain domain() const;

  /// Coefficients of the scaled columns -> coefficients of the original units with the same linear predictor,
  /// and back. Of a time at risk the predictor is the logarithm of what a piece's hazard adds up to; plus `to_units` it is that of
  /// the hazard in one unit of time. Of a response in steps it is that of their mean number; plus `to_units`, of the mean.
  [[nodiscard]] Position to_original(const Position& scaled) const { return original_from_scaled() * scaled; }
  [[nodiscard]] Position to_scaled(const Position& original) const {
    return scaled_from_original() * original;
  }
  [[nodiscard]] Matrix original_from_scaled() const;
  [[nodiscard]] Matrix scaled_from_original() const;
  [[nodiscard]] Position to_units() const;

 private:
  std::vector<std::size_t> add_sources(const Variable& variable, const Schema& schema);
  std::vector<DesignColumn> columns_of(const Variable& variable, bool all_levels, const Schema& schema);
  void add_term(const Term& term, const std::vector<bool>& all_levels, const Schema& schema);
  void add_group(const VaryingTerm& term, const Formula& formula, const Schema& schema);
  void add_slopes(const Source& source, std::size_t category, DesignGroup group);
  void add_offset(const Variable& variable, const Schema& schema);
  void add_pieces();
  [[nodiscard]] bool is_response(const Variable& variable) const;
  void scale(DesignColumn& column) const;

  Response response_;
  bool intercept_ = true;
  bool offset_ = false;
  Pieces pieces_;
  std::optional<std::size_t> piece_source_;
  std::vector<DesignGroup> groups_;
  std::vector<Source> sources_;
  std::vector<DesignColumn> columns_;
};

}  // namespace sotto
