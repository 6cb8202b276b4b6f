#include "sotto/posterior/usable_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kClearlyUnused = 4;  // standard deviations of the noise

}  // namespace

std::optional<double> few_usable(const NoisyVector& counts, double rows, double least) {
  const double usable = counts.value.sum();
  const double doubt = kClearlyUnused * std::sqrt(counts.variance * static_cast<double>(counts.value.size()));
  if (usable + doubt > least * rows) return std::nullopt;
  return std::max(usable / rows, 0.0);
}

}  // namespace sotto
