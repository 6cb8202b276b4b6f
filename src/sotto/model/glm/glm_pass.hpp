// The hot loop: a generalised linear model's rows -> contributions on the integer grid -> partial sums, in
// one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/model/glm/law.hpp"

namespace sotto {

/// A run of tiles (see data/rows.hpp). Each tile holds `predictors` columns of x, one of y, one of weights.
struct GlmTiles {
  const double* data;
  std::size_t count;
  std::size_t predictors;
  const std::uint8_t* unit_starts = nullptr;  ///< of the rows, where they stand by units (data/rows.hpp)
};

/// One log-likelihood ratio: two positions, and the range its contributions are clamped to, in grid steps.
struct RatioWork {
  const double* from;
  const double* to;
  law::Spread from_spread, to_spread;
  double lower, upper;  ///< integers, lower <= 0 <= upper
};

/// Adds to sums[r] the contributions of all rows to ratio r. A row contributes
///   clamp(rint(scale log p(row | to)) - rint(scale log p(row | from)), lower, upper),   NaN -> 0,
/// where log p leaves out terms free of the position.
/// Holds when count * kTile * max |bound| < 2^53, so that the integers held in doubles stay exact (the
/// caller's duty).
void glm_ratio_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const RatioWork> work,
                    double scale, std::span<std::int64_t> sums);

/// One gradient: the position, what d log p / d eta and d log p / d log(sigma) are clamped to, and a factor per coordinate.
struct GradientWork {
  const double* at;
  law::Spread spread;
  double weight_bound;   ///< |d log p / d eta| is clamped to this
  const double* factor;  ///< coordinate j of a contribution is rint(factor[j] * x_j * weight), |.| < 2^31
  double longest;        ///< as in GradientTask
  Interval sigma_score{0, 0};  ///< unknown sigma: d log p / d log(sigma) is clamped to this
};

/// Adds to sums[g * dim + j] the contributions of all rows to coordinate j of gradient g; dim = predictors, plus one when sigma
/// is unknown (that coordinate is in the same grid). A row whose vector is longer than `longest`, but for a part in 2^41, or is no
/// number adds nothing: what was priced holds whatever rounding made of its columns.
/// Checked by tests/model/glm_test.cpp: a_gradient_beyond_what_was_priced_counts_as_none
/// Checked by tests/measurement/gradient_test.cpp: products_of_columns_a_few_ulps_wide_count_no_more_than_priced
void glm_gradient_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const GradientWork> work,
                       std::span<std::int64_t> sums);

/// The vector instructions that the passes use on this machine, by Highway's name: "AVX2".
[[nodiscard]] const char* glm_pass_instructions();

}  // namespace sotto
