#include "sotto/posterior/sigma_draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr int kSigmaGrid = 2000;
constexpr double kFromClip = 1e-4;  // sigma over the clip: the ends of the first grid
constexpr double kToClip = 10;
constexpr double kUnlikely = 35;  // log densities below the highest

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

/// log(sigma of the clipped law) at the middle of cells of equal width, and log densities there.
struct SigmaGrid {
  Position log_spread = Position::Zero(kSigmaGrid);
  Position log_density = Position::Zero(kSigmaGrid);

  template <class LogDensity>
  SigmaGrid(double from, double to, const LogDensity& density) {
    log_spread = Position::LinSpaced(kSigmaGrid, from, to);
    for (int i = 0; i < kSigmaGrid; ++i) log_density[i] = density(log_spread[i]);
  }
  [[nodiscard]] double width() const { return log_spread[1] - log_spread[0]; }
};

}  // namespace

Position draw_sigma(const OnceRound& last, const ResidualTails& tails, double rows, double rows_variance,
                    double alike, const Matrix& frame, const Matrix& positions,
                    const std::optional<CoefficientPrior>& log_prior, ChainRng& rng) {
  const double h = last.plan.clip;
  const NoisyVector& squares = *last.residual_squares;
  const auto log_density = [&](double log_spread) {
    const Moments m = clipped_moments(std::exp(log_spread), h);
    const double variance =
        squares.variance + rows_variance * m.second * m.second +
        alike * rows * std::max(m.fourth + tails.fourth(h) - m.second * m.second, 1e-12 * m.fourth);
    const double miss = squares.value[0] - rows * m.second;
    return -0.5 * (miss * miss / variance + std::log(variance)) +
           (log_prior ? log_prior->log_density(log_spread) : 0);
  };
  // Over all that may be, then where the density lies: it may be narrower than a cell of the first.
  SigmaGrid grid(std::log(h * kFromClip), std::log(h * kToClip), log_density);
  for (int look = 0; look < 2; ++look) {
    const auto likely = grid.log_density.array() > grid.log_density.maxCoeff() - kUnlikely;
    Eigen::Index first = 0;
    Eigen::Index end = kSigmaGrid;
    while (first < end - 1 && !likely[first]) ++first;
    while (end - 1 > first && !likely[end - 1]) --end;
    grid = SigmaGrid(grid.log_spread[std::max<Eigen::Index>(first - 1, 0)],
                     grid.log_spread[std::min<Eigen::Index>(end, kSigmaGrid - 1)], log_density);
  }
  const Position weight = (grid.log_density.array() - grid.log_density.maxCoeff()).exp();
  std::vector<double> cumulated(kSigmaGrid);
  std::partial_sum(weight.begin(), weight.end(), cumulated.begin());
  const Matrix to_phi = inverse(frame.transpose());
  const double beyond = tails.square_beyond(h);
  const double doubt = std::sqrt(tails.square_beyond_variance(h));
  Position sigma(positions.rows());
  for (Eigen::Index k = 0; k < sigma.size(); ++k) {
    const double u = rng.uniform() * cumulated.back();
    const auto at =
        static_cast<std::size_t>(std::lower_bound(cumulated.begin(), cumulated.end(), u) - cumulated.begin());
    const std::size_t cell = std::min(at, static_cast<std::size_t>(kSigmaGrid - 1));
    const double below = cell == 0 ? 0 : cumulated[cell - 1];
    const double within = (u - below) / (cumulated[cell] - below) - 0.5;
    const double spread = std::exp(grid.log_spread[static_cast<Eigen::Index>(cell)] + within * grid.width());
    const double moved = (to_phi * (positions.row(k).transpose() - last.at)).squaredNorm();
    sigma[k] = std::sqrt(std::max(spread * spread - moved, 0.05 * spread * spread) +
                         std::max(beyond + doubt * rng.normal(), 0.0));
  }
  return sigma;
}

}  // namespace sotto
