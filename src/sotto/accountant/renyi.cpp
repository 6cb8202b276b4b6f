#include "sotto/accountant/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRoundUp = 1 + 1e-10;

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -kInfinity ? a : a + std::log1p(std::exp(b - a));
}

double log_binomial(int n, int k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

// Binary randomised response with odds e^epsilon: the largest Renyi cost of an epsilon-private mechanism.
double pure_cost(double epsilon, int a) {
  const double p = -std::log1p(std::exp(-epsilon));
  return log_add(p + (a - 1) * epsilon, p - a * epsilon) / (a - 1);
}

double laplace_cost(double ratio, int a) {
  const double first = std::log(a / (2.0 * a - 1)) + (a - 1) * ratio;
  const double second = std::log((a - 1) / (2.0 * a - 1)) - a * ratio;
  return log_add(first, second) / (a - 1);
}

double response_cost(const RandomizedResponseEvent& e, int a) {
  if (e.probability == 1) return 0;
  const auto levels = static_cast<double>(e.levels);
  const double other = e.probability / levels;
  const double loss = std::log1p((1 - e.probability) / other);
  double sum = log_add(std::log(other) + a * loss, std::log(other) - (a - 1) * loss);
  if (e.levels > 2) sum = log_add(sum, std::log((levels - 2) * other));
  return sum / (a - 1);
}

// log sum_k C(a, k) (1 - q)^(a - k) q^k exp(k (k - 1) ratio^2 / 2)
double poisson_gaussian_cost(double ratio, double q, int a) {
  double sum = -kInfinity;
  for (int k = 0; k <= a; ++k) {
    sum = log_add(sum, log_binomial(a, k) + (a - k) * std::log1p(-q) + k * std::log(q) +
                           k * (k - 1.0) * ratio * ratio / 2);
  }
  return sum / (a - 1);
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
    if (j > kMostMoments) return simple;
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

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::usage, why); }

double subsampled_gaussian_cost(const SubsampledGaussianEvent& e, Adjacency adjacency, int a) {
  if (e.clip_norm == 0 || e.rate == 0) return 0;
  const double ratio = e.clip_norm / e.sigma;
  const bool substitute = adjacency == Adjacency::substitute;
  if (e.sampling == Sampling::poisson && !substitute) {
    return e.rate == 1 ? a * ratio * ratio / 2 : poisson_gaussian_cost(ratio, e.rate, a);
  }
  if (e.rate == 1) return a * 2 * ratio * ratio;
  if (e.sampling == Sampling::poisson) {
    // Under substitution the row is in the batch of both data sets or of neither: at worst the whole cost.
    return a * 2 * ratio * ratio;
  }
  if (!substitute) refuse("batches of fixed size are accounted under --adjacency substitute only");
  return std::min(FixedBatchGaussian(2 * ratio, e.rate).cost(a), a * 2 * ratio * ratio);
}

double cost_of(const Event& event, Adjacency adjacency, int a) {
  const auto gaussian = [&](double ratio) { return a * ratio * ratio / 2; };
  if (const auto* e = std::get_if<GaussianEvent>(&event.mechanism))
    return gaussian(e->sensitivity / e->sigma);
  if (const auto* e = std::get_if<DiscreteGaussianEvent>(&event.mechanism))
    return gaussian(e->sensitivity / e->sigma);
  if (const auto* e = std::get_if<LaplaceEvent>(&event.mechanism))
    return laplace_cost(e->sensitivity / e->scale, a);
  if (const auto* e = std::get_if<PureEvent>(&event.mechanism)) return pure_cost(e->epsilon, a);
  if (const auto* e = std::get_if<RandomizedResponseEvent>(&event.mechanism)) {
    if (adjacency != Adjacency::substitute) {
      refuse("randomized-response always answers for every row: use --adjacency substitute");
    }
    return response_cost(*e, a);
  }
  if (const auto* e = std::get_if<SubsampledGaussianEvent>(&event.mechanism)) {
    return subsampled_gaussian_cost(*e, adjacency, a);
  }
  if (adjacency != Adjacency::substitute)
    refuse(mechanism_name(event) + " is accounted under --adjacency substitute only");
  if (const auto* e = std::get_if<BarkerEvent>(&event.mechanism)) return barker_cost(*e, a);
  if (const auto* e = std::get_if<SubsampledPenaltyEvent>(&event.mechanism)) {
    if (e->rate == 0) return 0;
    const auto inner = [&](int j) { return j / (2 * e->tau); };
    return std::min(without_replacement_cost(e->rate, a, inner), inner(a));
  }
  refuse(mechanism_name(event) + " has no proven Renyi cost here: use --bound tight");
}

// Orders tried: all small ones, then ever sparser.
std::vector<int> orders() {
  std::vector<int> list;
  for (int a = 2; a <= 64; ++a) list.push_back(a);
  for (double a = 70; a < 2000; a *= 1.1) list.push_back(static_cast<int>(a));
  return list;
}

struct Curve {
  std::vector<int> order;
  std::vector<double> cost;
};

Curve total_cost(const Event& event, Adjacency adjacency) {
  Curve curve{orders(), {}};
  const std::vector<Event> leaves = flatten(event);
  for (const int a : curve.order) {
    double sum = 0;
    for (const Event& leaf : leaves) sum += renyi_cost(leaf, adjacency, a) * static_cast<double>(leaf.count);
    curve.cost.push_back(sum * kRoundUp);
  }
  return curve;
}

}  // namespace

double renyi_cost(const Event& event, Adjacency adjacency, int order) {
  validate(event);
  if (order < 2) throw Error(ErrorCode::usage, "a Renyi order must be an integer >= 2");
  return std::max(0.0, cost_of(event, adjacency, order) * kRoundUp);
}

double renyi_delta(const Event& event, Adjacency adjacency, double epsilon) {
  const Curve curve = total_cost(event, adjacency);
  double best = 0;
  for (std::size_t i = 0; i < curve.order.size(); ++i) {
    const double a = curve.order[i];
    best = std::min(best, (a - 1) * (curve.cost[i] - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1));
  }
  return std::min(1.0, std::exp(best) * kRoundUp + 1e-305);
}

double renyi_epsilon(const Event& event, Adjacency adjacency, double delta) {
  if (delta >= 1) return 0;
  if (!(delta > 0)) return kInfinity;
  const Curve curve = total_cost(event, adjacency);
  double best = kInfinity;
  for (std::size_t i = 0; i < curve.order.size(); ++i) {
    const double a = curve.order[i];
    best = std::min(best, curve.cost[i] + std::log1p(-1 / a) - std::log(delta * a) / (a - 1));
  }
  return std::max(0.0, best * (best > 0 ? kRoundUp : 1) + 1e-13);
}

}  // namespace sotto
