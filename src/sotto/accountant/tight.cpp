#include "sotto/accountant/tight.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sotto/accountant/composed_loss.hpp"
#include "sotto/accountant/gaussian.hpp"
#include "sotto/accountant/loss_model.hpp"

namespace sotto {
namespace {

constexpr double kWindowExponent = 45;
constexpr double kFirstTolerance = 2e-4;   // of epsilon, or of log delta
constexpr double kSecondTolerance = 4e-6;  // where the first pass leaves too wide a gap
constexpr double kMostPoints = 1 << 22;

/// What is asked: the other coordinate of the curve at this epsilon or this delta.
struct Query {
  bool by_epsilon;
  double value;
};

std::size_t power_of_two(double points) {
  if (!(points <= kMostPoints)) {
    throw Error(ErrorCode::configuration,
                "the composed loss needs too fine a grid: account the parts apart or lower count");
  }
  return std::bit_ceil(static_cast<std::size_t>(std::max(points, 64.0)));
}

// Of losses up to where the grid will end: rarer ones would rule the cumulant without mattering to delta.
Cumulant cumulant_of(const std::vector<LossPart>& parts, double tail) {
  Cumulant cumulant;
  for (const LossPart& part : parts) {
    LossSketch sketch = part.sketch;
    if (part.pair && !part.has_own_grid()) {
      const double top = part.pair->upper_loss(tail);
      LossSketch kept;
      for (std::size_t i = 0; i < sketch.loss.size(); ++i) {
        if (sketch.loss[i] > top) continue;
        kept.loss.push_back(sketch.loss[i]);
        kept.mass.push_back(sketch.mass[i]);
      }
      sketch = std::move(kept);
    }
    cumulant.add(std::move(sketch), static_cast<double>(part.count));
  }
  return cumulant;
}

double count_of(const LossModel& model) {
  double count = 0;
  for (const LossPart& part : model.parts) count += static_cast<double>(part.count);
  return count;
}

// A grid adds about step^2 / 4 to the gap between the variances of the two sides, per step; the gap in log
// delta is tilt (tilt + 1) / 2 times that, the gap in epsilon 1 / tilt of it.
double wanted_step(const SaddlePoint& saddle, double count, const Query& query, double tolerance) {
  const double gap =
      query.by_epsilon ? tolerance / saddle.tilt : tolerance * std::max(saddle.epsilon, 1e-3 / saddle.tilt);
  return std::sqrt(8 * gap / ((saddle.tilt + 1) * count));
}

// A part on its own grid, composed with itself.
TiltedLoss compose_alone(const LossPart& part, const SaddlePoint& saddle, double step, Side side) {
  LossGrid grid = part.lattice;
  if (part.pair) {
    const double range = part.pair->max_loss() - part.pair->min_loss();
    double steps = std::clamp(std::ceil(range / step / 2) * 2, 64.0, kMostPoints);
    // Enough points for the atom and what lies between, never more than one transform holds comfortably.
    steps = std::min(steps, 0x1p20);
    grid = discretise(*part.pair, range / steps, side, {});
  }
  TiltedLoss single = tilted(grid, saddle.tilt);
  if (part.count == 1) return single;
  const LossWindow window = window_around(cumulant_of({part}, 1e-300), saddle.tilt, kWindowExponent);
  const double points = std::min((window.high - window.low) / grid.step,
                                 static_cast<double>(part.count) * static_cast<double>(grid.mass.size())) +
                        16;
  return compose({{std::move(single), part.count}}, window, power_of_two(points), saddle.tilt, side, true);
}

LossCurve curve_of(const LossModel& model, const SaddlePoint& saddle, const Query& query, Side side,
                   double tolerance, double tail, double sketch_tail) {
  const bool alone = model.parts.size() == 1 && model.parts.front().has_own_grid();
  const double count = count_of(model);
  double step = wanted_step(saddle, count, query, tolerance);
  if (alone)
    return {compose_alone(model.parts.front(), saddle, step, side), saddle.tilt, saddle.epsilon, side};

  // Each part that comes from its own grid is rounded to the common one once: a shift of at most one step.
  const auto own =
      std::count_if(model.parts.begin(), model.parts.end(), [](const auto& p) { return p.has_own_grid(); });
  const double shift =
      query.by_epsilon ? tolerance / saddle.tilt : tolerance * std::max(saddle.epsilon, 1e-6);
  if (own > 0) step = std::min(step, shift / static_cast<double>(own));
  LossWindow window = window_around(cumulant_of(model.parts, sketch_tail), saddle.tilt, kWindowExponent);
  const double room = 2 * static_cast<double>(own + 1) * std::min(step, window.high - window.low);
  window.low -= room;
  window.high += room;
  const double width = window.high - window.low;
  const std::size_t size =
      power_of_two(std::clamp(1.05 * width / step, 4096.0, tolerance < kFirstTolerance ? 0x1p20 : 0x1p19));
  double fitted = 1.05 * width / static_cast<double>(size);
  std::vector<TailCut> tails;
  for (const LossPart& part : model.parts) {
    // Tilted, everything below least_loss weighs less than e^-60 / count.
    const double scale =
        cumulant_of({part}, sketch_tail).at(saddle.tilt).k0 / static_cast<double>(part.count);
    tails.push_back({1e-20 / count, tail, (scale - 60 - std::log(count)) / saddle.tilt});
    if (part.has_own_grid()) continue;
    const double high = part.pair->upper_loss(tails.back().above);
    const double low = std::max(part.pair->lower_loss(tails.back().below), tails.back().least_loss);
    fitted = std::max(fitted, (high - low) / 0x1p20);
  }
  std::vector<TiltedPower> powers;
  for (std::size_t i = 0; i < model.parts.size(); ++i) {
    const LossPart& part = model.parts[i];
    if (part.has_own_grid()) {
      powers.push_back({regrid(compose_alone(part, saddle, step, side), fitted, saddle.tilt, side), 1});
    } else {
      powers.push_back({tilted(discretise(*part.pair, fitted, side, tails[i]), saddle.tilt), part.count});
    }
  }
  return {compose(powers, window, size, saddle.tilt, side, false), saddle.tilt, saddle.epsilon, side};
}

// No outcome shows a larger loss than this.
double largest_loss(const LossModel& model) {
  double total = 0;
  for (const LossPart& part : model.parts) {
    const double largest =
        part.pair ? part.pair->max_loss() : part.lattice.loss(part.lattice.mass.size() - 1);
    if (!part.pair && part.lattice.infinite > 0) return HUGE_VAL;
    total += static_cast<double>(part.count) * largest;
  }
  return total * (1 + 1e-12);
}

// One side of one model's curve.
double answer(const LossModel& model, const Query& query, Side side, double tolerance) {
  const double shift = model.shift;
  if (model.parts.empty()) {
    const auto pick = [&](const Bounds& i) { return side == Side::upper ? i.upper : i.lower; };
    if (!query.by_epsilon) {
      return std::max(0.0, pick(gaussian_epsilon_bounds(Rho(model.rho), Delta(query.value))) + shift);
    }
    const double epsilon = query.value - shift;
    if (epsilon < 0) return 1;  // slack above epsilon: nothing is proven
    return pick(gaussian_delta_bounds(Rho(model.rho), Epsilon(epsilon)));
  }
  const auto tail_for = [&](double log_delta) {
    return std::max(1e-8 * std::exp(std::clamp(log_delta, -660.0, 0.0)) / count_of(model), 1e-300);
  };
  if (query.by_epsilon) {
    const double epsilon = query.value - shift;
    if (epsilon < 0) return side == Side::upper ? 1 : 0;
    if (epsilon >= largest_loss(model)) return 0;
    const SaddlePoint saddle = saddle_for_epsilon(cumulant_of(model.parts, 1e-300), epsilon);
    const double tail = tail_for(saddle.log_delta);
    return curve_of(model, saddle, query, side, tolerance, tail, 1e-300).delta(epsilon);
  }
  const double tail = tail_for(std::log(query.value));
  const Cumulant cumulant = cumulant_of(model.parts, tail);
  SaddlePoint saddle = saddle_for_delta(cumulant, query.value);
  double epsilon =
      curve_of(model, saddle, query, side, tolerance, tail, tail).epsilon(query.value, saddle.epsilon);
  // The saddle's epsilon is a guess, a poor one where rare large losses carry the cumulant: tilt for the epsilon found.
  for (int round = 0; round < 2; ++round) {
    const double near = std::isfinite(epsilon) ? epsilon : saddle.epsilon / 2;
    if (std::abs(near - saddle.epsilon) <= 2 / saddle.tilt) break;
    saddle = saddle_for_epsilon(cumulant, near);
    const double again =
        curve_of(model, saddle, query, side, tolerance, tail, tail).epsilon(query.value, near);
    epsilon = side == Side::upper ? std::min(epsilon, again) : std::max(epsilon, again);
  }
  if (side == Side::upper) epsilon = std::min(epsilon, largest_loss(model));
  return std::max(0.0, epsilon + shift);
}

bool is_fixed_size(const Event& event) {
  const auto fixed_size = [](const auto* e) {
    return e != nullptr && e->sampling == Sampling::without_replacement;
  };
  return fixed_size(std::get_if<SubsampledGaussianEvent>(&event.mechanism)) ||
         fixed_size(std::get_if<SubsampledLaplaceEvent>(&event.mechanism));
}

void refuse_unproven(const Event& event, Adjacency adjacency) {
  const std::string refusal = tight_refusal(event, adjacency);
  if (!refusal.empty()) throw Error(ErrorCode::usage, refusal);
}

Bounds both_bounds(const Event& event, Adjacency adjacency, const Query& query) {
  refuse_unproven(event, adjacency);
  const std::vector<Event> leaves = flatten(event);
  const std::vector<LossModel> above = loss_models(leaves, adjacency, Side::upper);
  const std::vector<LossModel> below = loss_models(leaves, adjacency, Side::lower);
  const bool bracket = std::any_of(leaves.begin(), leaves.end(), is_fixed_size);  // wide by nature
  Bounds result;
  for (const double tolerance : {kFirstTolerance, kSecondTolerance}) {
    Bounds now;
    for (const LossModel& model : above)
      now.upper = std::max(now.upper, answer(model, query, Side::upper, tolerance));
    for (const LossModel& model : below)
      now.lower = std::max(now.lower, answer(model, query, Side::lower, tolerance));
    if (tolerance == kFirstTolerance) {
      result = now;
    } else {
      result = {std::max(result.lower, now.lower), std::min(result.upper, now.upper)};
    }
    if (bracket || result.upper - result.lower <= 5e-4 * result.upper) break;
  }
  return result;
}

}  // namespace

std::string tight_refusal(const Event& event, Adjacency adjacency) {
  for (const Event& leaf : flatten(event)) {
    if (std::holds_alternative<BarkerEvent>(leaf.mechanism) ||
        std::holds_alternative<SubsampledPenaltyEvent>(leaf.mechanism)) {
      return mechanism_name(leaf) + " has no proven loss distribution: use --bound rdp";
    }
    const bool add_remove = adjacency == Adjacency::add_remove;
    if (add_remove && std::holds_alternative<RandomizedResponseEvent>(leaf.mechanism)) {
      return "randomized-response always answers for every row: use --adjacency substitute";
    }
    if (add_remove && is_fixed_size(leaf)) {
      return "batches of fixed size are accounted under --adjacency substitute only";
    }
  }
  return {};
}

Bounds tight_delta(const Event& event, Adjacency adjacency, Epsilon epsilon) {
  if (std::isinf(epsilon.value())) return {0, 0};
  return both_bounds(event, adjacency, {true, epsilon.value()});
}

double tight_delta_upper(const Event& event, Adjacency adjacency, Epsilon epsilon) {
  refuse_unproven(event, adjacency);
  if (std::isinf(epsilon.value())) return 0;
  double delta = 0;
  for (const LossModel& model : loss_models(flatten(event), adjacency, Side::upper)) {
    delta = std::max(delta, answer(model, {true, epsilon.value()}, Side::upper, kFirstTolerance));
  }
  return delta;
}

Bounds tight_epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  if (delta.value() >= 1) return {0, 0};
  if (delta.value() < 1e-290) {
    // Nothing finer is resolved: bound from above by the loss at a smaller delta, from below at 1e-290.
    const double infinity = HUGE_VAL;
    return {both_bounds(event, adjacency, {false, 1e-290}).lower, infinity};
  }
  return both_bounds(event, adjacency, {false, delta.value()});
}

Bounds gaussian_rho_of(const Event& event) {
  Bounds rho;
  for (const Event& leaf : flatten(event)) {
    double ratio = 0;
    if (const auto* e = std::get_if<GaussianEvent>(&leaf.mechanism)) ratio = e->sensitivity / e->sigma;
    if (const auto* e = std::get_if<DiscreteGaussianEvent>(&leaf.mechanism))
      ratio = e->sensitivity / e->sigma;
    const double cost = ratio * ratio / 2 * static_cast<double>(leaf.count);
    rho.lower += cost * (1 - 1e-14);
    rho.upper += cost * (1 + 1e-14);
  }
  return rho;
}

}  // namespace sotto
