#include "sotto/event/random_allocation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/math/convex_order_sum.hpp"

namespace sotto {
namespace {

constexpr double kNoiseReach =
    9.5;  // standard deviations beyond which one step's noise counts as giving away
constexpr std::size_t kLawPoints = 1200;  // of a law
constexpr std::size_t kEpochLossSteps = 1 << 15;
constexpr double kLeftOut = 1e-21;  // probability of losses that are beyond the grid
constexpr double kOutwards = 1e-7;  // of losses and, relatively, probabilities, for rounding

// Probability that a normal number lies between a and b, and that it lies above a.
double tail_above(double a) { return std::erfc(a / std::numbers::sqrt2) / 2; }
double chance_between(double a, double b) {
  return a > 0 ? tail_above(a) - tail_above(b) : tail_above(-b) - tail_above(-a);
}

// The likelihood ratio e^(g / scale - 1 / (2 scale^2)) of one step, g standard normal under the data set without the row. Beyond the reach:
// above, small ratios are put on 0 and the least one looked at, large ones on 0, and are paid for by who asks; below, both are left out.
PositiveLaw ratio_law(double scale, ConvexOrder side) {
  const double shift = 1 / scale;
  const auto ratio_at = [&](double g) { return std::exp((g - shift / 2) * shift); };
  const double low = -kNoiseReach;
  const double high = kNoiseReach + shift;
  PositiveLaw law;
  double carried = 0;  // of the bin before, at this one's start
  if (side == ConvexOrder::above) {
    carried = tail_above(kNoiseReach + shift) / ratio_at(low);
    law = {{0}, {tail_above(kNoiseReach) - carried + tail_above(high)}};
  }
  for (std::size_t i = 0; i < kLawPoints; ++i) {
    const auto place = [&](std::size_t k) {
      return low + (high - low) * static_cast<double>(k) / static_cast<double>(kLawPoints);
    };
    const double a = place(i);
    const double b = place(i + 1);
    const double mass = chance_between(a, b);
    const double moment = chance_between(a - shift, b - shift);
    const double start = ratio_at(a);
    const double end = ratio_at(b);
    if (side == ConvexOrder::below) {
      law.value.push_back(std::clamp(moment / mass, start, end));
      law.mass.push_back(mass);
      continue;
    }
    const double up = std::clamp((moment - start * mass) / (end - start), 0.0, mass);
    law.value.push_back(start);
    law.mass.push_back(carried + mass - up);
    carried = up;
  }
  if (side == ConvexOrder::above) {
    law.value.push_back(ratio_at(high));
    law.mass.push_back(carried);
  }
  return law;
}

struct EpochOutcome {
  double loss;
  double mass;
};

// Outcomes of increasing loss on a grid. Upper: each on the two points next to it, its probabilities under both data sets kept;
// lower: on the point below.
LatticeLoss on_loss_grid(const std::vector<EpochOutcome>& outcomes, double infinite, Side side) {
  std::size_t last = outcomes.size();
  while (last > 1 && infinite + outcomes[last - 1].mass < kLeftOut) {
    --last;
    if (side == Side::upper) infinite += outcomes[last].mass;
  }
  const double top = outcomes[last - 1].loss;
  double least = outcomes.front().loss;
  double left_out = 0;  // losses so small and so rare are raised, or lowered to none
  for (std::size_t i = 0; i < last && left_out + outcomes[i].mass < kLeftOut; ++i) {
    left_out += outcomes[i].mass;
    least = outcomes[i].loss;
  }
  const double step = std::max((top - least) / static_cast<double>(kEpochLossSteps - 1), 1e-12);
  LatticeLoss losses{least, step, 0, std::vector<double>(kEpochLossSteps + 1, 0.0),
                     side == Side::upper ? infinite : 0};
  for (std::size_t i = 0; i < last; ++i) {
    const auto& [loss, mass] = outcomes[i];
    if (loss < least && side == Side::lower) continue;
    const double place = std::max((loss - least) / step, 0.0);
    const auto cell =
        static_cast<std::size_t>(std::min(std::floor(place), static_cast<double>(kEpochLossSteps - 1)));
    const double beyond = (place - static_cast<double>(cell)) * step;
    const double up =
        side == Side::upper ? std::clamp(mass * std::expm1(-beyond) / std::expm1(-step), 0.0, mass) : 0;
    losses.mass[cell] += mass - up;
    losses.mass[cell + 1] += up;
  }
  losses.offset += side == Side::upper ? kOutwards : -kOutwards;
  return losses;
}

}  // namespace

// The likelihood ratio of an epoch is the mean of the steps' ratios, independent under the data set without the row.
LossView RandomAllocationEvent::allocated(double scale, Side side) const {
  const ConvexOrder order = side == Side::upper ? ConvexOrder::above : ConvexOrder::below;
  const PositiveLaw sums = sum_law(ratio_law(scale, order), steps, order, kLawPoints);
  const auto many = static_cast<double>(steps);
  const double rounding = kOutwards + 1e-9 * many;
  const double factor = side == Side::upper ? 1 + rounding : 1 - rounding;
  std::vector<EpochOutcome> with;
  std::vector<EpochOutcome> without;
  double at_none = 0;
  for (std::size_t i = 0; i < sums.value.size(); ++i) {
    const double mass = sums.mass[i] * factor;
    if (sums.value[i] == 0) {
      at_none = mass;
      continue;
    }
    const double ratio = sums.value[i] / many;
    with.push_back({std::log(ratio), mass * ratio});
    without.push_back({-std::log(ratio), mass});
  }
  std::reverse(without.begin(), without.end());
  return {on_loss_grid(with, tail_above(kNoiseReach) * factor, side), on_loss_grid(without, at_none, side)};
}

}  // namespace sotto
