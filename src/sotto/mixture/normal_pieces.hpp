// A normal density times that of Laplace or Gaussian noise: normal densities again, piece by piece.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "sotto/base/interval.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/normal_interval.hpp"

namespace sotto::mixture {

/// A part of the line on which q(z | y) f(y | theta) is proportional to a normal density.
struct NormalPiece {
  double lower, upper, mean, sd;
  double log_mass;  ///< log of the integral of q f over the piece
};

/// At most four pieces: below the domain, in it on either side of z, above it.
class NormalPieces {
 public:
  void add(double lower, double upper, double mean, double sd, double log_factor) {
    if (!(lower < upper)) return;
    const double log_mass = log_factor + log_interval((lower - mean) / sd, (upper - mean) / sd);
    piece_[count_++] = {lower, upper, mean, sd, log_mass};
  }
  [[nodiscard]] double log_total() const {
    double top = -HUGE_VAL;
    for (std::size_t p = 0; p < count_; ++p) top = std::fmax(top, piece_[p].log_mass);
    double sum = 0;
    for (std::size_t p = 0; p < count_; ++p) sum += std::exp(piece_[p].log_mass - top);
    return top + std::log(sum);
  }
  double draw(ChainRng& rng) const {
    const double total = log_total();
    double at = rng.uniform();
    std::size_t p = 0;
    while (p + 1 < count_ && (at -= std::exp(piece_[p].log_mass - total)) >= 0) ++p;
    return draw_normal_in(piece_[p].mean, piece_[p].sd, piece_[p].lower, piece_[p].upper, rng);
  }

 private:
  std::array<NormalPiece, 4> piece_{};
  std::size_t count_ = 0;
};

/// Laplace noise of scale b about y in the domain.
/// Computes   on y <= z: exp(-(z-y)/b) N(y | m, s^2) = exp((m-z)/b + s^2/(2 b^2)) N(y | m + s^2/b,
///            s^2); mirrored above
inline void add_inside(NormalPieces& pieces, double z, double b, Interval domain,
                       const NormalParameter& theta) {
  const double middle = std::clamp(z, domain.lower, domain.upper);
  const double shift = theta.sd * theta.sd / b;
  pieces.add(domain.lower, middle, theta.mean + shift, theta.sd, (theta.mean - z) / b + shift / (2 * b));
  pieces.add(middle, domain.upper, theta.mean - shift, theta.sd, (z - theta.mean) / b + shift / (2 * b));
}

/// J(x, s) = exp(s^2/2 - s x) P(N(0,1) < x - s), in [0, 1]: the integral of exp(-s (x - v)) N(v | 0, 1) over
/// v < x.
inline double tilted_tail(double x, double s) {
  const double t = s - x;
  if (t < 35) return 0.5 * std::exp(s * (0.5 * s - x)) * std::erfc(t / std::numbers::sqrt2);
  return std::exp(-0.5 * x * x) / (t * std::sqrt(2 * std::numbers::pi)) * (1 - 1 / (t * t));
}

}  // namespace sotto::mixture
