// The stand-in of ordered categories: every part has rows of one threshold, and those of a response go together.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/posterior/stand_in.hpp"

namespace sotto {
namespace {

constexpr double kRoundingOfVariance = 1e-13;  // over what it is a difference of

}  // namespace

/// What is known of them need not be taken from noisy moments.
void StandIn::forget_thresholds() {
  const Eigen::Index others = threshold_weights_.size() - 1;
  mean_.segment(*first_threshold_, others).setZero();
  covariance_.middleRows(*first_threshold_, others).setZero();
  covariance_.middleCols(*first_threshold_, others).setZero();
}

/// Rows of a response are alike but for their threshold.
void StandIn::split_thresholds() {
  const Eigen::Index others = threshold_weights_.size() - 1;
  const Position shares = threshold_weights_ / threshold_weights_.sum();
  std::vector<Part> parts;
  for (const Part& part : parts_) {
    for (Eigen::Index k = 0; k <= others; ++k) {
      Position mean = part.mean;
      if (k > 0) mean[*first_threshold_ + k - 1] = 1;
      parts.push_back({part.share * shares[k], std::move(mean)});
    }
  }
  parts_ = std::move(parts);
  const Position of_columns = shares.tail(others);
  mean_.segment(*first_threshold_, others) = of_columns;
  Matrix covariance = -of_columns * of_columns.transpose();
  covariance.diagonal() += of_columns;
  covariance_.block(*first_threshold_, *first_threshold_, others, others) = covariance;
}

double StandIn::shift(const Position& at, Eigen::Index threshold) const {
  return threshold == 0 ? 0 : at[*first_threshold_ + threshold - 1];
}

std::vector<NormalPredictor> StandIn::common_predictors(const Position& at) const {
  std::vector<NormalPredictor> common;
  const auto thresholds = static_cast<std::size_t>(threshold_weights_.size());
  const std::vector<NormalPredictor> all = predictors(at);  // a part's first threshold adds nothing
  for (std::size_t k = 0; k < all.size(); k += thresholds) {
    double share = 0;
    for (std::size_t j = k; j < k + thresholds; ++j) share += all[j].share;
    common.push_back({all[k].mean, all[k].sd, share});
  }
  return common;
}

ThresholdRows StandIn::threshold(const Position& at, Eigen::Index k) const {
  ThresholdRows rows{0, Matrix::Zero(at.size(), at.size())};
  const double share = threshold_weights_[k] / threshold_weights_.sum();
  const auto step = static_cast<std::size_t>(threshold_weights_.size());
  for (std::size_t p = static_cast<std::size_t>(k); p < parts_.size(); p += step) {
    const Part& part = parts_[p];
    rows.mean += part.share / share * averages(at.dot(part.mean), at.dot(within_ * at))[0];
    rows.information += part.share / share * derivative(part, at);
  }
  return rows;
}

Position StandIn::along(const Position& at) const {
  const Position pull = within_ * at;
  const double variance = at.dot(pull);
  const double scale = at.cwiseAbs2().dot(mean_.cwiseAbs2() + covariance_.diagonal().cwiseMax(0));
  if (!(variance > kRoundingOfVariance * scale)) return Position::Zero(at.size());
  return pull / std::sqrt(variance);
}

Position StandIn::over_threshold(const Position& at, Eigen::Index k,
                                 const std::function<double(double)>& f) const {
  const double share = threshold_weights_[k] / threshold_weights_.sum();
  const auto step = static_cast<std::size_t>(threshold_weights_.size());
  const Position with_predictor = along(at);
  const double sd = at.dot(with_predictor);
  Position sum = Position::Zero(at.size());
  for (std::size_t p = static_cast<std::size_t>(k); p < parts_.size(); p += step) {
    const Part& part = parts_[p];
    double mass = 0;
    double mean = 0;
    double tilted = 0;
    for (double t = -4; t <= 4; t += 0.25) {
      const double density = std::exp(-t * t / 2);
      const double value = density * f(1 / (1 + std::exp(-(at.dot(part.mean) + sd * t))));
      mass += density;
      mean += value;
      tilted += t * value;
    }
    sum += part.share / share / mass * (mean * part.mean + tilted * with_predictor);
  }
  return sum;
}

Matrix StandIn::ordered_squares(const Position& at) const {
  const Eigen::Index thresholds = threshold_weights_.size();
  const std::vector<NormalPredictor> common = common_predictors(at);
  const Position with_predictor = along(at);
  Matrix sum = Matrix::Zero(at.size(), at.size());
  for (std::size_t p = 0; p < common.size(); ++p) {
    // w_j w_k Cov(1{y > j}, 1{y > k}): its mean, and what goes with the linear predictor and with its square.
    Matrix products = Matrix::Zero(thresholds, thresholds);
    Matrix tilted = products;
    double bent = 0;
    double mass = 0;
    for (double t = -4; t <= 4; t += 0.25) {
      const double density = std::exp(-t * t / 2);
      Position beyond(thresholds);
      for (Eigen::Index k = 0; k < thresholds; ++k)
        beyond[k] = 1 / (1 + std::exp(-(common[p].mean + common[p].sd * t + shift(at, k))));
      Matrix covariance = -beyond * beyond.transpose();
      for (Eigen::Index j = 0; j < thresholds; ++j) {
        for (Eigen::Index k = 0; k < thresholds; ++k) covariance(j, k) += beyond[std::max(j, k)];
      }
      covariance = density * (threshold_weights_.asDiagonal() * covariance * threshold_weights_.asDiagonal());
      products += covariance;
      tilted += t * covariance;
      bent += (t * t - 1) * covariance.sum();
      mass += density;
    }
    Matrix means(at.size(), thresholds);
    for (Eigen::Index k = 0; k < thresholds; ++k)
      means.col(k) = parts_[p * static_cast<std::size_t>(thresholds) + static_cast<std::size_t>(k)].mean;
    const Position tilt = means * tilted.rowwise().sum();
    const Matrix across = tilt * with_predictor.transpose();
    sum += common[p].share / mass *
           (means * products * means.transpose() + across + across.transpose() + products.sum() * within_ +
            bent * with_predictor * with_predictor.transpose());
  }
  return rows_ / static_cast<double>(thresholds) * sum;
}

double StandIn::typical_ordered_score(const Position& at, const Matrix& frame) const {
  const Eigen::Index thresholds = threshold_weights_.size();
  const std::vector<NormalPredictor> common = common_predictors(at);
  const double within = (frame * within_ * frame.transpose()).trace();
  double squares = 0;
  double mass = 0;
  for (std::size_t p = 0; p < common.size(); ++p) {
    const Part* parts = parts_.data() + p * static_cast<std::size_t>(thresholds);
    Matrix means(frame.rows(), thresholds);
    for (Eigen::Index k = 0; k < thresholds; ++k) means.col(k) = frame * parts[k].mean;
    for (double t = -2.5; t <= 2.5; t += 0.5) {
      const double density = common[p].share * std::exp(-t * t / 2);
      Position residuals(thresholds);  // of the first category, times weights
      for (Eigen::Index k = 0; k < thresholds; ++k)
        residuals[k] =
            -threshold_weights_[k] / (1 + std::exp(-(common[p].mean + common[p].sd * t + shift(at, k))));
      double largest = 0;
      for (Eigen::Index k = 0; k <= thresholds; ++k) {
        largest =
            std::max(largest, (means * residuals).squaredNorm() + std::pow(residuals.sum(), 2) * within);
        if (k < thresholds) residuals[k] += threshold_weights_[k];
      }
      squares += density * largest;
      mass += density;
    }
  }
  return std::sqrt(squares / mass);
}

double StandIn::ordered_dispersion(const Position& at) const {
  const auto trace = [this](const Matrix& m) {
    return (root_inverse_ * m * root_inverse_.transpose()).trace();
  };
  return trace(ordered_squares(at)) / trace(slope(at));
}

}  // namespace sotto
