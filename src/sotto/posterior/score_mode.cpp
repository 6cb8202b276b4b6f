#include "sotto/posterior/score_mode.hpp"

#include <algorithm>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr int kNewtonSteps = 80;
constexpr double kConverged = 1e-8;  // of the density's logarithm, twice
constexpr double kFirstDamping = 1e-2;
constexpr double kLeastDamping = 1e-3;
constexpr double kMostDamping = 1e8;
constexpr double kDampingStep = 4;

}  // namespace

Position score_mode(const ScoreMean& mean, const Position& score, const Matrix& noise, const Position& from,
                    const JointNormalPrior& prior, const std::function<void()>& wanted) {
  const Cholesky weight(noise);
  const auto cost = [&](const Position& at) {
    const Position miss = score - mean.value(at);
    const Position off = at - prior.location;
    return miss.dot(weight.solve(miss)) + off.dot(prior.precision * off);
  };
  Position at = from;
  double best = cost(at);
  double damping = 0;
  for (int step = 0; step < kNewtonSteps && damping <= kMostDamping; ++step) {
    if (wanted) wanted();
    const Matrix slope = mean.slope(at);
    const Matrix weighted = weight.solve(slope);
    Matrix curvature = slope.transpose() * weighted + prior.precision;
    curvature.diagonal() *= 1 + damping;
    const Position pull =
        weighted.transpose() * (score - mean.value(at)) - prior.precision * (at - prior.location);
    const Position candidate = at + Cholesky(curvature).solve(pull);
    const double value = cost(candidate);
    if (value < best) {
      const bool converged = best - value < kConverged;
      at = candidate;
      best = value;
      damping = damping < kLeastDamping ? 0 : damping / kDampingStep;
      if (converged) break;
    } else {
      damping = std::max(kFirstDamping, kDampingStep * damping);
    }
  }
  return at;
}

}  // namespace sotto
