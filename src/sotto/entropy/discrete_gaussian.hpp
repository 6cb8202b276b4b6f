// Gaussian noise on the integers, sampled exactly: the privacy noise of every Gaussian release.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "sotto/base/int128.hpp"
#include "sotto/entropy/entropy_source.hpp"

namespace sotto {

/// Integers with P(x) proportional to exp(-x^2 / (2 variance)), exactly: no floating-point number decides
/// anything that integer arithmetic would decide otherwise, and all randomness comes from `entropy`.
///
/// Computes   discrete Laplace proposals of scale t = floor(sigma) + 1, kept with probability
///            exp(-(|y| t - variance)^2 / (2 variance t^2)); about 1.4 proposals a draw for every variance
/// Source     [CKS20, Algorithm 3]
/// Differs    the acceptance exponent is first bounded by doubles; the big integers are formed only in the
///            fraction of about 2^-40 of the draws where these bounds do not decide
/// Holds when 1 <= variance <= 2^104 (then every product that matters fits in 128 bits)
/// Checked by tests/entropy/discrete_gaussian_test.cpp: frequencies_match_the_formula,
/// bounds_agree_with_big_integers
///
/// The time one draw takes depends on its value (as for every rejection sampler): do not expose it to an
/// adversary who can time single draws.
class DiscreteGaussian {
 public:
  using Variance = boost::multiprecision::cpp_int;

  /// `variance` is the parameter above, in squared grid steps. The variance of the noise is never larger.
  /// Errors: configuration outside [1, 2^104].
  explicit DiscreteGaussian(const Variance& variance);

  /// One draw, in grid steps.
  [[nodiscard]] Int128 operator()(EntropySource& entropy) const;
  [[nodiscard]] const Variance& variance() const { return variance_; }

 private:
  [[nodiscard]] bool keep(Uint128 size, EntropySource& entropy) const;

  Variance variance_;
  Uint128 variance_narrow_;  // the same number
  Uint128 scale_;            // t
  double inverse_;           // 1 / (2 variance t^2), relative error below 2^-49
};

}  // namespace sotto
