// A composition split by how many of its steps show a rare large loss: each number of them needs a tilt of its own.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "sotto/accountant/pld/composition.hpp"
#include "sotto/accountant/pld/large_losses.hpp"

namespace sotto {

/// One side of the curve, narrow near one place of it.
/// Computes   sum over k of binomial(count, k) J^k B^(count - k), B a step's losses up to a cut, J those above it;
///            B's powers by tilted Fourier transforms, J's directly
/// Source     docs/accounting.md, "Rare large losses"
/// Checked by tests/accountant/large_loss_convolution_test.cpp: two_steps_enclose_the_integral, many_jumps_add_up
class LargeLossConvolution {
 public:
  /// Nothing if the model has no step with rare large losses, or too many kinds of them.
  [[nodiscard]] static std::optional<LargeLossConvolution> around(const LossModel& model, double epsilon,
                                                                  double log_delta, Side side,
                                                                  double most_points);
  [[nodiscard]] double delta(double epsilon) const;
  /// Upper side: an epsilon with delta(epsilon) <= target; lower side: one with delta(epsilon) > target. Both within
  /// [low, high]; the end that is safe if there is none.
  [[nodiscard]] double epsilon(double target, double low, double high) const;
  /// A guess at delta(epsilon): that one step alone shows all of it.
  [[nodiscard]] static double one_jump_delta(const LossModel& model, double epsilon);

 private:
  struct Term {
    double ways = 1;                // in how many ways the steps with large losses can be chosen
    LargeLosses large;              // sum of the large losses
    std::vector<LossCurve> others;  // the same curve at several tilts; none: nothing is known of it
    bool alone = false;             // there are no other steps
    double total = 1;               // bound on the probability of the others' outputs; upper side only
    double far = -HUGE_VAL;  // below this epsilon < 0 the curve is continued towards `total` at e^epsilon = 0
    double far_delta = 0;
  };
  explicit LargeLossConvolution(Side side) : side_(side) {}
  [[nodiscard]] double others_delta(const Term& term, double epsilon) const;

  Side side_;
  std::vector<Term> terms_;
  double rest_ = 0;  // probability of more large losses than any term has; upper side only
};

}  // namespace sotto
