// What the law of a privatisation channel must offer: its row in the table of channels, and the density of what it releases.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/channel/column_settings.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Noise drawn exactly from the system's entropy. Every law says how it makes a release of it,
///   release(y, noise)      of a local channel: one value, or a vector of them
///   release(all, noise)    of a global one: its release
/// but what it is stands in privatise/exact_noise.hpp, which is the curator's: nobody else can call these.
class ExactNoise;
template <class Noise>
concept CuratorsNoise = std::same_as<Noise, ExactNoise>;

/// Each datum y is privatised by itself into z (local privacy).
/// `log_density(z, y)` is log q(z | y) up to a constant free of y. It treats y as `release` does:
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
///   observe(values)      takes a release as the one to be explained
///   initial(n, rng)      n data that resemble it
///   start(y)             takes y_1..y_n as the present data; O(n)
///   log_ratio(from, to)  log q(W | data with one `from` replaced by `to`) - log q(W | data)
///   replace(from, to)    makes that change
template <class Channel, class Y>
concept GlobalChannel = requires(Channel& channel, const Channel& constant, std::span<const Y> all,
                                 const Y& from, const Y& to, const std::vector<double>& values,
                                 ChainRng& rng) {
  channel.observe(values);
  { constant.initial(all.size(), rng) } -> std::convertible_to<std::vector<Y>>;
  channel.start(all);
  { constant.log_ratio(from, to) } -> std::convertible_to<double>;
  channel.replace(from, to);
};

/// One row of the table of channels:
///   Datum                  of the confidential column: a number (double) or a category (int)
///   kName                  as typed and stored
///   kKeys                  the members of ColumnSettings it reads, as they are called in files
///   kNeedsDelta            whether an epsilon alone is no target for it; its noise is Gaussian then, as several such columns are
///                          priced together by the Gaussian curve
///   make(column, target, rows)
///                          the channel of a declared column; errors: configuration
///   guarantee()            for the exchange of one row
///   noise_scale()          spread of the noise, stored so that file and program can be seen to agree
///   noise_in_words()       what it does to a value
///   stored_names(name)     the columns in which one record's values are stored
///   records(rows)          how many records are released
///   reach(rows)            beyond it a released value has probability below e^-1000
///   whole_number(z)        the integer that a released value stands for; nothing where there is none
/// and, of a local channel, observed(values): one z per datum from the stored values.
template <class Channel>
concept ChannelLaw = requires(const Channel& channel, const ColumnSettings& column,
                              const PrivacyTarget& target, std::size_t rows, double z) {
  { Channel::kName } -> std::convertible_to<std::string_view>;
  std::span<const std::string_view>(Channel::kKeys);
  { Channel::kNeedsDelta } -> std::convertible_to<bool>;
  { Channel::make(column, target, rows) } -> std::same_as<Channel>;
  { channel.guarantee() } -> std::same_as<Guarantee>;
  { channel.noise_scale() } -> std::convertible_to<double>;
  { channel.noise_in_words() } -> std::same_as<std::string>;
  { Channel(channel).stored_names(column.name) } -> std::same_as<std::vector<std::string>>;
  { channel.records(rows) } -> std::convertible_to<std::size_t>;
  { channel.reach(rows) } -> std::same_as<Interval>;
  { channel.whole_number(z) } -> std::same_as<std::optional<std::int64_t>>;
};

/// The integer nearest to x, where x is one up to `tolerance`.
[[nodiscard]] inline std::optional<std::int64_t> nearest_whole(double x, double tolerance) {
  if (!(std::abs(x - std::nearbyint(x)) <= tolerance)) return std::nullopt;
  return std::llround(x);
}

}  // namespace sotto
