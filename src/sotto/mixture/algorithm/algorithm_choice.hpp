// Which algorithm suits a data set, from measured rules.
#pragma once

namespace sotto::mixture {

enum class Algorithm { neal5, slice, neal8, metropolis };

/// What the choice depends on.
struct Situation {
  double epsilon = 0;        ///< of one datum's release; infinite for confidential data
  bool local = true;         ///< one release per datum
  bool closed_form = false;  ///< g(z | theta) is known (`HasMarginalDensity`)
  bool light_tail = true;    ///< of the mixing prior; heavy tails make the slice sampler draw many atoms
};

/// The algorithm with the most effective draws of the number of clusters per second, by the tables in
/// docs/mixtures.md: while the noise is strong (epsilon up to about 10) Metropolis on the mixing measure, which imputes nothing,
/// where g is known, and private Neal 5, of which the channel accepts much, where it is not, and for global channels; else the slice sampler, which takes any kernel and channel; with heavy tails, for which the
/// slice sampler would draw too many atoms, Neal 8 where g is known.
[[nodiscard]] inline Algorithm choose_algorithm(const Situation& situation) {
  constexpr double kStrongNoise = 10;
  if (situation.epsilon <= kStrongNoise && situation.local && situation.closed_form && situation.light_tail)
    return Algorithm::metropolis;
  if (situation.epsilon <= kStrongNoise || !situation.local) return Algorithm::neal5;
  if (!situation.light_tail && situation.closed_form) return Algorithm::neal8;
  return situation.light_tail ? Algorithm::slice : Algorithm::neal5;
}

}  // namespace sotto::mixture
