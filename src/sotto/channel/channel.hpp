// What a privatisation channel must offer: the density of what it releases, given the confidential data.
#pragma once

#include <concepts>
#include <span>

namespace sotto {

/// Each datum y is privatised by itself into z (local privacy).
/// `log_density(z, y)` is log q(z | y) up to a constant free of y. It treats y as the channel's sampler does:
/// a datum outside the declared domain is clamped to it first, so that the ratio q(z | y) / q(z | y') keeps
/// the privacy bound for every y and y' that an imputation may propose (erratum E28).
template <class Channel, class Z, class Y>
concept LocalChannel = requires(const Channel& channel, const Z& z, const Y& y) {
  { channel.log_density(z, y) } -> std::convertible_to<double>;
};

/// A channel that is epsilon-private: log q(z | y) - log q(z | y') <= epsilon() for every z, y, y'.
template <class Channel>
concept PureChannel = requires(const Channel& channel) {
  { channel.epsilon() } -> std::convertible_to<double>;
};

/// All data y_1..y_n are privatised together into one release W, which the channel object holds (global
/// privacy). It keeps whatever it needs (the counts of a histogram, say) to price the change of one datum
/// without a pass over the others:
///   start(y)             takes y_1..y_n as the present data; O(n)
///   log_ratio(from, to)  log q(W | data with one `from` replaced by `to`) - log q(W | data)
///   replace(from, to)    makes that change
template <class Channel, class Y>
concept GlobalChannel = requires(Channel& channel, const Channel& constant, std::span<const Y> all,
                                 const Y& from, const Y& to) {
  channel.start(all);
  { constant.log_ratio(from, to) } -> std::convertible_to<double>;
  channel.replace(from, to);
};

}  // namespace sotto
