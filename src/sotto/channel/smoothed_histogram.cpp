#include "sotto/channel/smoothed_histogram.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr std::uint64_t kWhole = SmoothedHistogramChannel::kWhole;

// Computes   mix = (m/n) / (m/n + e^(epsilon/draws) - 1), rounded up until the loss, rounded up, fits
// (erratum E25)
std::uint64_t smallest_mix(int bins, std::size_t n, std::size_t draws, double epsilon) {
  const double ratio = bins / static_cast<double>(n);
  const double mix = ratio / (ratio + std::expm1(epsilon / static_cast<double>(draws)));
  auto scaled = static_cast<std::uint64_t>(std::ceil(mix * static_cast<double>(kWhole)));
  scaled = std::clamp<std::uint64_t>(scaled, 1, kWhole);
  while (scaled < kWhole &&
         SmoothedHistogramChannel::loss(static_cast<double>(scaled) * 0x1p-40, bins, n, draws) *
                 (1 + 0x1p-45) >
             epsilon) {
    ++scaled;
  }
  return scaled;
}

}  // namespace

SmoothedHistogramChannel::SmoothedHistogramChannel(Bins bins, std::size_t n, std::size_t draws,
                                                   Epsilon epsilon)
    : bins_(bins), n_(n), draws_(draws), epsilon_(epsilon), mix_(kWhole) {
  constexpr std::size_t most = std::size_t{1} << 30;
  if (n < 1 || n > most || draws < 1 || draws > most) {
    throw Error(ErrorCode::configuration,
                "a smoothed histogram needs 1 to 2^30 data and as many draws at most");
  }
  if (!(epsilon.value() > 0) || !std::isfinite(epsilon.value())) {
    throw Error(ErrorCode::configuration, "a smoothed histogram needs a finite epsilon > 0");
  }
  mix_ = smallest_mix(bins.count(), n, draws, epsilon.value());
  log_height_.resize(n + 2);
  for (std::size_t c = 0; c < log_height_.size(); ++c) {
    log_height_[c] =
        std::log((1 - mix()) * bins.count() * static_cast<double>(c) / static_cast<double>(n) + mix());
  }
}

double SmoothedHistogramChannel::loss(double mix, int bins, std::size_t n, std::size_t draws) {
  return static_cast<double>(draws) * std::log1p((1 - mix) * bins / (static_cast<double>(n) * mix));
}

std::vector<Uint128> SmoothedHistogramChannel::cumulated_weights(std::span<const double> data) const {
  if (data.size() != n_)
    throw Error(ErrorCode::data, "the smoothed histogram was set up for another number of data");
  const std::vector<std::size_t> counts = bins_.counts(data);
  std::vector<Uint128> cumulated(counts.size());
  Uint128 total = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    total +=
        static_cast<Uint128>(kWhole - mix_) * counts.size() * counts[j] + static_cast<Uint128>(mix_) * n_;
    cumulated[j] = total;
  }
  return cumulated;
}

void SmoothedHistogramChannel::observe(std::span<const double> release) {
  const bool inside = std::all_of(release.begin(), release.end(),
                                  [&](double w) { return w >= domain().lower && w <= domain().upper; });
  if (release.size() != draws_ || !inside) {
    throw Error(ErrorCode::data,
                "a smoothed histogram release needs as many points of the domain as its channel says");
  }
  drawn_.assign(bins_.count(), 0.0);
  for (const double w : release) ++drawn_[bins_(w)];
}

std::vector<double> SmoothedHistogramChannel::initial(std::size_t n, ChainRng& rng) const {
  std::vector<double> shares;
  for (const double drawn : drawn_)
    shares.push_back(drawn / static_cast<double>(draws_) - mix() / bins_.count());
  return bins_.draw(n, shares, rng);
}

void SmoothedHistogramChannel::start(std::span<const double> data) {
  if (drawn_.empty()) throw Error(ErrorCode::internal, "start() needs an observed release");
  if (data.size() != n_)
    throw Error(ErrorCode::data, "the smoothed histogram was set up for another number of data");
  counts_ = bins_.counts(data);
}

double SmoothedHistogramChannel::log_density(std::span<const double> data) const {
  const std::vector<std::size_t> counts = bins_.counts(data);
  double sum = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) sum += drawn_[j] * log_height_[counts[j]];
  return sum;
}

}  // namespace sotto
