#include "sotto/posterior/level_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sotto/math/noisy_count.hpp"

namespace sotto {
namespace {

/// The place in a density that is linear between points, with `u` of the whole below it.
double place(const std::vector<double>& at, const std::vector<double>& density, double u) {
  std::vector<double> below(at.size(), 0);
  for (std::size_t i = 1; i < at.size(); ++i)
    below[i] = below[i - 1] + (at[i] - at[i - 1]) * (density[i] + density[i - 1]) / 2;
  const double wanted = u * below.back();
  const auto next = std::upper_bound(below.begin() + 1, below.end() - 1, wanted);
  const auto i = static_cast<std::size_t>(next - below.begin());
  const double width = at[i] - at[i - 1];
  const double low = density[i - 1];
  const double rise = (density[i] - low) / width;
  const double area = wanted - below[i - 1];
  // Solves low x + rise x^2 / 2 = area without taking a difference of like numbers.
  const double root = std::sqrt(std::fmax(0, low * low + 2 * rise * area));
  return at[i - 1] + std::clamp(low + root > 0 ? 2 * area / (low + root) : 0, 0.0, width);
}

double area(const std::vector<double>& at, const std::vector<double>& density) {
  double sum = 0;
  for (std::size_t i = 1; i < at.size(); ++i) sum += (at[i] - at[i - 1]) * (density[i] + density[i - 1]) / 2;
  return sum;
}

}  // namespace

LevelCountsPosterior::LevelCountsPosterior(const ReleasedCounts& released, const CoefficientPrior& prior)
    : prior_(prior), base_(curve_of(released.counts[0], released.noise_sd, prior)) {
  for (Eigen::Index k = 1; k < released.counts.size(); ++k)
    others_.push_back(curve_of(released.counts[k], released.noise_sd, prior));
  std::vector<double> logs(base_.at.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i] = std::log(base_.density[i]);
    for (const Curve& other : others_) logs[i] += std::log(area(other.at, given(other, base_.at[i])));
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  for (std::size_t i = 0; i < logs.size(); ++i) base_.density[i] = std::exp(logs[i] - largest);
}

LevelCountsPosterior::Curve LevelCountsPosterior::curve_of(double noisy, double noise_sd,
                                                           const CoefficientPrior& prior) {
  constexpr int kPoints = 200;     // over the window
  constexpr double kWindow = 8;    // standard deviations on either side
  constexpr double kLeast = 0.05;  // rows
  constexpr double kLongest = 0.05;
  constexpr int kMostPoints = 4000;
  const double seen = std::fmax(noisy, 0);
  const double sd = std::sqrt(seen + noise_sd * noise_sd) + 1;
  const double low = noisy - kWindow * sd;
  const double high = seen + kWindow * sd;
  std::vector<double> means;
  for (int i = 0; i <= kPoints; ++i) {
    const double mean = low + (high - low) * i / kPoints;
    if (mean > kLeast) means.push_back(mean);
  }
  if (low <= kLeast) {  // then every small mean is possible, and the prior alone bounds the odds
    const double span = std::log(high / kLeast);
    const double step = prior.family == PriorFamily::flat ? kLongest : std::fmin(kLongest, prior.scale / 4);
    const int count = static_cast<int>(std::fmin(std::ceil(span / step), kMostPoints));
    for (int i = 0; i < count; ++i) means.push_back(kLeast * std::exp(span * i / count));
    std::sort(means.begin(), means.end());
    means.erase(std::unique(means.begin(), means.end()), means.end());
  }
  std::vector<double> logs(means.size());
  std::transform(means.begin(), means.end(), logs.begin(),
                 [&](double mean) { return log_noisy_count_density(noisy, mean, noise_sd); });
  const double largest = *std::max_element(logs.begin(), logs.end());
  Curve curve;
  for (std::size_t i = 0; i < means.size(); ++i) {
    curve.at.push_back(std::log(means[i]));
    curve.density.push_back(std::exp(logs[i] - largest));
  }
  return curve;
}

std::vector<double> LevelCountsPosterior::given(const Curve& curve, double nu) const {
  std::vector<double> density(curve.at.size());
  for (std::size_t i = 0; i < density.size(); ++i)
    density[i] = curve.density[i] * std::exp(prior_.log_density(curve.at[i] - nu));
  return density;
}

Position LevelCountsPosterior::draw(ChainRng& rng) const {
  const double nu = place(base_.at, base_.density, rng.uniform());
  Position odds(static_cast<Eigen::Index>(others_.size()));
  for (std::size_t k = 0; k < others_.size(); ++k)
    odds[static_cast<Eigen::Index>(k)] = place(others_[k].at, given(others_[k], nu), rng.uniform()) - nu;
  return odds;
}

std::vector<Eigen::Index> hidden_levels(const ReleasedCounts& released, const Matrix& shares) {
  constexpr double kSeen = 2;  // standard deviations of the noise
  const double rows = std::fmax(released.counts.sum(), 0);
  std::vector<Eigen::Index> hidden;
  for (Eigen::Index k = 0; k < shares.cols(); ++k) {
    if (shares.col(k).mean() * rows < kSeen * released.noise_sd) hidden.push_back(k);
  }
  return hidden;
}

Position share_inflation(const ReleasedCounts& released, const Matrix& shares) {
  const double rows = std::fmax(released.counts.sum(), 1);
  Position inflation(shares.cols());
  for (Eigen::Index k = 0; k < shares.cols(); ++k) {
    const double mean = shares.col(k).mean();
    const double sd = std::sqrt((shares.col(k).array() - mean).square().mean());
    inflation[k] = sd / std::sqrt(std::fmax(mean * (1 - mean), 1e-300) / rows);
  }
  return inflation;
}

}  // namespace sotto
