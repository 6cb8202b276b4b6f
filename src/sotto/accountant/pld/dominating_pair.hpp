// Dominating pairs with a continuous output: which privacy losses a mechanism can show, and how often.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/event/view.hpp"

namespace sotto {

/// Probabilities of one set of outputs under both distributions of a pair.
struct PairMass {
  double p = 0;           ///< under P
  double q = 0;           ///< under Q
  double difference = 0;  ///< p - q, without cancellation of equal parts
  double q_error = 0;     ///< bounds on the rounding errors of q and of the difference
  double difference_error = 0;
};

/// Points of a loss distribution, for steering only (no bound rests on it).
struct LossSketch {
  std::vector<double> loss;
  std::vector<double> mass;
};

/// P = (1 - r) f0 + r f+,  Q = (1 - s) f0 + s f-: noise centred at 0, at +shift, at -shift. With r = rate, s
/// = 0 a row is in P's data only ("remove"); r = 0, s = rate is the reverse ("add", written so that the loss
/// increases); r = s is a row exchanged for the opposite one ("substitute"). The loss log(dP/dQ)(x) increases
/// with x.
/// Source     dominating pairs [ZDW22]; proof for all three cases in docs/accounting.md, "Poisson samples"
class DominatingPair {
 public:
  using Noise = sotto::Noise;

  DominatingPair(Noise noise, double scale, double shift, double r, double s);
  /// The pair whose curve is that of `base` for losses >= 0 and its mirror image below: dominates a
  /// fixed-size sample without replacement, one row exchanged. Source: docs/accounting.md, "Samples without
  /// replacement".
  [[nodiscard]] static DominatingPair mirrored(const DominatingPair& base);

  /// Where a given loss is reached, with the probabilities on its sides.
  struct Cut {
    double loss;
    std::array<double, 3> tail;  ///< signed tails of f0, f+, f-: the lower tail, or minus the upper one
    double accuracy = 0;         ///< bound on their relative errors
    double place = std::numeric_limits<double>::quiet_NaN();  ///< where, if it is one place
  };
  [[nodiscard]] Cut cut(double loss) const;
  [[nodiscard]] Cut cut_below_everything() const;
  [[nodiscard]] Cut cut_above_everything() const;
  /// Outputs whose loss lies between two cuts.
  [[nodiscard]] PairMass between(const Cut& low, const Cut& high) const;

  /// Batches of fixed size: the truth lies below, and no lower bound comes near.
  [[nodiscard]] bool is_mirrored() const { return mirrored_; }
  /// The share of outputs in which the row may show; 1 where nothing is sampled.
  [[nodiscard]] double rate() const { return std::max(r_, s_); }
  [[nodiscard]] double min_loss() const { return min_loss_; }
  [[nodiscard]] double max_loss() const { return max_loss_; }
  /// A loss at which much probability may sit in one point, or nearly so.
  [[nodiscard]] double anchor() const { return anchor_; }
  /// A loss exceeded with probability at most `tail` under P.
  [[nodiscard]] double upper_loss(double tail) const;
  /// A loss undercut with probability at most `tail` under P.
  [[nodiscard]] double lower_loss(double tail) const;
  /// True if atoms sit at both the smallest and the largest loss (Laplace noise).
  [[nodiscard]] bool has_end_atoms() const { return noise_ == Noise::laplace; }
  /// True if unbounded losses come from the sampled share of P: none of them may be part of a typical sum.
  [[nodiscard]] bool has_rare_large_losses() const { return noise_ == Noise::gaussian && r_ > 0 && r_ < 1; }
  /// Cuts that split the atoms at the ends from what lies between.
  [[nodiscard]] Cut cut_above_low_atom() const;
  [[nodiscard]] Cut cut_below_high_atom() const;
  /// Without outputs beyond which either tail of P is about `tail`.
  [[nodiscard]] LossSketch sketch(double tail, int points = 1200) const;

 private:
  [[nodiscard]] double signed_tail(double x) const;
  [[nodiscard]] std::optional<double> close_mass(const Cut& low, const Cut& high, double centre) const;
  [[nodiscard]] double quantile_above(double tail) const;
  [[nodiscard]] Cut cut_at(double loss, double x) const;
  [[nodiscard]] double loss_at(double x) const;
  [[nodiscard]] double inverse(double loss) const;
  [[nodiscard]] double exponent(double x) const;
  [[nodiscard]] PairMass base_between(const Cut& low, const Cut& high) const;

  Noise noise_;
  double scale_, shift_, r_, s_;
  bool mirrored_ = false;
  double min_loss_ = 0, max_loss_ = 0, anchor_ = 0;
  Cut zero_{};       // mirrored pairs: the cut of the base at loss 0
  double atom_ = 0;  // mirrored pairs: probability of loss 0
};

}  // namespace sotto
