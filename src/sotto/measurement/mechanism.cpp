#include "sotto/measurement/mechanism.hpp"

#include "sotto/base/error.hpp"
#include "sotto/entropy/discrete_gaussian.hpp"

namespace sotto {

NoisyIntegers DiscreteGaussianMechanism::noisy(const Receipt& receipt, std::span<const Int128> exact,
                                               const GaussianNoise& noise) {
  if (!receipt.valid() || receipt.charge().rho < noise.rho() || receipt.charge().slack < noise.slack() ||
      exact.size() != noise.entries) {
    throw Error(ErrorCode::internal, "a receipt does not pay for its release");
  }
  const DiscreteGaussian sampler(noise.variance);
  NoisyIntegers result{std::vector<double>(exact.size()), static_cast<double>(noise.variance)};
  for (std::size_t i = 0; i < exact.size(); ++i) {
    result.values[i] = static_cast<double>(exact[i] + sampler(*entropy_));
  }
  return result;
}

NoisyIntegers NoNoise::noisy(const Receipt&, std::span<const Int128> exact, const GaussianNoise& noise) {
  const double variance = stated_ == Stated::as_paid ? static_cast<double>(noise.variance) : 0;
  NoisyIntegers result{std::vector<double>(exact.size()), variance};
  for (std::size_t i = 0; i < exact.size(); ++i) result.values[i] = static_cast<double>(exact[i]);
  return result;
}

}  // namespace sotto
