// The curves that a formula has, as what their coefficients say together: poly(age, 3), bs(age, 5).
#pragma once

#include <vector>

#include "sotto/model/design.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

/// One for each basis that stands in no product: there a column's effect is one curve. From declared bounds alone.
[[nodiscard]] std::vector<EffectCurve> effect_curves(const Design& design);

}  // namespace sotto
