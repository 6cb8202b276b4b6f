// A count with normal noise on it, by the mean that it was drawn with.
#pragma once

namespace sotto {

/// log p(noisy) of noisy = Poisson(mean) + Normal(0, noise_sd^2), up to rounding; mean >= 0, noise_sd > 0.
/// Computes   log of the sum over counts c of Poisson(c; mean) Normal(noisy - c; noise_sd), where that is a few hundred terms
/// Holds      elsewhere Normal(mean, mean + noise_sd^2), whose skewness is left out: below 0.02
/// Checked by tests/math/noisy_count_test.cpp: is_a_density_with_the_moments_of_the_sum, is_normal_where_counts_are_many
[[nodiscard]] double log_noisy_count_density(double noisy, double mean, double noise_sd);

}  // namespace sotto
