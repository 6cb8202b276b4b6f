// The posterior without privacy: its mode and curvature.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/simulated_regression.hpp"

namespace sotto {

struct NormalFit {
  Position mean, sd;
  double sigma = 1;
};

/// Mode and curvature of the non-private posterior under the default prior that exact spreads give, by Newton's method.
[[nodiscard]] inline NormalFit non_private(const SimulatedRegression& data, bool with_prior = true) {
  const Eigen::Index d = data.x.cols();
  const auto n = static_cast<double>(data.x.rows());
  const Position mean = data.x.colwise().mean();
  NormalFit fit{Position::Zero(d), {}, 1};
  if (data.link == Link::identity) {
    const Position least = (data.x.transpose() * data.x).ldlt().solve(data.x.transpose() * data.y);
    fit.sigma = std::sqrt((data.y - data.x * least).squaredNorm() / (n - static_cast<double>(d)));
  }
  const double unit =
      data.link == Link::identity ? std::sqrt((data.y.array() - data.y.mean()).square().mean()) : 1.0;
  Matrix precision = Matrix::Zero(d, d);
  Position location = Position::Zero(d);
  if (with_prior) {
    if (data.link == Link::identity) location[0] = data.y.mean();
    precision += mean * mean.transpose() / (25 * unit * unit);
    for (Eigen::Index j = 1; j < d; ++j) {
      const double spread = std::sqrt((data.x.col(j).array() - mean[j]).square().mean());
      const double sd = unit * (data.indicator[static_cast<std::size_t>(j)] ? 2.5 : 1.25 / spread);
      precision(j, j) += 1 / (sd * sd);
    }
  }
  if (data.offset) {
    const CoefficientPrior known = known_coefficient(*data.offset);
    location[d - 1] = known.location;
    precision(d - 1, d - 1) = 1 / (known.scale * known.scale);
  }
  if (data.link == Link::log) fit.mean[0] = std::log(data.y.mean() + 0.1);
  fit.mean[d - 1] += data.offset.value_or(0);
  Matrix curvature;
  for (int step = 0; step < 60; ++step) {
    const Eigen::ArrayXd eta = data.x * fit.mean;
    Eigen::ArrayXd m = eta;
    Eigen::ArrayXd v = Eigen::ArrayXd::Ones(eta.size());
    if (data.link == Link::logit) {
      m = (1 + (-eta).exp()).inverse();
      v = m * (1 - m);
    } else if (data.link == Link::log) {
      v = m = eta.min(30.0).exp();
    }
    const double s2 = fit.sigma * fit.sigma;
    curvature = data.x.transpose() * (v / s2).matrix().asDiagonal() * data.x + precision;
    const Position pull =
        data.x.transpose() * ((data.y.array() - m) / s2).matrix() - precision * (fit.mean - location);
    const Position move = curvature.ldlt().solve(pull);
    fit.mean += move / std::max(1.0, (data.x * move).norm() / std::sqrt(n) /
                                         (data.link == Link::identity ? 1e300 : 1));
    if (pull.dot(move) < 1e-9) break;
  }
  fit.sd = curvature.inverse().diagonal().cwiseSqrt();
  return fit;
}

}  // namespace sotto
