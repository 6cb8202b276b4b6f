#include "sotto/model/weighted.hpp"

#include <cmath>

namespace sotto {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;

}  // namespace

double information_share(std::size_t dim) { return 1 / std::sqrt(static_cast<double>(dim)); }

bool legal_weighting(const Weighting& weighting, std::size_t dim) {
  const auto d = static_cast<Eigen::Index>(dim);
  return weighting.at.size() == d && weighting.frame.rows() == d && weighting.frame.cols() == d &&
         weighting.at.allFinite() && weighting.frame.allFinite() && weighting.score_bound > 0 &&
         std::isfinite(weighting.score_bound) && weighting.information_bound > 0 &&
         std::isfinite(weighting.information_bound);
}

VectorBound weighted_score_bound(const Weighting& weighting) {
  return {weighting.score_bound, 2 * weighting.score_bound};
}

VectorBound information_bound(const Weighting& weighting, std::size_t dim) {
  const double s2 = 1 / static_cast<double>(dim);
  return {weighting.information_bound * std::sqrt(1 + 2 * s2) * kRoundUp,
          weighting.information_bound * std::sqrt(2 + s2) * kRoundUp};
}

WeightedTask weighted_task(const Weighting& weighting, const VectorBound& bound, std::size_t entries,
                           GridStep grid) {
  return {&weighting, 1 / grid.value(),
          bound.norm / grid.value() * (1 + 0x1p-41) + std::sqrt(static_cast<double>(entries)) / 2};
}

}  // namespace sotto
