#include "sotto/accountant/filter/concentrated_filter.hpp"

#include <cmath>
#include <limits>

#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {

ConcentratedFilter::ConcentratedFilter(Epsilon epsilon, Delta delta) {
  if (!std::isfinite(epsilon.value()))
    throw Error(ErrorCode::configuration, "a filter needs a finite epsilon");
  double low = 0;
  double high = epsilon.value();
  while (concentrated_epsilon(high, delta.value()) <= epsilon.value() && high < 1e300) high = 2 * high + 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (concentrated_epsilon(middle, delta.value()) <= epsilon.value() ? low : high) = middle;
  }
  limit_ = low;
}

bool ConcentratedFilter::spend(double rho) {
  if (!(rho >= 0) || !std::isfinite(rho)) return false;
  const double sum =
      rho == 0 ? spent_ : std::nextafter(spent_ + rho, std::numeric_limits<double>::infinity());
  if (!(sum <= limit_)) return false;
  spent_ = sum;
  return true;
}

Epsilon ConcentratedFilter::spent_epsilon(Delta delta) const {
  return Epsilon(concentrated_epsilon(spent_, delta.value()));
}

}  // namespace sotto
