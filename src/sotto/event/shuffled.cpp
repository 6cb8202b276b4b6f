#include "sotto/event/shuffled.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sotto/math/renyi_divergence.hpp"

namespace sotto {
namespace {

constexpr double kLeastWeight = 1e-64;    // of the largest probability
constexpr std::size_t kLossSteps = 2048;  // of the grid, on either side of 0
constexpr double kMostOutcomes = 4e6;     // that are looked at: many numbers of clones are taken together

// Binomial probabilities, of n trials with these odds, from `first` on; one after the other from the mode outwards.
struct Binomial {
  double first = 0;
  std::vector<double> probability;
  double below = 0;  // at most so much lies before the first
  double rounding = 0;
};

Binomial binomial(double n, double odds) {
  std::vector<double> down;
  std::vector<double> up;
  const double mode = std::min(std::floor((n + 1) * (odds / (1 + odds))), n);
  double ratio = 0;
  double weight = 1;
  for (double k = mode; k > 0 && weight > kLeastWeight; --k) {
    ratio = k / ((n - k + 1) * odds);
    down.push_back(weight *= ratio);
  }
  const double left = down.size() == static_cast<std::size_t>(mode) ? 0 : weight * ratio / (1 - ratio);
  weight = 1;
  for (double k = mode; k < n && weight > kLeastWeight; ++k) up.push_back(weight *= (n - k) / (k + 1) * odds);
  Binomial result{mode - static_cast<double>(down.size()), {down.rbegin(), down.rend()}, 0, 0};
  result.probability.push_back(1);
  result.probability.insert(result.probability.end(), up.begin(), up.end());
  const double sum = std::accumulate(result.probability.begin(), result.probability.end(), 0.0);
  for (double& p : result.probability) p /= sum;
  result.below = left / sum;
  result.rounding = 1e-15 * (static_cast<double>(result.probability.size()) + 100);
  return result;
}

// The outputs of one number of clones, put on a grid of losses that is symmetric about 0. Each goes to the two points next to
// its loss, P- and Q-mass kept, and so does its mirror image.
class CloneGrid {
 public:
  CloneGrid(double epsilon, double fewest) : epsilon_(epsilon) {
    const double other = std::max(0.5 - 9 / std::sqrt(fewest + 1), 0.0);  // share of the other's answers
    const double rare = std::exp(-epsilon);
    const double top = std::log((1 - other + other * rare) / (other + (1 - other) * rare));
    step_ = top / kLossSteps;
    losses_ = {1e-7 * step_, step_, -static_cast<std::int64_t>(kLossSteps),
               std::vector<double>(2 * kLossSteps + 1, 0.0), 0};
    for (std::size_t i = 0; i <= kLossSteps; ++i) {
      const double loss = step_ * static_cast<double>(i);
      share_.push_back(std::exp(-loss) * std::expm1(std::min(loss - epsilon, 0.0)) /
                       (std::expm1(-epsilon) * (1 + std::exp(-loss))));
      rise_.push_back(std::expm1(loss));
    }
    if (other == 0) share_.back() = 0;
  }

  void add(double clones, double probability) {
    const double all = clones + 1;
    half_.clear();
    double a = std::ceil(all / 2);
    const bool centre = 2 * a == all;
    double sum = centre ? -0.5 : 0;  // the middle counts once, all others on both sides
    for (double weight = 1; weight > kLeastWeight; ++a) {
      half_.push_back(weight);
      sum += weight;
      weight *= (all - a) / (a + 1);
    }
    const double scale = probability / (2 * sum);
    const double ratio = (all - a + 1) / a;  // the last one; all others are smaller
    if (ratio > 0) losses_.infinite += 2 * scale * half_.back() * ratio / (1 - ratio);
    const double lean = std::tanh(epsilon_ / 2);
    const double rest = 2 * std::exp(-epsilon_) / (1 + std::exp(-epsilon_));  // 1 - lean
    const double unit = -std::expm1(-step_);
    std::size_t i = 0;
    a = std::ceil(all / 2);
    for (const double weight : half_) {
      const double other = (all - a) / all;
      const double here = (centre && a == all - a ? 0.5 : 1) * scale * weight;
      const double difference = 2 * here * lean * (1 - 2 * other);
      const double q = here * (rest + 2 * lean * other);
      const double p = q + difference;
      ++a;
      while (i < kLossSteps && other < share_[i + 1]) ++i;
      if (i == kLossSteps && other < share_[i]) {  // beyond the grid
        losses_.infinite += p + q;
        continue;
      }
      i = std::min(i, kLossSteps - 1);
      const double up = std::clamp((difference - rise_[i] * q) / unit, 0.0, p);
      const double mirrored = (p - up) / (1 + rise_[i]);
      put(kLossSteps + i, p, up);
      put(kLossSteps - 1 - i, q, mirrored);
    }
  }

  [[nodiscard]] LatticeLoss finished(double rounding) {
    for (double& mass : losses_.mass) mass *= 1 + rounding;
    losses_.infinite *= 1 + rounding;
    return std::move(losses_);
  }

 private:
  // Mass between two points, of which so much is at the upper one; 1e-10 of it for rounding.
  void put(std::size_t lower, double mass, double up) {
    up = std::min(up + 1e-10 * mass, mass);
    losses_.mass[lower] += mass - up;
    losses_.mass[lower + 1] += up;
  }

  double epsilon_;
  double step_ = 0;
  LatticeLoss losses_;
  std::vector<double> share_;  // of the other's answers at the grid's losses >= 0
  std::vector<double> rise_;
  std::vector<double> half_;
};

}  // namespace

// Fewer clones lose more, and are put in the place of more.
LatticeLoss ShuffledEvent::among_clones() const {
  const Binomial clones = binomial(static_cast<double>(users - 1), 1 / std::expm1(epsilon));
  CloneGrid grid(epsilon, clones.first);
  const auto numbers = static_cast<double>(clones.probability.size());
  const double largest = clones.first + numbers;
  const auto width = static_cast<std::size_t>(std::ceil(numbers * 9 * std::sqrt(largest) / kMostOutcomes));
  for (std::size_t start = 0; start < clones.probability.size(); start += width) {
    const std::size_t end = std::min(start + width, clones.probability.size());
    const double probability =
        std::accumulate(clones.probability.begin() + static_cast<std::ptrdiff_t>(start),
                        clones.probability.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    grid.add(clones.first + static_cast<double>(start), probability);
  }
  LatticeLoss losses = grid.finished(2 * clones.rounding + 1e-14 * std::sqrt(largest) + 1e-12);
  losses.infinite += clones.below;
  return losses;
}

LossView ShuffledEvent::one_bit() const {
  const Binomial ones = binomial(static_cast<double>(users - 1), std::exp(-epsilon));
  // The user's own answer decides where the others' are one short of the limit: there the probability is largest.
  const auto short_of = std::max_element(ones.probability.begin(), ones.probability.end());
  const double above = std::accumulate(short_of + 1, ones.probability.end(), 0.0);
  const double just = *short_of;
  const double high = 1 / (1 + std::exp(-epsilon));
  const double error = 4 * ones.rounding;
  const double p = (above + high * just) * (1 - error);
  const double q = (above + (1 - high) * just) * (1 + error);
  if (!(p > q)) return {NoLoss{}, {}};
  const double up = std::log(p / q);
  const double step = up - std::log((1 - p) / (1 - q));
  return {LatticeLoss{up - step, step, 0, {1 - p, p}}, LatticeLoss{-up, step, 0, {q, 1 - q}}};
}

double ShuffledEvent::renyi_of(const LatticeLoss& losses, double epsilon, double a) {
  const double whole = pure_renyi(epsilon, a);
  const auto loss_at = [&](std::size_t i) {
    return losses.offset + losses.step * static_cast<double>(losses.first + static_cast<std::int64_t>(i));
  };
  const double top = (a - 1) * loss_at(losses.mass.size() - 1);
  double sum = 0;
  for (std::size_t i = 0; i < losses.mass.size(); ++i) {
    sum += losses.mass[i] * std::exp((a - 1) * loss_at(i) - top);
  }
  if (losses.infinite > 0) sum += std::exp(std::log(losses.infinite) + (a - 1) * epsilon - top);
  const double cost = (top + std::log(sum)) / (a - 1);
  return cost < whole ? cost : whole;
}

}  // namespace sotto
