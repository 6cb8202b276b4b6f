// Generalised linear models over a declared domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/model/domain.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/model/glm/ordered_row.hpp"
#include "sotto/model/model.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/model/time_at_risk.hpp"

namespace sotto {

/// A row is a design row x in the domain and a response y in its bounds; eta = x' coefficients. The position holds the
/// coefficients, and log(sigma) behind them for a family with unknown sigma.
///
/// All bounds follow from two facts: eta over the domain lies in domain.range(coefficients), and the score
/// w = d log p / d eta is monotone in eta and in y. Of ordered categories they are those of model/glm/ordered_row.hpp.
class Glm {
 public:
  /// Errors: configuration for responses that the family does not take, or a sigma that is not > 0.
  Glm(GlmFamily family, Domain domain, Interval response, Pieces pieces = {});

  [[nodiscard]] Eigen::Index dim() const { return domain_.columns() + (unknown_sigma() ? 1 : 0); }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const GlmFamily& family() const { return family_; }
  [[nodiscard]] bool unknown_sigma() const;
  [[nodiscard]] Interval response() const { return response_; }
  [[nodiscard]] Pieces pieces() const { return pieces_; }

  /// Computes   { w d : w in the scores between `from` and `to`, d in range(to - from) }, by the mean value theorem along the
  ///            segment, unless the family knows better
  /// Checked by tests/model/glm_test.cpp: ratio_range_encloses_every_row
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const;
  /// Checked by tests/model/glm_test.cpp: gradient_bound_encloses_every_row
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const;

  /// Range of w over the domain at `at`.
  [[nodiscard]] Interval score_range(const Position& at) const;

  void add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                  double scale, std::span<std::int64_t> sums) const;
  void add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                     std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const;

 private:
  [[nodiscard]] Interval linear_range(const Position& at) const;
  [[nodiscard]] Position coefficients(const Position& at) const { return at.head(domain_.columns()); }
  [[nodiscard]] law::Spread spread(const Position& at) const;
  [[nodiscard]] double weight_bound(const Position& at) const;
  [[nodiscard]] Interval sigma_score_range(const Position& at) const;
  [[nodiscard]] PerRow<OrderedRow> ordered() const;
  [[nodiscard]] GlmTiles tiles(const Rows& rows, std::size_t first, std::size_t count) const;

  GlmFamily family_;
  Domain domain_;
  Interval response_;
  Pieces pieces_;
};

static_assert(Model<Glm>);

}  // namespace sotto
