// What a mixture kernel with its base measure must offer. A new kernel is one file that satisfies these
// concepts.
#pragma once

#include <concepts>
#include <string_view>

#include "sotto/base/position.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// A density f(y | theta) with a base measure G0 on theta.
///   Datum, Parameter, Statistic   types; a Statistic starts empty and takes data by add(y)
///   log_density(y, theta)         log f(y | theta), normalised; -infinity outside the support
///   draw(theta, rng)              y ~ f(. | theta)
///   draw_prior(rng)               theta ~ G0
///   update(theta, statistic, rng) one step that leaves p(theta | the data in the statistic) invariant
template <class Kernel>
concept MixtureKernel = requires(Kernel& kernel, const Kernel& constant, const typename Kernel::Datum& y,
                                 const typename Kernel::Parameter& theta,
                                 typename Kernel::Statistic& statistic, ChainRng& rng) {
  { constant.log_density(y, theta) } -> std::convertible_to<double>;
  { constant.draw(theta, rng) } -> std::convertible_to<typename Kernel::Datum>;
  { constant.draw_prior(rng) } -> std::convertible_to<typename Kernel::Parameter>;
  { kernel.update(theta, statistic, rng) } -> std::convertible_to<typename Kernel::Parameter>;
  statistic.add(y);
};

/// A row of the table of kernels (mixture/fit/kernel_table.hpp), for one column:
///   kName                         as typed
///   kDiscrete                     counts or categories: probabilities instead of densities
///   make(column, asked)           with the base measure of a declared column, or the numbers of it that are asked for; errors:
///                                 configuration, usage
///   base()                        the numbers of the base measure by their names
///   shown(points)                 where its densities are shown, about `points` points; of a discrete one, all
///   legal(y)                      the nearest datum at which no density vanishes
///   cumulative(y, theta)          P(Y <= y) and
///   mean(theta)                   the expectation, of numbers
template <class Kernel>
concept ColumnKernel = MixtureKernel<Kernel> &&
    requires(const Kernel& kernel, const ColumnSettings& column, const typename Kernel::Datum& y) {
  { Kernel::kName } -> std::convertible_to<std::string_view>;
  { Kernel::kDiscrete } -> std::convertible_to<bool>;
  { Kernel::make(column, BaseParameters{}) } -> std::same_as<Kernel>;
  { kernel.base() } -> std::same_as<BaseParameters>;
  { kernel.shown(Eigen::Index{}) } -> std::convertible_to<Position>;
  { kernel.legal(y) } -> std::same_as<typename Kernel::Datum>;
};

/// Of whole numbers, each of which has a probability.
template <class Kernel>
concept CountKernel =
    ColumnKernel<Kernel> && Kernel::kDiscrete && std::same_as<typename Kernel::Datum, double>;

/// A kernel whose parameter integrates out.
///   statistic.remove(y)           undoes add(y)
///   log_marginal(statistic)       log of the integral of prod f(y | theta) G0(d theta) over the data in the
///   statistic
template <class Kernel>
concept ConjugateKernel = MixtureKernel<Kernel> &&
    requires(const Kernel& kernel, const typename Kernel::Datum& y, typename Kernel::Statistic& statistic) {
  statistic.remove(y);
  { kernel.log_marginal(statistic) } -> std::convertible_to<double>;
};

/// An empty statistic, of kernels whose statistics know their domain.
template <class Kernel>
typename Kernel::Statistic empty_statistic(const Kernel& kernel) {
  if constexpr (requires { kernel.empty_statistic(); }) return kernel.empty_statistic();
  return {};
}

/// A kernel that tunes its own update while the chain warms up.
template <class Kernel>
concept AdaptiveKernel = requires(Kernel& kernel) {
  kernel.adapt(true);
};

}  // namespace sotto::mixture
