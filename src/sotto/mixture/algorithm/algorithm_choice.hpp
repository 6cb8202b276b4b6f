// Which algorithm suits a data set, from measured rules.
#pragma once

namespace sotto::mixture {

enum class Algorithm { neal5, slice, neal8, metropolis };

/// What the choice depends on.
struct Situation {
  double epsilon = 0;  ///< of one datum's release; infinite for confidential data
  bool local = true;   ///< one release per datum
  bool closed_form =
      false;  ///< g(z | theta), or of histograms a bin's probability, is known (`HasMarginalDensity`), and cheap
  bool few_values = false;  ///< of the data: g is cheap however many releases differ
  bool light_tail = true;   ///< of the mixing prior; heavy tails make the slice sampler draw many atoms
};

/// The algorithm with the most effective draws per second, by the tables in docs/mixtures.md. Where g is known and the noise is
/// not weak (epsilon up to 20), or g a sum over few values: Metropolis on the mixing measure, which imputes nothing. Where it
/// is not known and the noise is strong: private Neal 5, of which the channel accepts much. Of histograms Metropolis too, which looks
/// at bins where Neal 5 looks at all data, as far as it knows the kernel. Else the slice
/// sampler, which takes any kernel and channel; with heavy tails, for which it would draw too many atoms, Neal 8 where g is known.
[[nodiscard]] inline Algorithm choose_algorithm(const Situation& situation) {
  constexpr double kStrongNoise = 10;
  constexpr double kWeakNoise = 20;
  if (!situation.local && situation.closed_form && situation.light_tail) return Algorithm::metropolis;
  if (situation.local && situation.closed_form && situation.light_tail &&
      (situation.few_values || situation.epsilon <= kWeakNoise))
    return Algorithm::metropolis;
  if (situation.epsilon <= kStrongNoise || !situation.local) return Algorithm::neal5;
  if (!situation.light_tail && situation.closed_form) return Algorithm::neal8;
  return situation.light_tail ? Algorithm::slice : Algorithm::neal5;
}

}  // namespace sotto::mixture
