// Moments of a standard normal vector that is shortened to a largest length.
#pragma once

namespace sotto {

/// Of f(z) = z min(1, bound / |z|), z ~ Normal(mean, I) in `dim` dimensions, near mean 0.
struct ShortenedNormal {
  double slope;     ///< of E f(z) in the mean
  double variance;  ///< of each entry of f(z)
  double share;     ///< P(|z| > bound)
};

/// Computes   slope    = P(chi2_{dim+2} < bound^2) + bound / dim E[|z|; |z| > bound]     (Stein's lemma)
///            variance = P(chi2_{dim+2} < bound^2) + bound^2 / dim P(chi2_dim > bound^2)
/// Errors: usage unless dim >= 1 and bound > 0, which may be infinite.
/// Checked by tests/math/shortened_normal_test.cpp: is_exact_in_one_dimension, agrees_with_simulation
[[nodiscard]] ShortenedNormal shortened_normal(int dim, double bound);

/// The bound that this share of rows passes: P(|z| > bound) = share.
[[nodiscard]] double normal_length(int dim, double share);

/// |E f(z) - slope mean| <= kShortenedNormalBend |mean|^3, whatever dimension and bound: along a unit vector u, with g = u' Df u in
/// [0, 1] because f is the projection onto a ball, the third derivative of u' E f(z + t u) is E g(z + t u) (z_u^2 - 1), at
/// most E|Z^2 - 1| / 2 = 2 phi(1); the second is 0 at 0, because f is odd; and E f(z) is parallel to the mean.
inline constexpr double kShortenedNormalBend = 0.24197072451914337 / 3;

}  // namespace sotto
