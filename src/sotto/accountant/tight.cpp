#include "sotto/accountant/tight.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/accountant/composed_loss.hpp"
#include "sotto/accountant/gaussian.hpp"
#include "sotto/accountant/loss_model.hpp"

namespace sotto {
namespace {

// Rounds of growing effort: the accuracy aimed at (of epsilon, or of log delta; 0: with all points), the most points of a grid, and how far a
// tilt's integrand may lie above the saddle point's, as a logarithm.
struct Effort {
  double tolerance;
  double most_points;
  double most_lost;
};
constexpr Effort kEfforts[] = {{2e-4, 0x1p17, 10}, {0, 0x1p19, 6}, {0, 0x1p21, 8}};
constexpr Effort kBracketEffort{1e-5, 0x1p18, 8};
constexpr double kNarrowEnough = 4e-4;  // relative gap at which no further round is made
constexpr double kWindowExponent = 28;
constexpr double kMostPoints = 1 << 22;
constexpr double kLeastDelta = 1e-280;  // below it bounds are not narrow

/// What is asked: the other coordinate of the curve at this epsilon or this delta.
struct Query {
  bool by_epsilon;
  double value;
};

/// How one side of a curve is computed. Steers only.
struct Plan {
  double epsilon;  // the place on the curve
  double log_delta;
  double tail;             // what may be cut off a single step's distribution, as a probability
  double sensitivity = 0;  // d log delta / d epsilon there, negative: about the saddle point
  double tilt = 0;
  double lost = 0;    // how far the tilt's integrand lies above the saddle point's, as a logarithm
  double excess = 0;  // how far the saddle point's integrand lies above delta, as a logarithm
  LossWindow window{};
};

// Losses above where the grid will end count as that: they would rule the cumulant without mattering to delta.
Cumulant cumulant_of(const std::vector<LossPart>& parts, double tail) {
  Cumulant cumulant;
  for (const LossPart& part : parts) {
    LossSketch sketch = part.pair ? part.pair->sketch(tail) : part.sketch;
    if (part.pair && !part.has_own_grid()) {
      const double top = part.pair->upper_loss(tail);
      for (double& loss : sketch.loss) loss = std::min(loss, top);
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

// Largest tail probability that leaves delta as it is.
double tail_of(double log_delta, double count) {
  return std::max(1e-7 * std::exp(std::clamp(log_delta, -660.0, 0.0)) / count, 1e-300);
}

// Rare large losses make the window wide where the tilt is that of the saddle point. Rounding errors allow for less:
// take the tilt with the narrowest window that loses little to the saddle point.
Plan plan_at(const LossModel& model, double epsilon, double log_delta, double most_lost) {
  Plan plan{.epsilon = epsilon, .log_delta = log_delta, .tail = tail_of(log_delta, count_of(model))};
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
Plan plan_for_epsilon(const LossModel& model, double epsilon, double most_lost) {
  const double count = count_of(model);
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

Plan plan_for_delta(const LossModel& model, double delta, double most_lost) {
  const double log_delta = std::log(delta);
  const Cumulant cumulant = cumulant_of(model.parts, tail_of(log_delta, count_of(model)));
  return plan_at(model, std::max(saddle_for_delta(cumulant, delta).epsilon, 0.0), log_delta, most_lost);
}

// A grid adds about step^2 / 4 to the gap between the variances of the two sides, per step; the gap in log
// delta is tilt (tilt + 1) / 2 times that, the gap in epsilon 1 / tilt of it.
double wanted_step(const Plan& plan, double count, const Query& query, double tolerance) {
  const double slope = plan.sensitivity;
  const double gap = query.by_epsilon ? tolerance / slope : tolerance * std::max(plan.epsilon, 1e-3 / slope);
  return std::sqrt(8 * gap / ((slope + 1) * count));
}

[[noreturn]] void refuse_width() {
  throw Error(ErrorCode::configuration,
              "the composed loss needs too fine a grid: account the parts apart or lower count");
}

constexpr int kCoarser =
    4;  // how often a step is made four times as wide where the window turns out too wide

// A part on its own grid, composed with itself.
TiltedLoss compose_alone(const LossPart& part, const Plan& plan, double step, Side side, double most_points) {
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
  double steps = std::clamp(std::ceil(range / step / 2) * 2, std::min(64.0, most), most);
  for (int i = 0; i <= kCoarser; ++i) {
    auto result =
        composed(tilted(discretise(*part.pair, range / (2 * std::ceil(steps / 2)), side, {}), plan.tilt));
    if (result) return *std::move(result);
    steps = std::max(steps / 4, 2.0);
  }
  refuse_width();
}

LossCurve curve_of(const LossModel& model, const Plan& plan, const Query& query, Side side,
                   const Effort& effort) {
  const double count = count_of(model);
  const double wanted = wanted_step(plan, count, query, effort.tolerance);
  if (model.parts.size() == 1 && model.parts.front().has_own_grid())
    return {compose_alone(model.parts.front(), plan, wanted, side, effort.most_points), plan.tilt, side};

  const double width = plan.window.high - plan.window.low;
  double step = std::clamp(wanted, width / effort.most_points, width / 4096);
  std::vector<TailCut> tails;
  for (const LossPart& part : model.parts) {
    // Tilted, everything below least_loss weighs less than e^-60 / count.
    const double scale = cumulant_of({part}, plan.tail).at(plan.tilt).k0 / static_cast<double>(part.count);
    tails.push_back({1e-20 / count, plan.tail, (scale - 60 - std::log(count)) / plan.tilt});
    if (part.has_own_grid()) continue;
    const double high = part.pair->upper_loss(tails.back().above);
    const double low = std::max(part.pair->lower_loss(tails.back().below), tails.back().least_loss);
    step = std::max(step, (high - low) / (2 * effort.most_points));
  }
  for (int coarser = 0; coarser <= kCoarser; ++coarser, step *= 4) {
    std::vector<TiltedPower> powers;
    for (std::size_t i = 0; i < model.parts.size(); ++i) {
      const LossPart& part = model.parts[i];
      if (part.has_own_grid()) {
        const TiltedLoss alone = compose_alone(part, plan, wanted, side, effort.most_points);
        powers.push_back({regrid(alone, step, plan.tilt, side), 1});
      } else {
        powers.push_back({tilted(discretise(*part.pair, step, side, tails[i]), plan.tilt), part.count});
      }
    }
    const auto composed =
        compose(powers, plan.tilt, kWindowExponent + plan.excess + plan.lost, kMostPoints, side);
    if (composed) return {*composed, plan.tilt, side};
  }
  refuse_width();
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

// P - e^epsilon Q of the outputs with losses above epsilon.
double pair_delta(const LossPair& pair, double epsilon, double sign) {
  const PairMass above = pair.between(pair.cut(epsilon), pair.cut_above_everything());
  if (epsilon > kLargestLoss) {
    return sign > 0 ? (above.p + above.difference_error + above.q_error) * (1 + 1e-11) : 0;
  }
  const double rise = std::expm1(epsilon);
  // Nothing is lost by a cut that is off by a rounding error: the integrand is zero there.
  const double error = above.difference_error + rise * above.q_error + 1e-11 * above.difference + 1e-300;
  return above.difference - rise * above.q + sign * error;
}

double lattice_delta(const LossGrid& lattice, double epsilon, double sign) {
  const double largest = std::abs(lattice.loss(0)) + std::abs(lattice.loss(lattice.mass.size() - 1));
  const double moved = epsilon - sign * 1e-14 * (largest + epsilon);
  long double sum = 0;
  for (std::size_t i = 0; i < lattice.mass.size(); ++i) {
    if (lattice.loss(i) > moved) sum -= lattice.mass[i] * std::expm1(moved - lattice.loss(i));
  }
  return static_cast<double>(sum) * (1 + sign * 1e-11) + (sign > 0 ? lattice.infinite : 0);
}

// A single step needs no composition.
double one_step_delta(const LossPart& part, double epsilon, Side side) {
  const double sign = side == Side::upper ? 1 : -1;
  const double delta =
      part.pair ? pair_delta(*part.pair, epsilon, sign) : lattice_delta(part.lattice, epsilon, sign);
  return std::clamp(delta, 0.0, 1.0);
}

// The total variation distance of a composition is at most the sum of its steps'.
bool certainly_zero(const LossModel& model, double target) {
  double sum = model.rho > 0 && model.parts.empty() ? 1 : 0;
  for (const LossPart& part : model.parts)
    sum += static_cast<double>(part.count) * one_step_delta(part, 0, Side::upper);
  return sum * (1 + 1e-9) <= target && model.shift <= 0;
}

// One side of one model's curve, at growing effort.
class Answer {
 public:
  Answer(const LossModel& model, const Query& query, Side side) : model_(model), query_(query), side_(side) {}

  double at(const Effort& effort) {
    if (plan_ && plan_->lost > effort.most_lost) {
      plan_ = plan_at(model_, plan_->epsilon, plan_->log_delta, effort.most_lost);
    }
    return last_ = value_at(effort);
  }
  [[nodiscard]] double last() const { return last_; }
  /// Starts from what the other side has found.
  void start_at(double found) {
    if (model_.parts.empty() || !(found > 0) || !std::isfinite(found)) return;
    const double epsilon = std::max(0.0, (query_.by_epsilon ? query_.value : found) - model_.shift);
    const double delta = query_.by_epsilon ? found : query_.value;
    plan_ = plan_at(model_, epsilon, std::log(delta), kEfforts[0].most_lost);
    seeded_ = true;
  }

 private:
  double value_at(const Effort& effort) {
    const double shift = model_.shift;
    if (model_.parts.empty()) {
      const auto pick = [&](const Bounds& i) { return side_ == Side::upper ? i.upper : i.lower; };
      if (!query_.by_epsilon) {
        return std::max(0.0, pick(gaussian_epsilon_bounds(Rho(model_.rho), Delta(query_.value))) + shift);
      }
      const double epsilon = query_.value - shift;
      if (epsilon < 0) return 1;  // slack above epsilon: nothing is proven
      return pick(gaussian_delta_bounds(Rho(model_.rho), Epsilon(epsilon)));
    }
    if (query_.by_epsilon) {
      const double epsilon = query_.value - shift;
      if (epsilon < 0) return side_ == Side::upper ? 1 : 0;
      if (epsilon >= largest_loss(model_)) return 0;
      if (single_step()) return one_step_delta(model_.parts.front(), epsilon, side_);
      return delta_at(epsilon, effort);
    }
    if (certainly_zero(model_, query_.value)) return 0;
    return std::max(0.0, (single_step() ? one_step_epsilon() : epsilon_at(effort)) + shift);
  }

  [[nodiscard]] bool single_step() const {
    return model_.parts.size() == 1 && model_.parts.front().count == 1;
  }

  [[nodiscard]] double one_step_epsilon() const {
    const LossPart& part = model_.parts.front();
    const auto small_enough = [&](double e) { return one_step_delta(part, e, side_) <= query_.value; };
    if (small_enough(0)) return 0;
    double low = 0;
    double high =
        part.pair ? part.pair->upper_loss(query_.value / 4) : part.lattice.loss(part.lattice.mass.size() - 1);
    high = std::min(largest_loss(model_), high * (1 + 1e-12));
    if (!small_enough(high)) return side_ == Side::upper ? HUGE_VAL : high;
    while (high - low > 1e-14 * high) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (small_enough(middle) ? high : low) = middle;
    }
    return side_ == Side::upper ? high : low;
  }

  // The plan's delta is a guess: where it was far too large, the tails cut off are all that the bound shows.
  double delta_at(double epsilon, const Effort& effort) {
    if (!plan_) plan_ = plan_for_epsilon(model_, epsilon, effort.most_lost);
    const bool upper = side_ == Side::upper;
    double best = upper ? 1 : 0;
    for (int round = 0; round < 8; ++round) {
      const double delta = curve_of(model_, *plan_, query_, side_, effort).delta(epsilon);
      best = upper ? std::min(best, delta) : std::max(best, delta);
      if (!upper && delta == 0 && seeded_) {
        seeded_ = false;  // the other side was too far away to be a guess
        plan_ = plan_for_epsilon(model_, epsilon, effort.most_lost);
        continue;
      }
      const double found = std::log(std::max(delta, 1e-300));
      if (!upper || found > plan_->log_delta - 5) break;
      plan_ = plan_at(model_, epsilon, found, effort.most_lost);
    }
    return best;
  }

  // The plan's epsilon is a guess, a poor one where rare large losses carry the cumulant: plan for the epsilon found.
  double epsilon_at(const Effort& effort) {
    if (!plan_) plan_ = plan_for_delta(model_, query_.value, effort.most_lost);
    const bool upper = side_ == Side::upper;
    double best = upper ? largest_loss(model_) : 0;
    for (int round = 0; round < 4; ++round) {
      const LossCurve curve = curve_of(model_, *plan_, query_, side_, effort);
      const double epsilon = curve.epsilon(query_.value, plan_->epsilon);
      best = upper ? std::min(best, epsilon) : std::max(best, epsilon);
      if (!upper && epsilon == 0) {
        if (!seeded_) break;
        seeded_ = false;  // the other side was too far away to be a guess
        plan_ = plan_for_delta(model_, query_.value, effort.most_lost);
        continue;
      }
      const double near = std::isfinite(epsilon) ? epsilon : plan_->epsilon / 2;
      if (std::abs(near - plan_->epsilon) <= 2 / plan_->sensitivity) break;
      plan_ = plan_at(model_, near, plan_->log_delta, effort.most_lost);
    }
    return best;
  }

  const LossModel& model_;
  Query query_;
  Side side_;
  std::optional<Plan> plan_;
  bool seeded_ = false;
  double last_ = 0;
};

bool is_fixed_size(const Event& event) {
  const auto fixed_size = [](const auto* e) {
    return e != nullptr && e->sampling == Sampling::without_replacement;
  };
  return fixed_size(std::get_if<SubsampledGaussianEvent>(&event.mechanism)) ||
         fixed_size(std::get_if<SubsampledLaplaceEvent>(&event.mechanism));
}

bool is_rarely_sampled(const Event& event) {
  const auto rare = [](const auto* e) { return e != nullptr && e->rate < 1e-3; };
  return rare(std::get_if<SubsampledGaussianEvent>(&event.mechanism)) ||
         rare(std::get_if<SubsampledLaplaceEvent>(&event.mechanism));
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
  std::vector<Answer> upper;
  std::vector<Answer> lower;
  for (const LossModel& model : above) upper.emplace_back(model, query, Side::upper);
  for (const LossModel& model : below) lower.emplace_back(model, query, Side::lower);
  // Batches of fixed size: wide by nature, so no gap tells when to stop.
  const bool bracket = std::any_of(leaves.begin(), leaves.end(), is_fixed_size);
  const bool rare = std::any_of(leaves.begin(), leaves.end(), is_rarely_sampled);
  Bounds result{0, HUGE_VAL};
  for (const Effort& usual : kEfforts) {
    const bool first = &usual == kEfforts;
    const Effort& effort = bracket && first ? kBracketEffort : usual;
    // What lies below a bound that is known does not matter any more.
    Bounds now;
    for (Answer& answer : upper) {
      now.upper =
          std::max(now.upper, first || answer.last() > result.lower ? answer.at(effort) : answer.last());
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < lower.size(); ++i) order.push_back(i);
    const bool paired = upper.size() == lower.size();
    if (paired) {
      std::sort(order.begin(), order.end(),
                [&](auto i, auto j) { return upper[i].last() > upper[j].last(); });
    }
    for (const std::size_t i : order) {
      if (paired && upper[i].last() <= std::max(result.lower, now.lower)) continue;
      if (first) lower[i].start_at(paired ? upper[i].last() : now.upper);
      now.lower = std::max(now.lower, lower[i].at(effort));
    }
    if (query.by_epsilon && query.value == 0 && adjacency == Adjacency::add_remove && paired) {
      // At epsilon = 0 both directions are the total variation distance: the best bound of either holds.
      for (const Answer& answer : upper) now.upper = std::min(now.upper, answer.last());
    }
    result = {std::max(result.lower, now.lower), std::min(result.upper, now.upper)};
    if (bracket && (!rare || !first)) break;
    if (result.upper - result.lower <= kNarrowEnough * result.upper) break;
    if (query.by_epsilon && result.upper < kLeastDelta) break;
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

double tight_delta_upper(const Event& event, Adjacency adjacency, Epsilon epsilon, Accuracy accuracy) {
  refuse_unproven(event, adjacency);
  if (std::isinf(epsilon.value())) return 0;
  double delta = 0;
  for (const LossModel& model : loss_models(flatten(event), adjacency, Side::upper)) {
    delta = std::max(
        delta,
        Answer(model, {true, epsilon.value()}, Side::upper).at(kEfforts[accuracy == Accuracy::fine ? 1 : 0]));
  }
  return delta;
}

Bounds tight_epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  if (delta.value() >= 1) return {0, 0};
  if (delta.value() < 1e-290) {
    // Nothing finer is resolved: no loss is larger than the largest, and epsilon no smaller than at 1e-290.
    double largest = 0;
    refuse_unproven(event, adjacency);
    for (const LossModel& model : loss_models(flatten(event), adjacency, Side::upper)) {
      const double loss = model.rho > 0 && model.parts.empty() ? HUGE_VAL : largest_loss(model);
      largest = std::max(largest, loss + model.shift);
    }
    return {both_bounds(event, adjacency, {false, 1e-290}).lower, largest};
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
