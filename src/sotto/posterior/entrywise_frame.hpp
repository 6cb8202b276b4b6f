// A frame from moments whose noise hides combinations of columns, though it may show how two of them go together.
#pragma once

#include <vector>

#include "sotto/posterior/frame.hpp"

namespace sotto {

/// What one round asked, and was told.
struct AskedMoments {
  Matrix frame;
  Matrix moments;  ///< mean over the rows, shape (dim, dim)
  double noise;    ///< standard deviation, of a diagonal entry
};

/// Whitens `frame`, in which columns have a scale of about 1 and most hardly go together. Of many columns the noise's spectrum, whose edge
/// grows with their square root, hides each direction long before it hides a correlation of two.
///
/// Computes   S^-1/2 frame, S the rounds' moments in `frame`, each entry pooled by inverse variance and divided by the mean of the diagonal;
///            entries beside the diagonal by adaptive shrinkage, its own towards 1 as far as noise demands
/// Source     shrinkage of correlations one by one [DS18]
/// Checked by tests/posterior/entrywise_frame_test.cpp: finds_few_correlations_below_the_spectrums_edge, columns_that_do_not_go_together_stay
[[nodiscard]] Frame entrywise_frame(const std::vector<AskedMoments>& rounds, const Matrix& frame);

}  // namespace sotto
