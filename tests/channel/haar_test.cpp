#include "sotto/channel/haar.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/channel/channel.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

static_assert(LocalChannel<HaarChannel, HaarChannel::Observed, double> && PureChannel<HaarChannel>);

std::vector<double> without_noise(const HaarChannel& channel, std::size_t cell) {
  std::vector<double> z;
  for (int j = 0; j <= channel.top_level(); ++j) {
    for (std::size_t k = 0; k < (std::size_t{1} << j); ++k) {
      z.push_back(static_cast<double>(channel.coefficient(cell, j, k)) * HaarChannel::kStep);
    }
  }
  return z;
}

TEST(HaarChannel, coefficients_are_haar_functions) {
  const HaarChannel channel({0, 1}, 3, Epsilon(1));
  for (double y = 0.01; y < 1; y += 0.03) {
    const std::vector<double> z = without_noise(channel, channel.cell(y));
    std::size_t at = 0;
    for (int j = 0; j <= 3; ++j) {
      for (int k = 0; k < 1 << j; ++k) {
        const double x = std::exp2(j) * y - k;
        const double psi = std::exp2(j / 2.0) * ((x >= 0 && x < 0.5 ? 1 : 0) - (x >= 0.5 && x < 1 ? 1 : 0));
        EXPECT_NEAR(z[at++], psi, 1e-6);
      }
    }
  }
}

TEST(HaarChannel, sensitivity_over_all_pairs) {
  for (int top = 0; top <= 5; ++top) {
    const HaarChannel channel({-2, 2}, top, Epsilon(1));
    double worst = 0;
    for (std::size_t a = 0; a < channel.cells(); ++a) {
      const std::vector<double> za = without_noise(channel, a);
      for (std::size_t b = 0; b < channel.cells(); ++b) {
        const std::vector<double> zb = without_noise(channel, b);
        double distance = 0;
        for (std::size_t i = 0; i < za.size(); ++i) distance += std::abs(za[i] - zb[i]);
        worst = std::max(worst, distance);
      }
    }
    EXPECT_EQ(worst, static_cast<double>(channel.sensitivity()) * HaarChannel::kStep);
    EXPECT_NEAR(worst, 2 * (std::exp2((top + 1) / 2.0) - 1) / (std::sqrt(2) - 1), 1e-5);
    EXPECT_NEAR(channel.scale(), worst, 1e-5 * worst);
  }
}

// Erratum E26: 9.3, 7.3 and 6.6 times.
TEST(HaarChannel, printed_scale_is_too_large) {
  const std::pair<int, double> ratios[] = {{2, 9.3}, {4, 7.3}, {6, 6.6}};
  for (const auto& [top, ratio] : ratios) {
    const HaarChannel tight({0, 1}, top, Epsilon(2));
    const HaarChannel printed({0, 1}, top, Epsilon(2), HaarChannel::Scale::printed);
    EXPECT_NEAR(printed.scale() / tight.scale(), ratio, 0.05);
    EXPECT_NEAR(printed.scale(), 12 / 2.0 * std::sqrt(2) / (std::sqrt(2) - 1) * std::exp2(top / 2.0), 1e-5);
  }
}

TEST(HaarChannel, privacy_and_density) {
  const double epsilon = 1.7;
  const HaarChannel channel({0, 4}, 3, Epsilon(epsilon));
  SeededEntropy entropy(51);
  ExactNoise noise(entropy);
  double worst = 0;
  for (int round = 0; round < 200; ++round) {
    // Noise-free releases are the extreme points; random ones check the formula elsewhere.
    const std::vector<double> z =
        round < 16 ? without_noise(channel, round) : channel.release(round * 0.02, noise);
    const HaarChannel::Observed datum = channel.observed_one(z);
    for (std::size_t a = 0; a < channel.cells(); ++a) {
      const std::vector<double> za = without_noise(channel, a);
      const std::vector<double> z0 = without_noise(channel, 0);
      double direct = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        direct -= (std::abs(z[i] - za[i]) - std::abs(z[i] - z0[i])) / channel.scale();
      }
      EXPECT_NEAR(datum.cells[a] - datum.cells[0], direct, 1e-9);
      for (std::size_t b = 0; b < channel.cells(); ++b)
        worst = std::max(worst, datum.cells[a] - datum.cells[b]);
    }
  }
  EXPECT_LE(worst, epsilon * (1 + 1e-12));
  EXPECT_GE(worst, epsilon * (1 - 1e-6));
}

// Mean and mean absolute deviation of each coefficient's noise at 3.9 standard errors (1e-4 each), fixed
// seed.
TEST(HaarChannel, noise_has_the_stated_scale) {
  const HaarChannel channel({0, 1}, 2, Epsilon(20));
  SeededEntropy entropy(52);
  ExactNoise noise(entropy);
  const double y = 0.8;
  const std::vector<double> centre = without_noise(channel, channel.cell(y));
  const int draws = 20'000;
  std::vector<double> sum(centre.size());
  std::vector<double> absolute(centre.size());
  for (int i = 0; i < draws; ++i) {
    const std::vector<double> z = channel.release(y, noise);
    for (std::size_t c = 0; c < z.size(); ++c) {
      sum[c] += (z[c] - centre[c]) / channel.scale();
      absolute[c] += std::abs(z[c] - centre[c]) / channel.scale();
    }
  }
  for (std::size_t c = 0; c < centre.size(); ++c) {
    EXPECT_NEAR(sum[c] / draws, 0, 3.9 * std::sqrt(2.0 / draws));
    EXPECT_NEAR(absolute[c] / draws, 1, 3.9 / std::sqrt(draws));
  }
}

TEST(HaarChannel, start_lies_in_the_best_cell) {
  const HaarChannel channel({0, 1}, 4, Epsilon(1));
  ChainRng rng(53);
  const double y = channel.initial(channel.observed_one(without_noise(channel, 11)), rng);
  EXPECT_EQ(channel.cell(y), 11u);
  EXPECT_EQ(channel.cell(-5), 0u);
  EXPECT_EQ(channel.cell(1), 31u);
  EXPECT_EQ(channel.cell(std::nan("")), 0u);
}

TEST(HaarChannel, refuses_bad_settings) {
  EXPECT_THROW(HaarChannel({0, 1}, -1, Epsilon(1)), Error);
  EXPECT_THROW(HaarChannel({0, 1}, 13, Epsilon(1)), Error);
  EXPECT_THROW(HaarChannel({1, 0}, 2, Epsilon(1)), Error);
  const HaarChannel channel({0, 1}, 2, Epsilon(1));
  EXPECT_THROW((void)channel.observed_one(std::vector<double>(6)), Error);
}

}  // namespace
}  // namespace sotto
