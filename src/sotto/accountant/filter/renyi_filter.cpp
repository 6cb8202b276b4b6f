#include "sotto/accountant/filter/renyi_filter.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {
namespace {

// epsilon - cost at an order: -log((a - 1) / a) + log(delta a) / (a - 1), with a bound on its rounding error.
struct Gap {
  double value;
  double error;
};

Gap conversion_gap(double order, double delta) {
  const double first = std::log1p(-1 / order);
  const double second = std::log(delta * order) / (order - 1);
  return {second - first, 1e-13 * (std::abs(first) + std::abs(second))};
}

}  // namespace

RenyiFilter::RenyiFilter(Epsilon epsilon, Delta delta, double order) : order_(order) {
  if (!std::isfinite(epsilon.value()) || !(delta.value() > 0))
    throw Error(ErrorCode::configuration, "a Renyi filter needs a finite epsilon and a delta above 0");
  if (!(order > 1 && order <= 1e12))
    throw Error(ErrorCode::configuration, "a Renyi order must lie in (1, 1e12]");
  const Gap gap = conversion_gap(order, delta.value());
  limit_ = epsilon.value() + gap.value;
  limit_ -= gap.error + 1e-13 * (epsilon.value() + std::abs(limit_));
}

RenyiFilter RenyiFilter::for_event(Epsilon epsilon, Delta delta, const Event& typical, Adjacency adjacency) {
  RenyiFilter best(epsilon, delta, 2);
  double most = -kInfinity;
  for (double order = 1.02; order < 1100;
       order = order < 64 ? order + std::max(0.02, std::floor(order / 8)) : order * 1.1) {
    const double whole = order < 2 ? order : std::floor(order);
    const RenyiFilter filter(epsilon, delta, whole);
    const double cost = renyi_cost(typical, adjacency, whole);
    const double fits = filter.limit() / std::max(cost, 1e-300);
    if (!(fits > most)) continue;
    most = fits;
    best = filter;
  }
  return best;
}

bool RenyiFilter::spend(double cost) {
  if (!(cost >= 0) || !std::isfinite(cost)) return false;
  const double sum = cost == 0 ? spent_ : std::nextafter(spent_ + cost, kInfinity);
  if (!(sum <= limit_)) return false;
  spent_ = sum;
  return true;
}

Epsilon RenyiFilter::spent_epsilon(Delta delta) const {
  if (!(delta.value() > 0)) return Epsilon(kInfinity);
  const Gap gap = conversion_gap(order_, delta.value());
  return Epsilon(std::max(0.0, spent_ - gap.value + gap.error + 1e-13 * spent_));
}

}  // namespace sotto
