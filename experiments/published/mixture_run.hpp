// One algorithm on one release of a published experiment on mixtures.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "experiments/published/mixture_experiment.hpp"

namespace sotto {

inline constexpr double kPublishedSweeps = 100000;

/// Asked after every sweep whether to go on.
using SweepTick = std::function<bool()>;

struct MixtureGrids {
  Position grid;
  Position truth;  ///< empty where there is none
};

/// Indices into the figure's panels, and into the panel's algorithms.
struct MixtureJob {
  std::size_t panel, repeat, algorithm;
};

/// Draws data and release from streams of the job's own, and runs the chain. Nothing where `go_on` ended it.
[[nodiscard]] std::optional<MixtureOutcome> run_mixture(const MixtureExperiment& experiment,
                                                        const MixtureGrids& grids, const MixtureJob& job,
                                                        const SweepTick& go_on);

}  // namespace sotto
