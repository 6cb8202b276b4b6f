#include "sotto/math/shortened_normal.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {

ShortenedNormal shortened_normal(int dim, double bound) {
  if (dim < 1 || !(bound > 0))
    throw Error(ErrorCode::usage, "a clipped normal needs a dimension and a bound > 0");
  if (std::isinf(bound)) return {1, 1, 0};
  const double half = bound * bound / 2;
  const double d = dim;
  const double inside = boost::math::gamma_p((d + 2) / 2, half);
  const double share = boost::math::gamma_q(d / 2, half);
  const double length_beyond = std::sqrt(2.0) * boost::math::tgamma_delta_ratio((d + 1) / 2, -0.5) *
                               boost::math::gamma_q((d + 1) / 2, half);
  return {inside + bound / d * length_beyond, inside + bound * bound / d * share, share};
}

double normal_length(int dim, double share) {
  if (dim < 1 || !(share > 0 && share < 1))
    throw Error(ErrorCode::usage, "a normal's length needs a dimension and a share in (0, 1)");
  return std::sqrt(2 * boost::math::gamma_q_inv(dim / 2.0, share));
}

}  // namespace sotto
