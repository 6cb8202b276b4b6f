#include "sotto/accountant/rdp/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundUp = 1 + 1e-10;

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -kInfinity ? a : a + std::log1p(std::exp(b - a));
}

// log(e^x - 1)
double log_expm1(double x) { return x > 30 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x)); }

// Rounded up: lgamma is good to a few units in the last place.
double log_binomial(int n, int k) {
  const double all = std::lgamma(n + 1.0);
  return all - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + 2e-15 * all;
}

// Costs follow from the Renyi moment less one, a sum of terms of one sign: small costs then lose no digits.
constexpr double kLargeExponent = 30;  // beyond it the one does not matter

// Binary randomised response with odds e^epsilon: the largest Renyi cost of an epsilon-private mechanism.
double pure_cost(double epsilon, double a) {
  const double t = (a - 1) * epsilon;
  if (t > kLargeExponent) {
    const double p = -std::log1p(std::exp(-epsilon));
    return log_add(p + t, p - a * epsilon) / (a - 1);
  }
  const double half = std::sinh(t / 2);
  return std::log1p(2 * half * half + std::tanh(epsilon / 2) * std::sinh(t)) / (a - 1);
}

// For small ratios the exact form cancels; being ratio-private costs hardly more [BS16, Proposition 1.4].
double laplace_cost(double ratio, double a) {
  if (a * ratio < 1e-5) return a * ratio * ratio / 2;
  const double first = a / (2 * a - 1);
  const double second = (a - 1) / (2 * a - 1);
  if ((a - 1) * ratio > kLargeExponent)
    return log_add(std::log(first) + (a - 1) * ratio, std::log(second) - a * ratio) / (a - 1);
  return std::log1p(first * std::expm1((a - 1) * ratio) + second * std::expm1(-a * ratio)) / (a - 1);
}

double response_cost(const RandomizedResponseEvent& e, double a) {
  if (e.probability == 1) return 0;
  const auto levels = static_cast<double>(e.levels);
  const double other = e.probability / levels;
  const double loss = std::log1p((1 - e.probability) / other);
  const double t = (a - 1) * loss;
  if (t > kLargeExponent) {
    double sum = log_add(std::log(other) + a * loss, std::log(other) - t);
    if (e.levels > 2) sum = log_add(sum, std::log((levels - 2) * other));
    return sum / (a - 1);
  }
  const double half = std::sinh(t / 2);
  return std::log1p((1 - e.probability) * std::expm1(t) + other * 4 * half * half) / (a - 1);
}

// log sum_k C(a, k) (1 - q)^(a - k) q^k exp(log_moment(k)), log_moment(k) = log E (f1 / f0)^k of the unsampled noise, which
// is 0 for k < 2
double poisson_cost(double q, int a, const std::function<double(int)>& log_moment) {
  double sum = -kInfinity;
  for (int k = 2; k <= a; ++k) {
    const double stay = (a - k) * std::log1p(-q);
    const double enter = k * std::log(q);
    const double moment = log_expm1(log_moment(k));
    if (moment == -kInfinity) continue;
    sum =
        log_add(sum, log_binomial(a, k) + stay + enter + moment + 1e-15 * (std::abs(moment) - stay - enter));
  }
  return log_add(0, sum) / (a - 1);
}

// [WBK19, Theorem 9] from the costs of the mechanism on the batch, which need not bound any loss.
double without_replacement_cost(double q, int a, const std::function<double(int)>& cost) {
  double sum = 0;
  const double two = cost(2);
  sum = log_add(sum, 2 * std::log(q) + log_binomial(a, 2) +
                         std::min(std::log(4 * std::expm1(two)), std::log(2.0) + two));
  for (int j = 3; j <= a; ++j) {
    sum = log_add(sum, std::log(2.0) + j * std::log(q) + log_binomial(a, j) + (j - 1) * cost(j));
  }
  return sum / (a - 1);
}

// log E (e^L - 1)^l for even l, L the loss of a Gaussian pair under Q: trapezoidal rule on a positive integrand.
double log_centred_moment(double ratio, int l) {
  const double step = std::min(0.02, 0.2 / std::sqrt(static_cast<double>(l)));
  const double high = l * ratio + 40;
  double sum = -kInfinity;
  for (double x = -40; x < high; x += step) {
    const double loss = ratio * x - ratio * ratio / 2;
    const double rise = loss > 30 ? loss : std::log(std::abs(std::expm1(loss)));
    sum = log_add(sum, l * rise - x * x / 2);
  }
  return sum + std::log(step / std::sqrt(2 * M_PI)) + 1e-9;
}

// [WBK19, Theorem 27] for Gaussian noise, sensitivity / sigma = ratio for one exchanged row.
class FixedBatchGaussian {
 public:
  FixedBatchGaussian(double ratio, double q) : ratio_(ratio), q_(q) {}
  double cost(int a) {
    double sum = 0;
    for (int j = 2; j <= a; ++j) sum = log_add(sum, log_binomial(a, j) + j * std::log(q_) + term(j));
    return sum / (a - 1);
  }

 private:
  double term(int j) {
    const double simple = std::log(2.0) + j * (j - 1.0) * ratio_ * ratio_ / 2;
    if (j == 2) return std::min(std::log(4 * std::expm1(ratio_ * ratio_)), simple);
    if (j > kMostMoments || ratio_ > kMostRatio) return simple;
    return std::min(simple, std::log(4.0) + (moment(2 * (j / 2)) + moment(2 * ((j + 1) / 2))) / 2);
  }
  double moment(int l) {
    if (moments_.size() <= static_cast<std::size_t>(l))
      moments_.resize(static_cast<std::size_t>(l) + 1, kInfinity);
    double& m = moments_[static_cast<std::size_t>(l)];
    if (m == kInfinity) m = log_centred_moment(ratio_, l);
    return m;
  }
  static constexpr int kMostMoments = 64;
  static constexpr double kMostRatio = 10;  // beyond it the moments are no smaller, and their integrals long
  double ratio_;
  double q_;
  std::vector<double> moments_;
};

double barker_cost(const BarkerEvent& e, int a) {
  const auto b = static_cast<double>(e.batch);
  if (!(a < b / 5)) return kInfinity;
  const auto inner = [&](int j) {
    const double rest = b - 5.0 * j;
    return 5 / (2 * b) + std::log(2 * b / rest) / (2 * (j - 1.0)) + 2 * j / rest;
  };
  return without_replacement_cost(b / static_cast<double>(e.rows), a, inner);
}

// docs/barker.md. One exchanged row moves the centre by at most 2 s and the variance, at least `least`, by 4 s^2; centres
// and variances are rounded down to whole steps of at most 2^-39.
double variance_completed_cost(const VarianceCompletedBarkerEvent& e, int a) {
  const auto b = static_cast<double>(e.batch);
  const double s = static_cast<double>(e.rows) / b * e.bound;
  const double least = 2 - s * s * b;
  const auto inner = [&](int j) {
    const double change = 2 * s + 0x1p-39;
    const double share = change * change / least;  // of a variance: 4 s^2 / least
    if (!(j * share < 0.999)) return kInfinity;
    const double shape = j * std::log1p(-share) - std::log1p(-j * share);
    return (j * change * change / (2 * least * (1 - j * share)) + shape / (2 * (j - 1.0))) * (1 + 1e-9) +
           1e-15;
  };
  const double known = inner(a);
  return known == kInfinity
             ? kInfinity
             : std::min(known, without_replacement_cost(b / static_cast<double>(e.rows), a, inner));
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::usage, why); }

// The cost of one step at every order. `real` holds at real orders > 1; else `integer` at integers >= 2, between which
// (a - 1) cost(a), a convex function of a, lies below its chord.
struct Cost {
  std::function<double(double)> real;
  std::function<double(int)> integer;
};

Cost at_real_orders(std::function<double(double)> cost) { return {std::move(cost), nullptr}; }
Cost at_integers(std::function<double(int)> cost) { return {nullptr, std::move(cost)}; }
Cost gaussian_cost(double ratio) {
  return at_real_orders([=](double a) { return a * ratio * ratio / 2; });
}

void need_substitute(const Event& event, Adjacency adjacency) {
  if (adjacency != Adjacency::substitute)
    refuse(mechanism_name(event) + " is accounted under --adjacency substitute only");
}

// Under substitution the row is in the Poisson batch of both data sets or of neither: at worst the whole cost. Or take the
// row out of one, then put the other in: the weak triangle inequality [M17, Proposition 11], `one` the cost of either.
double substitute_cost(int a, double whole, const std::function<double(int)>& one) {
  return std::min(whole, (a - 0.5) / (a - 1) * one(2 * a) + one(2 * a - 1));
}

Cost cost_of(const SubsampledGaussianEvent& e, Adjacency adjacency) {
  if (e.clip_norm == 0 || e.rate == 0) return gaussian_cost(0);
  const double ratio = e.clip_norm / e.sigma;
  const double q = e.rate;
  if (e.sampling == Sampling::without_replacement) {
    need_substitute({e}, adjacency);
    if (q == 1) return gaussian_cost(2 * ratio);
    const auto batch = std::make_shared<FixedBatchGaussian>(2 * ratio, q);
    return at_integers([=](int a) { return std::min(batch->cost(a), a * 2 * ratio * ratio); });
  }
  const bool substitute = adjacency == Adjacency::substitute;
  if (q == 1) return gaussian_cost(substitute ? 2 * ratio : ratio);
  const auto log_moment = [=](int k) { return k * (k - 1.0) * ratio * ratio / 2; };
  const auto one = [=](int a) { return std::min(poisson_cost(q, a, log_moment), a * ratio * ratio / 2); };
  if (!substitute) return at_integers(one);
  return at_integers([=](int a) { return substitute_cost(a, a * 2 * ratio * ratio, one); });
}

Cost cost_of(const SubsampledLaplaceEvent& e, Adjacency adjacency) {
  if (e.clip_norm == 0 || e.rate == 0) return gaussian_cost(0);
  const double ratio = e.clip_norm / e.scale;
  const double q = e.rate;
  const auto whole = [](double r) { return [=](double a) { return laplace_cost(r, a); }; };
  if (e.sampling == Sampling::without_replacement) {
    need_substitute({e}, adjacency);
    if (q == 1) return at_real_orders(whole(2 * ratio));
    return at_integers([=](int a) {
      return std::min(without_replacement_cost(q, a, whole(2 * ratio)), laplace_cost(2 * ratio, a));
    });
  }
  const bool substitute = adjacency == Adjacency::substitute;
  if (q == 1) return at_real_orders(whole(substitute ? 2 * ratio : ratio));
  const auto log_moment = [=](int k) { return (k - 1) * laplace_cost(ratio, k); };
  const auto one = [=](int a) { return std::min(poisson_cost(q, a, log_moment), laplace_cost(ratio, a)); };
  if (!substitute) return at_integers(one);
  return at_integers([=](int a) { return substitute_cost(a, laplace_cost(2 * ratio, a), one); });
}

Cost cost_of(const Event& event, Adjacency adjacency) {
  const auto& mechanism = event.mechanism;
  if (const auto* e = std::get_if<GaussianEvent>(&mechanism)) return gaussian_cost(e->sensitivity / e->sigma);
  if (const auto* e = std::get_if<DiscreteGaussianEvent>(&mechanism))
    return gaussian_cost(e->sensitivity / e->sigma);
  if (const auto* e = std::get_if<LaplaceEvent>(&mechanism)) {
    return at_real_orders([r = e->sensitivity / e->scale](double a) { return laplace_cost(r, a); });
  }
  if (const auto* e = std::get_if<PureEvent>(&mechanism)) {
    return at_real_orders([epsilon = e->epsilon](double a) { return pure_cost(epsilon, a); });
  }
  if (const auto* e = std::get_if<RandomizedResponseEvent>(&mechanism)) {
    if (adjacency != Adjacency::substitute) {
      refuse("randomized-response always answers for every row: use --adjacency substitute");
    }
    return at_real_orders([e = *e](double a) { return response_cost(e, a); });
  }
  if (const auto* e = std::get_if<SubsampledGaussianEvent>(&mechanism)) return cost_of(*e, adjacency);
  if (const auto* e = std::get_if<SubsampledLaplaceEvent>(&mechanism)) return cost_of(*e, adjacency);
  need_substitute(event, adjacency);
  if (const auto* e = std::get_if<BarkerEvent>(&mechanism))
    return at_integers([e = *e](int a) { return barker_cost(e, a); });
  if (const auto* e = std::get_if<VarianceCompletedBarkerEvent>(&mechanism))
    return at_integers([e = *e](int a) { return variance_completed_cost(e, a); });
  if (const auto* e = std::get_if<SubsampledPenaltyEvent>(&mechanism)) {
    if (e->rate == 0) return gaussian_cost(0);
    const auto inner = [tau = e->tau](int j) { return j / (2 * tau); };
    return at_integers(
        [=, rate = e->rate](int a) { return std::min(without_replacement_cost(rate, a, inner), inner(a)); });
  }
  refuse(mechanism_name(event) + " has no proven Renyi cost here: use --bound tight");
}

// At integer orders exactly, elsewhere on the chord of (a - 1) cost(a), which is 0 at a = 1. Rounded up.
double cost_at(const Cost& cost, double a) {
  if (cost.real) return std::max(0.0, cost.real(a) * kRoundUp);
  const double below = std::floor(a);
  const auto scaled = [&](double k) { return k <= 1 ? 0 : (k - 1) * cost.integer(static_cast<int>(k)); };
  const double low = scaled(below);
  const double chord = a == below ? low : low + (a - below) * (scaled(below + 1) - low);
  return std::max(0.0, chord / (a - 1) * kRoundUp);
}

constexpr int kMostInteger = 2000;

// Integers between which costs are tabulated: all small ones, then ever sparser.
std::vector<int> table_orders() {
  std::vector<int> list;
  for (int a = 2; a <= 64; ++a) list.push_back(a);
  for (double a = 70; a < kMostInteger; a *= 1.1) list.push_back(static_cast<int>(a));
  return list;
}

// Total cost of a composition at real orders.
class TotalCost {
 public:
  TotalCost(const Event& event, Adjacency adjacency) : order_(table_orders()), scaled_(order_.size(), 0.0) {
    for (const Event& leaf : flatten(event)) {
      const Cost cost = cost_of(leaf, adjacency);
      const auto count = static_cast<double>(leaf.count);
      if (cost.real) {
        real_.push_back({cost, count});
        continue;
      }
      tabulated_ = true;
      for (std::size_t i = 0; i < order_.size(); ++i)
        scaled_[i] += (order_[i] - 1) * cost_at(cost, order_[i]) * count;
    }
  }
  [[nodiscard]] double largest_order() const { return tabulated_ ? order_.back() : 1e12; }
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
    return sum * kRoundUp;
  }

 private:
  std::vector<std::pair<Cost, double>> real_;
  bool tabulated_ = false;
  std::vector<int> order_;
  std::vector<double> scaled_;  // (a - 1) cost at these orders, of what has costs at integers only
};

// The smallest value of a function of the order: a scan in log(a - 1), then golden section about its best point.
template <class Function>
double smallest(const TotalCost& total, const Function& value) {
  const double last = std::log(total.largest_order() - 1);
  constexpr double first = -9;
  constexpr int points = 300;
  const auto at = [&](double t) { return value(1 + std::exp(t)); };
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
  const Cost cost = cost_of(event, adjacency);
  if (!cost.real && order > 1e6)
    throw Error(ErrorCode::usage, "this Renyi cost is known up to order 1e6 only");
  return cost_at(cost, order);
}

double renyi_delta(const Event& event, Adjacency adjacency, double epsilon) {
  const TotalCost total(event, adjacency);
  const double best = smallest(total, [&](double a) {
    const double log_delta = (a - 1) * (total.at(a) - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
    return log_delta + 1e-14 * a * std::abs(epsilon);
  });
  return std::min(1.0, std::exp(best + 1e-13 * std::abs(best)) * kRoundUp + 1e-305);
}

double renyi_epsilon(const Event& event, Adjacency adjacency, double delta) {
  if (delta >= 1) return 0;
  if (!(delta > 0)) return kInfinity;
  const TotalCost total(event, adjacency);
  const double best = smallest(
      total, [&](double a) { return total.at(a) + std::log1p(-1 / a) - std::log(delta * a) / (a - 1); });
  return std::max(0.0, best * (best > 0 ? kRoundUp : 1) + 1e-13);
}

}  // namespace sotto
