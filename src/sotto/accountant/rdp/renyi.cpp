#include "sotto/accountant/rdp/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/numbers.hpp"

namespace sotto {
namespace {

constexpr double kOrderRoundUp = 1 + 1e-10;
constexpr double kMostEpsilon = 1e300;  // stands for infinity

// Nothing is given away where a cost is not known: what is no number is infinite.
double known(double cost) { return std::isnan(cost) ? kInfinity : std::max(cost, 0.0); }

// Elsewhere than at the orders that are known on the chord of (a - 1) cost(a), which is 0 at a = 1. Rounded up.
double cost_at(const RenyiCurve& cost, double a) {
  if (cost.real) return known(cost.real(a) * kOrderRoundUp);
  const double below = std::floor(a);
  if (a != below && a <= cost.most_fractional) return known(cost.fractional(a) * kOrderRoundUp);
  const auto scaled = [&](double k) { return k <= 1 ? 0 : (k - 1) * cost.integer(static_cast<int>(k)); };
  const double low = scaled(below);
  const double chord = a == below ? low : low + (a - below) * (scaled(below + 1) - low);
  return known(chord / (a - 1) * kOrderRoundUp);
}

constexpr int kMostInteger = 2000;

// Orders between which costs are tabulated: all small integers and some between them, then ever sparser.
std::vector<double> table_orders() {
  std::vector<double> list = {1.01, 1.02, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9};
  for (double a = 2; a < 6; a += 0.25) list.push_back(a);
  for (int a = 6; a <= 64; ++a) list.push_back(a);
  for (double a = 70; a < kMostInteger; a *= 1.1) list.push_back(std::floor(a));
  return list;
}

// Total cost of a composition at real orders.
class TotalCost {
 public:
  TotalCost(const Event& event, Adjacency adjacency) : order_(table_orders()), scaled_(order_.size(), 0.0) {
    for (const Event& leaf : flatten(event)) {
      const RenyiCurve cost = renyi_view(leaf, adjacency).value();
      const auto count = static_cast<double>(leaf.count);
      most_order_ = std::min(most_order_, cost.most_order);
      if (cost.real) {
        real_.push_back({cost, count});
        continue;
      }
      tabulated_ = true;
      for (std::size_t i = 0; i < order_.size(); ++i)
        scaled_[i] += (order_[i] - 1) * cost_at(cost, order_[i]) * count;
    }
  }
  [[nodiscard]] double largest_order() const {
    return std::min(most_order_, tabulated_ ? order_.back() : 1e12);
  }
  [[nodiscard]] double at(double a) const {
    double sum = 0;
    for (const auto& [cost, count] : real_) sum += cost_at(cost, a) * count;
    if (tabulated_) {
      const auto next = std::lower_bound(order_.begin(), order_.end(), a);
      if (next == order_.end()) return kInfinity;
      const auto i = static_cast<std::size_t>(next - order_.begin());
      const double low_order = i == 0 ? 1 : order_[i - 1];
      const double low = i == 0 ? 0 : scaled_[i - 1];
      sum += (low + (a - low_order) / (order_[i] - low_order) * (scaled_[i] - low)) / (a - 1);
    }
    return known(sum * kOrderRoundUp);
  }

 private:
  std::vector<std::pair<RenyiCurve, double>> real_;
  bool tabulated_ = false;
  double most_order_ = HUGE_VAL;
  std::vector<double> order_;
  std::vector<double> scaled_;  // (a - 1) cost at these orders, of what has costs at integers only
};

// The smallest value of a function of the order: a scan in log(a - 1), then golden section about its best point.
template <class Function>
double smallest(const TotalCost& total, const Function& value) {
  const double last = std::log(total.largest_order() - 1);
  constexpr double first = -9;
  constexpr int points = 300;
  const auto at = [&](double t) { return value(std::min(1 + std::exp(t), total.largest_order())); };
  double best = kInfinity;
  int best_point = 0;
  for (int i = 0; i <= points; ++i) {
    const double now = at(first + (last - first) * i / points);
    if (now < best) {
      best = now;
      best_point = i;
    }
  }
  double low = first + (last - first) * std::max(best_point - 1, 0) / points;
  double high = std::min(last, first + (last - first) * (best_point + 1) / points);
  constexpr double golden = 0.6180339887498949;
  for (int i = 0; i < 40; ++i) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    const double at_left = at(left);
    const double at_right = at(right);
    best = std::min({best, at_left, at_right});
    (at_left < at_right ? high : low) = at_left < at_right ? right : left;
  }
  return best;
}

}  // namespace

double renyi_cost(const Event& event, Adjacency adjacency, double order) {
  validate(event);
  if (!(order > 1 && order <= 1e12)) throw Error(ErrorCode::usage, "a Renyi order must lie in (1, 1e12]");
  const RenyiCurve cost = renyi_view(event, adjacency).value();
  if (!cost.real && order > 1e6)
    throw Error(ErrorCode::usage, "this Renyi cost is known up to order 1e6 only");
  return cost_at(cost, order);
}

namespace {

double delta_of(const KeptBack& kept, Adjacency adjacency, double epsilon) {
  const TotalCost total(kept.event, adjacency);
  epsilon = std::min(epsilon, kMostEpsilon);
  const double best = smallest(total, [&](double a) {
    const double log_delta = (a - 1) * (total.at(a) - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
    return log_delta + 1e-14 * a * std::abs(epsilon);
  });
  const double delta = std::min(1.0, std::exp(best + 1e-13 * std::abs(best)) * kOrderRoundUp + 1e-305);
  return kept.all(delta, Side::upper);
}

double epsilon_of(const KeptBack& kept, Adjacency adjacency, double delta) {
  const TotalCost total(kept.event, adjacency);
  delta = kept.left(delta, Side::upper);
  if (!(delta > 0)) return kInfinity;
  const double best = smallest(
      total, [&](double a) { return total.at(a) + std::log1p(-1 / a) - std::log(delta * a) / (a - 1); });
  return known(best * (best > 0 ? kOrderRoundUp : 1) + 1e-13);
}

}  // namespace

double renyi_delta(const Event& event, Adjacency adjacency, double epsilon) {
  double least = 1;
  for (const KeptBack& kept : kept_back(event)) {
    least = std::min(least, delta_of(kept, adjacency, epsilon));
    if (kept.is_enough(least)) break;
  }
  return least;
}

double renyi_epsilon(const Event& event, Adjacency adjacency, double delta) {
  if (delta >= 1) return 0;
  double least = kInfinity;
  for (const KeptBack& kept : kept_back(event)) {
    least = std::min(least, epsilon_of(kept, adjacency, delta));
    if (kept.is_enough(delta)) break;
  }
  return least;
}

}  // namespace sotto
