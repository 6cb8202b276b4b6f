// What a figure of the paper on mixtures of privatised data leaves beside its table: a page and the curves behind it.
#pragma once

#include <string>

#include "experiments/published/mixture_experiment.hpp"

namespace sotto {

/// Self-contained: no scripts, nothing from the network.
[[nodiscard]] std::string mixture_page(const MixtureExperiment& experiment, const MixtureResult& result);

/// The curves as CSV, one line a point: mechanism, level, rows, epsilon, delta, algorithm, curve, x, value. Of densities the curves
/// mean, lower, upper of repeat 0, and truth; of clusters the probability; of releases the values. Empty where there is none.
[[nodiscard]] std::string mixture_curves(const MixtureExperiment& experiment, const MixtureResult& result);

}  // namespace sotto
