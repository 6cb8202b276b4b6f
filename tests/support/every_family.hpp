// Every family of generalised linear models, so that a new one is tested wherever the others are.
#pragma once

#include <algorithm>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/model/glm/family.hpp"

namespace sotto {

struct FamilyCase {
  GlmFamily family;
  Interval response;
};

/// Each with legal responses; one with a sigma twice, unknown and known. Of ordered categories two, which need one row a response.
[[nodiscard]] inline std::vector<FamilyCase> every_family() {
  std::vector<FamilyCase> all;
  for (const GlmFamily& family : families()) {
    const Interval support = std::visit([](const auto& f) { return f.support; }, family);
    const Interval response{std::max(support.lower, -3.0),
                            std::min(support.upper, has_thresholds(family) ? 1.0 : 9.0)};
    all.push_back({family, response});
    if (sigma_of(family) != nullptr) all.push_back({*find_family(family_name(family), 0.7), response});
  }
  return all;
}

}  // namespace sotto
