// Generalised linear models: logistic, Poisson and normal regression over a declared domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/model/domain.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// A row is a design row x in the domain and a response y in its bounds; eta = x' coefficients. The position holds the
/// coefficients, and log(sigma) behind them for a normal family with unknown sigma.
///
/// All bounds follow from two facts: eta over the domain lies in domain.range(coefficients), and the score
/// w = d log p / d eta is monotone in eta and in y.
class Glm {
 public:
  Glm(GlmFamily family, Domain domain, Interval response);

  [[nodiscard]] Eigen::Index dim() const { return domain_.columns() + (family_.unknown_sigma ? 1 : 0); }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const GlmFamily& family() const { return family_; }
  [[nodiscard]] Interval response() const { return response_; }

  /// Computes   bernoulli, poisson: { w d : w in the scores between `from` and `to`, d in range(to - from) }, by the mean value
  ///            theorem along the segment; normal: (a - a')(a + a') / 2 - log(sigma' / sigma) with a = (y - eta) / sigma
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
  [[nodiscard]] Interval score_over(const Interval& eta, const Position& at) const;
  [[nodiscard]] double sigma(const Position& at) const;
  [[nodiscard]] double weight_bound(const Position& at) const;
  /// Largest d log p / d log(sigma); the least is -1.
  [[nodiscard]] double sigma_score_bound(const Position& at) const;
  [[nodiscard]] GlmTiles tiles(const Rows& rows, std::size_t first, std::size_t count) const;

  GlmFamily family_;
  Domain domain_;
  Interval response_;
};

static_assert(Model<Glm>);

}  // namespace sotto
