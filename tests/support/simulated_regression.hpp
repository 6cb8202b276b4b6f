// Simulated regressions of many shapes, for tests and for the coverage experiment.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// A table with its declared bounds. Columns are scaled by those as a design would: to [-1, 1], indicators stay 0 or 1.
struct SimulatedRegression {
  Link link = Link::logit;
  Matrix x;
  Position y;
  Position left_out;  ///< of the linear predictor: what no column says; empty: nothing
  Position truth;     ///< of the scaled columns
  std::vector<Interval> column_range;
  std::vector<bool> indicator;
  std::vector<double> level_share;  ///< 1 / levels for indicators, else 0
  Interval response{0, 1};
  std::optional<double> offset;  ///< coefficient of the last column, where it is known
  double sigma = 1;              ///< normal responses: of the residuals
};

/// Builds the covariates column by column, then the responses.
class RegressionBuilder {
 public:
  RegressionBuilder(Eigen::Index rows, ChainRng& rng) : rows_(rows), rng_(&rng) {
    add(Position::Ones(rows), {1, 1}, false, 0);
  }

  /// A numeric column, clamped to its declared bounds and scaled to [-1, 1].
  RegressionBuilder& numeric(const Position& values, Interval bounds) {
    const double centre = (bounds.lower + bounds.upper) / 2;
    const double half = bounds.width() / 2;
    return add((values.array().max(bounds.lower).min(bounds.upper) - centre) / half, {-1, 1}, false, 0);
  }
  /// All levels but the first, of a category with these probabilities.
  RegressionBuilder& factor(const std::vector<double>& probabilities) {
    const std::size_t levels = probabilities.size();
    std::vector<Position> columns(levels - 1, Position::Zero(rows_));
    for (Eigen::Index i = 0; i < rows_; ++i) {
      double u = rng_->uniform();
      std::size_t level = 0;
      while (level + 1 < levels && u >= probabilities[level]) u -= probabilities[level++];
      if (level > 0) columns[level - 1][i] = 1;
    }
    for (const Position& column : columns) add(column, {0, 1}, true, 1 / static_cast<double>(levels));
    return *this;
  }
  Position uniforms(double low, double high) {
    Position u(rows_);
    for (double& value : u) value = low + (high - low) * rng_->uniform();
    return u;
  }
  Position normals() { return rng_->normals(rows_); }

  [[nodiscard]] SimulatedRegression covariates() const {
    SimulatedRegression result;
    result.x.resize(rows_, static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t j = 0; j < columns_.size(); ++j)
      result.x.col(static_cast<Eigen::Index>(j)) = columns_[j];
    result.column_range = ranges_;
    result.indicator = indicator_;
    result.level_share = share_;
    return result;
  }

 private:
  RegressionBuilder& add(Position column, Interval range, bool indicator, double share) {
    columns_.push_back(std::move(column));
    ranges_.push_back(range);
    indicator_.push_back(indicator);
    share_.push_back(share);
    return *this;
  }
  Eigen::Index rows_;
  ChainRng* rng_;
  std::vector<Position> columns_;
  std::vector<Interval> ranges_;
  std::vector<bool> indicator_;
  std::vector<double> share_;
};

inline double poisson_draw(double mean, ChainRng& rng) {
  if (mean > 50) return poisson_draw(mean / 2, rng) + poisson_draw(mean / 2, rng);
  double u = rng.uniform();
  double p = std::exp(-mean);
  double y = 0;
  while (u >= p && y < 1000) {
    u -= p;
    p *= mean / ++y;
  }
  return y;
}

/// Random slopes for which the linear predictor has standard deviation `sd` over the rows and `centre` at their mean.
inline Position slopes(const Matrix& x, double sd, double centre, ChainRng& rng) {
  Position b = rng.normals(x.cols());
  const Position mean = x.colwise().mean();
  for (Eigen::Index j = 1; j < x.cols(); ++j) {
    b[j] /= std::max(std::sqrt((x.col(j).array() - mean[j]).square().mean()), 1e-9);
  }
  b[0] = 0;
  const Position eta = x * b;
  b *= sd / std::max(std::sqrt((eta.array() - eta.mean()).square().mean()), 1e-9);
  b[0] = centre - mean.dot(b);
  return b;
}

/// Responses of a model that holds: binary, counts, or normal with unit variance, clamped to the legal range.
inline void respond(SimulatedRegression& data, Interval response, ChainRng& rng) {
  data.response = response;
  data.y.resize(data.x.rows());
  Position eta = data.x * data.truth;
  if (data.left_out.size() > 0) eta += data.left_out;
  for (Eigen::Index i = 0; i < eta.size(); ++i) {
    double y = eta[i] + data.sigma * rng.normal();
    if (data.link == Link::logit) y = rng.uniform() < 1 / (1 + std::exp(-eta[i])) ? 1 : 0;
    if (data.link == Link::log) y = poisson_draw(std::exp(eta[i]), rng);
    data.y[i] = std::clamp(y, response.lower, response.upper);
  }
}

}  // namespace sotto
