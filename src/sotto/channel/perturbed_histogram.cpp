#include "sotto/channel/perturbed_histogram.hpp"

#include <algorithm>

#include "sotto/random/discrete_laplace.hpp"

namespace sotto {

std::vector<double> PerturbedHistogramChannel::count(std::span<const double> data) const {
  std::vector<double> counts(bins_.count(), 0.0);
  for (const double y : data) ++counts[bins_(y)];
  return counts;
}

std::vector<double> PerturbedHistogramChannel::sample(std::span<const double> data,
                                                      EntropySource& entropy) const {
  std::vector<double> release = count(data);
  for (double& entry : release) {
    const Int128 noise = discrete_laplace<Int128>(scale_.numerator, scale_.denominator, entropy);
    entry = static_cast<double>(static_cast<Int128>(entry) + noise);
  }
  return release;
}

std::vector<double> PerturbedHistogramChannel::simulate(std::span<const double> data, ChainRng& rng) const {
  std::vector<double> release = count(data);
  for (double& entry : release) {
    const double u = rng.uniform() - 0.5;
    entry -= scale() * std::copysign(std::log1p(-2 * std::abs(u)), u);
  }
  return release;
}

void PerturbedHistogramChannel::observe(std::vector<double> release) {
  const bool finite = std::all_of(release.begin(), release.end(), [](double w) { return std::isfinite(w); });
  if (release.size() != static_cast<std::size_t>(bins_.count()) || !finite) {
    throw Error(ErrorCode::data, "a perturbed histogram needs one finite count for each bin of its channel");
  }
  release_ = std::move(release);
}

std::vector<double> PerturbedHistogramChannel::initial(std::size_t n, ChainRng& rng) const {
  std::vector<double> cumulated(release_.size());
  double total = 0;
  for (std::size_t j = 0; j < release_.size(); ++j) cumulated[j] = total += std::max(0.0, release_[j]) + 1e-9;
  std::vector<double> data(n);
  for (double& y : data) {
    const auto found = std::upper_bound(cumulated.begin(), cumulated.end(), rng.uniform() * total);
    const auto bin = std::min<std::size_t>(found - cumulated.begin(), cumulated.size() - 1);
    const Interval bounds = bins_.bounds(static_cast<int>(bin));
    y = bounds.lower + rng.uniform() * bounds.width();
  }
  return data;
}

void PerturbedHistogramChannel::start(std::span<const double> data) {
  if (release_.empty()) throw Error(ErrorCode::internal, "start() needs an observed release");
  counts_ = count(data);
}

double PerturbedHistogramChannel::log_density(std::span<const double> data) const {
  const std::vector<double> counts = count(data);
  double sum = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) sum -= rate_ * std::abs(release_[j] - counts[j]);
  return sum;
}

}  // namespace sotto
