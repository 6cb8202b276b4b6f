#include "sotto/mixture/deconvolution.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "sotto/base/error.hpp"
#include "sotto/mixture/density_estimate.hpp"

namespace sotto::mixture {
namespace {

constexpr Eigen::Index kFrequencies = 2001;
constexpr double kHighest =
    200;  // largest frequency times the width of the domain: bandwidths down to width / 200
constexpr int kBandwidths = 200;

}  // namespace

Deconvolution::Deconvolution(std::span<const double> releases, AdditiveNoise noise, Interval domain)
    : noise_(noise),
      domain_(domain),
      n_(static_cast<double>(releases.size())),
      step_(kHighest / domain.width() / static_cast<double>(kFrequencies - 1)),
      real_(Position::Zero(kFrequencies)),
      imaginary_(Position::Zero(kFrequencies)) {
  if (releases.empty())
    throw Error(ErrorCode::data, "the deconvolution estimator needs at least one release");
  const double middle = domain.lower + domain.width() / 2;
  double sum = 0;
  double squares = 0;
  for (const double z : releases) {
    if (!std::isfinite(z)) throw Error(ErrorCode::data, "a release is not a finite number");
    const double centred = z - middle;
    sum += centred;
    squares += centred * centred;
    // e^(i t z) for equally spaced t by repeated rotation; 2001 rotations lose about 1e-13.
    const std::complex<double> turn = std::polar(1.0, step_ * centred);
    std::complex<double> at = 1;
    for (Eigen::Index k = 0; k < kFrequencies; ++k) {
      real_[k] += at.real();
      imaginary_[k] += at.imag();
      at = {at.real() * turn.real() - at.imag() * turn.imag(),
            at.real() * turn.imag() + at.imag() * turn.real()};
    }
  }
  real_ /= n_;
  imaginary_ /= n_;
  variance_ = std::max(0.0, squares / n_ - sum / n_ * (sum / n_));
}

double Deconvolution::kernel(double t) const {
  if (noise_.law == NoiseLaw::laplace) return std::exp(-t * t / 2);
  return std::abs(t) < 1 ? std::pow(1 - t * t, 3) : 0;
}

double Deconvolution::inverse_noise(double t) const {
  const double s = noise_.scale * t;
  return noise_.law == NoiseLaw::laplace ? 1 + s * s : std::exp(s * s / 2);
}

double Deconvolution::noise_sd() const {
  return noise_.law == NoiseLaw::laplace ? std::numbers::sqrt2 * noise_.scale : noise_.scale;
}

// The bandwidth of least score on a geometric grid from width / 150 to the width.
template <class Score>
double Deconvolution::best_bandwidth(Score score) const {
  double best = domain_.width();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBandwidths; ++i) {
    const double h = domain_.width() * std::pow(150.0, -i / (kBandwidths - 1.0));
    const double value = score(h);
    if (value < least) least = value, best = h;
  }
  return best;
}

// Computes   (1/2pi) int t^(2 order) |phi_Z|^2 phi_K(ht)^2 / phi_noise^2 dt, an estimate of the integral of
// f^(order)^2
double Deconvolution::roughness(int order, double h) const {
  double sum = 0;
  for (Eigen::Index k = 0; k < kFrequencies; ++k) {
    const double t = step_ * static_cast<double>(k);
    const double weight = kernel(h * t);
    if (weight < 1e-30) break;
    const double inverse = inverse_noise(t) * weight;
    sum += std::pow(t, 2 * order) * (real_[k] * real_[k] + imaginary_[k] * imaginary_[k]) * inverse * inverse;
  }
  return sum * step_ / std::numbers::pi;
}

// The bandwidth at which the two leading terms of the bias of `roughness` cancel best.
double Deconvolution::roughness_bandwidth(int order, double next_roughness) const {
  // The kernel's second moment, -phi_K''(0): 1 for the Gaussian, 6 for (1 - t^2)^3.
  const double second_moment = noise_.law == NoiseLaw::laplace ? 1 : 6;
  return best_bandwidth([&](double h) {
    double sum = 0;
    for (Eigen::Index k = 0; k < kFrequencies; ++k) {
      const double t = step_ * static_cast<double>(k);
      const double weight = kernel(h * t);
      if (weight < 1e-30) break;
      const double inverse = inverse_noise(t) * weight;
      sum += std::pow(t, 2 * order) * inverse * inverse;
    }
    return std::abs(sum * step_ / (std::numbers::pi * n_) - h * h * second_moment * next_roughness);
  });
}

double Deconvolution::bootstrap_error(double h, const Position& pilot_power) const {
  double variance = 0;
  double fit = 0;
  for (Eigen::Index k = 0; k < kFrequencies; ++k) {
    const double t = step_ * static_cast<double>(k);
    const double weight = kernel(h * t);
    if (weight < 1e-30) break;
    const double inverse = inverse_noise(t) * weight;
    const double half = k == 0 ? 0.5 : 1;
    variance += half * inverse * inverse;
    fit += half * pilot_power[k] * ((1 - 1 / n_) * weight * weight - 2 * weight);
  }
  return (variance / n_ + fit) * step_ / std::numbers::pi;
}

double Deconvolution::bootstrap_bandwidth() const {
  // 1. A normal reference for the integral of f''''^2, then two plug-in stages.
  const double width = domain_.width();
  const double noise_variance = noise_sd() * noise_sd();
  const double largest = width * width / 12;  // of data that are uniform on the domain
  const double error = noise_variance * std::sqrt(5 / n_);
  const double sd = std::sqrt(std::clamp(variance_ - noise_variance, std::min(error, largest), largest));
  const double fourth = 1680 / (std::pow(2 * sd, 9) * std::sqrt(std::numbers::pi));  // 8! / 4!
  const double third = roughness(3, roughness_bandwidth(3, fourth));
  const double pilot = roughness_bandwidth(2, third);
  // 2. The bootstrap's own error.
  Position power(kFrequencies);
  for (Eigen::Index k = 0; k < kFrequencies; ++k) {
    const double t = step_ * static_cast<double>(k);
    const double weight = kernel(pilot * t);
    const double inverse = weight > 0 ? inverse_noise(t) * weight : 0;
    power[k] = (real_[k] * real_[k] + imaginary_[k] * imaginary_[k]) * inverse * inverse;
  }
  return best_bandwidth([&](double h) { return bootstrap_error(h, power); });
}

double Deconvolution::rule_of_thumb_bandwidth() const {
  if (noise_.law == NoiseLaw::laplace) return std::pow(5 * std::pow(noise_sd(), 4) / n_, 1.0 / 9);
  return noise_sd() * std::sqrt(2 / std::log(std::max(n_, 2.0)));
}

Position Deconvolution::density(double h, const Position& grid) const {
  const double middle = domain_.lower + domain_.width() / 2;
  Position estimate = Position::Zero(grid.size());
  for (Eigen::Index k = 0; k < kFrequencies; ++k) {
    const double t = step_ * static_cast<double>(k);
    const double weight = kernel(h * t);
    if (weight < 1e-30) break;
    const double half = k == 0 ? 0.5 : 1;
    const double factor = half * weight * inverse_noise(t) * step_ / std::numbers::pi;
    for (Eigen::Index x = 0; x < grid.size(); ++x) {
      const double angle = t * (grid[x] - middle);
      estimate[x] += factor * (real_[k] * std::cos(angle) + imaginary_[k] * std::sin(angle));
    }
  }
  return estimate;
}

Position positive_density(const Position& grid, const Position& estimate) {
  const Position positive = estimate.array().max(0);
  const double total = integral(grid, positive);
  return total > 0 ? Position(positive / total)
                   : Position(Position::Constant(grid.size(), 1 / (grid[grid.size() - 1] - grid[0])));
}

}  // namespace sotto::mixture
