// Fits a simulated regression by release-once, next to the non-private posterior under the same prior.
#pragma once

#include <memory>

#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_posterior.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {

[[nodiscard]] inline OnceFacts facts_of(const SimulatedRegression& data, Adjacency adjacency) {
  OnceFacts facts;
  facts.link = data.link;
  facts.response = data.response;
  facts.indicator = data.indicator;
  facts.offset = data.offset_range;
  facts.adjacency = adjacency;
  if (adjacency == Adjacency::substitute) facts.rows = static_cast<double>(data.x.rows());
  const Eigen::Index d = data.x.cols();
  facts.column_mean = Position::Zero(d);
  facts.column_sd = Position::Zero(d);
  facts.column_mean[0] = 1;
  for (Eigen::Index j = 1; j < d; ++j) {
    const auto k = static_cast<std::size_t>(j);
    const double share = data.level_share[k];
    facts.column_mean[j] = data.indicator[k] ? share : 0;
    facts.column_sd[j] = std::sqrt(data.indicator[k] ? share * (1 - share) : 1 / 3.0);
  }
  return facts;
}

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
  const double unit = data.link == Link::identity
                          ? std::sqrt((data.y.array() - data.y.mean()).square().mean())
                          : 1.0;
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
  const Position offset = data.offset.size() > 0 ? data.offset : Position::Zero(data.x.rows());
  if (data.link == Link::log) fit.mean[0] = std::log(data.y.mean() + 0.1) - offset.mean();
  Matrix curvature;
  for (int step = 0; step < 60; ++step) {
    const Eigen::ArrayXd eta = data.x * fit.mean + offset;
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
    fit.mean += move / std::max(1.0, (data.x * move).norm() / std::sqrt(n) / (data.link == Link::identity ? 1e300 : 1));
    if (pull.dot(move) < 1e-9) break;
  }
  fit.sd = curvature.inverse().diagonal().cwiseSqrt();
  return fit;
}

/// Of one data set, averages over its coefficients.
struct OnceOutcome {
  double covered = 0;            ///< 90 % intervals that hold the true coefficient
  double covered_reference = 0;  ///< likewise of the non-private posterior
  double sd_ratio = 0;           ///< posterior sd over the non-private posterior's
  double predicted = 0;          ///< the same as predicted from releases
  double covered_sigma = 0;
  double worst_rhat = 1;
  OnceVerdict verdict;
  OnceRelease release;
};

/// `truth`: what the intervals should hold.
[[nodiscard]] inline OnceOutcome study(const SimulatedRegression& data, const Position& truth,
                                       const OnceSettings& settings, QueryInterface& interface,
                                       std::size_t draws, std::uint64_t seed) {
  OnceRelease release = release_once(settings, interface);
  const OncePosterior posterior = sample_once(settings, release, {1, draws, seed});
  const NormalFit reference = non_private(data);
  OnceOutcome outcome{.verdict = check_once(release), .release = std::move(release)};
  const Eigen::Index d = data.x.cols();
  const double share = 1 / static_cast<double>(d);
  const Matrix& all = posterior.chains[0].draws;
  const auto inside = [](const Eigen::VectorXd& column, double value) {
    const double below =
        static_cast<double>((column.array() < value).count()) / static_cast<double>(column.size());
    return below >= 0.05 && below <= 0.95 ? 1.0 : 0.0;
  };
  for (Eigen::Index j = 0; j < d; ++j) {
    const Eigen::VectorXd column = all.col(j);
    const double sd = std::sqrt((column.array() - column.mean()).square().mean());
    outcome.covered += share * inside(column, truth[j]);
    outcome.covered_reference +=
        share * (std::abs(truth[j] - reference.mean[j]) < 1.6448536 * reference.sd[j] ? 1 : 0);
    outcome.sd_ratio += share * sd / reference.sd[j];
  }
  if (all.cols() > d) outcome.covered_sigma = inside(all.col(d).array().exp(), data.sigma);
  outcome.predicted = outcome.release.facts.dim() > 1 ? posterior.sd_inflation.tail(d - 1).mean()
                                                      : posterior.sd_inflation.mean();
  return outcome;
}

}  // namespace sotto
