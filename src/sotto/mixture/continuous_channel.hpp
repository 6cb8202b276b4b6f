// Additive noise whose law is taken as continuous, and where its grid is fine enough for that.
#pragma once

#include <concepts>

#include "sotto/base/error.hpp"
#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/laplace.hpp"

namespace sotto::mixture {

template <class Channel>
concept ContinuousLaplace =
    std::same_as<Channel, LaplaceChannel> || std::same_as<Channel, DiscreteLaplaceChannel>;
template <class Channel>
concept ContinuousGaussian =
    std::same_as<Channel, GaussianChannel> || std::same_as<Channel, DiscreteGaussianChannel>;
/// The closed forms of marginal_density.hpp leave out that a grid channel rounds y to its grid. With r the change of log q over a step of size h
/// and L the largest |d log f / dy| where q f counts, log g is off by at most r^2 / 8 + r h L / 4 per datum (a cell's two halves
/// weigh the same up to h L / 2, and cosh(r / 2) - 1 <= r^2 / 7): on the default grid at epsilon 50, with a kernel a sixteenth of
/// the domain wide, 2e-9. Coarse grids are refused.
template <class Channel>
[[nodiscard]] bool has_fine_grid(const Channel& channel) {
  if constexpr (requires { channel.grid(); }) {
    const auto steps = static_cast<double>(channel.grid().steps());
    double change =
        0;  // of log q over one step: at most 1 / scale, or (domain and six deviations) / variance
    if constexpr (std::same_as<Channel, DiscreteLaplaceChannel>) {
      change = channel.grid().step() / channel.scale();
    } else {
      const double sd = channel.scale() / channel.grid().step();
      change = (steps + 6 * sd) / (sd * sd);
    }
    return steps >= 0x1p16 && change <= 1e-3;
  }
  return true;
}
template <class Channel>
void require_fine_grid(const Channel& channel) {
  if (!has_fine_grid(channel))
    throw Error(
        ErrorCode::configuration,
        "the channel's grid is too coarse for its exact marginal density; use Neal 5 or the slice sampler");
}

}  // namespace sotto::mixture
