#include "sotto/run/made_up_cells.hpp"

#include <algorithm>
#include <boost/random/binomial_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace sotto {
namespace {

constexpr double kNearlyNormal = 1e4;
constexpr double kNearlyConstant = 1e10;  // beyond it the library's draws round too much

double gamma_draw(double shape, ChainRng& rng) {
  return shape > kNearlyConstant ? shape : boost::random::gamma_distribution<double>(shape)(rng);
}

/// A beta law's draw, in [0, 1]; `variance` below mean (1 - mean).
double beta_share(double mean, double variance, ChainRng& rng) {
  const double both = mean * (1 - mean) / variance - 1;
  if (both * std::min(mean, 1 - mean) > kNearlyNormal)
    return std::clamp(mean + std::sqrt(variance) * rng.normal(), 0.0, 1.0);
  const double above = gamma_draw(mean * both, rng);
  const double share = above / (above + gamma_draw((1 - mean) * both, rng));
  if (share >= 0 && share <= 1) return share;
  return rng.uniform() < mean ? 1 : 0;  // both underflow: it is all but a coin
}

double number_within(const Interval& bounds, double mean, double sd, ChainRng& rng) {
  const double width = bounds.width();
  const double share = beta_share((mean - bounds.lower) / width, (sd / width) * (sd / width), rng);
  return std::clamp(bounds.lower + width * share, bounds.lower, bounds.upper);
}

double count_within(const Interval& bounds, double mean, double sd, ChainRng& rng) {
  const double most = bounds.width();
  const double share = (mean - bounds.lower) / most;
  const double binomial = most * share * (1 - share);
  const double excess = (sd * sd / binomial - 1) / (most - 1);  // variance of the share, over its largest
  if (!(excess > 0 && excess < 1)) return std::nearbyint(number_within(bounds, mean, sd, rng));
  const double drawn = beta_share(share, excess * share * (1 - share), rng);
  const auto trials = static_cast<std::int64_t>(most);
  return bounds.lower +
         static_cast<double>(boost::random::binomial_distribution<std::int64_t>(trials, drawn)(rng));
}

double level(const SchemaColumn& column, ChainRng& rng) {
  const std::vector<double>& shares = column.expected.shares;
  if (shares.empty()) return static_cast<double>(rng.below(column.levels.size()));
  double left = rng.uniform() * std::accumulate(shares.begin(), shares.end(), 0.0);  // one, but for rounding
  std::size_t index = 0;
  while (index + 1 < shares.size() && left >= shares[index]) left -= shares[index++];
  return static_cast<double>(index);
}

}  // namespace

double made_up_cell(const SchemaColumn& column, ChainRng& rng) {
  const auto [lower, upper] = column.bounds;
  const auto& [mean, sd, shares] = column.expected;
  switch (column.kind) {
    case ColumnKind::binary:
      return mean ? (rng.uniform() < *mean ? 1 : 0) : static_cast<double>(rng.below(2));
    case ColumnKind::category:
      return level(column, rng);
    case ColumnKind::count:
      return mean && sd ? count_within(column.bounds, *mean, *sd, rng)
                        : std::floor(lower + (upper - lower + 1) * rng.uniform());
    case ColumnKind::real:
      break;
  }
  return mean && sd ? number_within(column.bounds, *mean, *sd, rng) : lower + (upper - lower) * rng.uniform();
}

}  // namespace sotto
