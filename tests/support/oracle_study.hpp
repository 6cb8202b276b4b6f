// Release-once on a simulated regression whose rows an oracle with continuous noise answers for.
#pragma once

#include "support/once_study.hpp"
#include "support/row_oracle.hpp"

namespace sotto {

[[nodiscard]] inline OnceOutcome study_by_oracle(const SimulatedRegression& data, double rho,
                                                 std::uint64_t seed) {
  const OnceSettings settings = settings_of(data, rho);
  RowOracle oracle(settings.facts, data.x, data.y, settings.cost, seed);
  return study(data, non_private(data), settings, oracle, 500, seed);
}

}  // namespace sotto
