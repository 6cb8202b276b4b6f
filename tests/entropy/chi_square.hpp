// Pearson's test of counts against probabilities.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <cstddef>
#include <vector>

namespace sotto {

/// p-value of the counts under the probabilities (shape (cells) each); cells expected below 10 are pooled,
/// and so is the probability that the cells leave out, for which `rest` counts.
inline double chi_square_p_value(const std::vector<double>& counts, const std::vector<double>& probabilities,
                                 double rest = 0) {
  double total = rest;
  double covered = 0;
  for (const double count : counts) total += count;
  for (const double p : probabilities) covered += p;
  double statistic = 0;
  double pooled_count = rest;
  double pooled_expected = total * (1 - covered);
  int cells = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    if (expected < 10) {
      pooled_count += counts[i];
      pooled_expected += expected;
    } else {
      statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
      ++cells;
    }
  }
  if (pooled_expected > 1) {
    statistic += (pooled_count - pooled_expected) * (pooled_count - pooled_expected) / pooled_expected;
    ++cells;
  }
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

}  // namespace sotto
