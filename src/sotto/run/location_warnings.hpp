// What release-once has to say of a normal mean, in sentences.
#pragma once

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

}  // namespace sotto
