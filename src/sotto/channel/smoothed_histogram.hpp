// The law of the smoothed histogram: a sample from the histogram of all data, mixed with the uniform distribution.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "sotto/channel/bins.hpp"
#include "sotto/channel/channel.hpp"

namespace sotto {

/// Releases `draws` independent points of the domain: with probability 1 - mix from the bin of a random
/// datum, else uniform; within a bin always uniform. On the unit interval the density of one is f(x) = (1 -
/// mix) m sum_j (c_j / n) 1_{B_j}(x) + mix, m the number of bins. n is public.
///
/// Query       the counts c_j, integers
/// Adjacency   substitute
/// Sensitivity one count falls by one, another rises by one; so f(x) changes by at most a factor
///             1 + (1 - mix) m / (n mix)
/// Noise       the draws; exact, by an integer below n m 2^40
/// Charge      epsilon = draws log(1 + (1 - mix) m / (n mix)); mix is a multiple of 2^-40, rounded up
/// Source      [WZ10, section 4], [BFR24, equation 12]
/// Differs     factor m and "+ 1" in place of "- 1" (erratum E25): the printed condition allows a loss of 31.4
///             where it says 2 (n = 250, m = 8)
/// Checked by  tests/channel/histogram_test.cpp: smoothed_privacy_on_neighbours, printed_condition_fails
class SmoothedHistogramChannel {
 public:
  // The row in the table of channels.
  using Datum = double;
  static constexpr std::string_view kName = "smoothed-histogram";
  static constexpr std::array<std::string_view, 5> kKeys = {"lower", "upper", "missing", "bins", "draws"};
  static constexpr bool kNeedsDelta = false;
  [[nodiscard]] static SmoothedHistogramChannel make(const ColumnSettings& s, const PrivacyTarget& target,
                                                     std::size_t rows) {
    return {Bins({s.lower, s.upper}, s.bins), rows, s.draws, target.pure()};
  }
  [[nodiscard]] double noise_scale() const { return mix(); }
  [[nodiscard]] std::string noise_in_words() const {
    return fmt::format("{} draws from a histogram of {}, {:.3g} % of them even over the bounds", draws_,
                       bins_.in_words(), 100 * mix());
  }
  [[nodiscard]] static std::vector<std::string> stored_names(const std::string& name) { return {name}; }
  [[nodiscard]] std::size_t records(std::size_t) const { return draws_; }
  [[nodiscard]] Interval reach(std::size_t) const { return domain(); }
  [[nodiscard]] std::optional<std::int64_t> whole_number(double z) const { return bins_(z); }

  static constexpr std::uint64_t kWhole = std::uint64_t{1} << 40;  ///< the mix is a multiple of 1 / kWhole

  /// With the smallest `mix` that is private. Errors: configuration unless n and draws lie in [1, 2^30].
  SmoothedHistogramChannel(Bins bins, std::size_t n, std::size_t draws, Epsilon epsilon);
  SmoothedHistogramChannel(Bins bins, std::size_t n, std::size_t draws, Rho rho)
      : SmoothedHistogramChannel(bins, n, draws, pure_epsilon(rho)) {}

  /// The privacy loss for a given mix.
  [[nodiscard]] static double loss(double mix, int bins, std::size_t n, std::size_t draws);

  /// Shape (draws). Errors: data unless there are as many data as the channel was made for.
  [[nodiscard]] std::vector<double> release(std::span<const double> data, CuratorsNoise auto& noise) const {
    const std::vector<Uint128> cumulated = cumulated_weights(data);
    std::vector<double> points(draws_);
    for (double& point : points) {
      const Uint128 drawn = noise.below(cumulated.back());
      const auto bin = std::upper_bound(cumulated.begin(), cumulated.end(), drawn) - cumulated.begin();
      const Interval bounds = bins_.bounds(static_cast<int>(bin));
      // Strictly inside the bin, so that it is found again after printing and reading.
      point = bounds.lower + bounds.width() * (static_cast<double>(noise.bits() >> 44) + 0.5) * 0x1p-20;
    }
    return points;
  }

  /// Takes a release as the one to be explained. Errors: data unless it has `draws` points of the domain.
  void observe(std::span<const double> release);
  /// n data that resemble the release.
  [[nodiscard]] std::vector<double> initial(std::size_t n, ChainRng& rng) const;

  // The density of the observed release as the present data change: see GlobalChannel in channel.hpp.
  void start(std::span<const double> data);
  [[nodiscard]] double log_ratio(double from, double to) const {
    const int a = bins_(from);
    const int b = bins_(to);
    if (a == b) return 0;
    return drawn_[a] * (log_height_[counts_[a] - 1] - log_height_[counts_[a]]) +
           drawn_[b] * (log_height_[counts_[b] + 1] - log_height_[counts_[b]]);
  }
  void replace(double from, double to) {
    --counts_[bins_(from)];
    ++counts_[bins_(to)];
  }
  /// log Q(release | data).
  [[nodiscard]] double log_density(std::span<const double> data) const;

  [[nodiscard]] const Bins& bins() const { return bins_; }
  [[nodiscard]] const Interval& domain() const { return bins_.domain(); }
  [[nodiscard]] std::size_t draws() const { return draws_; }
  [[nodiscard]] double mix() const { return static_cast<double>(mix_) * 0x1p-40; }
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  /// Of each bin and those before it: (1 - mix) m c_j + mix n out of n m, times 2^40; integers.
  [[nodiscard]] std::vector<Uint128> cumulated_weights(std::span<const double> data) const;

  Bins bins_;
  std::size_t n_;
  std::size_t draws_;
  Epsilon epsilon_;
  std::uint64_t mix_;               // times 2^40
  std::vector<double> log_height_;  // shape (n + 2): log f in a bin with this count, on the unit interval
  std::vector<double> drawn_;       // shape (bins): points of the release in each bin
  std::vector<std::size_t> counts_;
};

}  // namespace sotto
