#include "sotto/accountant/composed_loss.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/math/fourier.hpp"

namespace sotto {
namespace {

constexpr double kMostExponent = 600;
constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;

// log sum_i mass_i e^(rate loss_i), rounded up.
double log_moment(const TiltedLoss& loss, double rate) {
  const double top = rate * loss.loss(rate > 0 ? loss.mass.size() - 1 : 0);
  double sum = 0;
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    if (loss.mass[i] > 0) sum += loss.mass[i] * std::exp(rate * loss.loss(i) - top);
  }
  if (sum < 1e-280) {  // all of it far below the topmost loss: start again from the largest term
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < loss.mass.size(); ++i) {
      if (loss.mass[i] > 0) largest = std::max(largest, std::log(loss.mass[i]) + rate * loss.loss(i));
    }
    sum = 0;
    for (std::size_t i = 0; i < loss.mass.size(); ++i) {
      if (loss.mass[i] > 0) sum += std::exp(std::log(loss.mass[i]) + rate * loss.loss(i) - largest);
    }
    return largest + std::log(sum);
  }
  return top + std::log(sum);
}

// Bound on the tilted probability of sums beyond `edge`: above it for rate > 0, below it for rate < 0.
double chernoff(const std::vector<TiltedPower>& parts, double edge, double rate) {
  double extreme = 0;
  double exponent = -rate * edge;
  double size = std::abs(rate * edge);
  for (const TiltedPower& part : parts) {
    const auto k = static_cast<double>(part.count);
    extreme += k * part.loss.loss(rate > 0 ? part.loss.mass.size() - 1 : 0);
    const double moment = k * log_moment(part.loss, rate);
    exponent += moment;
    size += std::abs(moment);
  }
  if (rate * (edge - extreme) > 0) return 0;
  return std::min(1.0, std::exp(exponent + 1e-9 * size));
}

std::complex<double> power(std::complex<double> z, std::uint64_t n) {
  std::complex<double> result = 1;
  for (; n > 0; n >>= 1) {
    if (n & 1)
      result = {result.real() * z.real() - result.imag() * z.imag(),
                result.real() * z.imag() + result.imag() * z.real()};
    z = {z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()};
  }
  return result;
}

// Multiplies `product` by the power of one part's transform; `error` follows the error of every coefficient.
void multiply(std::vector<std::complex<double>>& product, std::vector<double>& error, const TiltedPower& part,
              std::size_t size) {
  std::vector<double> folded(size, 0.0);
  const std::size_t mask = size - 1;
  double total = 0;
  for (std::size_t i = 0; i < part.loss.mass.size(); ++i) {
    folded[static_cast<std::size_t>(part.loss.first + static_cast<std::int64_t>(i)) & mask] +=
        part.loss.mass[i];
    total += part.loss.mass[i];
  }
  const std::vector<std::complex<double>> transform = real_to_complex(folded);
  const double here = fourier_error(size) * total + 1e-300;
  const auto k = static_cast<double>(part.count);
  for (std::size_t j = 0; j < product.size(); ++j) {
    if (product[j] == 0.0 && error[j] == 0) continue;
    const double modulus = std::abs(transform[j]) + here;
    const double log_modulus = k * std::log(modulus);
    const double old = std::abs(product[j]);
    if (log_modulus < -90) {
      error[j] = (old + error[j]) * 1e-39;
      product[j] = 0;
      continue;
    }
    const double bound = std::exp(log_modulus);  // of the true and of the computed power
    const double slack = k * bound / modulus * (here + 8 * kUnit * modulus);
    product[j] *= power(transform[j], part.count);
    error[j] = error[j] * bound + old * slack + error[j] * slack + 8 * kUnit * old * bound;
  }
}

}  // namespace

TiltedLoss tilted(const LossGrid& grid, double tilt) {
  TiltedLoss loss{grid.offset, grid.step, grid.first, grid.mass, 0, grid.infinite, 0};
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) top = std::max(top, std::log(grid.mass[i]) + tilt * grid.loss(i));
  }
  double sum = 0;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) sum += grid.mass[i] * std::exp(tilt * grid.loss(i) - top);
  }
  loss.log_scale = top + std::log(sum);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) loss.mass[i] = grid.mass[i] * std::exp(tilt * grid.loss(i) - loss.log_scale);
  }
  return loss;
}

TiltedLoss compose(const std::vector<TiltedPower>& parts, const LossWindow& window, std::size_t size,
                   double tilt, Side side, bool cut) {
  TiltedLoss sum;
  sum.step = parts.front().loss.step;
  double count = 0;
  double missing = 0;
  for (const TiltedPower& part : parts) {
    const auto k = static_cast<double>(part.count);
    count += k;
    sum.offset += k * part.loss.offset;
    sum.log_scale += k * part.loss.log_scale;
    sum.infinite += k * part.loss.infinite;
    missing += k * part.loss.missing;
  }
  const double spare = static_cast<double>(size) * sum.step - (window.high - window.low);
  sum.first = static_cast<std::int64_t>(std::floor((window.low - spare / 2 - sum.offset) / sum.step));
  std::vector<std::complex<double>> product(size / 2 + 1, 1.0);
  std::vector<double> error(size / 2 + 1, 0.0);
  for (const TiltedPower& part : parts) multiply(product, error, part, size);
  double modulus = 0;
  double total_error = 0;
  for (std::size_t j = 0; j < product.size(); ++j) {
    const double twice = j == 0 || j == size / 2 ? 1 : 2;
    modulus += twice * std::abs(product[j]);
    total_error += twice * error[j];
  }
  const double each =
      (total_error + fourier_error(size) * (modulus + total_error)) / static_cast<double>(size) * 1.01;
  const std::vector<double> circular = complex_to_real(product, size);
  sum.mass.resize(size);
  const double outward = side == Side::upper ? each : -each;
  for (std::size_t i = 0; i < size; ++i) {
    const auto index = static_cast<std::size_t>(sum.first + static_cast<std::int64_t>(i)) & (size - 1);
    sum.mass[i] = std::max(circular[index] + outward, 0.0);
  }
  const auto points = static_cast<std::int64_t>(size);
  const auto place = [&](double l) { return (l - sum.offset) / sum.step - static_cast<double>(sum.first); };
  const auto from = !cut ? 0
                         : std::clamp(static_cast<std::int64_t>(std::floor(place(window.low))) - 1,
                                      std::int64_t{0}, points - 1);
  const auto to =
      !cut ? points
           : std::clamp(static_cast<std::int64_t>(std::ceil(place(window.high))) + 2, from + 1, points);
  sum.mass.erase(sum.mass.begin() + to, sum.mass.end());
  sum.mass.erase(sum.mass.begin(), sum.mass.begin() + from);
  sum.first += from;
  sum.missing = missing * 1.01 +
                chernoff(parts, sum.loss(sum.mass.size() - 1) + sum.step, window.rate_above) +
                chernoff(parts, sum.loss(0) - sum.step, window.rate_below);
  // Rounding of losses and masses of the single steps, outward.
  const double margin = side == Side::upper ? 1 : -1;
  const double shift = margin * (count * kStepMargin * sum.step + 1e-14 * std::abs(sum.offset));
  sum.offset += shift;
  sum.log_scale += tilt * shift + margin * count * kMassMargin;  // a loss moves with its untilted probability
  return sum;
}

TiltedLoss regrid(const TiltedLoss& loss, double step, double tilt, Side side) {
  TiltedLoss out{0, step, 0, {}, loss.log_scale, loss.infinite, loss.missing};
  const double margin = side == Side::upper ? 1e-9 : -1e-9;
  const auto place = [&](double l) {
    const double steps = l / step + margin;
    return static_cast<std::int64_t>(side == Side::upper ? std::ceil(steps) : std::floor(steps));
  };
  out.first = place(loss.loss(0));
  const std::int64_t last = place(loss.loss(loss.mass.size() - 1));
  if (last - out.first > (1 << 26))
    throw Error(ErrorCode::configuration, "losses of very different size: account them apart");
  out.mass.assign(static_cast<std::size_t>(last - out.first) + 1, 0.0);
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    const std::int64_t index = place(loss.loss(i));
    const double moved = static_cast<double>(index) * step - loss.loss(i);
    out.mass[static_cast<std::size_t>(index - out.first)] += loss.mass[i] * std::exp(tilt * moved);
  }
  return out;
}

LossCurve::LossCurve(const TiltedLoss& loss, double tilt, double centre, Side side)
    : side_(side),
      tilt_(tilt),
      centre_(std::clamp(centre, loss.loss(0), loss.loss(loss.mass.size() - 1))),
      log_scale_(loss.log_scale),
      infinite_(loss.infinite),
      missing_(loss.missing),
      first_loss_(loss.loss(0)),
      step_(loss.step) {
  tail_p_.assign(loss.mass.size() + 1, 0.0);
  tail_q_.assign(loss.mass.size() + 1, 0.0);
  long double sum_p = 0;
  long double sum_q = 0;
  for (std::size_t i = loss.mass.size(); i-- > 0;) {
    const double away = loss.loss(i) - centre_;
    if (-(tilt + 1) * away > kMostExponent) {
      blind_ = i + 1;
      break;
    }
    const double p = loss.mass[i] > 0 ? loss.mass[i] * std::exp(-tilt * away) : 0;
    sum_p += p;
    sum_q += p * std::exp(-away);
    tail_p_[i] = static_cast<double>(sum_p);
    tail_q_[i] = static_cast<double>(sum_q);
  }
}

double LossCurve::delta(double epsilon) const {
  const double place = std::floor((epsilon - first_loss_) / step_) + 1;
  const auto size = static_cast<double>(tail_p_.size() - 1);
  auto i = static_cast<std::size_t>(std::clamp(place, 0.0, size));
  if (i < blind_) {
    if (side_ == Side::upper) return 1;
    i = blind_;  // losses left out only lower the bound
  }
  const double log_scale = log_scale_ - tilt_ * centre_;
  const double scale = std::exp(log_scale);
  const double p = tail_p_[i];
  const double sums = std::max(p - std::exp(epsilon - centre_) * tail_q_[i], 0.0) * scale;
  const double rounding = p * scale * 1e-12;
  // Largest weight of a loss above epsilon: e^(-tilt (l - epsilon)) (1 - e^(epsilon - l)) at e^(l - epsilon) = 1 + 1/tilt.
  const double weight = std::exp(-tilt_ * std::log1p(1 / tilt_)) / (1 + tilt_);
  const double outside = missing_ > 0 ? missing_ * weight * std::exp(log_scale_ - tilt_ * epsilon) : 0;
  const double slack = rounding + outside;
  const double underflow = 1e-300 * std::max(scale, 1.0);
  if (side_ == Side::upper) {
    const double delta = (sums + slack + infinite_) * (1 + 1e-9) + underflow;
    return delta <= 1 ? delta : 1;  // also where an overflow left no number
  }
  const double delta = (sums - slack) * (1 - 1e-9) - underflow;
  return delta > 0 ? std::min(delta, 1.0) : 0;
}

double LossCurve::epsilon(double target, double guess) const {
  const bool upper = side_ == Side::upper;
  const auto small_enough = [&](double e) { return delta(e) <= target; };
  if (upper && small_enough(0)) return 0;
  double low = 0;
  double high = std::max(first_loss_ + step_ * static_cast<double>(tail_p_.size()), step_);
  if (upper && !small_enough(high)) return std::numeric_limits<double>::infinity();
  if (!upper) {
    // Far below the tilt's place the lower bound falls back to 0, so look near the guess.
    double width = 0.25 / tilt_;
    low = std::clamp(guess, 0.0, high);
    while (low > 0 && small_enough(low)) {
      high = low;
      low = std::max(low - width, 0.0);
      width *= 1.5;
    }
    if (low == 0 && small_enough(0)) return 0;
    if (!small_enough(high)) return high;
  }
  for (int i = 0; i < 100 && high - low > 1e-13 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (small_enough(middle) ? high : low) = middle;
  }
  return upper ? high : low;
}

}  // namespace sotto
