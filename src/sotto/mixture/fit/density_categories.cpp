// Probabilities of categories after randomised response.
#include <cmath>

#include "sotto/mixture/fit/density_by_channel.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"

namespace sotto {
namespace {

// Computes   (share of z = j - q) / (p - q), p and q the chances that a category is told as itself, or as a given other one
// Source     [KOV16, section 2]: unbiased, and may be negative
Position inverted_frequencies(const RandomisedResponseChannel& channel, const std::vector<int>& z) {
  const double odds = std::exp(channel.log_density(0, 0) - channel.log_density(1, 0));
  const double other = 1 / (odds + channel.levels() - 1);
  Position shares = Position::Zero(channel.levels());
  for (const int released : z) shares[released] += 1 / static_cast<double>(z.size());
  return (shares.array() - other) / (other * (odds - 1));
}

}  // namespace

DensityResult estimate_categories(const Column& column, const PrivatisedColumn& released,
                                  const DensitySettings& settings) {
  const auto* channel = std::get_if<RandomisedResponseChannel>(&column.channel);
  if (channel == nullptr)
    throw Error(ErrorCode::configuration, "the categorical kernel needs a randomized-response column");
  const mixture::CategoricalKernel kernel(channel->levels(), 1.0 / channel->levels());
  std::vector<int> z;
  for (const double released_category : released.values) z.push_back(static_cast<int>(released_category));
  const mixture::LocalRelease<RandomisedResponseChannel, int> data{*channel, z};
  const Marginal<mixture::CategoricalKernel> shown(kernel);
  const EvaluationGrid grids =
      shown_grids(shown, {Position::LinSpaced(channel->levels(), 0, channel->levels() - 1)}, true, settings);
  const std::vector<DensityChain> chains = run_density_chains(settings, [&](ChainRng& rng) {
    return run_one_chain(kernel, data, z, shown, grids.grids, settings, rng);
  });
  DensityResult result = summarise_density(chains, grids, settings, true);
  if (channel->epsilon() > 1e-6) result.columns[0].deconvolution = inverted_frequencies(*channel, z);
  return result;
}

}  // namespace sotto
