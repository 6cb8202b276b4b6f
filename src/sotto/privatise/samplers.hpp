// The sampler of each channel: confidential data in, one private release out. The laws are in channel/.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sotto/channel/column.hpp"
#include "sotto/entropy/discrete_gaussian.hpp"
#include "sotto/entropy/discrete_laplace.hpp"

namespace sotto {

/// Draws releases exactly from a channel's law, of which each file in channel/ states query, sensitivity, noise and charge.
/// Of a local channel: (datum, entropy) to a value or a vector of them; of a global one: (all data, entropy) to its release.
template <class Channel>
class Sampler;
template <class Channel>
Sampler(const Channel&) -> Sampler<Channel>;

template <>
class Sampler<DiscreteLaplaceChannel> {
 public:
  explicit Sampler(const DiscreteLaplaceChannel& channel)
      : grid_(channel.grid()), scale_(channel.grid_scale()) {}
  double operator()(double y, EntropySource& entropy) const {
    const Int128 noise = discrete_laplace<Int128>(scale_.numerator, scale_.denominator, entropy);
    return grid_.position(static_cast<double>(grid_.index(y) + noise));
  }

 private:
  Grid grid_;
  RationalScale scale_;
};

template <>
class Sampler<DiscreteGaussianChannel> {
 public:
  explicit Sampler(const DiscreteGaussianChannel& channel)
      : grid_(channel.grid()), noise_(channel.grid_variance()) {}
  double operator()(double y, EntropySource& entropy) const {
    return grid_.position(static_cast<double>(grid_.index(y) + noise_(entropy)));
  }

 private:
  Grid grid_;
  DiscreteGaussian noise_;
};

/// Shape (coefficients): level by level.
template <>
class Sampler<HaarChannel> {
 public:
  explicit Sampler(const HaarChannel& channel) : channel_(channel) {}
  std::vector<double> operator()(double y, EntropySource& entropy) const {
    const RationalScale& scale = channel_.step_scale();
    std::vector<double> z;
    z.reserve(channel_.coefficients());
    const std::size_t own = channel_.cell(y);
    for (int j = 0; j <= channel_.top_level(); ++j) {
      for (std::size_t k = 0; k < (std::size_t{1} << j); ++k) {
        const Int128 noise = discrete_laplace<Int128>(scale.numerator, scale.denominator, entropy);
        z.push_back(static_cast<double>(channel_.coefficient(own, j, k) + noise) * HaarChannel::kStep);
      }
    }
    return z;
  }

 private:
  HaarChannel channel_;
};

template <>
class Sampler<RandomisedResponseChannel> {
 public:
  explicit Sampler(const RandomisedResponseChannel& channel) : channel_(channel) {}
  int operator()(int y, EntropySource& entropy) const {
    constexpr Uint128 weight = RandomisedResponseChannel::kOther;
    const int own = channel_.legal(y);
    const Uint128 truth = channel_.truth_weight();
    const Uint128 drawn =
        uniform_below(truth + static_cast<Uint128>(channel_.levels() - 1) * weight, entropy);
    if (drawn < truth) return own;
    const int other = static_cast<int>((drawn - truth) / weight);
    return other < own ? other : other + 1;
  }

 private:
  RandomisedResponseChannel channel_;
};

/// Shape (bins), integers.
template <>
class Sampler<PerturbedHistogramChannel> {
 public:
  explicit Sampler(const PerturbedHistogramChannel& channel)
      : bins_(channel.bins()), scale_(channel.count_scale()) {}
  std::vector<double> operator()(std::span<const double> data, EntropySource& entropy) const {
    const std::vector<std::size_t> counts = bins_.counts(data);
    std::vector<double> release(counts.begin(), counts.end());
    for (double& entry : release) {
      const Int128 noise = discrete_laplace<Int128>(scale_.numerator, scale_.denominator, entropy);
      entry = static_cast<double>(static_cast<Int128>(entry) + noise);
    }
    return release;
  }

 private:
  Bins bins_;
  RationalScale scale_;
};

/// Shape (draws). Errors: data unless there are as many data as the channel was made for.
template <>
class Sampler<SmoothedHistogramChannel> {
 public:
  explicit Sampler(const SmoothedHistogramChannel& channel)
      : bins_(channel.bins()), n_(channel.size()), draws_(channel.draws()), mix_(channel.mix_weight()) {}
  std::vector<double> operator()(std::span<const double> data, EntropySource& entropy) const {
    if (data.size() != n_)
      throw Error(ErrorCode::data, "the smoothed histogram was set up for another number of data");
    // Bin j has weight (1 - mix) m c_j + mix n out of n m, all times 2^40: integers.
    constexpr std::uint64_t whole = SmoothedHistogramChannel::kWhole;
    const std::vector<std::size_t> counts = bins_.counts(data);
    std::vector<Uint128> cumulated(counts.size());
    Uint128 total = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      total +=
          static_cast<Uint128>(whole - mix_) * counts.size() * counts[j] + static_cast<Uint128>(mix_) * n_;
      cumulated[j] = total;
    }
    std::vector<double> release(draws_);
    for (double& point : release) {
      const Uint128 drawn = uniform_below(total, entropy);
      const auto bin = std::upper_bound(cumulated.begin(), cumulated.end(), drawn) - cumulated.begin();
      const Interval bounds = bins_.bounds(static_cast<int>(bin));
      // Strictly inside the bin, so that it is found again after printing and reading.
      point = bounds.lower + bounds.width() * (static_cast<double>(entropy.bits() >> 44) + 0.5) * 0x1p-20;
    }
    return release;
  }

 private:
  Bins bins_;
  std::size_t n_;
  std::size_t draws_;
  std::uint64_t mix_;
};

}  // namespace sotto
