// Maximum mean discrepancy: how far apart two samples are, in every direction at once.
#pragma once

#include <cstddef>

#include "sotto/base/position.hpp"

namespace sotto {

/// Median of the distances between points of two samples taken together, zero distances apart. At most
/// `largest` points, evenly spaced, of each sample are used. Shapes (points, dim). Errors: usage when there
/// are no two different points.
/// Source     [GBRSS12, section 8]
[[nodiscard]] double median_distance(const Matrix& x, const Matrix& y, std::size_t largest = 1000);

/// Unbiased estimate of the squared discrepancy with a Gaussian kernel; may be negative. Shapes (points,
/// dim), at least two points each. O(points^2) time, O(points) memory. Errors: usage for other shapes or a
/// width <= 0.
/// Computes   mean_{i != j} k(x_i, x_j) + mean_{i != j} k(y_i, y_j) - 2 mean_{i, j} k(x_i, y_j),
///            k(x, y) = exp(-|x - y|^2 / (2 width^2))
/// Source     [GBRSS12, lemma 6]; erratum E9
/// Checked by tests/diagnostics/mmd_test.cpp: agrees_with_a_computation_by_hand, is_unbiased_for_equal_laws
[[nodiscard]] double mmd_squared(const Matrix& x, const Matrix& y, double width);

}  // namespace sotto
