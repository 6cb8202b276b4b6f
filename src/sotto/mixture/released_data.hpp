// What a mixture sampler is given: the confidential data themselves, or what a channel made of them.
#pragma once

#include <cstddef>
#include <vector>

#include "sotto/channel/channel.hpp"

namespace sotto::mixture {

/// No channel: the data as they are, for comparison. Nothing is imputed.
template <class Y>
struct Confidential {
  std::vector<Y> y;
  [[nodiscard]] std::size_t size() const { return y.size(); }
};

/// One release z_i per datum.
template <class Channel, class Z>
struct LocalRelease {
  Channel channel;
  std::vector<Z> z;
  [[nodiscard]] std::size_t size() const { return z.size(); }
  /// log q(z_i | y), up to a constant free of y.
  template <class Y>
  [[nodiscard]] double log_density(std::size_t i, const Y& y) const {
    return channel.log_density(z[i], y);
  }
};

/// One release for all n data; the channel object holds it.
template <class Channel>
struct GlobalRelease {
  Channel channel;
  std::size_t n = 0;
  [[nodiscard]] std::size_t size() const { return n; }
};

template <class Data>
inline constexpr bool is_confidential = false;
template <class Y>
inline constexpr bool is_confidential<Confidential<Y>> = true;

template <class Data>
inline constexpr bool is_global = false;
template <class Channel>
inline constexpr bool is_global<GlobalRelease<Channel>> = true;

template <class Data>
inline constexpr bool is_local = !is_confidential<Data> && !is_global<Data>;

}  // namespace sotto::mixture
