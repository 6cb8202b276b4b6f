// Releases made few: rounded by less than their noise shows, and each looked at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/channel/product.hpp"
#include "sotto/mixture/continuous_channel.hpp"
#include "sotto/mixture/released_data.hpp"

namespace sotto::mixture {

/// Equal releases have equal densities: each is looked at once, with its number.
template <class Z>
struct DistinctReleases {
  std::vector<Z> values;
  std::vector<std::vector<std::size_t>> rows;  ///< shape (values): who released it

  DistinctReleases(std::vector<Z> distinct, std::vector<std::vector<std::size_t>> released)
      : values(std::move(distinct)), rows(std::move(released)) {}
  explicit DistinctReleases(const std::vector<Z>& z) {
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if constexpr (requires { z[a] < z[b]; })
        return z[a] < z[b];
      else
        return std::ranges::lexicographical_compare(z[a], z[b]);
    });
    for (const std::size_t i : order) {
      if (values.empty() || z[i] != values.back()) values.push_back(z[i]), rows.emplace_back();
      rows.back().push_back(i);
    }
  }
};

/// To so many steps a standard deviation of the noise. Laplace noise tells no more of a release beyond the domain than its end does.
/// Coarser grids stay as they are.
template <class Channel>
double rounded(const Channel& channel, double z, double steps) {
  const double sd = channel.scale() * (ContinuousLaplace<Channel> ? std::numbers::sqrt2 : 1);
  const double step = sd / steps;
  const Interval domain = channel.domain();
  if constexpr (requires { channel.grid(); })
    if (channel.grid().step() > step) return z;
  if (ContinuousLaplace<Channel>) z = std::clamp(z, domain.lower, domain.upper);
  const double to = domain.lower + step * std::nearbyint((z - domain.lower) / step);
  return ContinuousLaplace<Channel> ? std::clamp(to, domain.lower, domain.upper) : to;
}

/// The number of a wavelet's release is no measurement.
inline double rounded(const HaarReleases&, double row, double) { return row; }

/// The releases rounded to a sixtyfourth of their noise's standard deviation, so that few are distinct.
///
/// Computes   the variance of the noise grows by 1 / (12 * 64^2), 2e-5 of it: for n data that moves the estimate of the data's
///            variance by 2e-5 sqrt(n / 5) of its standard error at most
template <class Channel>
LocalRelease<Channel, double> rounded(const LocalRelease<Channel, double>& data) {
  LocalRelease<Channel, double> result = data;
  for (double& z : result.z) z = rounded(data.channel, z, 64);
  return result;
}

/// Rows, whose columns' values multiply: steps so wide that this is a twentieth of the standard error, an eighth to a sixtyfourth.
template <int Dim>
LocalRelease<ProductChannel<Dim>, typename ProductChannel<Dim>::Vector> rounded(
    const LocalRelease<ProductChannel<Dim>, typename ProductChannel<Dim>::Vector>& data) {
  constexpr double kMoved = 0.05;
  const double steps =
      std::clamp(std::sqrt(std::sqrt(static_cast<double>(data.size()) / 5) / (12 * kMoved)), 8.0, 64.0);
  auto result = data;
  for (auto& row : result.z)
    for (int d = 0; d < Dim; ++d)
      row[d] = std::visit([&](const auto& one) { return rounded(one, row[d], steps); }, data.channel.part(d));
  return result;
}

/// Categories are few already, and wavelets have many numbers each.
template <class Channel, class Z>
LocalRelease<Channel, Z> rounded(const LocalRelease<Channel, Z>& data) {
  return data;
}

}  // namespace sotto::mixture
