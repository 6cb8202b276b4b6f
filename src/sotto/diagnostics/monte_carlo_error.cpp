#include "sotto/diagnostics/monte_carlo_error.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <vector>

#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/diagnostics/sequences.hpp"

namespace sotto {

double mcse_mean(const Matrix& x) {
  if (!can_be_diagnosed(x)) return kUndefined;
  const double variance = (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
  return std::sqrt(variance / ess_mean(x));
}

double mcse_sd(const Matrix& x) {
  if (!can_be_diagnosed(x)) return kUndefined;
  const Matrix square = (x.array() - x.mean()).square();
  const double m2 = square.mean();
  const double m4 = square.array().square().mean();
  return std::sqrt((m4 - m2 * m2) / ess_mean(square) / m2 / 4);
}

double mcse_quantile(const Matrix& x, double probability) {
  const double ess = ess_quantile(x, probability);
  if (std::isnan(ess)) return kUndefined;
  const boost::math::beta_distribution<double> rank(ess * probability + 1, ess * (1 - probability) + 1);
  std::vector<double> sorted(x.data(), x.data() + x.size());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  // One standard deviation to either side, as probabilities of a normal law.
  const double lower = std::max(0.0, std::floor(boost::math::quantile(rank, 0.1586553) * count - 1));
  const double upper = std::min(count - 1, std::ceil(boost::math::quantile(rank, 0.8413447) * count - 1));
  return (sorted[static_cast<std::size_t>(upper)] - sorted[static_cast<std::size_t>(lower)]) / 2;
}

}  // namespace sotto
