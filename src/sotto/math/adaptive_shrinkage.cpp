#include "sotto/math/adaptive_shrinkage.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace sotto {
namespace {

constexpr int kSteps = 200;
constexpr double kMoreAtZero = 10;
constexpr double kFinest = 0.25;  // standard deviation of a part, over the noise
constexpr double kWidest = 2;     // likewise, over the largest number

}  // namespace

ShrunkNumbers adaptive_shrinkage(const Position& seen, double noise) {
  std::vector<double> variances{0};
  const double largest = seen.size() > 0 ? seen.cwiseAbs().maxCoeff() : 0;
  for (double sd = kFinest * noise; sd < kWidest * largest; sd *= std::numbers::sqrt2)
    variances.push_back(sd * sd);
  const Eigen::ArrayXd variance =
      Eigen::Map<const Eigen::ArrayXd>(variances.data(), static_cast<Eigen::Index>(variances.size()));
  const Eigen::ArrayXd total = variance + noise * noise;
  // Of each number, by part: shape (numbers, parts), over the largest of its parts.
  const Eigen::ArrayXXd exponent =
      -seen.array().square().matrix() * (2 * total).inverse().matrix().transpose();
  const Eigen::ArrayXXd likelihood =
      (exponent.colwise() - exponent.rowwise().maxCoeff()).exp().rowwise() * total.rsqrt().transpose();
  Eigen::ArrayXd weight = Eigen::ArrayXd::Constant(variance.size(), 1 / static_cast<double>(variance.size()));
  const auto parts = [&] {
    Eigen::ArrayXXd part = likelihood.rowwise() * weight.transpose();
    return Eigen::ArrayXXd(part.colwise() / part.rowwise().sum());
  };
  for (int step = 0; step < kSteps; ++step) {
    Eigen::ArrayXd next = parts().colwise().sum().transpose();
    next[0] += kMoreAtZero;
    weight = next / next.sum();
  }
  const Matrix of_parts = parts();
  const Eigen::ArrayXd kept = variance / total;
  const Position mean = seen.cwiseProduct(of_parts * kept.matrix());
  const Position square = of_parts * (kept * noise * noise).matrix() +
                          seen.cwiseAbs2().cwiseProduct(of_parts * kept.square().matrix());
  return {mean, seen.size() > 0 ? (square - mean.cwiseAbs2()).mean() : 0};
}

}  // namespace sotto
