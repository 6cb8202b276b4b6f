#include "sotto/posterior/usable_rows.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kClearlyUnused = 4;    // standard deviations of the noise
constexpr double kClearlyNotAll = 2.5;  // likewise; for a sentence that changes nothing else
constexpr double kHardlyAnyLost = 0.95;

}  // namespace

std::optional<double> few_usable(const NoisyVector& counts, double rows, double least) {
  const double usable = counts.value.sum();
  const double doubt = kClearlyUnused * std::sqrt(counts.variance * static_cast<double>(counts.value.size()));
  if (usable + doubt > least * rows) return std::nullopt;
  return std::max(usable / rows, 0.0);
}

std::optional<double> not_all_usable(const NoisyVector& counts, double rows) {
  const double usable = counts.value.sum();
  const double doubt = kClearlyNotAll * std::sqrt(counts.variance * static_cast<double>(counts.value.size()));
  if (usable > kHardlyAnyLost * rows || usable + doubt > rows) return std::nullopt;
  return std::max(usable / rows, 0.0);
}

void UsableRows::add(const NoisyVector& counts) {
  const double precision = 1 / (counts.variance * static_cast<double>(counts.value.size()));
  sum_ += precision * counts.value.sum();
  precision_ += precision;
}

NoisyVector UsableRows::number() const {
  return {Position::Constant(1, precision_ > 0 ? sum_ / precision_ : HUGE_VAL), 1 / precision_};
}

NoisyVector UsableRows::of(double rows) const {
  constexpr double kAll = 1;
  NoisyVector found = number();
  if (precision_ > 0 && few_usable(found, rows, kAll)) {
    found.value = found.value.cwiseMax(std::max(std::sqrt(found.variance), 1.0));
    return found;
  }
  return {Position::Constant(1, rows), 0};
}

}  // namespace sotto
