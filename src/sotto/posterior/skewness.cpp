#include "sotto/posterior/skewness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kNone = 0.75;       // prior probability that there is no skewness
constexpr double kTailsBegin = 1.4;  // tails begin here, in scales
constexpr double kAmplitude =
    0.3;  // prior sd of an amplitude, over the part's rows; long tails: over the squared length
constexpr double kShift = 0.1;          // prior sd of the residuals' centre, in scales
constexpr double kBetweenHalves = 0.8;  // sd of the means of a standard normal's halves
constexpr double kLeastPart = 0.05;     // of a part
constexpr std::array<double, 6> kLengths{0.5, 0.7, 1, 1.4, 2, 2.8};  // in scales

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

/// Difference of a part's sides, cell by cell from where tails begin, less what it would be without skewness.
struct Differences {
  Position value, variance;
  Position shift;  ///< what a centre one scale higher adds
};

/// Log density of the differences under one law, up to what all laws share, and its amplitude's posterior.
struct Evidence {
  double log_density, mean, variance;
};

Evidence weigh(const Differences& d, const Position& shape, double prior_sd) {
  // Normal regression on the tail's shape and on the shift, both with normal priors.
  Matrix x(d.value.size(), shape.size() > 0 ? 2 : 1);
  x.col(0) = kShift * d.shift;
  if (shape.size() > 0) x.col(1) = prior_sd * shape;
  const Matrix weighted = d.variance.cwiseInverse().asDiagonal() * x;
  const Matrix precision = Matrix::Identity(x.cols(), x.cols()) + x.transpose() * weighted;
  const Position pull = weighted.transpose() * d.value;
  const Cholesky root(precision);
  const Position mean = root.solve(pull);
  const Matrix covariance = root.inverse();
  const Eigen::Index last = x.cols() - 1;
  return {pull.dot(mean) / 2 - root.lower().diagonal().array().log().sum(), prior_sd * mean[last],
          prior_sd * prior_sd * covariance(last, last)};
}

}  // namespace

ClipBias::ClipBias(std::size_t clips)
    : mean(Position::Zero(static_cast<Eigen::Index>(2 * clips))),
      square(Matrix::Zero(mean.size(), mean.size())) {}

ClipBias Skewness::bias(const std::vector<double>& clips) const {
  ClipBias result(clips.size());
  for (const Law& law : laws_) {
    Position mean = Position::Zero(result.mean.size());
    Matrix covariance = Matrix::Zero(mean.size(), mean.size());
    for (std::size_t p = 0; p < law.parts.size(); ++p) {
      Position effect(mean.size());
      for (std::size_t k = 0; k < clips.size(); ++k) {
        const double from = std::max(clips[k], begin_);
        const double beyond = (law.length * std::exp((begin_ - from) / law.length) + from - clips[k]) / rows_;
        effect.segment(static_cast<Eigen::Index>(2 * k), 2) << beyond, beyond * place_[p];
      }
      mean += law.parts[p].mean * effect;
      covariance += law.parts[p].variance * effect * effect.transpose();
    }
    result.mean += law.weight * mean;
    result.square += law.weight * (covariance + mean * mean.transpose());
  }
  return result;
}

Skewness Skewness::find(const Position& edges, const std::vector<ResidualSides>& parts, double variance,
                        double rows, double scale) {
  Skewness result;
  result.rows_ = rows;
  Eigen::Index first = 0;
  while (first < edges.size() - 2 && edges[first] < kTailsBegin * scale) ++first;
  result.begin_ = edges[first];
  const Eigen::Index cells = edges.size() - 1 - first;
  const Position steps = edges.tail(cells + 1) / scale;

  std::vector<Differences> differences;
  std::vector<double> size;
  for (const ResidualSides& part : parts) {
    const Position both = part.above + part.below;
    size.push_back(std::max(both.sum(), kLeastPart * rows));
  }
  double all = 0;
  for (const double n : size) all += n;
  for (double& n : size) n *= rows / all;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Differences d{(parts[p].above - parts[p].below).tail(cells), Position(cells), Position(cells)};
    for (Eigen::Index j = 0; j < cells; ++j) {
      const double normal = size[p] * (std::erfc(steps[j] / std::numbers::sqrt2) -
                                       std::erfc(steps[j + 1] / std::numbers::sqrt2));
      const double counted = (parts[p].above + parts[p].below)[first + j];
      d.variance[j] = 2 * variance + std::max({counted, normal, 1.0});
      d.shift[j] = 2 * size[p] * (density(steps[j]) - density(steps[j + 1]));
    }
    differences.push_back(std::move(d));
    const double odds = std::sqrt((rows - size[p]) / size[p]);
    result.place_.push_back(parts.size() == 1 ? 0 : (p == 0 ? -1 : 1) * kBetweenHalves * odds);
  }

  std::vector<double> log_weight;
  for (std::size_t k = 0; k <= kLengths.size(); ++k) {
    const bool none = k == kLengths.size();
    const double length = none ? 1 : kLengths[k];
    Position shape;
    if (!none) {
      const Eigen::ArrayXd beyond = (-(steps.array() - steps[0]) / length).exp();
      shape = beyond.head(cells) - beyond.tail(cells);
    }
    Law law{0, length * scale, {}};
    double logs = std::log(none ? kNone : (1 - kNone) / kLengths.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const double prior_sd = none ? 0 : kAmplitude * size[p] / std::max(1.0, length * length);
      const Evidence evidence = weigh(differences[p], shape, prior_sd);
      logs += evidence.log_density;
      law.parts.push_back({none ? 0 : evidence.mean, none ? 0 : evidence.variance});
    }
    log_weight.push_back(logs);
    result.laws_.push_back(std::move(law));
  }
  const double best = *std::max_element(log_weight.begin(), log_weight.end());
  double total = 0;
  for (const double logs : log_weight) total += std::exp(logs - best);
  for (std::size_t k = 0; k < log_weight.size(); ++k)
    result.laws_[k].weight = std::exp(log_weight[k] - best) / total;
  return result;
}

}  // namespace sotto
