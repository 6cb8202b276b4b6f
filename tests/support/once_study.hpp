// Fits a simulated regression by release-once, next to the non-private posterior under the same prior.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_posterior.hpp"
#include "support/non_private_fit.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {

[[nodiscard]] inline OnceFacts facts_of(const SimulatedRegression& data, Adjacency adjacency) {
  OnceFacts facts;
  facts.link = data.link;
  facts.response = data.response;
  facts.indicator = data.indicator;
  facts.from_zero.assign(data.indicator.size(), false);
  facts.range = data.column_range;
  facts.offset = data.offset;
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

/// Of one data set, averages over its coefficients.
struct OnceOutcome {
  Position mean;                 ///< of the posterior, of each coefficient
  double covered = 0;            ///< 90 % intervals that hold the true coefficient
  double covered_reference = 0;  ///< likewise of the non-private posterior
  double sd_ratio = 0;           ///< posterior sd over the non-private posterior's
  double predicted = 0;          ///< the same as predicted from releases
  double farthest = 0;  ///< largest distance of a posterior mean from the true coefficient, in posterior sds
  double covered_sigma = 0;
  double rho = 0;  ///< the cost of all releases
  OnceVerdict verdict;
  OnceRelease release;
};

/// About epsilon = 1 at delta = 1e-6.
inline constexpr double kRho = 0.0236;

/// Under substitute, with default priors.
[[nodiscard]] inline OnceSettings settings_of(const SimulatedRegression& data, double rho) {
  OnceSettings settings;
  settings.facts = facts_of(data, Adjacency::substitute);
  settings.cost = Rho(rho);
  settings.priors.resize(static_cast<std::size_t>(data.x.cols()));
  if (data.offset) settings.priors.back() = known_coefficient(*data.offset);
  return settings;
}

[[nodiscard]] inline OnceOutcome study(const SimulatedRegression& data, const NormalFit& reference,
                                       const OnceSettings& settings, QueryInterface& interface,
                                       std::size_t draws, std::uint64_t seed) {
  OnceRelease release = release_once(settings, interface);
  const OncePosterior posterior = sample_once(settings, release, {1, draws, seed});
  const Position& truth = data.truth;
  OnceOutcome outcome{.mean = {}, .verdict = check_once(release, posterior), .release = std::move(release)};
  const Eigen::Index d = settings.facts.unknown();
  const double share = 1 / static_cast<double>(d);
  const Matrix& all = posterior.chains[0].draws;
  const auto inside = [](const Eigen::VectorXd& column, double value) {
    const double below =
        static_cast<double>((column.array() < value).count()) / static_cast<double>(column.size());
    return below >= 0.05 && below <= 0.95 ? 1.0 : 0.0;
  };
  outcome.mean = all.colwise().mean().head(data.x.cols());
  for (Eigen::Index j = 0; j < d; ++j) {
    const Eigen::VectorXd column = all.col(j);
    const double sd = std::sqrt((column.array() - column.mean()).square().mean());
    outcome.covered += share * inside(column, truth[j]);
    outcome.covered_reference +=
        share * (std::abs(truth[j] - reference.mean[j]) < 1.6448536 * reference.sd[j] ? 1 : 0);
    outcome.farthest = std::max(outcome.farthest, std::abs(column.mean() - truth[j]) / sd);
    outcome.sd_ratio += share * sd / reference.sd[j];
  }
  if (all.cols() > data.x.cols())
    outcome.covered_sigma = inside(all.col(data.x.cols()).array().exp(), data.sigma);
  outcome.predicted =
      d > 1 ? posterior.sd_inflation.segment(1, d - 1).mean() : posterior.sd_inflation.head(d).mean();
  return outcome;
}

}  // namespace sotto
