// What is known of a model without composing it: its largest loss, and the exact curve of one step.
#pragma once

#include "sotto/accountant/pld/loss_model.hpp"

namespace sotto {

/// No outcome shows a larger loss than this; infinite where there is no such bound.
[[nodiscard]] double largest_loss(const LossModel& model);

/// delta(epsilon) of one step, on this side of the truth by rounding errors only.
[[nodiscard]] double one_step_delta(const LossPart& part, double epsilon, Side side);

}  // namespace sotto
