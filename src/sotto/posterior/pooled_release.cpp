#include "sotto/posterior/pooled_release.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "sotto/math/clipped_normal.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/displacement.hpp"

namespace sotto {
namespace {

constexpr double kGuessDoubt = 0.3;          // relative error of the stand-in's level of information
constexpr double kLeastSpread = 0.15;        // of the information's entries, over its mean eigenvalue
constexpr double kLeastAroundStandIn = 0.1;  // likewise, of binary responses, around what the stand-in says
constexpr double kFewEntries = 105;          // of the information of 14 columns
constexpr double kFoundDoubt = 2;            // standard deviations
constexpr double kLeastEigenvalue = 0.08;
constexpr double kCurvatureDoubt = 0.3;  // of what the stand-in says of another position
constexpr double kTimeDoubt = 1;         // likewise, of events: how long rows lived is no part of it
constexpr double kBendDoubt = 0.6;       // of how a score bends, in the direction in which it does
constexpr double kAcrossBend = 0.25;     // of that, in every other
constexpr double kWeightDoubt = 0.1;     // relative error of the guessed mean weight
constexpr double kUsed = 1e-3;           // probability: scores that agree less are left out
constexpr double kTolerated =
    1;  // sampling sd of the score in one direction: what else lies between scores, as weights differ, matters little
constexpr double kLeastMisfit = 0.05;  // of the squares' eigenvalues against the information's

double curvature_doubt(const StandIn& stand_in) {
  return stand_in.link() == Link::log_rate ? kTimeDoubt : kCurvatureDoubt;
}

/// Rounds whose clips are alike estimate the same information and may be pooled with the last.
std::vector<const OnceRound*> comparable(const std::vector<OnceRound>& rounds) {
  std::vector<const OnceRound*> result;
  for (const OnceRound& round : rounds) {
    const BoundsPlan& last = rounds.back().plan;
    if (std::abs(std::log(round.plan.clip / last.clip)) < 0.15 &&
        round.plan.count_dispersion == last.count_dispersion) {
      result.push_back(&round);
    }
  }
  return result;
}

/// Information at the last position: each round's, moved there as the stand-in says and doubted for it, by inverse variance.
NoisyMatrix pool_information(const std::vector<const OnceRound*>& rounds, const Matrix& frame,
                             const StandIn& stand_in, const Matrix& expected) {
  NoisyMatrix pooled{Matrix::Zero(expected.rows(), expected.cols()), 0};
  double weights = 0;
  for (const OnceRound* round : rounds) {
    const Matrix there = frame * stand_in.slope(round->at) * frame.transpose();
    const double ratio = round->information.value.trace() / std::max(there.trace(), 1e-9);
    const Matrix moved = ratio * (expected - there);
    const double doubt =
        std::pow(curvature_doubt(stand_in), 2) * moved.squaredNorm() / static_cast<double>(moved.size());
    const double weight = 1 / (round->information.variance + doubt);
    pooled.value += weight * (round->information.value + moved);
    weights += weight;
  }
  pooled.value /= weights;
  pooled.variance = 1 / weights;
  return pooled;
}

/// Empirical Bayes between the released matrix and what is likely: of binary responses a multiple of what the stand-in says, in which a
/// level of few rows, or of responses nearly alike, has as little as it has; else, as stand-ins of counts are rougher, and in a frame that the
/// noise hides, of the identity. Eigenvalues are kept positive.
/// Source     [JS61] for the matrix minus what is likely
void shrink(const NoisyMatrix& noisy, double guess, const Matrix* expected, bool resolved,
            PooledRelease& release) {
  const Eigen::Index n = noisy.value.rows();
  const auto d = static_cast<double>(n);
  const double released_precision = d / noisy.variance;
  const double guess_precision = 1 / (kGuessDoubt * guess * kGuessDoubt * guess);
  const double level =
      std::max((noisy.value.trace() / d * released_precision + 0.8 * guess * guess_precision) /
                   (released_precision + guess_precision),
               0.2 * guess);
  const Matrix likely =
      level * (expected != nullptr ? Matrix(*expected * (d / expected->trace())) : Matrix::Identity(n, n));
  const Matrix shape = noisy.value - likely;
  // Of an entry. In a frame that the noise hides columns may be of any size and go together: eigenvalues that differ by their mean.
  const double least = expected != nullptr ? kLeastAroundStandIn
                       : resolved          ? kLeastSpread
                                           : std::max(kLeastSpread, 1 / std::sqrt(d));
  const double found = std::max(shape.squaredNorm() / (d * d) * 2 * d / (d + 1) - noisy.variance, 0.0);
  const double entries = d * (d + 1) / 2;
  double spread = std::max(found, std::pow(least * level, 2));
  if (entries > kFewEntries) {  // these tell themselves how far they differ, as far as their number lets them
    const double most = found + kFoundDoubt * std::sqrt(2 / entries) * (found + noisy.variance);
    spread = std::max(most, std::pow(least * level, 2) * kFewEntries / entries);
  }
  release.kept = spread / (spread + noisy.variance);
  // No shrinking where the radius of the noise's spectrum, sqrt(2 d) of an entry's sd, is small against the level.
  if (expected == nullptr)
    release.kept = std::max(release.kept, 1 - 2 * d * noisy.variance / (level * level));
  release.information_variance = release.kept * noisy.variance;
  const Spectrum spectrum(likely + release.kept * shape);
  release.information = spectrum.with(spectrum.values().cwiseMax(kLeastEigenvalue * level));
  release.level = level;
  release.level_ratio = (noisy.value.trace() / d + 4 * std::sqrt(noisy.variance / d)) / guess;
  release.unresolved = spectrum.values()[0] < kLeastEigenvalue * level ||
                       std::sqrt(2 * d * noisy.variance * release.kept) > level;
}

/// What each score would have been at the last position, by inverse covariance, of noise and of what carrying it there needs of the
/// information and of the stand-in: how far the score bends is doubted most in the direction in which it does.
void pool_scores(const std::vector<const OnceRound*>& rounds, const Matrix& frame, const StandIn& stand_in,
                 PooledRelease& release) {
  const OnceRound& last = *rounds.back();
  const Eigen::Index n = last.at.size();
  const auto d = static_cast<double>(n);
  const Displacement displacement(stand_in, frame, last.at);
  const Matrix to_phi = inverse(frame.transpose());
  const double sampling = std::sqrt(release.spread.trace() / d);
  Position sum = Position::Zero(n);
  Matrix precision = Matrix::Zero(n, n);
  for (const OnceRound* round : rounds) {
    const Position linear = to_phi * (round->at - last.at);
    const Position phi = displacement(round->at);
    const Position bend = release.information * (phi - linear);
    const double v = release.information_variance / 2;
    const Position along = (stand_in.link() == Link::log_rate ? kTimeDoubt : kBendDoubt) * bend;
    const double variance =
        round->score.variance + v * phi.squaredNorm() + kAcrossBend * kAcrossBend * along.squaredNorm();
    Matrix covariance = v * phi * phi.transpose() + along * along.transpose();
    covariance.diagonal().array() += variance;
    const Position moved = round->score.value + release.information * phi;
    if (round != &last) {
      const boost::math::chi_squared sound(d);
      Matrix noise = covariance;
      noise.diagonal().array() += last.score.variance;
      const Position apart = moved - last.score.value;
      const double length = std::sqrt(apart.dot(Cholesky(noise).solve(apart)));
      const double beyond = length - kTolerated * sampling / std::sqrt(variance + last.score.variance);
      release.agreement.push_back(
          boost::math::cdf(boost::math::complement(sound, std::pow(std::max(beyond, 0.0), 2))));
      if (boost::math::cdf(boost::math::complement(sound, length * length)) < kUsed) continue;
    }
    const Matrix weight = Cholesky(covariance).inverse();
    sum += weight * moved;
    precision += weight;
  }
  const Matrix covariance = Cholesky(precision).inverse();
  release.score = covariance * sum;
  release.score_variance = Spectrum(covariance).values()[0];
  release.doubt = covariance - release.score_variance * Matrix::Identity(n, n);
}

/// Released squares of all rounds, by the weights of their informations.
NoisyMatrix pool_squares(const std::vector<const OnceRound*>& rounds) {
  NoisyMatrix pooled{Matrix::Zero(rounds[0]->at.size(), rounds[0]->at.size()), 0};
  double weights = 0;
  for (const OnceRound* round : rounds) {
    const double weight = 1 / round->information.variance;
    pooled.value += weight * round->squares.value;
    pooled.variance += weight * weight * round->squares.variance;
    weights += weight;
  }
  return {pooled.value / weights, pooled.variance / (weights * weights)};
}

/// Trace of the squares over what it is if the model holds, pooled with a guess. Normal responses: residuals' own mean square.
double dispersion_of(const NoisyMatrix& squares, const OnceRound& last, double rows, Link link,
                     double trace) {
  const auto d = static_cast<double>(squares.value.rows());
  double guess = 1;
  double doubt = 1;
  if (!clips(link)) {
    doubt = kWeightDoubt;
  } else if (link == Link::identity) {
    const double noise = std::sqrt(last.residual_squares->variance) / rows;
    const double square = last.residual_squares->value[0] / rows;
    const double inside = clipped_normal(last.plan.clip / std::sqrt(last.plan.dispersion)).slope;
    guess = std::max(square, noise) / inside;
    doubt = std::hypot(kWeightDoubt * guess, noise / inside);
  } else {  // counts: variance m + dispersion m^2 over m
    guess = doubt = 1 + last.plan.count_dispersion * last.plan.level;
  }
  if (last.plan.unit_rows > 1)
    doubt = std::max(doubt, (last.plan.unit_rows - 1) * guess);  // a unit's rows may be alike
  const double precision = trace * trace / (d * squares.variance);
  const double guess_precision = 1 / (doubt * doubt);
  return std::max(
      (squares.value.trace() / trace * precision + guess * guess_precision) / (precision + guess_precision),
      0.3 * guess);
}

/// What the squares are a multiple of if the model holds: the information with each part's weight once more, as the stand-in says how
/// much that takes off in each direction; or of ordered categories, whose rows are not independent, what the stand-in says.
Matrix like_squares(const PooledRelease& release, const Matrix& frame, const StandIn& stand_in,
                    const Position& weights) {
  const auto expected = [&](const StandIn& rows) -> Matrix {
    return frame * rows.slope(release.anchor) * frame.transpose();
  };
  if (stand_in.has_thresholds()) {
    return frame * stand_in.ordered_squares(release.anchor) * frame.transpose() *
           (weights.mean() * release.information.trace() / expected(stand_in).trace());
  }
  const Spectrum once(expected(stand_in.weighted(weights)));
  const Spectrum released(release.information);
  const Matrix to =
      released.with(released.values().cwiseSqrt()) * once.with(once.values().cwiseSqrt().cwiseInverse());
  return to * expected(stand_in.weighted(weights.cwiseAbs2())) * to.transpose();
}

/// What sampling adds to an entry of the squares less their multiple of the information, if the model holds: squares of residuals vary
/// around their means b by b^2 times this, and the entry is a sum over the rows of such times products of columns, whose squares have
/// mean one.
double sampling_variance(double level, const OnceRound& last, const StandIn& stand_in) {
  if (stand_in.has_thresholds()) return 0;  // their rows are not independent
  const double b = level / (last.plan.kept * last.plan.kept * stand_in.rows());
  double varies = 2;
  if (stand_in.link() == Link::logit) varies = std::max(1 / b - 4, 0.0);
  if (stand_in.link() == Link::log || stand_in.link() == Link::log_rate) varies = 2 + 1 / b;
  return varies * level * level / stand_in.rows();
}

/// Sampling covariance of the score: empirical Bayes between released squares and a multiple of the information. Where the
/// model does not hold, or weights bind on some rows more than on others, the two differ by direction.
/// Source     the middle of the sandwich [H67]
void pool_spread(const std::vector<const OnceRound*>& rounds, const Matrix& frame, const StandIn& stand_in,
                 const Position& weights, PooledRelease& release) {
  const NoisyMatrix squares = pool_squares(rounds);
  const auto d = static_cast<double>(squares.value.rows());
  const Matrix like = like_squares(release, frame, stand_in, weights);
  const double ratio = dispersion_of(squares, *rounds.back(), stand_in.rows(), stand_in.link(), like.trace());
  const double level = like.trace() / d;
  const Matrix shape = squares.value - ratio * like;
  const double least = kLeastMisfit * ratio * level;
  const double variance =
      squares.variance + ratio * ratio * sampling_variance(level, *rounds.back(), stand_in);
  const double spread = std::max(shape.squaredNorm() / (d * d) * 2 * d / (d + 1) - variance, least * least);
  const double kept = spread / (spread + variance);
  const Spectrum spectrum(ratio * like + kept * shape);
  const double floor = std::max(0.02 * ratio * level, std::sqrt(squares.variance * kept) / 2);
  release.spread = spectrum.with(spectrum.values().cwiseMax(floor));
  release.dispersion = ratio * level / (release.information.trace() / d);
}

}  // namespace

PooledRelease pool(const std::vector<OnceRound>& rounds, const Frame& found, const StandIn& stand_in,
                   const Position& weights) {
  const StandIn weighed = stand_in.weighted(weights);
  const Matrix& frame = found.matrix;
  const std::vector<const OnceRound*> alike = comparable(rounds);
  PooledRelease release;
  release.anchor = rounds.back().at;
  const Matrix expected = frame * weighed.slope(release.anchor) * frame.transpose();
  const Matrix unweighted = frame * stand_in.slope(release.anchor) * frame.transpose();
  const double guess = unweighted.trace() / static_cast<double>(unweighted.rows());
  const bool follows = found.resolved && stand_in.link() == Link::logit;
  shrink(pool_information(alike, frame, weighed, expected), guess, follows ? &expected : nullptr,
         found.resolved, release);
  release.square_level = release.information.trace() / static_cast<double>(expected.rows());
  pool_spread(alike, frame, stand_in, weights, release);
  pool_scores(alike, frame, weighed, release);
  return release;
}

Matrix score_covariance(const PooledRelease& release, const Matrix& products, double level) {
  const double v = release.information_variance;
  Matrix covariance = level * release.spread + v / 2 * products;
  covariance.diagonal().array() += release.score_variance + v / 2 * products.trace();
  return covariance;
}

NormalBase normal_base(const PooledRelease& release, const Matrix& frame, const JointNormalPrior& prior) {
  const Eigen::Index d = release.score.size();
  const Matrix precision = frame * prior.precision * frame.transpose();
  const Position pull = frame * prior.precision * (prior.location - release.anchor);
  Matrix products = Matrix::Zero(d, d);
  double length2 = 0;
  NormalBase base;
  for (int step = 0; step < 30; ++step) {
    const Matrix weighted = Cholesky(score_covariance(release, products)).solve(release.information);
    Matrix curvature = release.information * weighted + precision;
    curvature = (curvature + curvature.transpose().eval()) / 2;
    base.covariance = Cholesky(curvature).inverse();
    base.mean = base.covariance * (weighted.transpose() * release.score + pull);
    products = base.covariance + base.mean * base.mean.transpose();
    const double next = products.trace();
    const bool settled = std::abs(next - length2) < 1e-6 * next;
    length2 = next;
    if (settled) break;
  }
  return base;
}

}  // namespace sotto
