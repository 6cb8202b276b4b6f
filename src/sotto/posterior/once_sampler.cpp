#include "sotto/posterior/once_sampler.hpp"

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr int kSlices = 64;        // at first; twice as many as long as the chains still move together
constexpr int kSlicesBetween = 8;  // a chain's draws
constexpr int kMostSlices = 512;
constexpr double kStill = 3;  // standard errors of the mean log density
constexpr int kFits = 3;      // of the base to the chains, each after a few slices
constexpr int kSlicesOfFit = 8;
constexpr Eigen::Index kLeastChains = 50;
constexpr Eigen::Index kChainsPerDimension = 10;  // a covariance of as many is right to a third
constexpr Eigen::Index kMostFitted = 1000;        // chains, of more dimensions than a hundred
constexpr double kStretch = 2;                    // of the log radius
constexpr int kMostShrinks = 60;
constexpr Eigen::Index kServed = 4;  // slices that an ellipse's other end serves
constexpr Eigen::Index kRenewed = 8;

Matrix normals(Eigen::Index rows, Eigen::Index cols, ChainRng& rng) {
  Matrix z(rows, cols);
  for (Eigen::Index k = 0; k < z.size(); ++k) z.data()[k] = rng.normal();
  return z;
}

/// A slice in one dimension: shrinks a bracket around 0, where the chain is, until a point inside is as dense as a uniform
/// part of the density there. `density(a)` fills `candidate`.
/// Source     [N03, Sections 4 and 8]
template <class Density>
void shrink(double now, double width, ChainRng& rng, const Density& density) {
  const double level = now + std::log1p(-rng.uniform());
  double high = width * rng.uniform();
  double low = high - width;
  for (int step = 0; step < kMostShrinks; ++step) {
    const double a = low + (high - low) * rng.uniform();
    if (density(a) >= level) return;
    (a < 0 ? low : high) = a;
  }
  (void)density(0);
}

}  // namespace

PositionChains::PositionChains(const PositionDensity& density, Eigen::Index count, ChainRng& rng)
    : density_(&density), count_(count) {
  // Few chains could not tell whether they move together.
  images_ = density.images(normals(density.dim(), std::max(count, kLeastChains), rng));
}

/// One elliptical slice of every chain, then one along the ray from the base's mean: where noise hides the information,
/// tails are long, and one along all sizes of each group's deviations: where they are small, only small steps of the others are
/// taken. A t distribution is a normal one whose scale is drawn: given the point, an inverse gamma.
void PositionChains::slice(ChainRng& rng) {
  const PositionDensity& target = *density_;
  const Eigen::Index d = target.dim();
  const auto dim = static_cast<double>(d);
  // Images are carried along with their points. Where a point came near 0 and a ray takes it out again, their rounding grows with it.
  if (slices_ % kRenewed == 0) images_ = target.images(images_.topRows(d));
  const Eigen::Index shift = slices_++ % kServed;
  if (shift == 0) ends_ = target.images(normals(d, images_.cols(), rng));
  boost::random::gamma_distribution<double> gamma((PositionDensity::kBaseFreedom + dim) / 2);
  for (Eigen::Index k = 0; k < images_.cols(); ++k) {
    auto end = ends_.col((k + shift) % ends_.cols());
    from_ = images_.col(k);
    const double scale =
        std::sqrt((PositionDensity::kBaseFreedom + from_.head(d).squaredNorm()) / 2 / gamma(rng));
    double angle = 0;
    shrink(target(from_) - target.base(from_), 2 * std::numbers::pi, rng, [&](double a) {
      angle = a;
      candidate_ = std::cos(a) * from_ + (std::sin(a) * scale) * end;
      return target(candidate_) - target.base(candidate_);
    });
    end = std::cos(angle) * end - (std::sin(angle) / scale) * from_;
    from_ = candidate_;
    shrink(target(from_), kStretch, rng, [&](double a) {
      candidate_ = std::exp(a) * from_;
      return target(candidate_) + dim * a;
    });
    for (std::size_t g = 0; g < target.groups(); ++g) {
      from_ = candidate_;
      const Position deviations = target.deviations(g, from_);
      shrink(target(from_), kStretch, rng, [&](double a) {
        candidate_ = from_ + std::expm1(a) * deviations;
        return target(candidate_) + target.free_deviations(g) * a;
      });
    }
    images_.col(k) = candidate_;
  }
}

Eigen::ArrayXd PositionChains::log_densities() const {
  Eigen::ArrayXd values(images_.cols());
  for (Eigen::Index k = 0; k < values.size(); ++k) values[k] = (*density_)(images_.col(k));
  return values;
}

bool PositionChains::settle(ChainRng& rng, const std::function<bool()>& go_on) {
  Eigen::ArrayXd values = log_densities();
  for (int slices = kSlices / 2; slices < kMostSlices; slices *= 2) {
    const Eigen::ArrayXd before = values;
    for (int s = 0; s < slices; ++s) {
      if (!go_on()) return false;
      slice(rng);
    }
    values = log_densities();
    const double error2 =
        ((values - values.mean()).square().mean() + (before - before.mean()).square().mean()) /
        static_cast<double>(values.size());
    const double move = values.mean() - before.mean();
    if (slices >= kSlices && move * move <= kStill * kStill * error2) return true;
  }
  return false;
}

void PositionChains::go_on(ChainRng& rng) {
  for (int s = 0; s < kSlicesBetween; ++s) slice(rng);
}

Matrix PositionChains::positions() const {
  const Matrix points = density_->points(images_.leftCols(count_));
  Matrix positions(count_, points.rows());
  for (Eigen::Index k = 0; k < count_; ++k) positions.row(k) = density_->position(points.col(k)).transpose();
  return positions;
}

Matrix PositionChains::points() const { return density_->points(images_); }

void PositionChains::have_base_of(const Matrix& off, const Matrix& covariance) {
  images_ = density_->images(Cholesky(covariance).half_solve(off));
}

/// The fixed point of normal_base, where a density begins, does not see its tails.
void fit_base(PositionDensity& density, Eigen::Index least, ChainRng& rng,
              const std::function<bool()>& go_on) {
  const Eigen::Index count =
      std::max({least, std::min(kChainsPerDimension * density.dim(), kMostFitted), 2 * density.dim()});
  PositionChains chains(density, count, rng);
  for (int fit = 0; fit < kFits; ++fit) {
    for (int s = 0; s < kSlicesOfFit; ++s) {
      if (!go_on()) return;
      chains.slice(rng);
    }
    const Matrix points = chains.points();
    const Position mean = points.rowwise().mean();
    const Matrix off = points.colwise() - mean;
    const Matrix covariance = off * off.transpose() / static_cast<double>(count);
    density.set_base(mean, covariance);
    if (fit + 1 < kFits) chains.have_base_of(off, covariance);
  }
}

}  // namespace sotto
