// The privacy curve and the trade-off function of composed events, as points to plot.
#pragma once

#include <optional>
#include <vector>

#include "sotto/accountant/bounds.hpp"
#include "sotto/event/event.hpp"

namespace sotto {

struct CurveBounds {
  double epsilon = 0;
  Bounds delta;
};

/// delta at `points` epsilons evenly spaced from 0 to where the upper bound on delta reaches `smallest_delta`.
[[nodiscard]] std::vector<CurveBounds> event_curve(const Event& event, Adjacency adjacency,
                                                   double smallest_delta = 1e-12, int points = 41);

/// A point of the trade-off function: no test at level alpha has a smaller type II error than beta.
struct ErrorTradeoff {
  double alpha = 0;
  double beta = 0;
};

/// A lower bound of the trade-off function f(alpha), from the upper bounds of a curve.
/// Computes   f(alpha) = max over points of max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha))
/// Source     [DRS22, Proposition 2.12]
[[nodiscard]] std::vector<ErrorTradeoff> trade_off(const std::vector<CurveBounds>& curve, int points = 101);

/// The mu of Gaussian differential privacy where all releases add continuous Gaussian noise to all rows, or have it as given;
/// rounded up: their trade-off function is that of N(0, 1) and N(mu, 1). Empty where that is not so.
/// Computes   sqrt(sum of (sensitivity / sigma)^2)
/// Source     [DRS22, Corollary 3.3]
[[nodiscard]] std::optional<double> gaussian_mu(const Event& event, Adjacency adjacency);

}  // namespace sotto
