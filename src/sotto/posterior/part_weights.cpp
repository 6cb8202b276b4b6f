#include "sotto/posterior/part_weights.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

/// M of a part whose rows have this mean response.
double largest_residual(double mean, const BoundsPlan& plan, Link link) {
  switch (link) {
    case Link::logit:
      return std::max(mean, 1 - mean);
    case Link::log:
      return plan.clip * std::sqrt(std::max(1.0, mean + plan.count_dispersion * mean * mean));
    case Link::log_rate:
    case Link::identity:
      return plan.typical;
  }
  return plan.typical;
}

}  // namespace

Position part_weights(const StandIn& stand_in, const Matrix& frame, const Position& at,
                      const BoundsPlan& plan, const OnceFacts& facts) {
  const auto parts = static_cast<Eigen::Index>(stand_in.parts().size());
  Position weights = Position::Constant(parts, plan.kept);
  if (facts.thresholds || facts.unit_sizes) return weights;
  const double around = std::max((frame * stand_in.within() * frame.transpose()).trace(), 0.0);
  const double variance = at.dot(stand_in.within() * at);
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    const Part& part = stand_in.parts()[static_cast<std::size_t>(k)];
    const double square = around + (frame * part.mean).squaredNorm();
    const auto h = stand_in.averages(at.dot(part.mean), variance);
    const double length = kTypicalToMean * largest_residual(h[0], plan, facts.link) * std::sqrt(square);
    weights[k] = std::min({1.0, kept_weight(plan.score_bound / length),
                           plan.information_bound / (std::max(h[1], 1e-12) * square)});
  }
  return weights;
}

}  // namespace sotto
