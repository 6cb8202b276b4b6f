// Whether rows lie about their mean as the declared covariance says: from how many of them are how far away.
#pragma once

#include "sotto/posterior/location_release.hpp"

namespace sotto {

/// Lengths are those of deviations in a frame in which the declared covariance is the identity. Where the model holds, their square is
/// chi-squared, not central if the mean is not where they were asked from.
struct CovarianceVerdict {
  double far_share = 0;  ///< of the rows: beyond a length that the model lets far_by_model pass
  double far_by_model = 0;
  bool far = false;           ///< by more than the noise
  double unseen = 0;          ///< share of the rows that might lie beyond without being seen
  double spread = 1;          ///< rows' typical standard deviation over the declared one
  bool other_spread = false;  ///< by more than the noise, and enough to matter
};

/// `rows`: their number, or an estimate with noise of standard deviation `rows_sd`. `offset`: their mean in that frame, about, from where they were asked.
/// Checked by tests/posterior/declared_covariance_test.cpp: of_rows_as_they_are_declared_nothing_is_said, another_spread_is_found, a_few_rows_very_far_out_are_counted
[[nodiscard]] CovarianceVerdict check_covariance(const ReleasedLengths& lengths, double rows, double rows_sd,
                                                 const Position& offset);

}  // namespace sotto
