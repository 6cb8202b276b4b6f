// The noise of privatised cells, drawn exactly. How a release is made of it stands with each channel's law, in channel/.
#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/curator_side.hpp"
#include "sotto/channel/guarantee.hpp"
#include "sotto/entropy/discrete_gaussian.hpp"
#include "sotto/entropy/discrete_laplace.hpp"

namespace sotto {

/// Integers drawn by integer arithmetic from an entropy source.
/// Source     [CKS20]; each from the file in entropy/ that it is named after
class ExactNoise {
 public:
  explicit ExactNoise(EntropySource& entropy) : entropy_(entropy) {}

  /// P(x) proportional to exp(-|x| / scale).
  [[nodiscard]] Int128 laplace(const RationalScale& scale) {
    return discrete_laplace<Int128>(scale.numerator, scale.denominator, entropy_);
  }
  /// P(x) proportional to exp(-x^2 / (2 variance)).
  [[nodiscard]] Int128 gaussian(const DiscreteGaussian::Variance& variance) {
    if (!gaussian_ || gaussian_->variance() != variance) gaussian_.emplace(variance);
    return (*gaussian_)(entropy_);
  }
  /// Uniform in 0 .. bound - 1.
  [[nodiscard]] Uint128 below(Uint128 bound) { return uniform_below(bound, entropy_); }
  /// 64 fair coins.
  [[nodiscard]] std::uint64_t bits() { return entropy_.bits(); }

 private:
  EntropySource& entropy_;
  std::optional<DiscreteGaussian> gaussian_;  // the last variance's: that of a column is one
};

}  // namespace sotto
