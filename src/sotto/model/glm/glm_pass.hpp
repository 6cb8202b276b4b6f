// The hot loop: a generalised linear model's rows -> contributions on the integer grid -> partial sums, in
// one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

enum class Family { bernoulli, poisson, normal };

/// A run of tiles (see data/rows.hpp). Each tile holds `predictors` columns of x, one of y, one of weights.
struct GlmTiles {
  const double* data;
  std::size_t count;
  std::size_t predictors;
};

/// What is constant over a pass.
struct GlmFamily {
  Family family;
  bool unknown_sigma = false;  ///< normal: the position ends with log(sigma)
  double sigma = 1;            ///< normal with known sigma
};

/// One log-likelihood ratio: two positions, and the range its contributions are clamped to, in grid steps.
struct RatioWork {
  const double* from;
  const double* to;
  double lower, upper;  ///< integers, lower <= 0 <= upper
};

/// Adds to sums[r] the contributions of all rows to ratio r. A row contributes
///   clamp(rint(scale log p(row | to)) - rint(scale log p(row | from)), lower, upper),   NaN -> 0,
/// where log p leaves out terms free of the position.
/// Holds when count * kTile * max |bound| < 2^53, so that the integers held in doubles stay exact (the
/// caller's duty).
void glm_ratio_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const RatioWork> work,
                    double scale, std::span<std::int64_t> sums);

/// One gradient: the position, the sup of |d log p / d eta| the weights are clamped to, and a factor per
/// coordinate.
struct GradientWork {
  const double* at;
  double weight_bound;     ///< |d log p / d eta| is clamped to this
  const double* factor;    ///< coordinate j of a contribution is rint(factor[j] * x_j * weight), |.| < 2^31
  double sigma_bound = 0;  ///< unknown sigma: d log p / d log(sigma) is clamped to [-1, sigma_bound]
};

/// Adds to sums[g * dim + j] the contributions of all rows to coordinate j of gradient g; dim = predictors,
/// plus one when sigma is unknown (that coordinate is clamped to [-1, extra_bound], in the same grid).
void glm_gradient_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const GradientWork> work,
                       std::span<std::int64_t> sums);

}  // namespace sotto
