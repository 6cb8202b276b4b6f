#include "sotto/accountant/pld/composition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr double kMostPoints = 1 << 22;
constexpr double kBelow = 1e-7;  // relative weight of unusually small losses, which need no grid

double count_of(const std::vector<LossPart>& parts) {
  double count = 0;
  for (const LossPart& part : parts) count += static_cast<double>(part.count);
  return count;
}

// Largest tail probability that leaves delta as it is.
double tail_of(double log_delta, double count) {
  return std::max(1e-7 * std::exp(std::clamp(log_delta, -660.0, 0.0)) / count, 1e-300);
}

// How much of the answer's coordinate, an epsilon, may be lost.
double wanted_gap(const CompositionPlan& plan, const CurveQuery& query, double tolerance) {
  const double slope = plan.sensitivity;
  return query.by_epsilon ? tolerance / slope : tolerance * std::max(plan.epsilon, 1e-3 / slope);
}

// A grid adds about step^2 / 4 to the gap between the variances of the two sides, per step; the gap in log
// delta is tilt (tilt + 1) / 2 times that, the gap in epsilon 1 / tilt of it.
double wanted_step(const CompositionPlan& plan, double count, const CurveQuery& query, double tolerance) {
  return std::sqrt(8 * wanted_gap(plan, query, tolerance) / ((plan.sensitivity + 1) * count));
}

[[noreturn]] void refuse_width() {
  throw Error(ErrorCode::configuration,
              "the composed loss needs too fine a grid: account the parts apart or lower count");
}

// Where losses end at atoms, and the grid ends there too, only what lies between them has a grid's error: a coarser one does.
double own_grid_tolerance(const LossPart& part, double tolerance) {
  if (!part.pair || part.pair->rate() < 1) return 4 * tolerance;
  const double between =
      part.pair->between(part.pair->cut_above_low_atom(), part.pair->cut_below_high_atom()).p;
  return tolerance * std::clamp(0.03 / between, 1.0, 1e4);
}

// So many steps between two atoms, that what lies between is off by less than 1e-9 of their variance.
double enough_steps(const LossPart& part) {
  const double between =
      part.pair->between(part.pair->cut_above_low_atom(), part.pair->cut_below_high_atom()).p;
  return std::max(64.0, 2 * std::ceil(9000 * std::sqrt(between)));
}

// A window is transformed at a power of two of points: the step that fills the nearest one.
double filling_step(double width, double step, double most_points) {
  const double points = std::exp2(std::round(std::log2(width / step)));
  return width / std::clamp(points, 4096.0, most_points);
}

constexpr int kCoarser =
    4;  // how often a step is made four times as wide where the window turns out too wide

// A part on its own grid, composed with itself.
TiltedLoss compose_alone(const LossPart& part, const CompositionPlan& plan, double step, Side side,
                         double most_points) {
  const auto composed = [&](TiltedLoss single) -> std::optional<TiltedLoss> {
    if (part.count == 1) return single;
    const double exponent = kWindowExponent + plan.excess + plan.lost;
    return compose({{std::move(single), part.count}}, plan.tilt, exponent, kMostPoints, side);
  };
  const LossWindow window = window_around(cumulant_of({part}, 1e-300), plan.tilt, kWindowExponent);
  if (!part.pair) {
    // Where the lattice itself is too fine for the composition, on a coarser grid.
    auto result = composed(tilted(part.lattice, plan.tilt));
    double coarse = std::max(step, (window.high - window.low) / most_points);
    for (int i = 0; i <= kCoarser && !result; ++i, coarse *= 4) {
      result = composed(regrid(tilted(part.lattice, plan.tilt), coarse, plan.tilt, side));
    }
    if (!result) refuse_width();
    return *std::move(result);
  }
  const double range = part.pair->max_loss() - part.pair->min_loss();
  // Even numbers, and no more than one transform holds comfortably.
  const double most = std::min(most_points, std::max(most_points * range / (window.high - window.low), 4.0));
  const double filled = part.count == 1 ? step : filling_step(window.high - window.low, step, most_points);
  const double enough = std::min(most, enough_steps(part));
  double steps = std::clamp(std::ceil(range / filled / 2) * 2, std::min(64.0, most), enough);
  for (int i = 0; i <= kCoarser; ++i) {
    auto result =
        composed(tilted(discretise(*part.pair, range / (2 * std::ceil(steps / 2)), side, {}), plan.tilt));
    if (result) return *std::move(result);
    steps = std::max(steps / 4, 2.0);
  }
  refuse_width();
}

// Below the truth, but no better than a part that shows nothing: a loss of 0 for certain, which any two distributions
// have at least (not so where some outputs are left out). Its moment E e^(tilt loss) would be 1. Untilted, noise far below rules
// what is known of a sum.
bool shows_nothing(const TiltedLoss& loss) {
  return !(std::log(std::accumulate(loss.mass.begin(), loss.mass.end(), 0.0)) + loss.log_scale > 0);
}

constexpr std::size_t kGroup = 8;
constexpr std::size_t kManyAlone = 8;

// An atom between two points of a grid costs the lower side a share of a step, a density only its square. Parts with atoms
// are therefore composed in groups on a fine grid, after which hardly any atom is left.
std::vector<TiltedLoss> in_groups(const std::vector<TiltedLoss>& parts, double step, double points,
                                  const CompositionPlan& plan, Side side) {
  std::vector<TiltedLoss> groups;
  for (std::size_t start = 0; start < parts.size(); start += kGroup) {
    const std::size_t end = std::min(start + kGroup, parts.size());
    double range = 0;
    for (std::size_t i = start; i < end; ++i)
      range += parts[i].step * static_cast<double>(parts[i].mass.size());
    std::vector<TiltedPower> group;
    for (std::size_t i = start; i < end; ++i) {
      TiltedLoss loss = regrid(parts[i], std::max(step, range / points), plan.tilt, side);
      if (side == Side::upper || !shows_nothing(loss)) group.push_back({std::move(loss), 1});
    }
    if (group.empty()) continue;
    const double exponent = kWindowExponent + plan.excess + plan.lost;
    auto sum = compose(group, plan.tilt, exponent, kMostPoints, side);
    if (!sum) return parts;
    groups.push_back(*std::move(sum));
  }
  return groups;
}

// Groups of groups, until few are left. Below the truth many kinds are first tried in another way, which is faster where most of them
// leave their atoms; of what stays at its atoms it shows nothing.
std::vector<TiltedLoss> together(std::vector<TiltedLoss> parts, double step, double exponent,
                                 const CompositionPlan& plan, const CurveQuery& query, Side side,
                                 const Accuracy& accuracy) {
  const double finest = 4 * wanted_gap(plan, query, accuracy.tolerance) / static_cast<double>(parts.size());
  if (parts.size() > kManyAlone) {
    std::erase_if(parts, [&](const TiltedLoss& loss) { return shows_nothing(loss); });
    if (parts.empty()) return parts;
    auto sum = compose_seen_roughly(parts, step, plan.tilt, exponent, kMostPoints);
    if (sum && !shows_nothing(*sum)) return {*std::move(sum)};
  }
  for (std::size_t before = 0; parts.size() != before;) {
    before = parts.size();
    parts = in_groups(parts, finest, std::min(accuracy.most_points / 2, 0x1p18), plan, side);
    if (parts.size() <= kGroup) break;
  }
  return parts;
}

}  // namespace

Cumulant cumulant_of(const std::vector<LossPart>& parts, double tail) {
  Cumulant cumulant;
  const double count = count_of(parts);
  const int points = std::max(120, 400 / static_cast<int>(std::min<std::size_t>(parts.size(), 400)));
  for (const LossPart& part : parts) {
    LossSketch sketch = part.pair ? part.pair->sketch(tail, points) : part.sketch;
    if (part.pair && !part.has_own_grid()) {
      const double top = part.pair->upper_loss(tail);
      const double bottom = part.pair->lower_loss(kBelow / count);
      for (std::size_t i = 0; i < sketch.loss.size(); ++i) {
        if (sketch.loss[i] > part.most_loss) sketch.mass[i] = 1e-300;
        sketch.loss[i] = std::max(std::min({sketch.loss[i], top, part.most_loss}), bottom);
      }
    }
    cumulant.add(std::move(sketch), static_cast<double>(part.count));
  }
  return cumulant;
}

// Rare large losses make the window wide where the tilt is that of the saddle point. Rounding errors allow for less:
// take the tilt with the narrowest window that loses little to the saddle point.
CompositionPlan plan_at(const LossModel& model, double epsilon, double log_delta, double most_lost) {
  CompositionPlan plan{
      .epsilon = epsilon, .log_delta = log_delta, .tail = tail_of(log_delta, count_of(model.parts))};
  const Cumulant cumulant = cumulant_of(model.parts, plan.tail);
  const SaddlePoint saddle = saddle_for_epsilon(cumulant, epsilon);
  plan.sensitivity = saddle.tilt;
  plan.tilt = saddle.tilt;
  const double least = log_integrand(cumulant, saddle.tilt, epsilon);
  plan.excess = std::clamp(least - log_delta - 3, 0.0, 40.0);
  plan.window = window_around(cumulant, plan.tilt, kWindowExponent + plan.excess);
  for (double tilt = 0.7 * saddle.tilt; tilt > 0.1 * saddle.tilt; tilt *= 0.7) {
    const double lost = log_integrand(cumulant, tilt, epsilon) - least;
    if (!(lost < most_lost)) break;
    const LossWindow window = window_around(cumulant, tilt, kWindowExponent + plan.excess + lost);
    if (!(window.high - window.low < 0.8 * (plan.window.high - plan.window.low))) continue;
    plan.tilt = tilt;
    plan.lost = lost;
    plan.window = window;
  }
  return plan;
}

// The tail to cut off depends on delta, and delta on the tail: shrink the tail until it does not matter.
CompositionPlan plan_for_epsilon(const LossModel& model, double epsilon, double most_lost) {
  const double count = count_of(model.parts);
  double log_delta = 0;
  for (int i = 0; i < 60; ++i) {
    const double tail = tail_of(log_delta, count);
    const double log_tail = std::log(tail * count);
    const SaddlePoint saddle = saddle_for_epsilon(cumulant_of(model.parts, tail), epsilon);
    const double next = std::max(std::min(saddle.log_delta, 0.0), log_tail);
    const bool settled = next > log_tail + 7 || tail <= 1e-300;
    log_delta = next;
    if (settled) break;
  }
  return plan_at(model, epsilon, log_delta, most_lost);
}

CompositionPlan plan_for_delta(const LossModel& model, double delta, double most_lost) {
  const double log_delta = std::log(delta);
  const Cumulant cumulant = cumulant_of(model.parts, tail_of(log_delta, count_of(model.parts)));
  return plan_at(model, std::max(saddle_for_delta(cumulant, delta).epsilon, 0.0), log_delta, most_lost);
}

GriddedModel on_one_grid(const LossModel& model, const CompositionPlan& plan, const CurveQuery& query,
                         Side side, const Accuracy& accuracy, int coarser) {
  const double count = count_of(model.parts);
  const double wanted = wanted_step(plan, count, query, accuracy.tolerance);
  const double width = plan.window.high - plan.window.low;
  double step = filling_step(width, wanted, accuracy.most_points);
  std::vector<TailCut> tails;
  double gridded = 1;  // steps that are rounded to the grid each
  for (const LossPart& part : model.parts) {
    // Tilted, everything below least_loss weighs less than e^-60 / count.
    const double scale = cumulant_of({part}, plan.tail).at(plan.tilt).k0 / static_cast<double>(part.count);
    tails.push_back({kBelow / count, plan.tail, (scale - 60 - std::log(count)) / plan.tilt, part.most_loss});
    if (part.has_own_grid()) continue;
    gridded += static_cast<double>(part.count);
    const double high = std::min(part.pair->upper_loss(tails.back().above), part.most_loss);
    const double low = std::max(part.pair->lower_loss(tails.back().below), tails.back().least_loss);
    step = std::max(step, (high - low) / (2 * accuracy.most_points));
  }
  // Nothing finer is asked: a step by itself, or the means of all steps together, move epsilon by less than 1e-5.
  if (!query.by_epsilon) {
    step = std::max(step, std::min(1e-7 * plan.epsilon, std::sqrt(1e-5 * plan.epsilon / gridded)));
  }
  step = std::ldexp(step, 2 * coarser);
  GriddedModel grid{{}, {}, plan.tilt, kWindowExponent + plan.excess + plan.lost};
  const auto add = [&](TiltedPower power, std::size_t origin) {
    const bool whole = std::isinf(model.parts[origin].most_loss);
    if (side == Side::lower && whole && shows_nothing(power.loss)) return;
    grid.parts.push_back(std::move(power));
    grid.origin.push_back(origin);
  };
  std::vector<TiltedLoss> alone;
  std::size_t own = 0;
  for (std::size_t i = 0; i < model.parts.size(); ++i) {
    const LossPart& part = model.parts[i];
    if (part.has_own_grid()) {
      const double wanted_alone =
          wanted_step(plan, count, query, own_grid_tolerance(part, accuracy.tolerance));
      alone.push_back(compose_alone(part, plan, wanted_alone, side, accuracy.most_points));
      own = i;
    } else {
      add({tilted(discretise(*part.pair, step, side, tails[i]), plan.tilt), part.count}, i);
    }
  }
  if (alone.size() > 1 && (side == Side::lower || alone.size() <= kGroup))
    alone = together(std::move(alone), step, grid.exponent, plan, query, side, accuracy);
  for (const TiltedLoss& loss : alone) add({regrid(loss, step, plan.tilt, side), 1}, own);
  if (grid.parts.empty()) {  // one part has to stay, whatever it shows
    TiltedLoss nothing{.mass = {1.0}};
    nothing.step = step;
    grid.parts.push_back({nothing, 1});
    grid.origin.push_back(0);
  }
  return grid;
}

std::optional<LossCurve> curve_of(const GriddedModel& grid, Side side) {
  const auto composed = compose(grid.parts, grid.tilt, grid.exponent, kMostPoints, side);
  if (!composed) return std::nullopt;
  return LossCurve(*composed, grid.tilt, side);
}

LossCurve curve_of(const LossModel& model, const CompositionPlan& plan, const CurveQuery& query, Side side,
                   const Accuracy& accuracy) {
  const LossPart& first = model.parts.front();
  if (model.parts.size() == 1 && first.has_own_grid() && first.count > 1) {
    const double wanted = wanted_step(plan, static_cast<double>(first.count), query,
                                      own_grid_tolerance(first, accuracy.tolerance));
    return {compose_alone(first, plan, wanted, side, accuracy.most_points), plan.tilt, side};
  }
  for (int coarser = 0; coarser <= kCoarser; ++coarser) {
    if (auto curve = curve_of(on_one_grid(model, plan, query, side, accuracy, coarser), side)) return *curve;
  }
  refuse_width();
}

}  // namespace sotto
