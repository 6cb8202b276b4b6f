// Where to tilt: the saddle point of a composed privacy loss. Steers accuracy only; no bound rests on it.
#pragma once

#include <vector>

#include "sotto/accountant/pld/dominating_pair.hpp"

namespace sotto {

/// The cumulant generating function K(t) = sum_e count_e log E exp(t L_e) of sketched losses.
class Cumulant {
 public:
  void add(LossSketch sketch, double count);
  struct Values {
    double k0, k1, k2;  ///< K and its first two derivatives
  };
  [[nodiscard]] Values at(double t) const;
  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double smallest() const { return smallest_; }

 private:
  struct Term {
    LossSketch sketch;
    double count;
  };
  std::vector<Term> terms_;
  double largest_ = 0;
  double smallest_ = 0;
};

struct SaddlePoint {
  double tilt;
  double epsilon;
  double log_delta;
};

/// The saddle point of the integrand of delta(epsilon), tilt > 0.
/// Source     delta(epsilon) = (1 / 2 pi i) integral of exp(K(t) - t epsilon) / (t (t + 1)) dt
[[nodiscard]] SaddlePoint saddle_for_epsilon(const Cumulant& cumulant, double epsilon);
[[nodiscard]] SaddlePoint saddle_for_delta(const Cumulant& cumulant, double delta);

/// log of Chernoff's bound on the integrand of delta(epsilon) at a tilt: how far above delta rounding errors start.
[[nodiscard]] double log_integrand(const Cumulant& cumulant, double tilt, double epsilon);

/// Losses between which the tilted composition lies except for a probability of about e^-exponent, and the
/// rates at which Chernoff's bound shows it.
struct LossWindow {
  double low;
  double high;
  double rate_below;  ///< < 0
  double rate_above;  ///< > 0
};
[[nodiscard]] LossWindow window_around(const Cumulant& cumulant, double tilt, double exponent);

}  // namespace sotto
