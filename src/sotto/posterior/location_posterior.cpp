#include "sotto/posterior/location_posterior.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "sotto/math/decomposition.hpp"
#include "sotto/math/shortened_normal.hpp"

namespace sotto {
namespace {

constexpr double kCountSds = 6;       // of the count's noise, on either side
constexpr std::size_t kCounts = 121;  // numbers of rows, at most

/// Whole numbers from 0 on that the noisy count allows.
std::vector<double> numbers_of_rows(const LocationRelease& release) {
  if (release.rows_sd == 0) return {release.rows};
  const double low = std::max(0.0, std::ceil(release.rows - kCountSds * release.rows_sd));
  const double high = std::max(low, std::floor(release.rows + kCountSds * release.rows_sd));
  const double spacing = std::max(1.0, (high - low) / static_cast<double>(kCounts - 1));
  std::vector<double> numbers;
  for (double n = low; n <= high; n += spacing) numbers.push_back(std::round(n));
  return numbers;
}

constexpr double kFarInPrior = 2;     // standard deviations of a prior
constexpr double kMostlyPrior = 0.6;  // of an entry's sd, over its prior's
constexpr double kTellPull = 0.25;    // of an entry's sd
constexpr double kTellBend = 0.5;     // likewise
constexpr double kFarOffset = 1;      // of rows' standard deviations
constexpr double kByNoise = 5;        // times as wide as without noise
constexpr double kHiddenRows = 3;     // standard deviations of the noise on their number

/// E (Z - distance)+ of a standard normal value
double excess_over(double distance) {
  const boost::math::normal_distribution<double> standard;
  return pdf(standard, distance) - distance * cdf(complement(standard, distance));
}

/// E clamp(X) - E X of a normal value: what values beyond the bounds lose by being moved to them.
double moved(double mean, double sd, const Interval& bounds) {
  return sd * (excess_over((mean - bounds.lower) / sd) - excess_over((bounds.upper - mean) / sd));
}

/// Whether rows were shortened around a point so far from their mean that the answer is bent, or that they are not where looks put them.
bool went_astray(const LocationRelease& release, const Position& mean, double rows) {
  if (std::isinf(release.bound)) return false;
  const double off = (release.frame * (mean - release.at)).norm();
  if (release.clipped == 0) {
    const double own = std::sqrt(Spectrum(release.spread).values().maxCoeff());
    return off + 2 * own > release.bound;
  }
  const double least = std::sqrt(rows * release.spread(0, 0) + release.noise) / (rows * release.slope);
  const double bend = std::min(kShortenedNormalBend * off * off * off, excess_over(release.bound - off));
  return bend / release.slope > kTellBend * least;
}

/// What released lengths tell: of the declared covariance, and of what clipping did to rows that do not follow it.
void check_lengths(const LocationFacts& facts, const LocationRelease& release, const Position& mean,
                   double sd, LocationVerdict& verdict) {
  if (!release.lengths || release.rows <= 0) return;
  const ReleasedLengths& lengths = *release.lengths;
  const Matrix own_frame = Cholesky(facts.covariance).half_solve(Matrix::Identity(mean.size(), mean.size()));
  Position offset = own_frame * (mean - lengths.at);
  // So far from where lengths were asked the mean was moved by rows that are not the model's.
  if (offset.norm() > kFarOffset) offset.setZero();
  const CovarianceVerdict told = check_covariance(lengths, release.rows, release.rows_sd, offset);
  verdict.covariance = told;
  if (std::isinf(release.bound)) return;
  double shortened = -release.clipped * release.rows;  // more than the model's
  for (Eigen::Index b = 2; b < lengths.counts.size(); ++b) {
    if (std::sqrt(2.0) * lengths.edges[b] > release.bound) shortened += lengths.counts[b];
  }
  verdict.far_shortened = told.far && shortened > told.unseen * release.rows;
  verdict.unseen_pull = told.unseen * release.bound / (release.slope * sd);
  Position reach(mean.size());
  for (Eigen::Index j = 0; j < mean.size(); ++j) {
    const Interval& bounds = facts.bounds[static_cast<std::size_t>(j)];
    reach[j] = std::max(bounds.upper - lengths.at[j], lengths.at[j] - bounds.lower);
  }
  verdict.unseen_far_pull = told.unseen * (own_frame.cwiseAbs() * reach).norm() / sd;
}

}  // namespace

LocationPosterior::LocationPosterior(const LocationRelease& release, const MeanPrior& prior) {
  const Eigen::Index dim = prior.location.size();
  const Position prior_precision = prior.sd.cwiseAbs2().cwiseInverse();
  const Position prior_offset = prior.location - release.at;
  std::vector<double> logs;
  for (const double n : numbers_of_rows(release)) {
    const Matrix slope = n * release.slope * release.frame;
    const Matrix scatter = n * release.spread + release.noise * Matrix::Identity(dim, dim);
    const Cholesky scattered(scatter);
    const Matrix weighted = scattered.solve(slope);
    const Matrix precision = slope.transpose() * weighted + Matrix(prior_precision.asDiagonal());
    Part part{.weight = 0, .mean = {}, .covariance = Cholesky(precision).inverse()};
    part.mean = release.at + part.covariance * (weighted.transpose() * release.sum +
                                                prior_precision.cwiseProduct(prior_offset));
    const Matrix prior_covariance = prior.sd.cwiseAbs2().asDiagonal();
    const Cholesky marginal(scatter + slope * prior_covariance * slope.transpose());
    const Position off = marginal.half_solve(Matrix(release.sum - slope * prior_offset)).col(0);
    const double z = release.rows_sd > 0 ? (n - release.rows) / release.rows_sd : 0;
    logs.push_back(-(z * z + off.squaredNorm()) / 2 - marginal.lower().diagonal().array().log().sum());
    factors_.push_back(Cholesky(part.covariance).lower());
    parts_.push_back(std::move(part));
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double total = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) total += parts_[i].weight = std::exp(logs[i] - largest);
  for (Part& part : parts_) part.weight /= total;
}

Position LocationPosterior::mean() const {
  Position mean = Position::Zero(parts_.front().mean.size());
  for (const Part& part : parts_) mean += part.weight * part.mean;
  return mean;
}

Matrix LocationPosterior::covariance() const {
  const Position centre = mean();
  Matrix covariance = Matrix::Zero(centre.size(), centre.size());
  for (const Part& part : parts_) {
    const Position off = part.mean - centre;
    covariance += part.weight * (part.covariance + off * off.transpose());
  }
  return covariance;
}

Position LocationPosterior::draw(ChainRng& rng) const {
  double u = rng.uniform();
  std::size_t i = 0;
  while (i + 1 < parts_.size() && u >= parts_[i].weight) u -= parts_[i++].weight;
  return parts_[i].mean + factors_[i] * rng.normals(parts_[i].mean.size());
}

LocationVerdict check_location(const LocationFacts& facts, const LocationRelease& release,
                               const MeanPrior& prior, const LocationPosterior& posterior) {
  const Eigen::Index dim = prior.location.size();
  const Position mean = posterior.mean();
  const Position sd = posterior.covariance().diagonal().cwiseSqrt();
  const double rows = std::max(release.rows, 0.0);
  const bool rows_hidden = release.rows < kHiddenRows * release.rows_sd;
  const Matrix clear =
      rows * Cholesky(facts.covariance).inverse() + Matrix(prior.sd.cwiseAbs2().cwiseInverse().asDiagonal());
  LocationVerdict verdict{.hidden = {},
                          .held = {},
                          .by_noise = {},
                          .beyond = {},
                          .share_beyond = Position(dim),
                          .pull = Position(dim),
                          .sd_inflation = sd.cwiseQuotient(Cholesky(clear).inverse().diagonal().cwiseSqrt())};
  verdict.rows_hidden = rows_hidden;
  if (rows_hidden) verdict.sd_inflation.setConstant(std::numeric_limits<double>::quiet_NaN());
  const boost::math::normal_distribution<double> standard;
  for (Eigen::Index j = 0; j < dim; ++j) {
    const Interval& bounds = facts.bounds[static_cast<std::size_t>(j)];
    const double spread = std::sqrt(facts.covariance(j, j));
    verdict.share_beyond[j] = cdf(standard, (bounds.lower - mean[j]) / spread) +
                              cdf(complement(standard, (bounds.upper - mean[j]) / spread));
    verdict.pull[j] = moved(mean[j], spread, bounds) / sd[j];
    const bool hidden = sd[j] > kMostlyPrior * prior.sd[j];
    if (hidden) verdict.hidden.push_back(j);
    if (!hidden && verdict.sd_inflation[j] > kByNoise) verdict.by_noise.push_back(j);
    if (!hidden && std::abs(verdict.pull[j]) > kTellPull) verdict.beyond.push_back(j);
    if (std::abs(mean[j] - prior.location[j]) > kFarInPrior * prior.sd[j]) verdict.held.push_back(j);
    if (sd[j] > spread) verdict.noise_dominates = true;
  }
  verdict.astray = went_astray(release, mean, rows);
  const Position own_sd = sd.cwiseQuotient(facts.covariance.diagonal().cwiseSqrt());
  check_lengths(facts, release, mean, own_sd.minCoeff(), verdict);
  return verdict;
}

}  // namespace sotto
