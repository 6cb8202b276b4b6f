// Report noisy max: which of many scores is largest, after Laplace noise on each; only the winner's name is told.
#pragma once

#include <cmath>
#include <tuple>

#include "sotto/event/pure.hpp"

namespace sotto {

/// Noise of this scale in units of what one row may change of each score.
struct ReportNoisyMaxEvent {
  double scale = 1;

  bool operator==(const ReportNoisyMaxEvent&) const = default;
  static constexpr const char* name = "report-noisy-max";
  static auto fields() {
    return std::tuple(Field<ReportNoisyMaxEvent, double>{"scale", &ReportNoisyMaxEvent::scale, "scale"});
  }
  static NoiseField<ReportNoisyMaxEvent> noise() { return {&ReportNoisyMaxEvent::scale}; }
  void check() const { require(scale >= 2.0 / 700 && scale <= 1e100, "scale must lie in [1/350, 1e100]"); }
  [[nodiscard]] ReportNoisyMaxEvent group(double rows) const { return {scale / rows * (1 - 1e-15)}; }

  /// Source [DR14, section 3.3]: epsilon-private, whatever the number of scores
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (side == Side::upper) return guarantee().loss(adjacency, side);
    // Of two scores that one row moves from -1 to +1 apart; the sum of two Laplace noises has the tail (2 + x) e^-x / 4.
    if (scale > 1e8) return LossView{NoLoss{}, {}};
    const double loser = (2 + 1 / scale) * std::exp(-1 / scale) / 4;
    const double largest = std::log1p((1 - 2 * loser) / loser) * (1 - 1e-7);
    return LossView{LatticeLoss{-largest, 2 * largest, 0, {loser, 1 - loser}}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const { return guarantee().renyi(adjacency); }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const { return guarantee().rho(adjacency); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    return guarantee().pure_epsilon(adjacency);
  }

 private:
  [[nodiscard]] PureEvent guarantee() const { return {ratio_up(2, scale)}; }
};

}  // namespace sotto
