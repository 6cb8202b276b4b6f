#include "sotto/posterior/edgeworth.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kPredictorReach = 5;  // standard deviations of the linear predictor, on either side
constexpr double kPredictorStep = 0.25;
constexpr double kLargestLogMean = 30;
constexpr double kMostAdded = 1;  // of the terms' sum
constexpr double kMostTaken = 4;  // likewise: where few events of a level are seen hardly any is unlikely
constexpr double kWideClip =
    4;  // standard deviations: what lies beyond hardly has a part in the third cumulant

/// Second derivative of the mean function.
double bend(Link link, double predictor) {
  if (link == Link::log) return std::exp(std::clamp(predictor, -kLargestLogMean, kLargestLogMean));
  const double mean = 1 / (1 + std::exp(-predictor));
  return mean * (1 - mean) * (1 - 2 * mean);
}

}  // namespace

Edgeworth::Edgeworth(const StandIn& stand_in, const Matrix& frame, const Position& anchor, double level) {
  const auto parts = static_cast<Eigen::Index>(stand_in.parts().size());
  averages_ = Matrix::Zero(parts, 4);
  images_.resize(parts + 1, frame.rows());
  shares_.resize(parts);
  length_ = (frame * stand_in.moments() * frame.transpose()).trace() / static_cast<double>(frame.rows());
  const Position pull = stand_in.within() * anchor;
  const double sd = std::sqrt(std::max(anchor.dot(pull), 0.0));
  images_.row(parts).setZero();
  if (sd > 0) images_.row(parts) = (frame * pull).transpose() / sd;
  for (Eigen::Index p = 0; p < parts; ++p) {
    const Part& part = stand_in.parts()[static_cast<std::size_t>(p)];
    shares_[p] = part.share;
    images_.row(p) = (frame * part.mean).transpose();
    double mass = 0;
    for (double t = -kPredictorReach; t <= kPredictorReach; t += kPredictorStep) {
      const double density = std::exp(-t * t / 2);
      const double value = density * bend(stand_in.link(), anchor.dot(part.mean) + sd * t);
      mass += density;
      averages_.row(p) += value * Eigen::RowVector4d(1, t, t * t, t * t * t);
    }
    averages_.row(p) *= level * stand_in.rows() * part.share / mass;
  }
}

Edgeworth Edgeworth::turned(const Matrix& rotation, const Position& w) const {
  Edgeworth result = *this;
  result.images_ = images_ * rotation;
  result.contracted_ = result.contracted(w);
  return result;
}

double Edgeworth::operator()(const Position& of_phi, const Position& phi, const Position& w,
                             const Following& following) const {
  const Eigen::Index parts = shares_.size();
  const Position of_w = images_ * w;
  const double b = of_phi[parts];
  const double c = of_w[parts];
  // Of rows of a part, given t: covariances of x' phi and x' w.
  double both = length_ * phi.dot(w) - b * c;
  double square = length_ * w.squaredNorm() - c * c;
  for (Eigen::Index p = 0; p < parts; ++p) {
    both -= shares_[p] * of_phi[p] * of_w[p];
    square -= shares_[p] * of_w[p] * of_w[p];
  }
  square = std::max(square, 0.0);
  double sum =
      -contracted_.dot(phi + w) / 2 - following.growth * (following.of_w - following.of_precision) / 2;
  for (Eigen::Index p = 0; p < parts; ++p) {
    const auto g = averages_.row(p);
    const double f = of_phi[p];
    const double u = of_w[p];
    // (f + b t)(u + c t)^2 + (f + b t) square + 2 (u + c t) both, and (u + c t)^3 + 3 (u + c t) square
    const double phi_w_w = g[0] * (f * (u * u + square) + 2 * u * both) +
                           g[1] * (b * (u * u + square) + 2 * c * (f * u + both)) +
                           g[2] * (c * (f * c + 2 * b * u)) + g[3] * b * c * c;
    const double w_w_w = g[0] * u * (u * u + 3 * square) + g[1] * 3 * c * (u * u + square) +
                         g[2] * 3 * u * c * c + g[3] * c * c * c;
    sum += phi_w_w / 2 + following.level * w_w_w / 6;
  }
  return std::clamp(sum, -kMostTaken, kMostAdded);
}

Position Edgeworth::contracted(const Position& diagonal) const {
  const Eigen::Index parts = shares_.size();
  const Position along = images_.row(parts).transpose();
  const auto weighed = [&](const Position& a, const Position& b) {
    return (diagonal.array() * a.array() * b.array()).sum();
  };
  const Matrix means = images_.topRows(parts);
  double within = length_ * diagonal.sum() - weighed(along, along);
  for (Eigen::Index p = 0; p < parts; ++p)
    within -= shares_[p] * weighed(means.row(p).transpose(), means.row(p).transpose());
  // Of a vector a, times a diagonal: its covariances with each coordinate, given t.
  const auto across = [&](const Position& a) {
    Position result = length_ * diagonal.cwiseProduct(a) - weighed(along, a) * along;
    for (Eigen::Index p = 0; p < parts; ++p)
      result -= shares_[p] * weighed(means.row(p).transpose(), a) * means.row(p).transpose();
    return result;
  };
  const Position of_along = across(along);
  Position sum = Position::Zero(diagonal.size());
  for (Eigen::Index p = 0; p < parts; ++p) {
    const auto g = averages_.row(p);
    const Position mean = means.row(p).transpose();
    const Position of_mean = across(mean);
    const double uu = weighed(mean, mean) + within;
    const double uc = weighed(mean, along);
    const double cc = weighed(along, along);
    sum += g[0] * (uu * mean + 2 * of_mean) + g[1] * (uu * along + 2 * uc * mean + 2 * of_along) +
           g[2] * (cc * mean + 2 * uc * along) + g[3] * cc * along;
  }
  return sum;
}

std::optional<Edgeworth> edgeworth(const OnceRelease& release) {
  const OnceFacts& facts = release.facts;
  const BoundsPlan& plan = release.rounds.back().plan;
  const bool binary = facts.link == Link::logit && !facts.thresholds;
  const bool counts = facts.link == Link::log && release.spread.dispersion == 0 && plan.clip >= kWideClip;
  if ((!binary && !counts) || facts.unit_sizes) return std::nullopt;
  const Matrix& frame = release.frame.matrix;
  const Matrix expected = frame * release.stand_in.slope(release.pooled.anchor) * frame.transpose();
  return Edgeworth(release.stand_in, frame, release.pooled.anchor,
                   release.pooled.information.trace() / expected.trace());
}

}  // namespace sotto
