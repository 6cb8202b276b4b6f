#include "sotto/math/mean_function.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace sotto {
namespace {

constexpr Eigen::Index kNodes = 32;

struct Quadrature {
  Eigen::VectorXd nodes, weights;
};

/// Gauss-Hermite rule for the standard normal, from the eigenvalues of its Jacobi matrix [GW69].
Quadrature make_quadrature() {
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(kNodes, kNodes);
  for (Eigen::Index k = 1; k < kNodes; ++k)
    jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(static_cast<double>(k));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(jacobi);
  return {solver.eigenvalues(), solver.eigenvectors().row(0).array().square().matrix().transpose()};
}

std::array<double, 4> logistic_derivatives(double eta) {
  const double e = std::exp(-std::abs(eta));
  const double p = (eta < 0 ? e : 1.0) / (1 + e);
  const double v = e / ((1 + e) * (1 + e));
  const double skew = 1 - 2 * p;
  return {p, v, v * skew, v * (skew * skew - 2 * v)};
}

}  // namespace

std::array<double, 4> MeanFunction::moments(double mean, double variance) const {
  switch (link) {
    case Link::identity:
      return {precision * mean, precision, 0, 0};
    case Link::log: {
      const double value = std::exp(mean + variance / 2);
      return {value, value, value, value};
    }
    case Link::logit:
      break;
  }
  static const Quadrature rule = make_quadrature();
  const double sd = std::sqrt(variance);
  std::array<double, 4> total{};
  for (Eigen::Index k = 0; k < kNodes; ++k) {
    const std::array<double, 4> value = logistic_derivatives(mean + sd * rule.nodes[k]);
    for (std::size_t i = 0; i < 4; ++i) total[i] += rule.weights[k] * value[i];
  }
  return total;
}

}  // namespace sotto
