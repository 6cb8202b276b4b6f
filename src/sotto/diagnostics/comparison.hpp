// How far draws are from others that stand for the truth.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"

namespace sotto {

struct ParameterComparison {
  std::string parameter;
  double mean_error = 0;  ///< (mean - reference's mean) / reference's sd
  double sd_ratio = 0;    ///< sd / reference's sd
};

struct DrawsComparison {
  double mmd = 0;                        ///< in all parameters at once, each in the reference's sds
  std::size_t draws = 0, reference = 0;  ///< of each that the discrepancy was computed from
  std::vector<ParameterComparison> parameters;
};

/// All draws of all chains. Parameters are those of `draws`, found by name; others of the reference are ignored. The kernel of the
/// discrepancy is Gaussian with the median distance as its width; of more than 4,000 draws as many are used, evenly spaced.
/// Computes   mmd = sqrt |mmd_squared|
/// Errors: data where the reference lacks a parameter, has fewer than two draws or one that does not vary, or where a draw is no
/// finite number.
/// Checked by tests/diagnostics/comparison_test.cpp: is_in_the_units_of_the_reference, tells_one_law_from_another
[[nodiscard]] DrawsComparison compare(const Draws& draws, const Draws& reference);

}  // namespace sotto
