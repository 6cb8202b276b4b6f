// The discrete Gaussian mechanism: exact integer sum + receipt -> noise -> release.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// Noise for one integer statistic, fixed before any row is read. All of it is public.
struct GaussianNoise {
  using Integer = boost::multiprecision::cpp_int;
  Integer variance;         ///< in squared grid steps
  double sensitivity = 0;   ///< in grid steps: an integer, or the rounded-up norm of an integer vector
  std::size_t entries = 1;  ///< of the statistic
  GridStep grid{1};         ///< in the statistic's unit

  [[nodiscard]] Rho rho() const;       ///< sensitivity^2 / (2 variance), rounded up
  [[nodiscard]] double slack() const;  ///< sensitivity sqrt(entries) / variance, rounded up
  /// Both, and what they follow from.
  /// Source     [CKS20, Theorem 14]; slack: docs/accounting.md
  /// Checked by tests/measurement/discrete_gaussian_test.cpp: cost_matches_formula
  [[nodiscard]] Charge charge(std::string query) const;

  /// None when it exceeds what the sampler draws. About the least variance that costs no more than `cost` and is a whole multiple of `multiple` squared grid
  /// steps.
  static std::optional<Integer> variance_for(double sensitivity, Rho cost, const Integer& multiple);
};

struct VarianceCompletedPlan;

/// Turns exact sums into releases. Each call consumes the receipt that paid for it.
class DiscreteGaussianMechanism {
 public:
  explicit DiscreteGaussianMechanism(EntropySource& entropy) : entropy_(&entropy) {}

  [[nodiscard]] Released<NoisyRatio> release_ratio(Receipt receipt, const ExactSum& sum,
                                                   const GaussianNoise& noise);
  /// The ratio of a secret batch whose rows' log ratios are `changes`, in steps. The noise's variance depends on them; what
  /// the release tells is the plan's, of batch and noise together.
  [[nodiscard]] Released<NoisyRatio> release_variance_completed(Receipt receipt,
                                                                const VarianceCompletedPlan& plan,
                                                                std::span<const std::int64_t> changes);
  /// Coordinate j of the sum counts steps of noise.grid / scale[j].
  [[nodiscard]] Released<NoisyGradient> release_gradient(Receipt receipt, const ExactSum& sum,
                                                         const GaussianNoise& noise, const Position& scale);
  /// Entries count steps of noise.grid.
  [[nodiscard]] Released<NoisyStatistic> release_statistic(Receipt receipt, const ExactSum& sum,
                                                           const GaussianNoise& noise, double quantum);
  /// The sum is the upper triangle, row by row.
  [[nodiscard]] Released<NoisyCurvature> release_curvature(Receipt receipt, const ExactSum& sum,
                                                           const GaussianNoise& noise);

  [[nodiscard]] Released<NoisyScore> release_score(Receipt receipt, const ExactSum& sum,
                                                   const GaussianNoise& noise);
  /// The sum is that of information_vector (model/weighted.hpp) with this information bound.
  [[nodiscard]] Released<NoisyInformation> release_information(Receipt receipt, const ExactSum& sum,
                                                               const GaussianNoise& noise, double bound);

 private:
  /// Sum plus noise, in grid steps. Errors: internal when the receipt does not pay for this noise.
  [[nodiscard]] std::vector<double> noisy(const Receipt& receipt, const ExactSum& sum,
                                          const GaussianNoise& noise);
  EntropySource* entropy_;
};

}  // namespace sotto
