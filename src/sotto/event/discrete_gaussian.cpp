#include "sotto/event/discrete_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto {
namespace {

// Beyond this many standard deviations lies less than 1e-300: the noise is sub-Gaussian [CKS20].
constexpr double kDiscreteReach = 38.5;

// Probabilities of -reach .. reach.
std::vector<double> discrete_noise(double sigma, std::int64_t reach) {
  std::vector<double> mass;
  for (std::int64_t j = -reach; j <= reach; ++j) {
    const auto x = static_cast<double>(j);
    mass.push_back(std::exp(-x * x / (2 * sigma * sigma)));
  }
  // Smallest first, so that the sum is good to a few units in the last place.
  long double total = 0;
  for (std::int64_t j = reach; j > 0; --j) total += 2 * mass[static_cast<std::size_t>(reach - j)];
  total += 1;
  for (double& m : mass) m /= static_cast<double>(total);
  return mass;
}

// The law of a sum, from -reach to reach, with one more number `factor` times as large as the noise added.
std::vector<double> with_one_more(const std::vector<double>& sum, const std::vector<double>& noise,
                                  int factor) {
  std::vector<double> out(sum.size(), 0.0);
  const auto n = static_cast<std::int64_t>(sum.size());
  const auto centre = static_cast<std::int64_t>(noise.size() / 2);
  for (std::int64_t k = -centre; k <= centre; ++k) {
    const double m = noise[static_cast<std::size_t>(k + centre)];
    const std::int64_t shift = k * factor;
    for (std::int64_t i = std::max<std::int64_t>(0, shift); i < std::min(n, n + shift); ++i)
      out[static_cast<std::size_t>(i)] += m * sum[static_cast<std::size_t>(i - shift)];
  }
  return out;
}

// Points of a grid of losses: point i is the loss (i / fine - 2 reach) h with h = 1 / (2 s^2), and d.X shows (|d|^2 + 2 d.X) h.
struct EdgeGrid {
  std::int64_t reach;  // of d.X
  std::int64_t fine;   // points in every h
  long double step;    // h / fine
};

// Raises a curve's values at the grid's points to those of one change d, of which `law` is that of d.X.
void raise(std::vector<long double>& curve, const std::vector<double>& law, std::int64_t norm2,
           const EdgeGrid& grid) {
  const long double stay = std::exp(-grid.step);
  const long double gain = -std::expm1(-grid.step);
  long double mass = 0;
  long double value = 0;  // sum over losses above of mass (1 - e^(here - loss))
  for (auto i = static_cast<std::int64_t>(curve.size()) - 1; i >= 0; --i) {
    value = stay * value + gain * mass;
    auto& here = curve[static_cast<std::size_t>(i)];
    here = std::max(here, value);
    const std::int64_t twice = i / grid.fine - 2 * grid.reach - norm2;  // 2 d.X, if its loss is at point i
    if (i % grid.fine != 0 || twice % 2 != 0 || std::abs(twice / 2) > grid.reach) continue;
    mass += law[static_cast<std::size_t>(twice / 2 + grid.reach)];
  }
}

}  // namespace

LatticeLoss DiscreteGaussianEvent::one_coordinate() const {
  const double variance = sigma * sigma;
  const auto reach = static_cast<std::int64_t>(std::ceil(kDiscreteReach * sigma + 2));
  return {sensitivity * sensitivity / (2 * variance), sensitivity / variance, -reach,
          discrete_noise(sigma, reach), 1e-300};
}

LatticeLoss DiscreteGaussianEvent::upper_edge(int changed) const {
  const auto largest = static_cast<std::int64_t>(sensitivity);
  const std::int64_t most = largest * largest;
  const auto reach = static_cast<std::int64_t>(std::ceil(kDiscreteReach * sigma * sensitivity + 2));
  const std::vector<double> noise =
      discrete_noise(sigma, static_cast<std::int64_t>(std::ceil(kDiscreteReach * sigma + 2)));
  const long double h = 1 / (2 * static_cast<long double>(sigma) * sigma);
  // Between two points the curves are straight, but not their largest: chords across a wide gap would lie above it.
  const auto fine = static_cast<std::int64_t>(std::ceil(h / 0.03L));
  const EdgeGrid grid{reach, fine, h / static_cast<long double>(fine)};
  std::vector<long double> curve(static_cast<std::size_t>((4 * reach + most + 1) * fine + 1), 0.0L);
  // All changes: how many coordinates change by 4, by 3, by 2, by 1.
  const auto visit = [&](const auto& self, std::int64_t change, std::int64_t norm2, int left,
                         const std::vector<double>& law) -> void {
    if (norm2 > 0) raise(curve, law, norm2, grid);
    for (std::int64_t d = change; d >= 1; --d) {
      if (left > 0 && norm2 + d * d <= most)
        self(self, d, norm2 + d * d, left - 1, with_one_more(law, noise, static_cast<int>(d)));
    }
  };
  std::vector<double> nothing(static_cast<std::size_t>(2 * reach + 1), 0.0);
  nothing[static_cast<std::size_t>(reach)] = 1;
  visit(visit, largest, 0, changed, nothing);

  // The polygon through these values: the mass that each kink takes, the topmost first.
  LatticeLoss edge{0, static_cast<double>(grid.step), -2 * reach * fine,
                   std::vector<double>(curve.size(), 0.0), 1e-300};
  const long double stay = std::exp(-grid.step);
  const long double gain = -std::expm1(-grid.step);
  long double mass = 0;
  long double value = 0;
  for (std::size_t i = curve.size(); i-- > 1;) {
    const long double below = stay * value + gain * mass;  // at point i - 1, without mass at point i
    const long double kink = std::max((curve[i - 1] - below) / gain, 0.0L);
    edge.mass[i] = static_cast<double>(kink) * (1 + 1e-11);
    mass += kink;
    value = below + gain * kink;
  }
  edge.mass[0] = static_cast<double>(std::max(1 - mass, 0.0L)) + 1e-11;
  return edge;
}

GaussianLoss DiscreteGaussianEvent::smoothed(double changed, Side side) const {
  const double variance = sigma * sigma;
  const double ratio = sensitivity / sigma;
  // Where a little more variance and a little less slack are worth the same.
  const double least = ratio * ratio / 2 / (40 * std::max(variance, 1.0));
  const double exponent = std::min(std::log(4.3 * changed / least), 2 * M_PI * M_PI * variance / 3);
  const double ripple = 2 * std::exp(-exponent) / -std::expm1(-3 * exponent);
  // Nothing is gained where the noise is far below the sensitivity, nor on a grid too coarse for it.
  if (!(exponent > 0 && ripple < 0.5)) {
    // Noise lies within one grid step of a Gaussian's, in every coordinate.
    return {ratio, ratio / sigma * std::sqrt(changed) * (1 + 1e-14)};
  }
  const double less = std::sqrt(1 - exponent / (2 * M_PI * M_PI) / variance);
  return {side == Side::upper ? ratio / less * (1 + 1e-15) : ratio * less * (1 - 1e-15),
          changed * (std::log1p(ripple) - std::log1p(-ripple)) * (1 + 1e-12)};
}

}  // namespace sotto
