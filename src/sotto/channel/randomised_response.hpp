// The law of randomised response: a category is told truthfully or replaced by another one.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sotto/channel/channel.hpp"

namespace sotto {

/// Releases one of `levels` categories 0 .. levels - 1: the true one with weight `truth`, each other one with
/// weight 2^32.
///
/// Query       the category itself
/// Adjacency   substitute
/// Sensitivity none: the largest ratio of probabilities is truth / 2^32, a ratio of integers
/// Noise       the release is drawn exactly, by an integer below truth + (levels - 1) 2^32
/// Charge      epsilon = ln(truth / 2^32), truth rounded down
/// Source      [KOV16, section 2]
/// Checked by  tests/channel/randomised_response_test.cpp: privacy_on_every_pair,
/// frequencies_match_the_density
class RandomisedResponseChannel {
 public:
  // The row in the table of channels.
  using Datum = int;
  static constexpr std::string_view kName = "randomized-response";
  static constexpr std::array<std::string_view, 1> kKeys = {"levels"};
  static constexpr bool kNeedsDelta = false;
  [[nodiscard]] static RandomisedResponseChannel make(const ColumnSettings& s, const PrivacyTarget& target,
                                                      std::size_t) {
    return {static_cast<int>(std::min<std::size_t>(s.levels.size(), 1 << 21)), target.pure()};
  }
  [[nodiscard]] double noise_scale() const { return log_odds_; }
  [[nodiscard]] std::string noise_in_words() const {
    const double truth = 1 / (1 + (levels_ - 1) * std::exp(-log_odds_));
    return fmt::format("each row's category is told with probability {:.3g}, any other with {:.3g}", truth,
                       (1 - truth) / (levels_ - 1));
  }
  [[nodiscard]] static std::vector<std::string> stored_names(const std::string& name) { return {name}; }
  [[nodiscard]] static std::size_t records(std::size_t rows) { return rows; }
  [[nodiscard]] Interval reach(std::size_t) const { return {0, static_cast<double>(levels_ - 1)}; }
  [[nodiscard]] static std::optional<std::int64_t> whole_number(double z) { return nearest_whole(z, 0); }
  [[nodiscard]] static std::vector<int> observed(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }

  static constexpr Uint128 kOther = Uint128{1} << 32;  ///< weight of each other category

  /// Errors: configuration unless 2 <= levels <= 2^20 and 0 < epsilon <= 50.
  RandomisedResponseChannel(int levels, Epsilon epsilon) : levels_(levels), epsilon_(epsilon) {
    if (levels < 2 || levels > (1 << 20)) {
      throw Error(ErrorCode::configuration, "randomised response needs 2 to 1048576 categories");
    }
    if (!(epsilon.value() > 0 && epsilon.value() <= 50)) {
      throw Error(ErrorCode::configuration, "randomised response needs 0 < epsilon <= 50");
    }
    // Far more than the errors of exp and of the product are taken off; never below weight one.
    truth_ = static_cast<Uint128>(std::exp(epsilon.value()) * 0x1p32 * (1 - 0x1p-48));
    if (truth_ < kOther) truth_ = kOther;
    log_odds_ = std::log(static_cast<double>(truth_) * 0x1p-32);
  }
  RandomisedResponseChannel(int levels, Rho rho) : RandomisedResponseChannel(levels, pure_epsilon(rho)) {}

  [[nodiscard]] int release(int y, CuratorsNoise auto& noise) const {
    const int own = legal(y);
    const Uint128 drawn = noise.below(truth_ + static_cast<Uint128>(levels_ - 1) * kOther);
    if (drawn < truth_) return own;
    const int other = static_cast<int>((drawn - truth_) / kOther);
    return other < own ? other : other + 1;
  }

  /// A category outside the declared ones counts as category 0.
  [[nodiscard]] int legal(int y) const { return y < 0 || y >= levels_ ? 0 : y; }
  [[nodiscard]] double log_density(int z, int y) const { return z == legal(y) ? log_odds_ : 0; }
  [[nodiscard]] int initial(int z, ChainRng&) const { return legal(z); }

  [[nodiscard]] int levels() const { return levels_; }
  [[nodiscard]] Uint128 truth_weight() const { return truth_; }
  [[nodiscard]] double epsilon() const { return epsilon_.value(); }
  [[nodiscard]] Guarantee guarantee() const { return pure_guarantee(epsilon_); }

 private:
  int levels_;
  Epsilon epsilon_;
  Uint128 truth_ = 0;
  double log_odds_ = 0;
};

}  // namespace sotto
