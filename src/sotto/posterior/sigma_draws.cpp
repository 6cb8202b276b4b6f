#include "sotto/posterior/sigma_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr int kSigmaGrid = 2000;
constexpr double kFromClip = 1.0 / 30;  // sigma over the clip: the grid's ends
constexpr double kToClip = 10;

struct Moments {
  double second, fourth;
};

/// E clip(N(0, s^2), -+h)^2 and E clip^4.
Moments clipped_moments(double s, double h) {
  const double k = h / s;
  const double above = std::erfc(k / std::numbers::sqrt2) / 2;
  const double density = std::exp(-k * k / 2) / std::sqrt(2 * std::numbers::pi);
  const double inside = 1 - 2 * above;
  const double k2 = k * k;
  const double second = inside - 2 * k * density + 2 * k2 * above;
  const double fourth = 3 * inside - 2 * density * (k2 * k + 3 * k) + 2 * k2 * k2 * above;
  return {s * s * second, s * s * s * s * fourth};
}

}  // namespace

Position draw_sigma(const OnceRound& last, const ResidualTails& tails, double rows, const Matrix& frame,
                    const Matrix& positions, const std::optional<CoefficientPrior>& log_prior,
                    ChainRng& rng) {
  const double h = last.plan.clip;
  const NoisyVector& squares = *last.residual_squares;
  std::vector<double> log_total(kSigmaGrid), weight(kSigmaGrid), cumulated(kSigmaGrid);
  double best = -HUGE_VAL;
  for (std::size_t i = 0; i < kSigmaGrid; ++i) {
    log_total[i] =
        std::log(h * kFromClip) + std::log(kToClip / kFromClip) * static_cast<double>(i) / (kSigmaGrid - 1);
    const Moments m = clipped_moments(std::exp(log_total[i]), h);
    const double variance =
        squares.variance +
        rows * std::max(m.fourth + tails.fourth(h) - m.second * m.second, 1e-12 * m.fourth);
    const double miss = squares.value[0] - rows * m.second;
    weight[i] = -0.5 * (miss * miss / variance + std::log(variance));
    if (log_prior) weight[i] += log_prior->log_density(log_total[i]);
    best = std::max(best, weight[i]);
  }
  double total = 0;
  for (std::size_t i = 0; i < kSigmaGrid; ++i) cumulated[i] = total += std::exp(weight[i] - best);
  const Matrix to_phi = inverse(frame.transpose());
  const double beyond = tails.square_beyond(h);
  const double doubt = std::sqrt(tails.square_beyond_variance(h));
  Position sigma(positions.rows());
  for (Eigen::Index k = 0; k < sigma.size(); ++k) {
    const double u = rng.uniform() * total;
    const auto at =
        static_cast<std::size_t>(std::lower_bound(cumulated.begin(), cumulated.end(), u) - cumulated.begin());
    const std::size_t cell = std::min(at, static_cast<std::size_t>(kSigmaGrid - 1));
    const double below = cell == 0 ? 0 : cumulated[cell - 1];
    const double within = (u - below) / (cumulated[cell] - below) - 0.5;
    const double spread = std::exp(log_total[cell] + within * (log_total[1] - log_total[0]));
    const double moved = (to_phi * (positions.row(k).transpose() - last.at)).squaredNorm();
    sigma[k] = std::sqrt(std::max(spread * spread - moved, 0.05 * spread * spread) +
                         std::max(beyond + doubt * rng.normal(), 0.0));
  }
  return sigma;
}

}  // namespace sotto
