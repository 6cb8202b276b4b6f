#include "sotto/posterior/curvature.hpp"

#include <cmath>

namespace sotto {
namespace {

constexpr int kSteps = 3;
constexpr double kDoubt = 0.5;

Matrix pseudo_inverse(const Matrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(matrix);
  const Position& values = solver.eigenvalues();
  return solver.eigenvectors() *
         values.cwiseMax(1e-3 * values[values.size() - 1]).cwiseInverse().asDiagonal() *
         solver.eigenvectors().transpose();
}

}  // namespace

void correct_curvature(PooledRelease& release, const Matrix& frame, const StandIn& stand_in,
                       const JointNormalPrior& prior) {
  if (stand_in.link() == Link::identity) return;
  const Eigen::Index d = release.score.size();
  const Matrix back =
      pseudo_inverse(frame * stand_in.slope(release.anchor) * frame.transpose()) * frame;
  const Position start = stand_in.expected(release.anchor);
  const Position score = release.score;
  const double variance = release.score_variance;
  for (int step = 0; step < kSteps; ++step) {
    const NormalBase base = normal_base(release, frame, prior);
    const Matrix root = Eigen::LLT<Matrix>(base.covariance).matrixL();
    Position average = Position::Zero(d);
    for (Eigen::Index j = 0; j < d; ++j) {
      for (const double sign : {-1.0, 1.0}) {
        const Position phi = base.mean + sign * std::sqrt(static_cast<double>(d)) * root.col(j);
        average += back * (stand_in.expected(release.anchor + frame.transpose() * phi) - start) - phi;
      }
    }
    const Position extra = release.information * (average / (2.0 * static_cast<double>(d)));
    release.score = score - extra;
    release.score_variance = variance + kDoubt * kDoubt * extra.squaredNorm() / static_cast<double>(d);
  }
}

}  // namespace sotto
