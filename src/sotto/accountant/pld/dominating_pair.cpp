#include "sotto/accountant/pld/dominating_pair.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {
namespace {

constexpr double kDenormal = 1e-322;  // tails below the smallest normal number are off by less

// log(1 - w + w e^a)
double log_mixture(double w, double a) {
  if (w == 0) return 0;
  if (w == 1) return a;
  if (a > 30) return a + std::log(w + (1 - w) * std::exp(-a));
  const double mixture = (1 - w) + w * std::exp(a);
  return mixture < 0.5 ? std::log(mixture) : std::log1p(w * std::expm1(a));
}

// The a with log(1 - w + w e^a) = loss; -infinity or +infinity outside the range.
double inverse_log_mixture(double w, double loss) {
  if (w == 1) return loss;
  if (loss > 30) return loss - std::log(w) + std::log1p(-(1 - w) * std::exp(-loss));
  if (loss < -0.7) {
    const double rest = std::exp(loss) - (1 - w);
    return rest > 0 ? std::log(rest / w) : -kInfinity;
  }
  const double ratio = std::expm1(loss) / w;
  return ratio > -1 ? std::log1p(ratio) : -kInfinity;
}

double same_side_mass(double low, double high) {
  const bool low_is_lower_tail = low > 0 || (low == 0 && !std::signbit(low));
  const bool high_is_lower_tail = high > 0 || (high == 0 && !std::signbit(high));
  const double mass = low_is_lower_tail != high_is_lower_tail ? 1 + high - low : high - low;
  return std::max(mass, 0.0);
}

}  // namespace

DominatingPair::DominatingPair(Noise noise, double scale, double shift, double r, double s)
    : noise_(noise), scale_(scale), shift_(shift), r_(r), s_(s) {
  if (noise == Noise::gaussian && shift > 35 * scale) {
    throw Error(ErrorCode::configuration, "the noise is below 1/35 of what one row contributes: raise sigma");
  }
  if (noise == Noise::laplace && shift > 600 * scale) {
    throw Error(ErrorCode::configuration,
                "the noise is below 1/600 of what one row contributes: raise scale");
  }
  if (noise == Noise::laplace) {
    const double a = shift / scale;
    min_loss_ = log_mixture(r, -a) - log_mixture(s, a);
    max_loss_ = log_mixture(r, a) - log_mixture(s, -a);
  } else {
    min_loss_ = (r > 0 && r < 1 && s == 0) ? std::log1p(-r) : -kInfinity;
    max_loss_ = (s > 0 && s < 1 && r == 0) ? -std::log1p(-s) : kInfinity;
  }
  if (r > 0 && s == 0) anchor_ = std::max(min_loss_, -1e300);
  if (s > 0 && r == 0) anchor_ = std::min(max_loss_, 1e300);
  if (r == 1 || s == 1) anchor_ = 0;
}

DominatingPair DominatingPair::mirrored(const DominatingPair& base) {
  DominatingPair pair = base;
  pair.mirrored_ = true;
  pair.min_loss_ = -base.max_loss_;
  pair.anchor_ = 0;
  pair.zero_ = base.cut_at(0, base.inverse(0));
  const PairMass positive = base.base_between(pair.zero_, base.cut_above_everything());
  pair.atom_ = std::max(0.0, 1 - positive.p - positive.q);
  return pair;
}

double DominatingPair::signed_tail(double x) const {
  const double z = x / scale_;
  if (noise_ == Noise::laplace) return z < 0 ? std::exp(z) / 2 : -std::exp(-z) / 2;
  return z < 0 ? std::erfc(-z * M_SQRT1_2) / 2 : -std::erfc(z * M_SQRT1_2) / 2;
}

DominatingPair::Cut DominatingPair::cut_at(double loss, double x) const {
  // x - shift and the division round once each, erfc within an ulp; beyond 39 standard deviations tails vanish.
  const double z = std::min((std::abs(x) + shift_) / scale_, noise_ == Noise::gaussian ? 39.0 : 800.0);
  const double accuracy = 3e-16 * (3 + (noise_ == Noise::gaussian ? z * (z + 1) : z));
  return {loss,
          {signed_tail(x), r_ > 0 ? signed_tail(x - shift_) : 0, s_ > 0 ? signed_tail(x + shift_) : 0},
          accuracy,
          x};
}

// Of Laplace noise about `centre` between two places on one side of it: off by a share of itself, however close they are, where
// the difference of two tails is off by a share of those. The differences of places are exact up to one rounding.
std::optional<double> DominatingPair::close_mass(const Cut& low, const Cut& high, double centre) const {
  if (noise_ != Noise::laplace) return std::nullopt;
  if (!(low.place >= centre || high.place <= centre) || !(low.place <= high.place)) return std::nullopt;
  const double near = std::min(std::abs(low.place - centre), std::abs(high.place - centre)) / scale_;
  return -std::expm1(-(high.place - low.place) / scale_) * std::exp(-near) / 2;
}

DominatingPair::Cut DominatingPair::cut_below_everything() const { return {-kInfinity, {0.0, 0.0, 0.0}}; }
DominatingPair::Cut DominatingPair::cut_above_everything() const { return {kInfinity, {-0.0, -0.0, -0.0}}; }
DominatingPair::Cut DominatingPair::cut_above_low_atom() const {
  return cut_at(min_loss_, mirrored_ ? shift_ : s_ > 0 ? -shift_ : 0);
}
DominatingPair::Cut DominatingPair::cut_below_high_atom() const {
  return cut_at(max_loss_, r_ > 0 ? shift_ : 0);
}

double DominatingPair::exponent(double x) const {
  if (noise_ == Noise::laplace) return (std::abs(x) - std::abs(x - shift_)) / scale_;
  return shift_ * (2 * x - shift_) / (2 * scale_ * scale_);
}

double DominatingPair::loss_at(double x) const {
  return log_mixture(r_, exponent(x)) - log_mixture(s_, exponent(-x));
}

double DominatingPair::inverse(double loss) const {
  if (loss <= min_loss_ && noise_ == Noise::gaussian) return -kInfinity;
  if (loss >= max_loss_) return kInfinity;
  if (loss < min_loss_) return -kInfinity;
  if (r_ == 0) {
    DominatingPair reversed = *this;  // x -> -x, P <-> Q
    reversed.r_ = s_;
    reversed.s_ = 0;
    reversed.min_loss_ = -max_loss_;
    reversed.max_loss_ = -min_loss_;
    return -reversed.inverse(-loss);
  }
  const auto place = [&](double a) {
    if (noise_ == Noise::gaussian) return shift_ / 2 + scale_ * (scale_ / shift_) * a;
    if (a <= -shift_ / scale_) return 0.0;
    return std::min((shift_ + scale_ * a) / 2, shift_);
  };
  if (s_ == 0) return place(inverse_log_mixture(r_, loss));
  if (loss < 0) return -inverse(-loss);
  if (noise_ == Noise::laplace)
    return place(inverse_log_mixture(r_, loss + log_mixture(s_, -shift_ / scale_)));
  // t = e^(shift x / scale^2) solves c t^2 - (1 - r) (e^loss - 1) t - c e^loss = 0, c = r e^(-shift^2 / 2 scale^2), so that
  // t = e^(loss / 2) u with u - 1 / u = 2 (1 - r) sinh(loss / 2) / c, so log u = asinh((1 - r) sinh(loss / 2) / c).
  const double log_c = std::log(r_) - shift_ * shift_ / (2 * scale_ * scale_);
  const double log_sinh =
      loss < 1 ? std::log(std::sinh(loss / 2)) : loss / 2 + std::log(-std::expm1(-loss) / 2);
  const double log_ratio = std::log1p(-r_) + log_sinh - log_c;
  const double log_u = log_ratio < 300 ? std::asinh(std::exp(log_ratio)) : std::log(2) + log_ratio;
  return scale_ * (scale_ / shift_) * (loss / 2 + log_u);
}

DominatingPair::Cut DominatingPair::cut(double loss) const {
  if (mirrored_) {
    if (loss == 0) return zero_;
    DominatingPair base = *this;
    base.mirrored_ = false;
    base.min_loss_ = r_ < 1 && noise_ == Noise::gaussian ? std::log1p(-r_) : -kInfinity;
    const double x = base.inverse(std::abs(loss));
    return cut_at(loss, x);
  }
  const double x = inverse(loss);
  if (x == -kInfinity) return {loss, {0.0, 0.0, 0.0}};
  if (x == kInfinity) return {loss, {-0.0, -0.0, -0.0}};
  return cut_at(loss, x);
}

PairMass DominatingPair::base_between(const Cut& low, const Cut& high) const {
  const std::array<std::optional<double>, 3> close = {close_mass(low, high, 0), close_mass(low, high, shift_),
                                                      close_mass(low, high, -shift_)};
  const auto mass_of = [&](std::size_t k) {
    return close[k] ? *close[k] : same_side_mass(low.tail[k], high.tail[k]);
  };
  const double f0 = mass_of(0);
  const double plus = r_ > 0 ? mass_of(1) : 0;
  const double minus = s_ > 0 ? mass_of(2) : 0;
  PairMass mass;
  mass.p = (1 - r_) * f0 + r_ * plus;
  mass.q = (1 - s_) * f0 + s_ * minus;
  mass.difference = r_ * (plus - f0) - s_ * (minus - f0);
  if (r_ > 0 && s_ > 0) mass.difference = r_ * (plus - minus);
  const auto error = [&](std::size_t k) {
    if (close[k]) return (low.accuracy + high.accuracy) * *close[k] + kDenormal;
    return low.accuracy * std::abs(low.tail[k]) + high.accuracy * std::abs(high.tail[k]) + kDenormal;
  };
  constexpr double rounding = 4e-16;
  mass.q_error = (1 - s_) * error(0) + s_ * error(2) + rounding * mass.q;
  mass.difference_error = r_ * error(1) + s_ * error(2) + (r_ > 0 && s_ > 0 ? 0 : (r_ + s_) * error(0)) +
                          rounding * (r_ * (plus + f0) + s_ * (minus + f0));
  return mass;
}

PairMass DominatingPair::between(const Cut& low, const Cut& high) const {
  if (!mirrored_) return base_between(low, high);
  const auto mirror = [&](const Cut& near, const Cut& far) {  // losses -far .. -near of the mirror image
    const PairMass mass = base_between(near, far);
    return PairMass{mass.q, mass.p, -mass.difference, mass.q_error + mass.difference_error,
                    mass.difference_error};
  };
  const Cut above = cut_above_everything();
  if (low.loss >= 0) return base_between(low, high);
  const Cut& far = low.loss == -kInfinity ? above : low;  // the tails stored are those at -loss
  if (high.loss < 0) return mirror(high, far);
  const PairMass left = mirror(zero_, far);
  const PairMass right = base_between(zero_, high);
  return {left.p + atom_ + right.p, left.q + atom_ + right.q, left.difference + right.difference,
          left.q_error + right.q_error + 4e-16, left.difference_error + right.difference_error};
}

// A place, in units of the scale, which centred noise exceeds with probability at most `tail`.
double DominatingPair::quantile_above(double tail) const {
  const double t = std::clamp(tail, 1e-305, 0.5);
  if (noise_ == Noise::laplace) return -std::log(2 * t);
  double low = 0;
  double high = std::sqrt(-2 * std::log(t));
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle * M_SQRT1_2) / 2 <= t * (1 - 1e-9) ? high : low) = middle;
  }
  return high;
}

double DominatingPair::upper_loss(double tail) const {
  const double base = scale_ * quantile_above(r_ > 0 ? tail / 2 : tail);
  const double shifted = r_ > 0 ? shift_ + scale_ * quantile_above(tail / (2 * r_)) : 0;
  return std::min(max_loss_, loss_at(std::max(base, shifted)));
}

double DominatingPair::lower_loss(double tail) const {
  if (mirrored_) return -upper_loss(tail);
  return std::max(min_loss_, loss_at(-scale_ * quantile_above(tail)));
}

LossSketch DominatingPair::sketch(double tail, int points) const {
  LossSketch sketch;
  const bool gaussian = noise_ == Noise::gaussian;
  const double reach = gaussian ? scale_ * quantile_above(tail / 4) : 0;
  const double shifted = gaussian && r_ > 0 && r_ < 1 ? scale_ * quantile_above(tail / (4 * r_)) : reach;
  const double first = mirrored_ ? inverse(0) : (s_ > 0 ? -shift_ : 0) - reach;
  const double last = gaussian ? std::max(reach, r_ > 0 ? shift_ + shifted : 0) : (r_ > 0 ? shift_ : 0);
  const auto push = [&](double loss, double mass) {
    if (!(mass > 0)) return;
    sketch.loss.push_back(loss);
    sketch.mass.push_back(mass);
  };
  if (!gaussian) {
    const PairMass top = base_between(cut_at(0, last), cut_above_everything());
    push(min_loss_, mirrored_ ? top.q : base_between(cut_below_everything(), cut_at(0, first)).p);
    push(max_loss_, top.p);
  }
  Cut low = cut_at(0, first);
  for (int i = 0; i < points; ++i) {
    const double x = first + (last - first) * (i + 0.5) / points;
    const Cut high = cut_at(0, first + (last - first) * (i + 1.0) / points);
    const PairMass mass = base_between(low, high);
    push(loss_at(x), mass.p);
    if (mirrored_) push(-loss_at(x), mass.q);
    low = high;
  }
  if (mirrored_) push(0, atom_);
  return sketch;
}

}  // namespace sotto
