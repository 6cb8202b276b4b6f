// The algebra of a formula's right side.
#pragma once

#include <vector>

#include "sotto/model/formula.hpp"

namespace sotto {

/// Different terms, whatever the order of their variables; the empty product is the intercept.
using Terms = std::vector<Term>;

/// Those that are not there yet. Errors: configuration for more than a formula may have.
void add(Terms& terms, const Term& term);
void add(Terms& terms, const Terms& more);
void remove(Terms& terms, const Terms& fewer);
/// All products of one of `left` and one of `right`.
[[nodiscard]] Terms interaction(const Terms& left, const Terms& right);

}  // namespace sotto
