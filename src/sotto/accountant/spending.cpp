#include "sotto/accountant/spending.hpp"

#include <limits>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/math/round_up.hpp"

namespace sotto {

Epsilon Spending::spent_epsilon(Delta at) const {
  if (precomposed) {
    if (at < delta) return Epsilon(std::numeric_limits<double>::infinity());
    return Epsilon(add_up(precomposed->value(), slack));
  }
  return Epsilon(add_up(gaussian_epsilon(rho, at).value(), slack));
}

}  // namespace sotto
