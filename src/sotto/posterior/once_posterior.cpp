#include "sotto/posterior/once_posterior.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/chain/side_by_side.hpp"
#include "sotto/math/clipped_normal.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/once_sampler.hpp"
#include "sotto/posterior/part_weights.hpp"
#include "sotto/posterior/prior_sensitivity.hpp"
#include "sotto/posterior/sigma_posterior.hpp"

namespace sotto {
namespace {

constexpr std::size_t kBlock = 100;    // draws of a chain that are made together
constexpr Eigen::Index kFitted = 400;  // chains that the sampler's base is fitted to, at least
constexpr double kSeenScale = 0.4;     // of log sigma about the residuals' released scale
constexpr double kHiddenScale = 1.5;

/// A default about the residuals' scale that histograms found: where noise hides their squares, all that is small is not as likely.
CoefficientPrior sigma_prior(const OnceSettings& settings, const OnceRelease& release) {
  if (settings.sigma_prior) return *settings.sigma_prior;
  return {PriorFamily::normal, std::log(release.spread.scale),
          release.spread.hidden ? kHiddenScale : kSeenScale};
}

/// What weights take of the information, by direction: most of all of levels whose rows lie far from the others because they are rare.
Matrix lost_to_weights(const OnceRelease& release) {
  const BoundsPlan& plan = release.rounds.back().plan;
  const StandIn& stand_in = release.stand_in;
  const Matrix& frame = release.frame.matrix;
  const Position& at = release.pooled.anchor;
  const Matrix within = frame * stand_in.within() * frame.transpose();
  Matrix lost = Matrix::Zero(at.size(), at.size());
  if (release.facts.thresholds || release.facts.unit_sizes) return lost;
  const Position weights = part_weights(stand_in, frame, at, plan, release.facts);
  const double variance = at.dot(stand_in.within() * at);
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    const Part& part = stand_in.parts()[static_cast<std::size_t>(k)];
    const Position mean = frame * part.mean;
    const double slope = stand_in.averages(at.dot(part.mean), variance)[1];
    lost += release.rows * part.share * (1 - weights[k]) * slope * (within + mean * mean.transpose());
  }
  const Spectrum spectrum(lost);
  return spectrum.with(spectrum.values().cwiseMax(0));
}

/// The rows that there are of blocks of `each`, the first `taken` of every block.
Matrix taken_of(const Matrix& draws, std::size_t taken, std::size_t each) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < draws.rows(); ++i)
    if (static_cast<std::size_t>(i) % each < taken) rows.push_back(i);
  return draws(rows, Eigen::all);
}

}  // namespace

Matrix clear_covariance(const OnceRelease& release) {
  const BoundsPlan& plan = release.rounds.back().plan;
  const Matrix& frame = release.frame.matrix;
  const OnceFacts& facts = release.facts;
  const bool overdispersed = facts.link == Link::log && release.spread.dispersion > 0;
  const bool sandwich = facts.thresholds || facts.unit_sizes || overdispersed;
  double kept = plan.kept;
  if (facts.link == Link::logit &&
      !facts.thresholds)  // weights take more where rows' lengths differ more than planned
    kept = std::clamp(release.pooled.level_ratio, 0.3 * kept, kept);
  double factor = 1;
  Matrix slope = release.pooled.information;
  Matrix spread = release.clear_spread;
  Matrix lost = lost_to_weights(release);
  if (facts.clips()) {
    const double scale = facts.link == Link::log ? plan.residual_scale : release.spread.scale;
    const ClippedNormal clipped = clipped_normal(plan.clip / scale);
    factor = (sandwich ? clipped.square / clipped.slope : 1) / clipped.slope;
    if (facts.link == Link::identity && !sandwich) factor /= scale * scale;
    lost *= clipped.slope;
  }
  const double of_all = slope.trace() / kept;
  spread += lost * (spread.trace() / slope.trace());
  slope += lost;
  if (slope.trace() < of_all) factor *= of_all / slope.trace();
  // Rows of ordered categories, and of one unit, are not independent, and counts vary more than their mean: a sandwich stands for the likelihood's information.
  const Matrix information = sandwich ? Matrix(slope * Cholesky(spread).solve(slope)) : slope;
  const Matrix precision = factor * information + frame * release.prior.normal.precision * frame.transpose();
  return frame.transpose() * Cholesky(precision).inverse() * frame;
}

/// Draws of what residuals' squares add beyond the last clip; none where no histogram was seen.
Position beyond_clip(const OnceRelease& release, std::uint64_t seed) {
  const ResidualSpread& spread = release.spread;
  if (spread.hidden || spread.histogram.edges.size() == 0) return {};
  const OnceRound& last = release.rounds.back();
  const NoisyVector& squares = *last.residual_squares;
  return squares_beyond(spread.histogram, {last.plan.clip, squares.value[0], squares.variance}, spread.scale,
                        spread.tails, seed);
}

OncePosterior sample_once(const OnceSettings& settings, const OnceRelease& release,
                          const OnceSampling& sampling) {
  const OnceFacts& facts = release.facts;
  const Eigen::Index d = facts.dim();
  const bool sigma = facts.has_sigma();
  const Position& anchor = release.pooled.anchor;
  const Displacement displacement(release.weighed, release.frame.matrix, anchor);
  const Matrix to_phi = inverse(release.frame.matrix.transpose());
  OncePosterior posterior;
  std::vector<ChainRng> rngs;
  for (std::size_t c = 0; c < sampling.chains; ++c) {
    rngs.emplace_back(sampling.seed, c);
    Chain& chain = posterior.chains.emplace_back();
    chain.seed = sampling.seed;
    chain.draws.resize(static_cast<Eigen::Index>(sampling.draws), d + (sigma ? 1 : 0));
  }
  std::optional<SigmaPosterior> of_sigma;
  AnchorResiduals residuals;
  if (sigma) {
    residuals = anchor_residuals(release.pooled, release.clear_spread,
                                 normal_base(release.pooled, release.frame.matrix, release.prior.normal));
    of_sigma.emplace(
        release.rounds.back(), release.spread.tails,
        SquaredRows{release.rows, release.rows_variance, facts.mean_unit_rows(), residuals.fitted},
        sigma_prior(settings, release), beyond_clip(release, sampling.seed));
  }
  const std::optional<Edgeworth> of_score = edgeworth(release);
  const PositionTarget target{
      release.pooled, release.frame.matrix, displacement, release.prior, of_sigma, residuals, of_score};
  PositionDensity density(target);
  std::size_t done = 0;
  // What asks may be of the thread that it was handed over on alone.
  std::atomic<bool> ended{false};
  const std::thread::id here = std::this_thread::get_id();
  const std::function<bool()> go_on = [&] {
    if (std::this_thread::get_id() == here && sampling.progress && !sampling.progress(done)) ended = true;
    return !ended;
  };
  fit_base(density, kFitted, rngs[0], go_on);
  // A chain's draws are those of chains side by side, those of each one after the other: what they have to do with each other is seen.
  const std::size_t each = std::max<std::size_t>((sampling.draws + kBlock - 1) / kBlock, 1);
  const std::size_t beside = (sampling.draws + each - 1) / each;
  std::vector<PositionChains> walks;
  for (std::size_t c = 0; c < sampling.chains; ++c)
    walks.emplace_back(density, static_cast<Eigen::Index>(beside), rngs[c]);
  std::size_t taken = 0;  // of each
  std::vector<char> settled(sampling.chains, 0);
  do {
    side_by_side(sampling.chains, sampling.threads, [&](std::size_t c) {
      if (taken > 0)
        walks[c].go_on(rngs[c]);
      else
        settled[c] = walks[c].settle(rngs[c], go_on);
      const Matrix positions = walks[c].positions();
      for (std::size_t k = 0, at = taken; at < sampling.draws; ++k, at += each) {
        auto draw = posterior.chains[c].draws.row(static_cast<Eigen::Index>(at));
        draw.head(d) = positions.row(static_cast<Eigen::Index>(k));
        if (!of_sigma) continue;
        const Position phi = to_phi * (draw.head(d).transpose() - anchor);
        const double place = static_cast<double>(c * sampling.draws + at) /
                             static_cast<double>(sampling.chains * sampling.draws);
        draw[d] = std::log(of_sigma->draw(residuals.added_square(phi), place, rngs[c]));
      }
    });
    done += (sampling.draws - taken + each - 1) / each;
    ++taken;
  } while (go_on() && taken < each);
  posterior.settled = std::ranges::all_of(settled, [](char one) { return one != 0; });
  Position sum = Position::Zero(d);
  Matrix products = Matrix::Zero(d, d);
  for (Chain& chain : posterior.chains) {
    if (done < sampling.draws) {
      chain.draws = taken_of(chain.draws, taken, each);
      chain.stop = StopReason::interrupted;
    }
    const Matrix moved = chain.draws.leftCols(d).rowwise() - anchor.transpose();
    sum += moved.colwise().sum().transpose();
    products += moved.transpose() * moved;
  }
  const auto count = static_cast<double>(sampling.chains * done);
  const Position mean = sum / count;
  const Matrix covariance = products / count - mean * mean.transpose();
  const Matrix rows = release.stand_in.moments();
  posterior.predictor_sd = std::sqrt(std::max((rows * covariance).trace(), 0.0)) / release.predictor_unit;
  posterior.predictor_move = std::sqrt(mean.dot(rows * mean)) / release.predictor_unit;
  const Cholesky prior(release.prior.normal.precision);
  const Position sd = covariance.diagonal().cwiseMax(0).cwiseSqrt();
  const Position clear_sd = clear_covariance(release).diagonal().cwiseSqrt();
  posterior.prior_distance = posterior.prior_share = Position::Zero(d);
  if (prior.is_positive_definite()) {
    const Position prior_sd = prior.inverse().diagonal().cwiseSqrt();
    posterior.prior_distance =
        (release.pooled.anchor + mean - release.prior.normal.location).cwiseQuotient(prior_sd);
    posterior.prior_share = sd.cwiseQuotient(prior_sd);
  }
  posterior.sd_inflation = sd.cwiseQuotient(clear_sd);
  for (const Chain& chain : posterior.chains) {
    for (Eigen::Index i = 0; i < chain.draws.rows(); ++i)
      posterior.log_prior.push_back(release.prior.own(chain.draws.row(i).head(d)));
  }
  posterior.prior_sensitivity.resize(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    std::vector<double> draws;
    for (const Chain& chain : posterior.chains) {
      const auto own = chain.draws.col(j);
      draws.insert(draws.end(), own.begin(), own.end());
    }
    posterior.prior_sensitivity[j] = prior_sensitivity(draws, posterior.log_prior);
  }
  return posterior;
}

}  // namespace sotto
