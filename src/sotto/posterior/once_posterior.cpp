#include "sotto/posterior/once_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/once_sampler.hpp"
#include "sotto/posterior/sigma_draws.hpp"

namespace sotto {

Matrix clear_covariance(const OnceRelease& release) {
  const BoundsPlan& plan = release.rounds.back().plan;
  const Matrix& frame = release.frame.matrix;
  double factor = 1 / kept_weight(plan.width);
  if (release.facts.clips()) {
    const double scale =
        release.facts.link == Link::log ? std::max(release.spread.scale, 1.0) : release.spread.scale;
    factor /= clipped_normal(plan.clip / scale).slope;
    if (release.facts.link == Link::identity) factor /= scale * scale;
  }
  const Matrix precision =
      factor * release.pooled.information + frame * release.prior.normal.precision * frame.transpose();
  return frame.transpose() * Cholesky(precision).inverse() * frame;
}

OncePosterior sample_once(const OnceSettings& settings, const OnceRelease& release,
                          const OnceSampling& sampling) {
  const OnceFacts& facts = release.facts;
  const Eigen::Index d = facts.dim();
  const bool sigma = facts.link == Link::identity && !facts.sigma;
  const auto draws = static_cast<Eigen::Index>(sampling.draws);
  OncePosterior posterior;
  Position sum = Position::Zero(d);
  Matrix products = Matrix::Zero(d, d);
  for (std::size_t c = 0; c < sampling.chains; ++c) {
    ChainRng rng(sampling.seed, c);
    Chain chain;
    chain.seed = sampling.seed;
    chain.draws.resize(draws, d + (sigma ? 1 : 0));
    const auto [positions, settled] =
        draw_positions(release.pooled, release.frame.matrix, release.prior, draws, rng);
    posterior.settled = posterior.settled && settled;
    chain.draws.leftCols(d) = positions;
    if (sigma) {
      chain.draws.col(d) = draw_sigma(release.rounds.back(), release.spread.tails, release.rows,
                                      release.frame.matrix, positions, settings.sigma_prior, rng)
                               .array()
                               .log();
    }
    const Matrix moved = positions.rowwise() - release.pooled.anchor.transpose();
    sum += moved.colwise().sum().transpose();
    products += moved.transpose() * moved;
    posterior.chains.push_back(std::move(chain));
  }
  const double count = static_cast<double>(sampling.chains * sampling.draws);
  const Position mean = sum / count;
  const Matrix covariance = products / count - mean * mean.transpose();
  const Matrix rows = release.stand_in.moments();
  posterior.predictor_sd = std::sqrt(std::max((rows * covariance).trace(), 0.0)) / release.predictor_unit;
  posterior.predictor_move = std::sqrt(mean.dot(rows * mean)) / release.predictor_unit;
  const Cholesky prior(release.prior.normal.precision);
  posterior.prior_distance = Position::Zero(d);
  if (prior.is_positive_definite()) {
    const Position sd = prior.inverse().diagonal().cwiseSqrt();
    posterior.prior_distance =
        (release.pooled.anchor + mean - release.prior.normal.location).cwiseQuotient(sd);
  }
  posterior.sd_inflation = covariance.diagonal().cwiseMax(0).cwiseSqrt().cwiseQuotient(
      clear_covariance(release).diagonal().cwiseSqrt());
  return posterior;
}

}  // namespace sotto
