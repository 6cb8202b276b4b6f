#include "sotto/math/renyi_divergence.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <utility>

#include "sotto/base/numbers.hpp"
#include "sotto/math/log_expm1.hpp"

namespace sotto {
namespace {

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == -kInfinity ? a : a + std::log1p(std::exp(b - a));
}

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

// log((1 + w)^a - 1 - a w) with w = q (e^loss - 1).
double log_excess_power(double q, double loss, double a) {
  const double w = q * std::expm1(loss);
  if (std::abs(w) * a < 1e-2) {
    const double series =
        1 + (a - 2) / 3 * w * (1 + (a - 3) / 4 * w * (1 + (a - 4) / 5 * w * (1 + (a - 5) / 6 * w)));
    return std::log(a * (a - 1) / 2) + 2 * std::log(std::abs(w)) + std::log(series);
  }
  const double log_power = loss > 600 ? a * (std::log(q) + loss) : a * std::log1p(w);
  if (log_power < 60) return std::log(std::expm1(log_power) - a * w);
  const double log_w = loss > 600 ? std::log(q) + loss : std::log(w);
  return log_power + std::log1p(-std::exp(-log_power) - std::exp(std::log(a) + log_w - log_power));
}

// log(1 + e^x)
double log1p_exp(double x) { return x > 40 ? x + std::exp(-x) : std::log1p(std::exp(x)); }

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

double poisson_gaussian_renyi(double q, double ratio, double a) {
  // Analytic in a strip of half-width `room`, where the rule's error is below e^(-2 pi room / step) < e^-31 of the integral.
  const double room = std::min(1.0, 1.5 / ratio);
  const double step = room / 5;
  const double high = a * ratio + 40;
  double sum = -kInfinity;
  for (double x = -40; x < high; x += step) {
    sum = log_add(sum, log_excess_power(q, ratio * x - ratio * ratio / 2, a) - x * x / 2);
  }
  return log1p_exp(sum + std::log(step / std::sqrt(2 * M_PI)) + 1e-9) / (a - 1);
}

double poisson_laplace_renyi(double q, double ratio, double a) {
  // Half the noise lies beyond the centre away from the row; a share e^-ratio of the other half beyond the row.
  double sum = std::log(0.5) + log_excess_power(q, -ratio, a);
  sum = log_add(sum, std::log(0.5) - ratio + log_excess_power(q, ratio, a));
  const auto pieces = static_cast<int>(std::ceil(4 * ratio));
  using Rule = boost::math::quadrature::gauss<double, 20>;
  for (int piece = 0; piece < pieces; ++piece) {
    const double width = ratio / pieces;
    const double middle = (piece + 0.5) * width;
    const auto add = [&](double node, double weight) {
      const double x = middle + node * width / 2;
      sum = log_add(sum, log_excess_power(q, 2 * x - ratio, a) - x + std::log(weight * width / 4));
    };
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      add(Rule::abscissa()[i], Rule::weights()[i]);
      add(-Rule::abscissa()[i], Rule::weights()[i]);
    }
  }
  return log1p_exp(sum + 1e-9) / (a - 1);
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
