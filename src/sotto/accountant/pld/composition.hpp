// One side of the curve of one composed model: where to look, which tilt and grid, and the composition there.
#pragma once

#include "sotto/accountant/pld/composed_loss.hpp"
#include "sotto/accountant/pld/loss_curve.hpp"
#include "sotto/accountant/pld/loss_model.hpp"

namespace sotto {

/// How hard to try.
struct Accuracy {
  double tolerance;    ///< accuracy aimed at, of epsilon or of log delta; 0: with all points
  double most_points;  ///< of a grid
  double most_lost;    ///< how far a tilt's integrand may lie above the saddle point's, as a logarithm
};

/// What is asked: the other coordinate of the curve at this epsilon or this delta.
struct CurveQuery {
  bool by_epsilon;
  double value;
};

/// How one side of a curve is computed. Steers only.
struct CompositionPlan {
  double epsilon;  ///< the place on the curve
  double log_delta;
  double tail;             ///< what may be cut off a single step's distribution, as a probability
  double sensitivity = 0;  ///< d log delta / d epsilon there, negative: about the saddle point
  double tilt = 0;
  double lost = 0;    ///< how far the tilt's integrand lies above the saddle point's, as a logarithm
  double excess = 0;  ///< how far the saddle point's integrand lies above delta, as a logarithm
  LossWindow window{};
};

inline constexpr double kWindowExponent =
    23;  ///< how little tilted probability may lie outside a window: its negative logarithm

/// Sketches of the parts. Losses above where the grid will end count as that: they would rule the cumulant without
/// mattering to delta.
[[nodiscard]] Cumulant cumulant_of(const std::vector<LossPart>& parts, double tail);

/// For a place on the curve, or for the place of an epsilon or a delta, as far as the saddle point tells it.
[[nodiscard]] CompositionPlan plan_at(const LossModel& model, double epsilon, double log_delta,
                                      double most_lost);
[[nodiscard]] CompositionPlan plan_for_epsilon(const LossModel& model, double epsilon, double most_lost);
[[nodiscard]] CompositionPlan plan_for_delta(const LossModel& model, double delta, double most_lost);

/// A model's parts, tilted, on one grid, each on this side of the truth. `coarser` makes the step 4^coarser as wide.
struct GriddedModel {
  std::vector<TiltedPower> parts;
  std::vector<std::size_t>
      origin;  ///< which part of the model each comes from; one that shows nothing is left out
  double tilt = 0;
  double exponent = 0;  ///< of the window, as in `compose`
};
[[nodiscard]] GriddedModel on_one_grid(const LossModel& model, const CompositionPlan& plan,
                                       const CurveQuery& query, Side side, const Accuracy& accuracy,
                                       int coarser = 0);
/// Nothing if the composition would be too wide.
[[nodiscard]] std::optional<LossCurve> curve_of(const GriddedModel& grid, Side side);

/// A proven curve on this side of the truth, narrow near the plan's place. Errors: configuration when no grid fits.
[[nodiscard]] LossCurve curve_of(const LossModel& model, const CompositionPlan& plan, const CurveQuery& query,
                                 Side side, const Accuracy& accuracy);

}  // namespace sotto
