#include "sotto/posterior/once_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace sotto {
namespace {

constexpr int kSlices = 24;           // normal priors: the base is nearly the target
constexpr int kSlicesOfOthers = 100;  // other priors: it is only near
constexpr int kFits = 3;              // of the base to the chains, each after a few slices
constexpr int kSlicesOfFit = 8;
constexpr Eigen::Index kChainsOfFit = 4;  // at least so many per dimension
constexpr double kBaseSpread = 1.25;      // of the base's covariance, so that it covers the target's tails
constexpr int kMostShrinks = 60;
constexpr Eigen::Index kTogether = 512;  // chains per product of matrices

using Densities = Eigen::ArrayXd;

/// Log target less log base, in the coordinates psi = U' phi in which the score's spread is diagonal; one column a chain.
class Target {
 public:
  Target(const PooledRelease& release, const Matrix& frame, const ResolvedPrior& prior)
      : release_(release), frame_(frame), ratio_(prior.ratio) {
    const NormalBase base = normal_base(release, frame, prior.normal);
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(release.spread);
    const Matrix& u = solver.eigenvectors();
    rotation_ = u;
    spread_ = solver.eigenvalues().cwiseMax(0).array() + release.score_variance;
    information_ = u.transpose() * release.information * u;
    score_ = u.transpose() * release.score;
    precision_ = u.transpose() * frame * prior.normal.precision * frame.transpose() * u;
    pull_ = u.transpose() * (frame * prior.normal.precision * (prior.normal.location - release.anchor));
    set_base(u.transpose() * base.mean, u.transpose() * base.covariance * u);
  }

  /// The normal distribution around which slices are taken: any is right, a near one is fast.
  void set_base(const Position& centre, const Matrix& covariance) {
    const Eigen::LLT<Matrix> solver(kBaseSpread * covariance);
    root = solver.matrixL();
    mean = centre;
    const Matrix inverse = solver.solve(Matrix::Identity(mean.size(), mean.size()));
    quadratic_ = inverse - precision_;
    linear_ = pull_ - inverse * mean;
  }

  /// By Sherman and Morrison's formula: the score's covariance is diagonal plus v / 2 psi psi'.
  [[nodiscard]] Densities operator()(const Matrix& psi) const {
    const double v = release_.information_variance / 2;
    const Matrix miss = (-information_ * psi).colwise() + score_;
    const Matrix curved = quadratic_ * psi;
    Densities values(psi.cols());
    for (Eigen::Index k = 0; k < psi.cols(); ++k) {
      const auto p = psi.col(k).array();
      const auto r = miss.col(k).array();
      const double extra = v * p.square().sum();
      double logs = 0;
      double rr = 0;
      double rp = 0;
      double pp = 0;
      double product = 1;
      for (Eigen::Index j = 0; j < p.size(); ++j) {
        const double a = spread_[j] + extra;
        const double inverse = 1 / a;
        rr += r[j] * r[j] * inverse;
        rp += r[j] * p[j] * inverse;
        pp += p[j] * p[j] * inverse;
        product *= a;
        if (product > 1e200 || product < 1e-200) {
          logs += std::log(product);
          product = 1;
        }
      }
      logs += std::log(product);
      const double rank = 1 + v * pp;
      values[k] = -0.5 * (logs + std::log(rank) + rr - v * rp * rp / rank) +
                  0.5 * psi.col(k).dot(curved.col(k)) + linear_.dot(psi.col(k));
      if (ratio_) values[k] += ratio_(position(psi.col(k)));
    }
    return values;
  }
  [[nodiscard]] Position position(const Position& psi) const {
    return release_.anchor + frame_.transpose() * (rotation_ * psi);
  }
  [[nodiscard]] bool normal_prior() const { return !ratio_; }

  Matrix root;
  Position mean;

 private:
  const PooledRelease& release_;
  const Matrix& frame_;
  const PriorRatio& ratio_;
  Matrix rotation_, information_, precision_, quadratic_;
  Position score_, pull_, linear_;
  Eigen::ArrayXd spread_;
};

Matrix normals(Eigen::Index rows, Eigen::Index cols, ChainRng& rng) {
  Matrix z(rows, cols);
  for (Eigen::Index k = 0; k < z.size(); ++k) z.data()[k] = rng.normal();
  return z;
}

/// One elliptical slice of every chain; those that still shrink their bracket are gathered into one matrix.
void slice(const Target& target, Matrix& points, Densities& values, ChainRng& rng) {
  const Eigen::Index chains = points.cols();
  const Matrix offset = points.colwise() - target.mean;
  const Matrix other = target.root * normals(points.rows(), chains, rng);
  std::vector<double> level(static_cast<std::size_t>(chains)), angle(level), low(level), high(level);
  std::vector<Eigen::Index> open(static_cast<std::size_t>(chains));
  for (std::size_t k = 0; k < open.size(); ++k) {
    open[k] = static_cast<Eigen::Index>(k);
    level[k] = values[open[k]] + std::log1p(-rng.uniform());
    high[k] = angle[k] = 2 * std::numbers::pi * rng.uniform();
    low[k] = high[k] - 2 * std::numbers::pi;
  }
  for (int shrink = 0; shrink < kMostShrinks && !open.empty(); ++shrink) {
    Matrix candidates(points.rows(), static_cast<Eigen::Index>(open.size()));
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double a = angle[static_cast<std::size_t>(open[i])];
      candidates.col(static_cast<Eigen::Index>(i)) =
          target.mean + std::cos(a) * offset.col(open[i]) + std::sin(a) * other.col(open[i]);
    }
    const Densities proposed = target(candidates);
    std::vector<Eigen::Index> still;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto k = static_cast<std::size_t>(open[i]);
      const auto column = static_cast<Eigen::Index>(i);
      if (proposed[column] >= level[k]) {
        points.col(open[i]) = candidates.col(column);
        values[open[i]] = proposed[column];
        continue;
      }
      (angle[k] < 0 ? low : high)[k] = angle[k];
      angle[k] = low[k] + (high[k] - low[k]) * rng.uniform();
      still.push_back(open[i]);
    }
    open = std::move(still);
  }
}

/// Fits the base to where the chains have come. Its tails may be thinner than the target's: what the fixed point of
/// normal_base does not see.
void fit_base(Target& target, Matrix& points, Densities& values, ChainRng& rng) {
  const auto chains = static_cast<double>(points.cols());
  if (points.cols() < kChainsOfFit * points.rows()) return;
  for (int fit = 0; fit < kFits; ++fit) {
    for (int s = 0; s < kSlicesOfFit; ++s) slice(target, points, values, rng);
    const Position mean = points.rowwise().mean();
    const Matrix off = points.colwise() - mean;
    target.set_base(mean, off * off.transpose() / chains);
    values = target(points);
  }
}

}  // namespace

Matrix draw_positions(const PooledRelease& release, const Matrix& frame, const ResolvedPrior& prior,
                      Eigen::Index draws, ChainRng& rng) {
  Target target(release, frame, prior);
  const Eigen::Index d = release.score.size();
  Matrix result(draws, d);
  for (Eigen::Index first = 0; first < draws; first += kTogether) {
    const Eigen::Index count = std::min(kTogether, draws - first);
    Matrix points = (target.root * normals(d, count, rng)).colwise() + target.mean;
    Densities values = target(points);
    fit_base(target, points, values, rng);
    const int slices = target.normal_prior() ? kSlices : kSlicesOfOthers;
    for (int s = 0; s < slices; ++s) slice(target, points, values, rng);
    for (Eigen::Index k = 0; k < count; ++k) {
      result.row(first + k) = target.position(points.col(k)).transpose();
    }
  }
  return result;
}

}  // namespace sotto
