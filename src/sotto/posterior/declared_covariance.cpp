#include "sotto/posterior/declared_covariance.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <cmath>

namespace sotto {
namespace {

constexpr double kMoreThanNoise = 2.5;  // standard deviations: one false alarm in eighty, of either kind
constexpr double kSpreadMatters = 1.15;
constexpr double kFarMatters = 0.005;  // of the rows, beyond the model's share
constexpr double kMoreOfMany = 3.5;  // standard deviations: one false alarm in a hundred of some forty tails

/// P(|Z + offset| <= length), Z standard normal.
double within(Eigen::Index dim, const Position& offset, double length) {
  const double off = offset.squaredNorm();
  const double square = length * length;
  if (off < 1e-12)
    return cdf(boost::math::chi_squared_distribution<double>(static_cast<double>(dim)), square);
  return cdf(boost::math::non_central_chi_squared_distribution<double>(static_cast<double>(dim), off),
             square);
}

/// The scale of Z at which this share of the rows is within the length; between a hundredth and a hundred.
double scale_at(double share, Eigen::Index dim, const Position& offset, double length) {
  double low = 0.01;
  double high = 100;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (within(dim, offset / middle, length / middle) > share ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

/// Whether many more rows than the model's lie beyond one of the farther edges, where it lets hardly any lie: those nearer may be so few
/// less that nothing shows in all of them together. Few of them matter as much as more that are nearer.
void check_farther(const ReleasedLengths& lengths, double rows, const Position& offset,
                   CovarianceVerdict& verdict) {
  const Eigen::Index bins = lengths.counts.size();
  for (Eigen::Index k = 3; k < bins; ++k) {
    const double by_model = 1 - within(offset.size(), offset, lengths.edges[k]);
    const double share = lengths.counts.tail(bins - k).sum() / rows;
    const double sd = std::sqrt(static_cast<double>(bins - k) * std::pow(lengths.noise_sd, 2) +
                                rows * by_model * (1 - by_model)) /
                      rows;
    const double matters = kFarMatters * lengths.edges[2] / lengths.edges[k];
    if (share - by_model <= std::max(kMoreOfMany * sd, matters)) continue;
    verdict.far = true;
    verdict.far_share = share;
    verdict.far_by_model = by_model;
    return;
  }
}

}  // namespace

CovarianceVerdict check_covariance(const ReleasedLengths& lengths, double rows, double rows_sd,
                                   const Position& offset) {
  CovarianceVerdict verdict;
  const Eigen::Index dim = offset.size();
  const double variance = lengths.noise_sd * lengths.noise_sd;
  const auto bins_beyond = static_cast<double>(lengths.counts.size() - 2);
  if (rows < kMoreThanNoise * std::max(lengths.noise_sd, rows_sd)) return verdict;

  // Those beyond are counted, and are what is left of all rows by those within: the two are weighed by their noise.
  const double counted_noise = bins_beyond * variance;
  const double left_noise = 2 * variance + rows_sd * rows_sd;
  const double counted = lengths.counts.tail(lengths.counts.size() - 2).sum();
  const double left = rows - lengths.counts.head(2).sum();
  const double beyond = (counted / counted_noise + left / left_noise) / (1 / counted_noise + 1 / left_noise);
  verdict.far_by_model = 1 - within(dim, offset, lengths.edges[2]);
  verdict.far_share = std::max(beyond / rows, 0.0);
  const double sd = std::sqrt(1 / (1 / counted_noise + 1 / left_noise) +
                              rows * verdict.far_by_model * (1 - verdict.far_by_model));
  verdict.unseen = kMoreThanNoise * sd / rows;
  const double excess = verdict.far_share - verdict.far_by_model;
  verdict.far = excess > std::max(verdict.unseen, kFarMatters);
  if (!verdict.far) check_farther(lengths, rows, offset, verdict);

  const double by_model = within(dim, offset, lengths.edges[1]);
  const double share = lengths.counts[0] / rows;
  const double share_sd =
      std::sqrt(variance + std::pow(by_model * rows_sd, 2) + rows * by_model * (1 - by_model)) / rows;
  verdict.spread = scale_at(share, dim, offset, lengths.edges[1]);
  verdict.other_spread = std::abs(share - by_model) > kMoreThanNoise * share_sd &&
                         std::abs(std::log(verdict.spread)) > std::log(kSpreadMatters);
  return verdict;
}

}  // namespace sotto
