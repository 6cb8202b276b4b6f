// A regression's rows under a bounded weighting (release/regression_query.hpp) -> integers -> partial sums.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// How a row's vector becomes integers: entries are multiplied by `factor` and rounded to the nearest integer, and a row
/// whose integer vector is longer than `longest` (which a legal row never is) or not a number contributes zero.
struct RowRounding {
  double factor;
  double longest;
};

/// Entries of the upper triangle by rows of a symmetric matrix, those off the diagonal times sqrt(2): as long as its
/// Frobenius norm.
[[nodiscard]] constexpr std::size_t triangle_entries(std::size_t dim) { return dim * (dim + 1) / 2; }

/// c psi z; `sums` has one entry per predictor.
void bounded_score_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                        const RowRounding& rounding, std::span<std::int64_t> sums);
/// Triangle of c b z z'.
void bounded_information_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                              const RowRounding& rounding, std::span<std::int64_t> sums);
/// Triangle of c^2 psi^2 z z'.
void score_squares_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                        const RowRounding& rounding, std::span<std::int64_t> sums);
/// Triangle of min(1, bound / |z|^2) z z'.
void moments_pass(const GlmTiles& tiles, const Matrix& frame, double bound, const RowRounding& rounding,
                  std::span<std::int64_t> sums);
/// clip(y - mean, -+clip)^2 of a normal model.
void residual_squares_pass(const GlmTiles& tiles, const Position& at, double clip,
                           const RowRounding& rounding, std::span<std::int64_t> sums);
/// 1 in the bin of the row's quantity.
void histogram_pass(Link link, const GlmTiles& tiles, const HistogramQuery& query,
                    const RowRounding& rounding, std::span<std::int64_t> sums);
/// 1 in one bin of each column.
void column_histograms_pass(const GlmTiles& tiles, const ColumnHistogramsQuery& query,
                            const RowRounding& rounding, std::span<std::int64_t> sums);
/// c psi q.
void curves_pass(Link link, const GlmTiles& tiles, const CurvesQuery& query, const RowRounding& rounding,
                 std::span<std::int64_t> sums);
/// 1, or a binary response.
void total_pass(TotalOf quantity, const GlmTiles& tiles, const RowRounding& rounding,
                std::span<std::int64_t> sums);

}  // namespace sotto
