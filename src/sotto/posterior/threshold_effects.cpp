#include "sotto/posterior/threshold_effects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

constexpr double kWidth = 1.5;           // of the bound, in a typical response's vectors
constexpr double kUnlikeStandIn = .5;    // of what effects at all thresholds do: doubt
constexpr double kLeastVariance = 1e-9;  // of a contrast: below it is rounding
constexpr double kTypicalTail = 2;       // largest |u| of a typical response
constexpr double kClear = 4;             // standard deviations

/// The stand-in's rows of every threshold.
std::vector<ThresholdRows> all_thresholds(const PlanPoint& point) {
  std::vector<ThresholdRows> all;
  for (Eigen::Index k = 0; k < point.facts.threshold_weights.size(); ++k)
    all.push_back(point.stand_in.threshold(point.at, k));
  return all;
}

/// b' Cov(1{y > j}, 1{y > k}) b, over all responses.
double variance_of(const Position& b, const std::vector<ThresholdRows>& thresholds) {
  double sum = 0;
  for (Eigen::Index j = 0; j < b.size(); ++j) {
    for (Eigen::Index k = 0; k < b.size(); ++k) {
      // Of the mode that is looked for, thresholds may cross.
      const double one = thresholds[static_cast<std::size_t>(j)].mean;
      const double other = thresholds[static_cast<std::size_t>(k)].mean;
      sum += b[j] * b[k] * std::min(one, other) * (1 - std::max(one, other));
    }
  }
  return sum;
}

/// By Gram and Schmidt; of variance 1 over all responses.
Matrix contrasts_of(const Position& weights, const std::vector<ThresholdRows>& thresholds) {
  const Eigen::Index count = weights.size();
  const Eigen::Index size = std::min<Eigen::Index>(2, count - 1);
  Position slopes(count), means(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const ThresholdRows& rows = thresholds[static_cast<std::size_t>(k)];
    slopes[k] = weights[k] * rows.information(0, 0);
    means[k] = rows.mean;
  }
  Matrix basis(count, size + 1);
  for (Eigen::Index power = 0; power <= size; ++power) {
    basis.col(power) = means.array().pow(power);
    for (Eigen::Index k = 0; k < power; ++k) {
      const Position weighted = slopes.cwiseProduct(basis.col(k));
      basis.col(power) -= weighted.dot(basis.col(power)) / weighted.dot(basis.col(k)) * basis.col(k);
    }
  }
  Matrix contrasts = weights.asDiagonal() * basis.rightCols(size);
  for (Eigen::Index a = 0; a < size; ++a) {
    const double variance = variance_of(contrasts.col(a), thresholds);
    // Thresholds at one place have no contrast.
    if (variance > kLeastVariance && contrasts.col(a).allFinite()) {
      contrasts.col(a) /= std::sqrt(variance);
    } else {
      contrasts.col(a).setZero();
    }
  }
  return contrasts;
}

/// The largest |t| of a typical response.
double largest_contrast(const Matrix& contrasts, const std::vector<ThresholdRows>& thresholds) {
  Position t = Position::Zero(contrasts.cols());
  for (Eigen::Index k = 0; k < contrasts.rows(); ++k)
    t -= thresholds[static_cast<std::size_t>(k)].mean * contrasts.row(k).transpose();
  double largest = t.norm();
  for (Eigen::Index k = 0; k < contrasts.rows(); ++k) {
    t += contrasts.row(k).transpose();
    largest = std::max(largest, t.norm());
  }
  return largest;
}

double tail(double mean, double level) { return (1 - 2 * mean) * (1 - 2 * mean) - level; }

/// The level at which no common shift moves u.
double mean_tail(const PlanPoint& point) {
  double tails = 0;
  double slopes = 0;
  for (Eigen::Index k = 0; k < point.facts.threshold_weights.size(); ++k) {
    const auto average = [&](const auto& f) {
      return point.facts.threshold_weights[k] * point.stand_in.over_threshold(point.at, k, f)[0];
    };
    tails += average([](double mean) { return mean * (1 - mean) * tail(mean, 0); });
    slopes += average([](double mean) { return mean * (1 - mean); });
  }
  return slopes > 0 ? tails / slopes : 0;
}

/// The standard deviation of u, were all thresholds' residuals one.
double largest_tail_sd(const PlanPoint& point, double level) {
  double sum = 0;
  for (Eigen::Index k = 0; k < point.facts.threshold_weights.size(); ++k) {
    const double square = point.stand_in.over_threshold(
        point.at, k, [&](double mean) { return mean * (1 - mean) * std::pow(tail(mean, level), 2); })[0];
    sum += point.facts.threshold_weights[k] * std::sqrt(square);
  }
  return sum;
}

}  // namespace

std::vector<Eigen::Index> columns_for_threshold_effects(const OnceFacts& facts) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = 1; j < facts.unknown(); ++j) {
    if (!facts.is_threshold(j) && !facts.in_group(j)) columns.push_back(j);
  }
  return columns;
}

ThresholdEffectsQuery threshold_effects_query(const PlanPoint& point, std::vector<Eigen::Index> columns,
                                              Rho cost) {
  const std::vector<ThresholdRows> thresholds = all_thresholds(point);
  const Position mean = point.stand_in.mean()(columns);
  const Position sd = point.stand_in.covariance().diagonal()(columns).cwiseMax(1e-300).cwiseSqrt();
  Matrix contrasts = contrasts_of(point.facts.threshold_weights, thresholds);
  const double level = mean_tail(point);
  const Position tails =
      point.facts.threshold_weights / std::max(largest_tail_sd(point, level), kLeastVariance);
  const double bound = kWidth * std::hypot(std::sqrt(static_cast<double>(columns.size())) *
                                               largest_contrast(contrasts, thresholds),
                                           kTypicalTail);
  return {point.at, std::move(columns), mean, sd, std::move(contrasts), tails, level, bound, cost};
}

ThresholdEffects threshold_effects(const ThresholdEffectsQuery& query, const NoisyVector& answer,
                                   const PlanPoint& point, const NormalBase& base) {
  const std::vector<ThresholdRows> thresholds = all_thresholds(point);
  const double responses = point.stand_in.rows() / static_cast<double>(thresholds.size());
  const Eigen::Index count = query.contrasts.rows();
  const auto size = static_cast<Eigen::Index>(query.columns.size());
  // `slope`: of the entry's mean for a response, along the position.
  const auto stands_clear = [&](Eigen::Index entry, const Position& slope) {
    const Position along = responses * point.frame * slope;
    const double moved = along.dot(base.mean);
    const double sd = std::sqrt(answer.variance + responses + along.dot(base.covariance * along) +
                                std::pow(kUnlikeStandIn * moved, 2));
    return std::abs(answer.value[entry] - moved) > kClear * sd;
  };
  ThresholdEffects found;
  for (Eigen::Index j = 0; j < size; ++j) {
    const Eigen::Index column = query.columns[static_cast<std::size_t>(j)];
    bool differs = false;
    for (Eigen::Index a = 0; a < query.contrasts.cols(); ++a) {
      Position slope = Position::Zero(query.at.size());
      for (Eigen::Index k = 0; k < count; ++k) {
        const Matrix& information = thresholds[static_cast<std::size_t>(k)].information;
        slope += query.contrasts(k, a) / query.scale[j] *
                 (information.row(column) - query.centre[j] * information.row(0)).transpose();
      }
      differs = stands_clear(a * size + j, slope) || differs;
    }
    if (differs) found.differing.push_back(column);
  }
  Position slope = Position::Zero(query.at.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    slope += query.tails[k] * point.stand_in.over_threshold(point.at, k, [&](double mean) {
      return mean * (1 - mean) * tail(mean, query.level);
    });
  }
  found.skewed = stands_clear(query.contrasts.cols() * size, slope);
  return found;
}

}  // namespace sotto
