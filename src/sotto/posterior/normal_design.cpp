#include "sotto/posterior/normal_design.hpp"

#include <algorithm>

namespace sotto {

NormalDesign NormalDesign::from_moments(const Matrix& moments, bool intercept, double rows) {
  const Eigen::Index d = moments.rows();
  if (!intercept) return {rows, Position::Zero(d), moments / rows};
  NormalDesign design{moments(0, 0), moments.col(0) / moments(0, 0), {}};
  design.covariance = moments / design.mass - design.mean * design.mean.transpose();
  return design;
}

Position NormalDesign::expected(const MeanFunction& f, const Position& theta) const {
  const Position pull = covariance * theta;
  const auto h = f.moments(mean.dot(theta), std::max(0.0, theta.dot(pull)));
  return mass * (h[0] * mean + h[1] * pull);
}

Matrix NormalDesign::information(const MeanFunction& f, const Position& theta) const {
  const Position pull = covariance * theta;
  const auto h = f.moments(mean.dot(theta), std::max(0.0, theta.dot(pull)));
  return mass * (h[1] * (mean * mean.transpose() + covariance) +
                 h[2] * (mean * pull.transpose() + pull * mean.transpose()) + h[3] * pull * pull.transpose());
}

}  // namespace sotto
