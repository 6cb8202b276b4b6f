// Draws the random mixing measure P given a draw of the partition and its atoms, for any algorithm.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/prior/mixing.hpp"

namespace sotto::mixture {

/// P = sum of weights[h] delta(atoms[h]). The density of the data under P is sum of weights[h] f(y |
/// atoms[h]).
template <class Parameter>
struct MixingMeasure {
  std::vector<double> weights;  ///< shape (atoms); their sum is 1
  std::vector<Parameter> atoms;
};

/// Draws P given the partition and atoms of `draw`, where `mixing` has the parameters of the same sweep.
/// Atoms are drawn from the prior until the weight left is below `tolerance` or there are `most_atoms` of
/// them; the weight left goes to the last. `measure` is used again, so that a loop over draws does not
/// allocate.
template <MixtureKernel Kernel, MixingPrior Mixing>
void draw_measure(const MixtureDraw<typename Kernel::Parameter>& draw, const Kernel& kernel,
                  const Mixing& mixing, ChainRng& rng, MixingMeasure<typename Kernel::Parameter>& measure,
                  double tolerance = 1e-6, std::size_t most_atoms = 10000) {
  const std::size_t k = draw.clusters();
  measure.weights.resize(k);
  measure.atoms.assign(draw.atoms.begin(), draw.atoms.end());
  UnoccupiedMass rest = mixing.draw_weights(draw.sizes, measure.weights, rng);
  for (std::size_t j = 0; rest.atoms > 0 && rest.mass > 0; ++j) {
    const bool last = rest.mass < tolerance || k + j + 1 >= most_atoms;
    const double share = last ? 1 : mixing.draw_stick(k, j, rest.atoms, rng);
    measure.weights.push_back(rest.mass * share);
    measure.atoms.push_back(kernel.draw_prior(rng));
    if (last) break;
    rest.mass *= 1 - share;
    if (rest.atoms != UnoccupiedMass::kInfinite) --rest.atoms;
  }
}

}  // namespace sotto::mixture
