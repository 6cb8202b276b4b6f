#include "sotto/posterior/position_density.hpp"

#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {

PositionDensity::PositionDensity(const PositionTarget& target)
    : release_(target.release),
      frame_(target.frame),
      displacement_(target.displacement),
      prior_(target.prior),
      sigma_(target.sigma) {
  const auto& [release, frame, displacement, prior, sigma, residuals, edgeworth] = target;
  const NormalBase base = normal_base(release, frame, prior.normal);
  const Spectrum spread(release.spread);
  rotation_ = spread.vectors();
  const Matrix back = rotation_.transpose();
  spread_ = spread.values().cwiseMax(0).array();
  information_ = back * release.information * rotation_;
  score_ = back * release.score;
  columns_ = back * displacement.columns();
  weighted_columns_ = information_ * columns_;

  const Matrix to_theta = frame.transpose() * rotation_;
  const Spectrum precision(prior.normal.precision);
  const Matrix root =
      precision.values().cwiseMax(0).cwiseSqrt().asDiagonal() * precision.vectors().transpose();
  const auto& [straight, pull, deviation, predictors] = displacement.images();
  const Matrix turned = back * straight * to_theta;
  const Matrix turned_pull = back * pull * to_theta;
  const Eigen::Index d = frame.rows();
  predictors_ = predictors.rows();
  const Eigen::Index positions = prior.ratio ? d : 0;
  residuals_ = sigma ? d : 0;
  if (edgeworth) {
    const Position psi = back * base.mean;
    const Eigen::ArrayXd variance =
        spread_ + release.score_variance + release.information_variance / 2 * psi.squaredNorm();
    edgeworth_ = edgeworth->turned(rotation_, variance.inverse());
    spread_of_precision_ = (spread_ / variance).sum();
    slope_at_anchor_ = displacement.averages_at_anchor().slope;
    growth_ = to_theta.transpose() * displacement.growth();
  }
  const Matrix of_edgeworth = edgeworth_ ? edgeworth_->images() : Matrix(0, d);
  bends_ = of_edgeworth.rows();
  const Matrix residuals_of_psi = sigma ? Matrix(residuals.turn * rotation_) : Matrix(0, d);
  image_of_psi_.resize(kPredictors * d + predictors_ + residuals_ + bends_ + positions, d);
  image_of_psi_ << Matrix::Identity(d, d), root * to_theta, turned, information_ * turned, turned_pull,
      information_ * turned_pull, deviation * to_theta, predictors * to_theta, residuals_of_psi, of_edgeworth,
      to_theta.topRows(positions);
  image_of_anchor_.resize(image_of_psi_.rows());
  const Position origin = back * displacement.origin();
  const Position anchor_pull = back * (pull * release.anchor);
  image_of_anchor_ << Position::Zero(d), root * (release.anchor - prior.normal.location), -origin,
      -information_ * origin, anchor_pull, information_ * anchor_pull, deviation * release.anchor,
      predictors * release.anchor, residuals.from.head(residuals_), Position::Zero(bends_),
      release.anchor.head(positions);
  set_base(back * base.mean, back * base.covariance * rotation_);
}

void PositionDensity::set_base(const Position& centre, const Matrix& covariance) {
  const Eigen::Index d = centre.size();
  const Matrix root = Cholesky(covariance).lower();
  image_of_standard_.resize(d + image_of_psi_.rows(), d);
  image_of_standard_ << Matrix::Identity(d, d), image_of_psi_ * root;
  image_of_mean_ = image_of_anchor_ + image_of_psi_ * centre;
  const Matrix to_theta = frame_.transpose() * (rotation_ * root);
  const Matrix back = inverse(to_theta);
  deviations_.clear();
  for (const Matrix& part : prior_.deviations) {
    deviations_.push_back({back * (part * position(centre)), back * part * to_theta});
  }
}

double PositionDensity::operator()(const Image& image) const {
  const Eigen::Index d = dim();
  const Position own = image.tail(image.size() - d) + image_of_mean_;
  const auto part = [&](Part k) { return own.segment(k * d, d); };
  const auto [mean, slope] =
      displacement_.averages(own.segment(kPredictors * d, predictors_), part(kDeviation).squaredNorm());
  const Eigen::ArrayXd h = part(kStraight) + slope * part(kPull) + columns_ * mean;
  const Eigen::ArrayXd r =
      score_ - part(kWeightedStraight) - slope * part(kWeightedPull) - weighted_columns_ * mean;
  const double v = release_.information_variance / 2;
  const double level = edgeworth_ ? slope / slope_at_anchor_ : 1;
  const Eigen::ArrayXd variance = level * spread_ + (release_.score_variance + v * h.square().sum());
  const Eigen::ArrayXd inverse = variance.inverse();
  const double hh = (h.square() * inverse).sum();
  const double rh = (r * h * inverse).sum();
  const double rr = (r.square() * inverse).sum();
  double logs = 0;
  double product = 1;
  for (const double a : variance) {
    product *= a;
    if (product > 1e200 || product < 1e-200) {
      logs += std::log(product);
      product = 1;
    }
  }
  logs += std::log(product);
  const double rank = 1 + v * hh;
  double value = -0.5 * (logs + std::log(rank) + rr - v * rh * rh / rank + part(kPrior).squaredNorm());
  if (edgeworth_) {
    const Position w = inverse * (r - v * rh / rank * h);
    value += (*edgeworth_)(own.segment(kPredictors * d + predictors_ + residuals_, bends_), part(kPsi), w,
                           {.level = level,
                            .growth = growth_.dot(part(kPsi)),
                            .of_w = (spread_ * w.array().square()).sum(),
                            .of_precision = spread_of_precision_});
  }
  if (prior_.ratio) value += prior_.ratio(own.tail(d));
  if (sigma_)
    value += sigma_->log_density(own.segment(kPredictors * d + predictors_, residuals_).squaredNorm());
  return value;
}

}  // namespace sotto
