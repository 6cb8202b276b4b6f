#include "sotto/mixture/fit/without_prior.hpp"

#include <cmath>

#include "sotto/mixture/deconvolution.hpp"

namespace sotto {
namespace {

void deconvolve(ColumnDensity& result, const auto& channel, mixture::NoiseLaw law,
                const std::vector<double>& z) {
  if (result.discrete) return;
  const mixture::Deconvolution estimator(z, {law, channel.scale()}, channel.domain());
  result.bandwidth = estimator.bootstrap_bandwidth();
  result.deconvolution =
      mixture::positive_density(result.grid, estimator.density(result.bandwidth, result.grid));
}

// Computes   (share of z = j - q) / (p - q), p and q the chances that a category is told as itself, or as a given other one
// Source     [KOV16, section 2]: unbiased, and may be negative
Position inverted_frequencies(const RandomisedResponseChannel& channel, const std::vector<double>& z) {
  const double odds = std::exp(channel.log_density(0, 0) - channel.log_density(1, 0));
  const double other = 1 / (odds + channel.levels() - 1);
  Position shares = Position::Zero(channel.levels());
  for (const double released : z)
    shares[static_cast<Eigen::Index>(released)] += 1 / static_cast<double>(z.size());
  return (shares.array() - other) / (other * (odds - 1));
}

}  // namespace

void add_estimate_without_prior(ColumnDensity& result, const Column& column,
                                const PrivatisedColumn& released) {
  const std::vector<double>& z = released.values;
  if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel))
    deconvolve(result, *laplace, mixture::NoiseLaw::laplace, z);
  if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel))
    deconvolve(result, *gaussian, mixture::NoiseLaw::gaussian, z);
  if (const auto* response = std::get_if<RandomisedResponseChannel>(&column.channel))
    if (response->epsilon() > 1e-6) result.deconvolution = inverted_frequencies(*response, z);
}

}  // namespace sotto
