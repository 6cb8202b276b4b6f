// What release-once has to say of a normal mean, in sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/posterior/location_posterior.hpp"
#include "sotto/run/fit_config.hpp"

namespace sotto {

/// Warnings, then notes, which begin with "Note: ".
[[nodiscard]] std::vector<std::string> location_warnings(const LocationVerdict& verdict,
                                                         const LocationFacts& facts,
                                                         const LocationRelease& release,
                                                         const ModelConfig& model);

/// Of rows that lie about their mean in another way than declared, a sentence. `drawn_in`: those far out were.
[[nodiscard]] std::optional<std::string> spread_warning(const CovarianceVerdict& told, bool drawn_in,
                                                        const ModelConfig& model);

}  // namespace sotto
