#include "sotto/accountant/pld/loss_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {

LossCurve::LossCurve(const TiltedLoss& loss, double tilt, Side side)
    : side_(side),
      tilt_(tilt),
      log_scale_(loss.log_scale),
      log_error_(loss.log_error +
                 8 * kUnit *
                     (std::abs(loss.log_scale) +
                      tilt * (std::abs(loss.loss(0)) + std::abs(loss.loss(loss.mass.size() - 1))))),
      infinite_(loss.infinite),
      missing_(loss.missing + 1e-290),  // what underflows
      noise_(loss.noise),
      first_loss_(loss.loss(0)),
      step_(loss.step),
      mass_above_(loss.mass.size() + 1, 0.0),
      excess_above_(loss.mass.size() + 1, 0.0) {
  // All terms are positive, so that the relative error stays below 1e-12.
  const long double fall = std::exp(-static_cast<long double>(tilt) * step_);
  const long double stay = std::exp(-static_cast<long double>(step_));
  const long double gain = -std::expm1(-static_cast<long double>(step_));
  const long double least = std::numeric_limits<long double>::min() * 1e30L;
  long double mass = 0;
  long double excess = 0;
  for (std::size_t i = loss.mass.size(); i-- > 0;) {
    excess = fall * (stay * excess + gain * mass);
    mass = loss.mass[i] + fall * mass;
    if (mass < least) mass = excess = 0;  // no denormal numbers
    mass_above_[i] = static_cast<double>(mass);
    excess_above_[i] = static_cast<double>(excess);
  }
}

// Not a number anywhere: the upper side says 1, the lower 0.
double LossCurve::delta(double epsilon) const {
  const double place = std::floor((epsilon - first_loss_) / step_) + 1;
  const std::size_t size = mass_above_.size() - 1;
  auto i = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(size)));
  if (i < size && loss(i) <= epsilon) ++i;
  if (i > 0 && loss(i - 1) > epsilon) --i;
  const double error = (side_ == Side::upper ? 1 : -1) * (log_error_ + 8 * kUnit * tilt_ * std::abs(epsilon));
  double sums = 0;
  if (i < size) {
    const double below = epsilon - loss(i);
    const double share = excess_above_[i] * std::exp(below) - mass_above_[i] * std::expm1(below);
    if (!(share <= 0)) sums = std::exp(log_scale_ - tilt_ * loss(i) + std::log(share) + error);
  }
  // Largest weight of a loss above epsilon: e^(-tilt (l - epsilon)) (1 - e^(epsilon - l)) at e^(l - epsilon) = 1 + 1/tilt.
  const double weight = std::exp(-tilt_ * std::log1p(1 / tilt_)) / (1 + tilt_);
  // Norm of the weights of all losses above epsilon: a unimodal function's sum is at most its integral and its maximum.
  const double a = 2 * tilt_;
  const double norm = std::sqrt(std::min(2 / (a * (a + 1) * (a + 2)) / step_ + weight * weight,
                                         weight * weight * static_cast<double>(size)));
  double absent = missing_ * weight + noise_ * norm;
  if (side_ == Side::lower && epsilon < first_loss_) {
    // What is absent does not count here, what is at a wrong place lies on the grid: e^(-tilt (l - epsilon)) is a bound.
    const double far = std::exp(tilt_ * (epsilon - first_loss_));
    absent = far * (missing_ + noise_ * std::sqrt(std::min(1 + 1 / (a * step_), static_cast<double>(size))));
  }
  const double slack =
      !(absent <= 0) ? std::exp(log_scale_ - tilt_ * epsilon + std::log(absent) + std::abs(error)) : 0;
  if (side_ == Side::upper) {
    const double delta = (sums + slack + infinite_) * (1 + 1e-9) + 1e-300;
    return delta <= 1 ? delta : 1;
  }
  const double delta = (sums * (1 - 1e-9) - slack) - 1e-300;
  return delta > 0 ? std::min(delta, 1.0) : 0;
}

double LossCurve::epsilon(double target, double guess) const {
  const bool upper = side_ == Side::upper;
  const auto small_enough = [&](double e) { return delta(e) <= target; };
  if (upper && small_enough(0)) return 0;
  double low = 0;
  double high = std::max(loss(mass_above_.size()), step_);
  if (upper) {
    // Above the last loss what is absent still falls.
    for (int i = 0; i < 64 && !small_enough(high); ++i) {
      low = high;
      high += 4 / tilt_ + 0.1 * high;
    }
    if (!small_enough(high)) return std::numeric_limits<double>::infinity();
  } else {
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
