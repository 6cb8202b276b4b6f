// One side of the privacy curve of one model: a proven bound that more effort makes better.
#pragma once

#include <optional>

#include "sotto/accountant/bounds.hpp"
#include "sotto/accountant/pld/composition.hpp"

namespace sotto {

inline constexpr Accuracy kFirstAccuracy{2e-4, 0x1p17, 10};

/// Gaussian releases alone have a closed form, a single step is read off its distribution, everything else is composed on a
/// grid; rare large losses may be convolved apart. Every value is on the given side of the truth.
/// Checked by tests/accountant/reference_test.cpp: every_tuple_lies_inside_narrow_bounds
/// Checked by tests/accountant/oracle_test.cpp: lies_inside_the_bounds
class CurveBound {
 public:
  /// `model` must outlive the bound.
  CurveBound(const LossModel& model, const CurveQuery& query, Side side);

  /// The best bound after an attempt at this accuracy. Errors: configuration where no grid takes it.
  double at(const Accuracy& accuracy);
  /// Likewise with rare large losses apart, near what is known.
  double split(const Bounds& known, double most_points);
  /// The best bound so far.
  [[nodiscard]] double last() const;
  [[nodiscard]] bool is_known() const { return last_.has_value(); }
  /// Starts from what the other side has found.
  void start_at(double found);

 private:
  double keep(double bound);
  [[nodiscard]] double split_delta(const Bounds& known, double most_points) const;
  [[nodiscard]] double split_epsilon(const Bounds& known, double most_points) const;
  double value_at(const Accuracy& accuracy);
  [[nodiscard]] double closed_form() const;
  [[nodiscard]] double with_slack(double delta) const;
  [[nodiscard]] bool single_step() const;
  [[nodiscard]] double one_step_epsilon(const LossPart& part) const;
  template <class Alone>
  [[nodiscard]] double of_one_part(double found, const Alone& alone) const;
  double delta_at(double epsilon, const Accuracy& accuracy);
  double epsilon_at(const Accuracy& accuracy);

  const LossModel& model_;
  CurveQuery query_;
  Side side_;
  double shift_ = 0;  ///< outward: of losses, and of the logarithm of delta
  std::optional<CompositionPlan> plan_;
  bool seeded_ = false;
  std::optional<double> last_;
};

}  // namespace sotto
