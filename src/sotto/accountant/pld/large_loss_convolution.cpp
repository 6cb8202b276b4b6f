#include "sotto/accountant/pld/large_loss_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "sotto/accountant/pld/single_step.hpp"

namespace sotto {
namespace {

constexpr std::size_t kMostJumps = 5;
constexpr std::size_t kMostTerms = 32;
constexpr double kNegligible = 12;  // as a logarithm, below delta
constexpr double kUsual = 14;       // e^-14 of the others' probability is unusual
constexpr double kTolerance = 5e-5;
constexpr std::size_t kFineBins = 3000;   // of one large loss
constexpr std::size_t kCoarseBins = 700;  // of several

using Numbers = std::vector<std::uint64_t>;  // of jumps, for each part that can

// Parts that can jump, and where their large losses begin.
struct Jumps {
  std::vector<std::size_t> part;
  std::vector<double> cut;
  std::size_t most = 0;
};

Jumps jumps_of(const LossModel& model, double epsilon, double log_delta) {
  Jumps jumps;
  for (std::size_t i = 0; i < model.parts.size(); ++i) {
    if (model.parts[i].pair && model.parts[i].pair->has_rare_large_losses()) jumps.part.push_back(i);
  }
  if (jumps.part.empty()) return jumps;
  for (jumps.most = 1;; ++jumps.most) {
    // Of that many and one more: less than e^-kNegligible delta.
    const auto k = static_cast<double>(jumps.most);
    const double tail = std::exp((log_delta - kNegligible + std::lgamma(k + 2)) / (k + 1)) /
                        static_cast<double>(jumps.part.size());
    jumps.cut.clear();
    for (const std::size_t i : jumps.part) {
      const LossPart& part = model.parts[i];
      jumps.cut.push_back(part.pair->upper_loss(std::min(tail / static_cast<double>(part.count), 0.1)));
    }
    if (jumps.most == kMostJumps || *std::max_element(jumps.cut.begin(), jumps.cut.end()) < epsilon / 4)
      return jumps;
  }
}

// All ways to spread at most `most` jumps over the parts.
void spread(std::size_t parts, std::size_t most, Numbers& chosen, std::vector<Numbers>& all) {
  if (chosen.size() == parts) {
    all.push_back(chosen);
    return;
  }
  for (std::uint64_t k = 0; k <= most; ++k) {
    chosen.push_back(k);
    spread(parts, most - k, chosen, all);
    chosen.pop_back();
  }
}

double choose(std::uint64_t n, std::uint64_t k) {
  double ways = 1;
  for (std::uint64_t i = 0; i < k; ++i) ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return ways;
}

std::uint64_t total(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

// In how many ways so many jumps can be placed among the steps.
double ways_of(const LossModel& model, const Jumps& jumps, const Numbers& numbers) {
  double ways = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t count = model.parts[jumps.part[i]].count;
    ways *= count < numbers[i] ? 0 : choose(count, numbers[i]);
  }
  return ways;
}

// Single large losses, those of all kinds together, in groups; none beyond `limit`, from where on no sum gains.
LossSketch single_jumps(const LossModel& model, const Jumps& jumps, const std::vector<LargeLosses>& large,
                        double limit) {
  LossSketch sketch;
  for (std::size_t i = 0; i < large.size(); ++i) {
    const auto count = static_cast<double>(model.parts[jumps.part[i]].count);
    const std::size_t group = large[i].loss.size() / 200 + 1;
    for (std::size_t j = 0; j < large[i].loss.size(); j += group) {
      double mass = 1e-300;
      for (std::size_t k = j; k < std::min(j + group, large[i].loss.size()); ++k) mass += large[i].mass[k];
      sketch.loss.push_back(std::min(large[i].loss[j], limit));
      sketch.mass.push_back(count * mass);
    }
  }
  return sketch;
}

// The least tilt whose integrand is negligible; the saddle point's if that is not.
double tilt_of(const Cumulant& cumulant, double epsilon, double log_delta, double reach) {
  double tilt = saddle_for_epsilon(cumulant, epsilon).tilt;
  const double negligible = log_delta - 25;
  while (0.8 * tilt * reach > 0.1 && log_integrand(cumulant, 0.8 * tilt, epsilon) < negligible) tilt *= 0.8;
  return tilt;
}

}  // namespace

std::optional<LargeLossConvolution> LargeLossConvolution::around(const LossModel& model, double epsilon,
                                                                 double log_delta, Side side,
                                                                 double most_points) {
  const Jumps jumps = jumps_of(model, epsilon, log_delta);
  const std::size_t kinds = jumps.part.size();
  if (kinds == 0 || !(*std::min_element(jumps.cut.begin(), jumps.cut.end()) > 0)) return std::nullopt;
  const double reach = std::max(epsilon, 2 * *std::max_element(jumps.cut.begin(), jumps.cut.end()));
  // So many ways there are to spread the jumps: they are not listed to find out.
  double ways = 1;
  for (std::size_t k = 1; k <= jumps.most; ++k)
    ways *= static_cast<double>(kinds + k) / static_cast<double>(k);
  if (ways > kMostTerms + 0.5) return std::nullopt;
  std::vector<Numbers> all;
  Numbers chosen;
  spread(kinds, jumps.most, chosen, all);
  std::sort(all.begin(), all.end(), [](const Numbers& a, const Numbers& b) { return total(a) < total(b); });

  double count = 0;
  for (const LossPart& part : model.parts) count += static_cast<double>(part.count);
  const double tail = std::max(std::exp(log_delta - kNegligible) / count, 1e-300);
  LargeLossConvolution split(side);
  LossModel bulk = model;
  std::vector<double> top;
  std::vector<LargeLosses> fine;
  std::vector<LargeLosses> coarse;
  double expected = 0;  // number of jumps
  for (std::size_t i = 0; i < kinds; ++i) {
    LossPart& part = bulk.parts[jumps.part[i]];
    part.most_loss = jumps.cut[i];
    top.push_back(std::max(part.pair->upper_loss(tail), 2 * jumps.cut[i]));
    fine.push_back(large_losses(*part.pair, bin_ends(jumps.cut[i], top[i], kFineBins), side));
    coarse.push_back(large_losses(*part.pair, bin_ends(jumps.cut[i], top[i], kCoarseBins), side));
    expected += static_cast<double>(part.count) * fine.back().total();
  }
  if (side == Side::upper) {
    const auto k = static_cast<double>(jumps.most + 1);
    split.rest_ = std::exp(k * std::log(expected) - std::lgamma(k + 1)) * (1 + 1e-9);
  }

  const CurveQuery query{true, epsilon};
  const Accuracy accuracy{kTolerance, most_points, 0};
  const Cumulant bulk_sketch = cumulant_of(bulk.parts, tail);
  const auto plan_with = [&](double tilt, double excess) {
    CompositionPlan plan{.epsilon = epsilon, .log_delta = log_delta, .tail = tail};
    plan.sensitivity = plan.tilt = tilt;
    plan.excess = excess;
    plan.window = window_around(bulk_sketch, tilt, kWindowExponent + excess);
    return plan;
  };

  // No jump at all.
  const double tilt = tilt_of(bulk_sketch, epsilon, log_delta, reach);
  const bool matters = log_integrand(bulk_sketch, tilt, epsilon) > log_delta - 20;
  const CompositionPlan plan = matters ? plan_at(bulk, epsilon, log_delta, 10) : plan_with(tilt, 5);
  if (matters || side == Side::upper) {
    // Named first: gcc 12 destroys the other members of an aggregate twice where one of them throws.
    LossCurve curve = curve_of(bulk, plan, query, side, accuracy);
    Term& none = split.terms_.emplace_back();
    none.large = {{0.0}, {1.0}, 0};
    none.others.push_back(std::move(curve));
  }

  // Beside small large losses the others have to be unusually large, beside huge ones anything usual will do: tilts for
  // both, down to one whose window holds all that is usual.
  Cumulant one_jump = bulk_sketch;
  one_jump.add(single_jumps(model, jumps, fine, reach), 1);
  const double steepest = tilt_of(one_jump, epsilon, log_delta, reach);
  const double excess = std::clamp(log_integrand(one_jump, steepest, epsilon) - log_delta, 5.0, 60.0);
  const double usual = window_around(bulk_sketch, 0, kUsual).low;
  const double largest = *std::max_element(top.begin(), top.end());
  std::vector<GriddedModel> grids;
  for (double t = steepest;; t = std::min(t / 8, 1 / reach)) {
    const CompositionPlan here = plan_with(t, excess);
    grids.push_back(on_one_grid(bulk, here, query, side, accuracy));
    if (t * largest < 1 || (t * reach <= 1 && here.window.low <= usual)) break;
  }
  const double far = -8 * std::max(reach, 1 / grids.back().tilt);

  std::map<Numbers, LargeLosses> sums;
  for (const Numbers& numbers : all) {
    const double ways = ways_of(model, jumps, numbers);
    if (ways == 0 || total(numbers) == 0) continue;
    Term term;
    term.ways = ways;
    const auto kind = static_cast<std::size_t>(
        std::find_if(numbers.begin(), numbers.end(), [](auto k) { return k > 0; }) - numbers.begin());
    if (total(numbers) == 1) {
      term.large = fine[kind];
      sums[numbers] = coarse[kind];
    } else {
      Numbers one_less = numbers;
      --one_less[kind];
      const double low = std::inner_product(numbers.begin(), numbers.end(), jumps.cut.begin(), 0.0);
      const double high = std::inner_product(numbers.begin(), numbers.end(), top.begin(), 0.0);
      term.large =
          sum_of(sums.at(one_less), coarse[kind], bin_ends(low * (1 - 1e-12), high, kCoarseBins), side);
      sums[numbers] = term.large;
    }
    for (GriddedModel grid : grids) {
      for (std::size_t i = 0; i < kinds; ++i) {
        const auto at =
            std::find(grid.origin.begin(), grid.origin.end(), jumps.part[i]) - grid.origin.begin();
        grid.parts[static_cast<std::size_t>(at)].count -= numbers[i];
      }
      std::erase_if(grid.parts, [](const TiltedPower& part) { return part.count == 0; });
      term.alone = grid.parts.empty();
      if (term.alone) break;
      if (auto curve = curve_of(grid, side)) term.others.push_back(*std::move(curve));
    }
    for (std::size_t i = 0; i < kinds; ++i) {
      const LossPart& part = model.parts[jumps.part[i]];
      const auto left = static_cast<double>(part.count - numbers[i]);
      term.total *= std::exp(left * std::log1p(-fine[i].total() * (1 - 1e-9))) * (1 + 1e-9);
    }
    if (side == Side::upper && !term.others.empty()) {
      term.far_delta = split.others_delta(term, far);
      term.far = far;
    }
    split.terms_.push_back(std::move(term));
  }
  return split;
}

double LargeLossConvolution::others_delta(const Term& term, double epsilon) const {
  if (term.alone) return epsilon < 0 ? -std::expm1(epsilon) : 0;
  if (term.others.empty()) return side_ == Side::upper ? term.total : 0;
  // Convex in e^epsilon: below the chord.
  if (side_ == Side::upper && epsilon < term.far)
    return term.total + (term.far_delta - term.total) * std::exp(epsilon - term.far);
  double best = term.others.front().delta(epsilon);
  for (std::size_t i = 1; i < term.others.size(); ++i) {
    const double other = term.others[i].delta(epsilon);
    best = side_ == Side::upper ? std::min(best, other) : std::max(best, other);
  }
  return best;
}

double LargeLossConvolution::delta(double epsilon) const {
  const double outward = side_ == Side::upper ? 1 : -1;
  double sum = 0;
  for (const Term& term : terms_) {
    double part = 0;
    for (std::size_t j = 0; j < term.large.loss.size(); ++j) {
      const double loss = term.large.loss[j] * (1 + outward * 1e-11);
      part += term.large.mass[j] * others_delta(term, epsilon - loss);
    }
    sum += term.ways * (part + term.large.infinite);
  }
  const double delta = (sum + rest_) * (1 + outward * 1e-8) + (side_ == Side::upper ? 1e-300 : -1e-300);
  if (std::isnan(delta)) return side_ == Side::upper ? 1 : 0;
  return std::clamp(delta, 0.0, 1.0);
}

double LargeLossConvolution::epsilon(double target, double low, double high) const {
  const auto small_enough = [&](double e) { return delta(e) <= target; };
  while (high - low > 1e-6 * high) {
    const double middle = low > 0 && high > 4 * low ? std::sqrt(low * high) : low + (high - low) / 2;
    (small_enough(middle) ? high : low) = middle;
  }
  return side_ == Side::upper ? high : low;
}

double LargeLossConvolution::one_jump_delta(const LossModel& model, double epsilon) {
  double sum = 0;
  for (const LossPart& part : model.parts) {
    if (part.pair && part.pair->has_rare_large_losses())
      sum += static_cast<double>(part.count) * one_step_delta(part, epsilon, Side::upper);
  }
  return sum;
}

}  // namespace sotto
