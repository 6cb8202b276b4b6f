#include "sotto/posterior/thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/posterior/usable_rows.hpp"

namespace sotto {
namespace {

constexpr double kClearCount = 4;  // standard deviations of the noise
constexpr double kLeastCount = 0.2;
constexpr double kLightestThreshold = 0.05;  // of the mean weight

double logit(double share) { return std::log(share / (1 - share)); }

}  // namespace

HistogramQuery category_counts(const OnceFacts& facts, Rho cost) {
  const Position edges =
      Position::LinSpaced(static_cast<Eigen::Index>(facts.pieces) + 2, -0.5, facts.pieces + 0.5);
  return {HistogramOf::response, Position(), edges, cost};
}

FirstThresholds first_thresholds(const OnceFacts& facts, const NoisyVector& counts) {
  const auto thresholds = static_cast<Eigen::Index>(facts.pieces);
  const Eigen::Index first = *facts.thresholds;
  const double noise = std::sqrt(counts.variance);
  Position shares = counts.value.cwiseMax(std::max(noise, kLeastCount * facts.pieces));
  shares /= shares.sum();
  FirstThresholds found{Position::Zero(facts.dim()), Position(thresholds), {}};
  double beyond = 1;
  for (Eigen::Index k = 0; k < thresholds; ++k) {
    beyond -= shares[k];
    if (k == 0) {
      found.at[0] = logit(beyond);
    } else {
      found.at[first + k - 1] = logit(beyond) - found.at[0];
    }
    found.weights[k] = shares[k] + shares[k + 1];
  }
  found.weights = found.weights.cwiseMax(kLightestThreshold * found.weights.mean());
  found.weights /= found.weights.mean();
  for (Eigen::Index k = 0; k <= thresholds; ++k) {
    if (counts.value[k] < kClearCount * noise) found.hardly_any.push_back(k);
  }
  return found;
}

}  // namespace sotto
