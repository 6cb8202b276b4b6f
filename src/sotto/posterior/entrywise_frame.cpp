#include "sotto/posterior/entrywise_frame.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/math/adaptive_shrinkage.hpp"
#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kLeastMeanMoment = 0.2;    // of the moments, as weighted
constexpr double kShortestDirection = 0.2;  // eigenvalue of the shrunk moments: shorter ones are noise
constexpr double kEdge =
    2;  // of a spectrum of noise, over the standard deviation of an entry and the root of their number in a row
constexpr double kSeenEdge = 0.75;  // of what is left of the noise's spectrum: beyond, directions are hidden

/// Moments in one frame, and the variance of their noise; beside the diagonal it is half of that.
struct PooledMoments {
  Matrix value, variance;
};

PooledMoments pool_entries(const std::vector<AskedMoments>& rounds, const Matrix& frame) {
  Matrix sum = Matrix::Zero(frame.rows(), frame.rows());
  Matrix precision = sum;
  for (const AskedMoments& round : rounds) {
    const Matrix move = frame * inverse(round.frame);
    const Position square = move.rowwise().squaredNorm();
    const Matrix weight = (round.noise * round.noise * square * square.transpose()).cwiseInverse();
    sum += weight.cwiseProduct(move * round.moments * move.transpose());
    precision += weight;
  }
  const Matrix value = sum.cwiseQuotient(precision);
  const double level = std::max(value.diagonal().mean(), kLeastMeanMoment);
  return {value / level, precision.cwiseInverse() / (level * level)};
}

Position below_diagonal(const Matrix& matrix) {
  const Eigen::Index d = matrix.rows();
  Position entries(d * (d - 1) / 2);
  for (Eigen::Index i = 0, k = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < i; ++j) entries[k++] = matrix(i, j);
  return entries;
}

/// Eigenvalues; short ones differ by no more than what is left of the noise makes of them, and have their mean.
Position seen_lengths(const Position& values, double edge) {
  const auto shortest = (values.array() < std::max(edge, kShortestDirection)).count();
  Position lengths = values;
  if (shortest > 0)
    lengths.head(shortest).setConstant(std::max(values.head(shortest).mean(), kShortestDirection));
  return lengths;
}

}  // namespace

Frame entrywise_frame(const std::vector<AskedMoments>& rounds, const Matrix& frame) {
  const Eigen::Index d = frame.rows();
  const PooledMoments pooled = pool_entries(rounds, frame);
  const double noise = std::sqrt(below_diagonal(pooled.variance).mean() / 2);
  const ShrunkNumbers beside = adaptive_shrinkage(below_diagonal(pooled.value), noise);
  const Position off = pooled.value.diagonal().array() - 1;
  const double of_diagonal = pooled.variance.diagonal().mean();
  const double spread = std::max(off.cwiseAbs2().mean() - of_diagonal, 0.0);
  Matrix shrunk = Matrix::Identity(d, d);
  shrunk.diagonal() += off * (spread / (spread + of_diagonal));
  for (Eigen::Index i = 0, k = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < i; ++j) shrunk(i, j) = shrunk(j, i) = beside.mean[k++];
  const Spectrum spectrum(shrunk);
  const double edge = kEdge * noise * std::sqrt(static_cast<double>(d));
  return {
      spectrum.with(seen_lengths(spectrum.values(), kEdge * std::sqrt(beside.doubt2 * static_cast<double>(d)))
                        .cwiseSqrt()
                        .cwiseInverse()) *
          frame,
      spectrum.values()[0] > kShortestDirection && edge < kSeenEdge};
}

}  // namespace sotto
