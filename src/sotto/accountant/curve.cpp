#include "sotto/accountant/curve.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/accountant/pld/tight.hpp"

namespace sotto {

std::vector<CurveBounds> event_curve(const Event& event, Adjacency adjacency, double smallest_delta,
                                     int points) {
  if (points < 2) throw Error(ErrorCode::configuration, "a curve needs at least 2 points");
  const double largest = tight_epsilon(event, adjacency, Delta(smallest_delta)).upper;
  if (!std::isfinite(largest))
    throw Error(ErrorCode::configuration, "no finite epsilon reaches the smallest delta");
  std::vector<CurveBounds> curve;
  for (int i = 0; i < points; ++i) {
    const double epsilon = largest * i / (points - 1);
    curve.push_back({epsilon, tight_delta(event, adjacency, Epsilon(epsilon))});
  }
  return curve;
}

std::optional<double> gaussian_mu(const Event& event, Adjacency adjacency) {
  double sum = 0;
  for (const Event& leaf : flatten(event)) {
    const View<LossView> loss = loss_view(leaf, adjacency, Side::upper);
    if (!loss.is_known()) return std::nullopt;
    const auto* gaussian = std::get_if<GaussianLoss>(&loss.value().forward);
    if (gaussian == nullptr || gaussian->slack > 0) return std::nullopt;
    sum += gaussian->ratio * gaussian->ratio * static_cast<double>(leaf.count);
  }
  return std::sqrt(sum) * (1 + 1e-12);
}

std::vector<ErrorTradeoff> trade_off(const std::vector<CurveBounds>& curve, int points) {
  if (points < 2) throw Error(ErrorCode::configuration, "a curve needs at least 2 points");
  std::vector<ErrorTradeoff> result;
  for (int i = 0; i < points; ++i) {
    const double alpha = static_cast<double>(i) / (points - 1);
    double beta = 0;
    for (const CurveBounds& point : curve) {
      const double rest = 1 - point.delta.upper;
      beta =
          std::max({beta, rest - std::exp(point.epsilon) * alpha, std::exp(-point.epsilon) * (rest - alpha)});
    }
    result.push_back({alpha, beta});
  }
  return result;
}

}  // namespace sotto
