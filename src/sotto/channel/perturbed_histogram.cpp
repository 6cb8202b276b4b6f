#include "sotto/channel/perturbed_histogram.hpp"

#include <algorithm>

namespace sotto {

std::vector<double> PerturbedHistogramChannel::simulate(std::span<const double> data, ChainRng& rng) const {
  const std::vector<std::size_t> counts = bins_.counts(data);
  std::vector<double> release(counts.begin(), counts.end());
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

void PerturbedHistogramChannel::start(std::span<const double> data) {
  if (release_.empty()) throw Error(ErrorCode::internal, "start() needs an observed release");
  const std::vector<std::size_t> counts = bins_.counts(data);
  counts_.assign(counts.begin(), counts.end());
}

double PerturbedHistogramChannel::log_density(std::span<const double> data) const {
  const std::vector<std::size_t> counts = bins_.counts(data);
  double sum = 0;
  for (std::size_t j = 0; j < counts.size(); ++j)
    sum -= rate_ * std::abs(release_[j] - static_cast<double>(counts[j]));
  return sum;
}

}  // namespace sotto
