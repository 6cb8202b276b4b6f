// Density estimates from Gaussian releases with all atoms conjugate: Neal 2, Neal 3 and split-merge.
#include <cmath>

#include "sotto/mixture/fit/density_by_channel.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"

namespace sotto {
namespace {

using mixture::AnyMixing;
using mixture::Confidential;
using mixture::InflatedNormalKernel;
using mixture::NormalParameter;

// The density of a datum, given the atom of its release: N(mean, sd^2 - noise).
class WithoutNoise {
 public:
  using Datum = double;
  using Parameter = NormalParameter;

  // A kernel narrower than `narrowest` could fall between grid points; it is drawn that wide.
  WithoutNoise(const InflatedNormalKernel& kernel, double narrowest)
      : kernel_(kernel), smallest_(narrowest * narrowest), data_(kernel.prior()) {}

  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    return data_.log_density(y, of_data(theta));
  }
  double draw(const Parameter& theta, ChainRng& rng) const { return data_.draw(of_data(theta), rng); }
  Parameter draw_prior(ChainRng& rng) const { return kernel_.draw_prior(rng); }

 private:
  [[nodiscard]] NormalParameter of_data(const Parameter& theta) const {
    const double variance = std::max(theta.sd * theta.sd - kernel_.noise(), smallest_);
    return {.mean = theta.mean, .sd = std::sqrt(variance), .log_sd = std::log(variance) / 2};
  }
  InflatedNormalKernel kernel_;
  double smallest_;
  mixture::NormalKernel data_;
};

}  // namespace

DensityResult estimate_with_conjugate(const Column& column, const PrivatisedColumn& released,
                                      const DensitySettings& settings) {
  const auto* channel = std::get_if<DiscreteGaussianChannel>(&column.channel);
  if (channel == nullptr) {
    throw Error(ErrorCode::configuration,
                "with the normal kernel neal2, neal3 and split-merge need a Gaussian channel; use neal5, "
                "neal8 or slice");
  }
  const double noise = channel->scale() * channel->scale();
  const InflatedNormalKernel kernel(base_measure(channel->domain()), noise);
  const Marginal<WithoutNoise> shown(
      WithoutNoise(kernel, channel->domain().width() / static_cast<double>(settings.grid_points)));
  const EvaluationGrid grids =
      shown_grids(shown, {mixture::even_grid(channel->domain(), settings.grid_points)}, false, settings);
  const Confidential<double> data{released.values};
  const std::vector<DensityChain> chains = run_density_chains(settings, [&](ChainRng& rng) {
    return run_one_chain(kernel, data, data.y, shown, grids.grids, settings, rng);
  });
  return summarise_density(chains, grids, settings, true);
}

}  // namespace sotto
