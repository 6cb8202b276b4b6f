#include "sotto/math/renyi_divergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

constexpr int kMostMoments = 64;
constexpr double kMostRatio = 10;  // beyond it the moments are no smaller, and their integrals long

}  // namespace

double pure_renyi(double epsilon, double a) {
  const double t = (a - 1) * epsilon;
  if (t > kLargeExponent) {
    const double p = -std::log1p(std::exp(-epsilon));
    return log_add(p + t, p - a * epsilon) / (a - 1);
  }
  const double half = std::sinh(t / 2);
  return std::log1p(2 * half * half + std::tanh(epsilon / 2) * std::sinh(t)) / (a - 1);
}

double laplace_renyi(double ratio, double a) {
  if (a * ratio < 1e-5) return a * ratio * ratio / 2;
  const double first = a / (2 * a - 1);
  const double second = (a - 1) / (2 * a - 1);
  if ((a - 1) * ratio > kLargeExponent)
    return log_add(std::log(first) + (a - 1) * ratio, std::log(second) - a * ratio) / (a - 1);
  return std::log1p(first * std::expm1((a - 1) * ratio) + second * std::expm1(-a * ratio)) / (a - 1);
}

double response_renyi(double probability, double levels, double a) {
  if (probability == 1) return 0;
  const double other = probability / levels;
  const double loss = std::log1p((1 - probability) / other);
  const double t = (a - 1) * loss;
  if (t > kLargeExponent) {
    double sum = log_add(std::log(other) + a * loss, std::log(other) - t);
    if (levels > 2) sum = log_add(sum, std::log((levels - 2) * other));
    return sum / (a - 1);
  }
  const double half = std::sinh(t / 2);
  return std::log1p((1 - probability) * std::expm1(t) + other * 4 * half * half) / (a - 1);
}

// log_moment(k) is 0 for k < 2.
double poisson_batch_renyi(double q, int a, const std::function<double(int)>& log_moment) {
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

double fixed_batch_renyi(double q, int a, const std::function<double(int)>& cost) {
  double sum = 0;
  const double two = cost(2);
  sum = log_add(sum, 2 * std::log(q) + log_binomial(a, 2) +
                         std::min(std::log(4 * std::expm1(two)), std::log(2.0) + two));
  for (int j = 3; j <= a; ++j) {
    sum = log_add(sum, std::log(2.0) + j * std::log(q) + log_binomial(a, j) + (j - 1) * cost(j));
  }
  return sum / (a - 1);
}

double exchanged_renyi(int a, double whole, const std::function<double(int)>& one) {
  return std::min(whole, (a - 0.5) / (a - 1) * one(2 * a) + one(2 * a - 1));
}

double FixedBatchGaussianRenyi::cost(int a) {
  double sum = 0;
  for (int j = 2; j <= a; ++j) sum = log_add(sum, log_binomial(a, j) + j * std::log(q_) + term(j));
  return sum / (a - 1);
}

double FixedBatchGaussianRenyi::term(int j) {
  const double simple = std::log(2.0) + j * (j - 1.0) * ratio_ * ratio_ / 2;
  if (j == 2) return std::min(std::log(4 * std::expm1(ratio_ * ratio_)), simple);
  if (j > kMostMoments || ratio_ > kMostRatio) return simple;
  return std::min(simple, std::log(4.0) + (moment(2 * (j / 2)) + moment(2 * ((j + 1) / 2))) / 2);
}

double FixedBatchGaussianRenyi::moment(int l) {
  if (moments_.size() <= static_cast<std::size_t>(l))
    moments_.resize(static_cast<std::size_t>(l) + 1, kInfinity);
  double& m = moments_[static_cast<std::size_t>(l)];
  if (m == kInfinity) m = log_centred_moment(ratio_, l);
  return m;
}

}  // namespace sotto
