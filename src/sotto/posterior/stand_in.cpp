#include "sotto/posterior/stand_in.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/score_mode.hpp"

namespace sotto {
namespace {

constexpr double kLeastSlope = 0.1;
constexpr double kLeastSlopeOfThresholds = 1e-3;  // rare categories' are exact: they are parts of the rows
constexpr double kRare = 0.5;                     // of the rows
constexpr std::size_t kMostParts = 20;            // each is averaged over whenever a score is expected
constexpr std::size_t kMostPartsOfThreshold = 6;
constexpr double kLeastCommon = 0.02;     // of the rows: are in no part of a rare value
constexpr double kLargestPredictor = 30;  // exp of it is beyond every count

/// Of the moments the same share as in the schema's guess, in its direction.
Position guessed_mean(const OnceFacts& facts, const Matrix& moments) {
  const Position& mean = facts.column_mean;
  Matrix guessed = mean * mean.transpose();
  guessed.diagonal() += facts.column_sd.cwiseAbs2();
  const double held = mean.dot(inverse(moments) * mean);
  return held > 0 ? Position(mean * std::sqrt(mean.dot(inverse(guessed) * mean) / held)) : mean;
}

}  // namespace

StandIn::StandIn(const OnceFacts& facts, const Matrix& frame, double rows, bool resolved,
                 const ColumnSpread& offsets)
    : function_{facts.link, 1},
      rows_(rows),
      first_threshold_(facts.thresholds),
      threshold_weights_(facts.threshold_weights) {
  const Eigen::Index d = frame.rows();
  const Matrix back = inverse(frame);
  Matrix moments = back * back.transpose();
  const Position constant = facts.constant();
  if (constant.size() > 0) {
    moments /= constant.dot(moments * constant);
    mean_ = moments * constant;
  } else {
    mean_ = guessed_mean(facts, moments);
  }
  covariance_ = moments - mean_ * mean_.transpose();
  if (resolved && facts.intercept) agree_on_shares(facts);
  if (first_threshold_) forget_thresholds();
  parts_ = {{1, mean_}};
  within_ = covariance_;
  if (resolved && constant.size() > 0) split(facts);
  if (resolved && facts.offset && offsets.values.size() > 0) split(offsets);
  if (first_threshold_) split_thresholds();
  Matrix padded = this->moments();
  padded.diagonal() *= 1 + 1e-12;
  const Cholesky root(padded);
  root_ = root.lower();
  root_inverse_ = root.half_solve(Matrix::Identity(d, d));
}

/// Of a column of two values mean and variance tell the same share of the rows, each with noise of its own. Were they left to differ, what
/// the mean does not explain would be taken for a column that varies a little in all rows. Without an intercept shares of levels also add up
/// to one, and stay as they are.
void StandIn::agree_on_shares(const OnceFacts& facts) {
  for (Eigen::Index j = 1; j < mean_.size(); ++j) {
    if (!facts.indicator[static_cast<std::size_t>(j)]) continue;
    const Interval range = facts.range[static_cast<std::size_t>(j)];
    const double width = range.width();
    const double by_mean = (mean_[j] - range.lower) / width;
    const double by_square = covariance_(j, j) / (width * width) + by_mean * by_mean;
    // The mean is an entry off the diagonal, whose noise has half the variance.
    const double share = (2 * by_mean + by_square) / 3;
    if (!(share > 0 && share < 1 && covariance_(j, j) > 0)) continue;
    const double scale = width * std::sqrt(share * (1 - share) / covariance_(j, j));
    covariance_.row(j) *= scale;
    covariance_.col(j) *= scale;
    mean_[j] = range.lower + width * share;
  }
}

/// A column of two values splits the common rows in two. The common rows' mean says their shares; levels of one category, which
/// exclude each other, then leave nothing of themselves in the covariance within.
void StandIn::split(const OnceFacts& facts) {
  const auto share_of = [&](const Position& mean, Eigen::Index j) {
    const Interval range = facts.range[static_cast<std::size_t>(j)];
    return (mean[j] - range.lower) / range.width();
  };
  const auto rarity = [&](Eigen::Index j) {
    const double share = share_of(mean_, j);
    return std::min(share, 1 - share);
  };
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < mean_.size(); ++j) {
    if (facts.indicator[static_cast<std::size_t>(j)] && rarity(j) > 0 && rarity(j) < kRare)
      columns.push_back(j);
  }
  std::ranges::sort(columns, {}, rarity);
  for (const Eigen::Index j : columns) {
    const Part common = parts_.front();
    const double with = share_of(common.mean, j);
    const double share = std::min(with, 1 - with);
    const double width = facts.range[static_cast<std::size_t>(j)].width();
    if (!(share > 0) || !(within_(j, j) > 0)) continue;
    const std::size_t most = first_threshold_ ? kMostPartsOfThreshold : kMostParts;
    if (common.share * (1 - share) < kLeastCommon || parts_.size() == most) return;
    const Position apart = within_.col(j) * ((with < .5 ? width : -width) / within_(j, j));
    const double variance = std::min(common.share * share * (1 - share), within_(j, j) / (width * width));
    within_ -= variance * apart * apart.transpose();
    parts_.front() = {common.share * (1 - share), common.mean - share * apart};
    parts_.push_back({common.share * share, common.mean + (1 - share) * apart});
  }
}

/// The last column's values are moved and scaled to the mean and variance that the frame says.
void StandIn::split(const ColumnSpread& offsets) {
  const Eigen::Index last = mean_.size() - 1;
  const double variance = within_(last, last);
  const Position from_mean = offsets.values.array() - offsets.values.dot(offsets.shares);
  const double spread = from_mean.cwiseAbs2().dot(offsets.shares);
  if (!(variance > 0) || !(spread > 0)) return;
  const Position apart = within_.col(last) / variance;
  within_ -= variance * apart * apart.transpose();
  std::vector<Part> parts;
  for (const Part& part : parts_) {
    for (Eigen::Index k = 0; k < from_mean.size(); ++k) {
      if (offsets.shares[k] > 0)
        parts.push_back({part.share * offsets.shares[k],
                         part.mean + from_mean[k] * std::sqrt(variance / spread) * apart});
    }
  }
  parts_ = std::move(parts);
}

std::array<double, 4> StandIn::averages(double mean, double variance) const {
  variance = std::max(variance, 0.0);
  if (function_.link == Link::log || function_.link == Link::log_rate) {
    return function_.moments(std::clamp(mean + variance / 2, -kLargestPredictor, kLargestPredictor), 0);
  }
  return function_.moments(mean, variance);
}

StandIn StandIn::weighted(const Position& weights) const {
  StandIn all = *this;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    all.parts_[k].share *= weights[static_cast<Eigen::Index>(k)];
  return all;
}

Position StandIn::expected(const Position& at) const {
  const Position pull = within_ * at;
  Position sum = Position::Zero(at.size());
  for (const Part& part : parts_) {
    const auto h = averages(at.dot(part.mean), at.dot(pull));
    sum += part.share * (h[0] * part.mean + h[1] * pull);
  }
  return rows_ * sum;
}

Matrix StandIn::derivative(const Part& part, const Position& at) const {
  const Position pull = within_ * at;
  const auto h = averages(at.dot(part.mean), at.dot(pull));
  return h[1] * (within_ + part.mean * part.mean.transpose()) +
         h[2] * (part.mean * pull.transpose() + pull * part.mean.transpose()) +
         h[3] * pull * pull.transpose();
}

Matrix StandIn::derivative(const Position& at) const {
  Matrix sum = Matrix::Zero(at.size(), at.size());
  for (const Part& part : parts_) sum += part.share * derivative(part, at);
  return rows_ * sum;
}

Matrix StandIn::slope(const Position& at) const {
  const Spectrum spectrum(root_inverse_ * derivative(at) * root_inverse_.transpose());
  const double least = (first_threshold_ ? kLeastSlopeOfThresholds : kLeastSlope) * rows_ * variance(at);
  return root_ * spectrum.with(spectrum.values().cwiseMax(least)) * root_.transpose();
}

NormalPredictor StandIn::predictor(const Position& at) const {
  return {at.dot(mean_), std::sqrt(std::max(at.dot(covariance_ * at), 0.0))};
}

std::vector<NormalPredictor> StandIn::predictors(const Position& at) const {
  const double sd = std::sqrt(std::max(at.dot(within_ * at), 0.0));
  std::vector<NormalPredictor> all;
  for (const Part& part : parts_) all.push_back({at.dot(part.mean), sd, part.share});
  return all;
}

double StandIn::variance(const Position& at) const {
  double sum = 0;
  for (const Part& part : parts_) {
    sum += part.share * averages(at.dot(part.mean), at.dot(within_ * at))[1];
  }
  return sum;
}

double StandIn::typical_residual(const Position& at) const {
  double sum = 0;
  double mass = 0;
  for (const auto& [mean, sd, share] : predictors(at)) {
    for (double t = -6; t <= 6; t += 0.05) {
      const double density = share * std::exp(-t * t / 2);
      sum += density / (1 + std::exp(-std::abs(mean + sd * t)));
      mass += density;
    }
  }
  return sum / mass;
}

Position StandIn::mode(const Matrix& frame, const Position& score, const Matrix& noise, const Position& from,
                       const JointNormalPrior& prior, const std::function<void()>& wanted) const {
  const Position here = expected(from);
  const ScoreMean mean{[&](const Position& at) -> Position { return frame * (expected(at) - here); },
                       [&](const Position& at) -> Matrix { return frame * slope(at); }};
  return score_mode(mean, score, noise, from, prior, wanted);
}

}  // namespace sotto
