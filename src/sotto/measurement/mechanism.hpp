// Exact integers + receipt -> noise -> release: the only door for values that were computed from rows.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/curator_side.hpp"
#include "sotto/base/int128.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/measurement/gaussian_noise.hpp"
#include "sotto/release/released.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// Integers with noise on them, in grid steps, and the noise's variance: public from here on.
struct NoisyIntegers {
  std::vector<double> values;
  double variance;  ///< in squared grid steps
};

/// Where a release's noise depends on the rows themselves: from the exact integers to the one that is released
/// and its noise. Neither the centre nor the variance is told. See measurement/variance_completed_ratio.hpp.
using SecretScale = std::function<std::pair<Int128, GaussianNoise>(std::span<const Int128>)>;

/// Each call consumes the receipt that paid for it. `shape` turns noisy integers into what is released: it is
/// post-processing, and sees nothing else. Errors: internal when the receipt does not pay for the noise.
class NoiseMechanism {
 public:
  virtual ~NoiseMechanism() = default;

  template <class Shape>
  [[nodiscard]] auto release(Receipt receipt, const ExactSum& sum, const GaussianNoise& noise,
                             const Shape& shape) {
    return make_released(shape(noisy(receipt, sum_entries(sum), noise)));
  }
  template <class Shape>
  [[nodiscard]] auto release_with_secret_scale(Receipt receipt, const ExactSum& secrets,
                                               const SecretScale& scale, const Shape& shape) {
    const auto [centre, noise] = scale(sum_entries(secrets));
    NoisyIntegers result = noisy(receipt, std::span(&centre, 1), noise);
    result.variance = 0;  // it stays here
    return make_released(shape(std::move(result)));
  }

 protected:
  [[nodiscard]] virtual NoisyIntegers noisy(const Receipt& receipt, std::span<const Int128> exact,
                                            const GaussianNoise& noise) = 0;

 private:
  friend class DiscreteGaussianMechanism;  // the list of mechanisms is closed
  friend class NoNoise;
  NoiseMechanism() = default;
  static std::span<const Int128> sum_entries(const ExactSum& sum) { return sum.entries_; }
  template <class T>
  static Released<T> make_released(T value) {
    return Released<T>(std::move(value));
  }
};

/// Discrete Gaussian noise, exact, from `entropy`.
/// Source     [CKS20]
class DiscreteGaussianMechanism final : public NoiseMechanism {
 public:
  explicit DiscreteGaussianMechanism(EntropySource& entropy) : entropy_(&entropy) {}

 private:
  [[nodiscard]] NoisyIntegers noisy(const Receipt& receipt, std::span<const Int128> exact,
                                    const GaussianNoise& noise) override;
  EntropySource* entropy_;
};

/// NOT PRIVATE: lets exact sums through, for study. Every page of a run that uses it says so.
class NoNoise final : public NoiseMechanism {
 public:
  enum class Stated { none, as_paid };  ///< what is said of their noise: for what weighs answers by it
  explicit NoNoise(Stated stated = Stated::none) : stated_(stated) {}

 private:
  [[nodiscard]] NoisyIntegers noisy(const Receipt& receipt, std::span<const Int128> exact,
                                    const GaussianNoise& noise) override;
  Stated stated_;
};

}  // namespace sotto
