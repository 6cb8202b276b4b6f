#include "sotto/posterior/stand_in.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kLeastSlope = 0.1;
constexpr double kLargestPredictor = 30;  // exp of it is beyond every count

}  // namespace

StandIn::StandIn(const OnceFacts& facts, const Matrix& frame, double rows, double offset)
    : function_{facts.link, 1}, rows_(rows), offset_(offset) {
  const Eigen::Index d = frame.rows();
  const Matrix back = inverse(frame);
  Matrix moments = back * back.transpose();
  if (facts.intercept) {
    moments /= moments(0, 0);
    mean_ = moments.col(0);
  } else {
    mean_ = Position::Zero(d);
  }
  covariance_ = moments - mean_ * mean_.transpose();
  Matrix padded = moments;
  padded.diagonal() *= 1 + 1e-12;
  const Cholesky root(padded);
  root_ = root.lower();
  root_inverse_ = root.half_solve(Matrix::Identity(d, d));
}

namespace {

std::array<double, 4> averages(const MeanFunction& f, double mean, double variance) {
  variance = std::max(variance, 0.0);
  if (f.link == Link::log) {
    return f.moments(std::clamp(mean + variance / 2, -kLargestPredictor, kLargestPredictor), 0);
  }
  return f.moments(mean, variance);
}

}  // namespace

Position StandIn::expected(const Position& at) const {
  const Position pull = covariance_ * at;
  const auto h = averages(function_, at.dot(mean_) + offset_, at.dot(pull));
  return rows_ * (h[0] * mean_ + h[1] * pull);
}

Matrix StandIn::slope(const Position& at) const {
  const Position pull = covariance_ * at;
  const auto h = averages(function_, at.dot(mean_) + offset_, at.dot(pull));
  const Matrix raw = h[1] * moments() + h[2] * (mean_ * pull.transpose() + pull * mean_.transpose()) +
                     h[3] * pull * pull.transpose();
  const Spectrum spectrum(root_inverse_ * raw * root_inverse_.transpose());
  return rows_ * (root_ * spectrum.with(spectrum.values().cwiseMax(kLeastSlope * h[1])) * root_.transpose());
}

NormalPredictor StandIn::predictor(const Position& at) const {
  return {at.dot(mean_) + offset_, std::sqrt(std::max(at.dot(covariance_ * at), 0.0))};
}

double StandIn::variance(const Position& at) const {
  return averages(function_, at.dot(mean_) + offset_, at.dot(covariance_ * at))[1];
}

double StandIn::typical_residual(const Position& at) const {
  const auto [centre, sd] = predictor(at);
  double sum = 0;
  double mass = 0;
  for (double t = -6; t <= 6; t += 0.05) {
    const double density = std::exp(-t * t / 2);
    sum += density / (1 + std::exp(-std::abs(centre + sd * t)));
    mass += density;
  }
  return sum / mass;
}

Position StandIn::mode(const Matrix& frame, const Position& score, const Matrix& noise, const Position& from,
                       const JointNormalPrior& prior) const {
  const Cholesky weight(noise);
  const Position start = score + frame * expected(from);
  const auto cost = [&](const Position& at) {
    const Position miss = start - frame * expected(at);
    const Position off = at - prior.location;
    return miss.dot(weight.solve(miss)) + off.dot(prior.precision * off);
  };
  Position at = from;
  double best = cost(at);
  double damping = 0;
  for (int step = 0; step < 80; ++step) {
    const Matrix jacobian = frame * slope(at);
    const Matrix weighted = weight.solve(jacobian);
    Matrix curvature = jacobian.transpose() * weighted + prior.precision;
    curvature.diagonal() *= 1 + damping;
    const Position pull =
        weighted.transpose() * (start - frame * expected(at)) - prior.precision * (at - prior.location);
    const Position candidate = at + Cholesky(curvature).solve(pull);
    const double value = cost(candidate);
    if (value < best) {
      const bool converged = best - value < 1e-8;
      at = candidate;
      best = value;
      damping = damping < 1e-3 ? 0 : damping / 4;
      if (converged) break;
    } else {
      if (damping > 1e8) break;
      damping = std::max(1e-2, 4 * damping);
    }
  }
  return at;
}

}  // namespace sotto
