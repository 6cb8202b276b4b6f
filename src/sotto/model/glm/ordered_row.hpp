// The likelihood of a response in ordered categories, cumulative logit: all thresholds together.
#pragma once

#include <span>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/model/domain.hpp"
#include "sotto/model/model.hpp"
#include "sotto/model/time_at_risk.hpp"

namespace sotto {

/// A RowModel (model/per_row.hpp) over a design that has a row for each threshold k = 0, 1, ..: P(y > k) = logistic(eta + s_k), where
/// eta is the linear predictor of the first row, s_0 = 0, and the other s_k, which fall, are the coefficients of the thresholds'
/// columns. The first row has the likelihood of the response, the others none.
/// Computes   P(y = k) = logistic(eta + s_(k-1)) logistic(-eta - s_k) (1 - exp(-(s_(k-1) - s_k)))
/// Source     [McC80]; where two thresholds cross, the last factor's logarithm goes on as a line
class OrderedRow {
 public:
  OrderedRow(const Domain& domain, const Pieces& pieces) : domain_(domain), pieces_(pieces) {}

  [[nodiscard]] Eigen::Index dim() const { return domain_.columns(); }
  /// Checked by tests/model/ordered_row_test.cpp: bounds_enclose_every_row
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const;
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const;
  /// Checked by tests/model/ordered_row_test.cpp: categories_have_probability_one_together, the_gradient_is_that_of_the_density
  [[nodiscard]] double log_density(std::span<const double> row, const Position& at) const;
  void gradient(std::span<const double> row, const Position& at, Position& out) const;

 private:
  [[nodiscard]] Eigen::Index thresholds() const { return static_cast<Eigen::Index>(pieces_.count); }
  [[nodiscard]] double shift(const Position& at, Eigen::Index k) const {
    return k == 0 ? 0 : at[pieces_.first + k - 1];
  }
  [[nodiscard]] Position common(const Position& at) const;
  [[nodiscard]] bool is_first(std::span<const double> row) const;
  [[nodiscard]] Eigen::Index category(std::span<const double> row) const;

  const Domain& domain_;
  Pieces pieces_;
};

}  // namespace sotto
