// The law of the perturbed histogram: the counts of all data in bins, each with Laplace noise.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "sotto/channel/bins.hpp"
#include "sotto/channel/channel.hpp"

namespace sotto {

/// Releases count_j + discrete Laplace noise for every bin. The number of data is public.
///
/// Query       the counts, integers
/// Adjacency   substitute
/// Sensitivity L1: 2. Exchanging one datum lowers one count by one and raises another
/// Noise       P(x) proportional to exp(-|x| / scale) on each count
/// Charge      epsilon = 2 / scale; scale is rounded up
/// Source      [D06], [WZ10, section 4]
/// Checked by  tests/channel/histogram_test.cpp: perturbed_privacy_on_neighbours,
/// perturbed_ratio_equals_difference
class PerturbedHistogramChannel {
 public:
  static constexpr long long kSensitivity = 2;

  // The row in the table of channels.
  using Datum = double;
  static constexpr std::string_view kName = "perturbed-histogram";
  static constexpr std::array<std::string_view, 4> kKeys = {"lower", "upper", "missing", "bins"};
  static constexpr bool kNeedsDelta = false;
  [[nodiscard]] static PerturbedHistogramChannel make(const ColumnSettings& s, const PrivacyTarget& target,
                                                      std::size_t) {
    return {Bins({s.lower, s.upper}, s.bins), target.pure()};
  }
  [[nodiscard]] double noise_scale() const { return scale(); }
  [[nodiscard]] std::string noise_in_words() const {
    return fmt::format("counts of {}, each with Laplace noise of standard deviation {:.3g}", bins_.in_words(),
                       std::numbers::sqrt2 * scale());
  }
  [[nodiscard]] static std::vector<std::string> stored_names(const std::string&) { return {"count"}; }
  /// What is stored before each count: the bin's bounds.
  static constexpr std::array<std::string_view, 2> kLabels = {"bin_lower", "bin_upper"};
  [[nodiscard]] std::array<double, 2> label(std::size_t record) const {
    const Interval bounds = bins_.bounds(static_cast<int>(record));
    return {bounds.lower, bounds.upper};
  }
  [[nodiscard]] std::size_t records(std::size_t) const { return static_cast<std::size_t>(bins_.count()); }
  [[nodiscard]] Interval reach(std::size_t rows) const {
    return {-1000 * scale(), static_cast<double>(rows) + 1000 * scale()};
  }
  [[nodiscard]] static std::optional<std::int64_t> whole_number(double z) { return nearest_whole(z, 0); }

  PerturbedHistogramChannel(Bins bins, Epsilon epsilon)
      : bins_(bins), epsilon_(epsilon), scale_(scale_for(kSensitivity, epsilon)), rate_(1 / scale_.value()) {}
  PerturbedHistogramChannel(Bins bins, Rho rho) : PerturbedHistogramChannel(bins, pure_epsilon(rho)) {}

  /// Shape (bins), integers.
  [[nodiscard]] std::vector<double> release(std::span<const double> data, CuratorsNoise auto& noise) const {
    const std::vector<std::size_t> counts = bins_.counts(data);
    std::vector<double> noisy(counts.size());
    for (std::size_t j = 0; j < counts.size(); ++j) {
      noisy[j] = static_cast<double>(static_cast<Int128>(counts[j]) + noise.laplace(scale_));
    }
    return noisy;
  }

  /// The continuous limit, for simulation studies only: Laplace noise on the counts.
  [[nodiscard]] std::vector<double> simulate(std::span<const double> data, ChainRng& rng) const;

  /// Takes a release as the one to be explained. Errors: data unless it has one finite number per bin.
  void observe(std::vector<double> release);
  /// n data that resemble the release: in bins with probability proportional to the positive parts of its
  /// counts.
  [[nodiscard]] std::vector<double> initial(std::size_t n, ChainRng& rng) const {
    return bins_.draw(n, release_, rng);
  }

  // The density of the observed release as the present data change: see GlobalChannel in channel.hpp.
  void start(std::span<const double> data);
  [[nodiscard]] double log_ratio(double from, double to) const {
    const int a = bins_(from);
    const int b = bins_(to);
    if (a == b) return 0;
    const double loss_a = std::abs(release_[a] - counts_[a] + 1) - std::abs(release_[a] - counts_[a]);
    const double loss_b = std::abs(release_[b] - counts_[b] - 1) - std::abs(release_[b] - counts_[b]);
    return -rate_ * (loss_a + loss_b);
  }
  void replace(double from, double to) {
    --counts_[bins_(from)];
    ++counts_[bins_(to)];
  }
  /// log Q(release | data) up to a constant.
  [[nodiscard]] double log_density(std::span<const double> data) const;

  [[nodiscard]] const Bins& bins() const { return bins_; }
  [[nodiscard]] const Interval& domain() const { return bins_.domain(); }
  [[nodiscard]] double scale() const { return scale_.value(); }
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  Bins bins_;
  Epsilon epsilon_;
  RationalScale scale_;
  double rate_;
  std::vector<double> release_;
  std::vector<double> counts_;
};

}  // namespace sotto
