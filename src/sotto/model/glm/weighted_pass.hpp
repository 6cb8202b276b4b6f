// Generalised linear models' rows -> weighted scores and informations on the integer grid -> partial sums.
#pragma once

#include <cstdint>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/model/model.hpp"

namespace sotto {

/// Adds the integer contributions of all rows to a weighted score (dim = predictors entries). `response`
/// holds every legal y. A row whose numbers are not finite, or whose integer vector is longer than
/// task.longest, contributes zero. Errors: configuration for a normal family with unknown sigma.
void glm_score_pass(const GlmFamily& family, const Interval& response, const GlmTiles& tiles,
                    const WeightedTask& task, std::span<std::int64_t> sums);

/// Likewise for the information vector (model/weighted.hpp).
void glm_information_pass(const GlmFamily& family, const Interval& response, const GlmTiles& tiles,
                          const WeightedTask& task, std::span<std::int64_t> sums);

}  // namespace sotto
