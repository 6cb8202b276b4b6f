#include <gtest/gtest.h>

#include <set>

#include "entropy/chi_square.hpp"
#include "entropy/seeded_entropy.hpp"
#include "sotto/channel/channel.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/smoothed_histogram.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

static_assert(GlobalChannel<PerturbedHistogramChannel, double> && PureChannel<PerturbedHistogramChannel>);
static_assert(GlobalChannel<SmoothedHistogramChannel, double> && PureChannel<SmoothedHistogramChannel>);

// Every data set of n data in m bins, as bin centres of [0, m].
std::vector<std::vector<double>> all_data_sets(int n, int m) {
  std::vector<std::vector<double>> sets(1);
  for (int i = 0; i < n; ++i) {
    std::vector<std::vector<double>> longer;
    for (const auto& set : sets) {
      for (int bin = 0; bin < m; ++bin) {
        longer.push_back(set);
        longer.back().push_back(bin + 0.5);
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

// Largest log ratio over the neighbours of `data` for the observed release.
template <class Channel>
double worst_neighbour(const Channel& channel, const std::vector<double>& data, int m) {
  double worst = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (int bin = 0; bin < m; ++bin) {
      std::vector<double> other = data;
      other[i] = bin + 0.5;
      worst = std::max(worst, std::abs(channel.log_density(other) - channel.log_density(data)));
    }
  }
  return worst;
}

TEST(PerturbedHistogram, perturbed_privacy_on_neighbours) {
  const double epsilon = 0.8;
  PerturbedHistogramChannel channel(Bins({0, 3}, 3), Epsilon(epsilon));
  double worst = 0;
  for (const double w : {-2.0, 0.0, 1.0, 2.0, 9.0}) {
    channel.observe({w, 3 - w, 1});
    for (const auto& data : all_data_sets(4, 3)) worst = std::max(worst, worst_neighbour(channel, data, 3));
  }
  EXPECT_LE(worst, epsilon * (1 + 1e-12));
  EXPECT_GE(worst, epsilon * (1 - 1e-5));
}

TEST(PerturbedHistogram, perturbed_ratio_equals_difference) {
  PerturbedHistogramChannel channel(Bins({0, 3}, 3), Epsilon(1));
  channel.observe({-1, 5, 0.5});
  std::vector<double> data{0.1, 1.2, 1.3, 2.9, 0.2};
  channel.start(data);
  ChainRng rng(71);
  for (int step = 0; step < 300; ++step) {
    const std::size_t i = rng.below(data.size());
    const double to = 3.6 * rng.uniform() - 0.3;
    const double before = channel.log_density(data);
    const double ratio = channel.log_ratio(data[i], to);
    std::vector<double> moved = data;
    moved[i] = to;
    ASSERT_NEAR(ratio, channel.log_density(moved) - before, 1e-12);
    if (rng.uniform() < 0.5) {
      channel.replace(data[i], to);
      data = moved;
    }
  }
}

// Mean and mean absolute deviation at 3.9 standard errors (1e-4 each); discrete noise of scale b has mean |x|
// = 1/sinh(1/b).
TEST(PerturbedHistogram, noise_has_the_stated_scale) {
  const PerturbedHistogramChannel channel(Bins({0, 2}, 2), Epsilon(0.5));
  EXPECT_NEAR(channel.scale(), 4, 1e-5);
  const std::vector<double> data{0.5, 0.5, 1.5};
  SeededEntropy entropy(72);
  ExactNoise noise(entropy);
  ChainRng rng(73);
  const int draws = 40'000;
  double sum[2] = {};
  double absolute[2] = {};
  double simulated = 0;
  for (int i = 0; i < draws; ++i) {
    const std::vector<double> w = channel.release(data, noise);
    ASSERT_EQ(w[0], std::nearbyint(w[0]));
    const double noise[2] = {w[0] - 2, w[1] - 1};
    for (int j = 0; j < 2; ++j) {
      sum[j] += noise[j] / draws;
      absolute[j] += std::abs(noise[j]) / draws;
    }
    simulated += std::abs(channel.simulate(data, rng)[0] - 2) / draws;
  }
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(sum[j], 0, 3.9 * 4 * std::sqrt(2.0 / draws));
    EXPECT_NEAR(absolute[j], 1 / std::sinh(0.25), 3.9 * 4 / std::sqrt(draws));
  }
  EXPECT_NEAR(simulated, 4, 3.9 * 4 / std::sqrt(draws));
}

// Erratum E25: the printed condition, solved for the mix, really loses 31.4 where it says 2.
// Numbers of children in [0, 15]: twelve bins hold one or two of them each, sixteen from half below to half above one each.
TEST(Bins, that_whole_numbers_do_not_fit_say_which_do) {
  EXPECT_EQ(Bins({0, 15}, 12).in_words(),
            "12 bins of width 1.25 (of whole numbers --lower -0.5 --upper 15.5 --bins 16 puts each in the "
            "middle of a bin "
            "of its own; with these bins their mean is off)");
  const Bins own({-0.5, 15.5}, 16);
  EXPECT_EQ(own.in_words(), "16 bins of width 1");
  for (int k = 0; k <= 15; ++k) EXPECT_EQ(own(k), k);
  EXPECT_EQ(Bins({0, 100}, 8).in_words(), "8 bins of width 12.5");
  EXPECT_EQ(Bins({0, 1}, 40).in_words(), "40 bins of width 0.025");
}

TEST(SmoothedHistogram, printed_condition_fails) {
  const int n = 250;
  const int m = 8;
  const auto k = static_cast<std::size_t>(std::pow(n, 0.6) + 1);
  const double epsilon = 2;
  // k log((1 - mix)/mix m/n - 1) = epsilon
  const double odds = (std::exp(epsilon / k) + 1) * n / m;
  const double printed = 1 / (1 + odds);
  EXPECT_NEAR(SmoothedHistogramChannel::loss(printed, m, n, k), 31.4, 0.1);
  const SmoothedHistogramChannel channel(Bins({0, 1}, m), n, k, Epsilon(epsilon));
  EXPECT_LE(SmoothedHistogramChannel::loss(channel.mix(), m, n, k), epsilon);
  EXPECT_GT(SmoothedHistogramChannel::loss(channel.mix() - 1e-9, m, n, k),
            epsilon);  // the smallest that will do
}

TEST(SmoothedHistogram, smoothed_privacy_on_neighbours) {
  const double epsilon = 1.5;
  SmoothedHistogramChannel channel(Bins({0, 3}, 3), 4, 2, Epsilon(epsilon));
  double worst = 0;
  for (double a = 0.5; a < 3; ++a) {
    for (double b = 0.5; b < 3; ++b) {
      channel.observe(std::vector<double>{a, b});
      for (const auto& data : all_data_sets(4, 3)) worst = std::max(worst, worst_neighbour(channel, data, 3));
    }
  }
  EXPECT_LE(worst, epsilon);
  EXPECT_GE(worst, epsilon * (1 - 1e-6));
}

TEST(SmoothedHistogram, ratio_equals_difference) {
  SmoothedHistogramChannel channel(Bins({0, 3}, 3), 5, 7, Epsilon(3));
  channel.observe(std::vector<double>{0.1, 0.2, 1.5, 2.2, 2.3, 2.4, 2.5});
  std::vector<double> data{0.1, 1.2, 1.3, 2.9, 0.2};
  channel.start(data);
  ChainRng rng(74);
  for (int step = 0; step < 300; ++step) {
    const std::size_t i = rng.below(data.size());
    const double to = 3 * rng.uniform();
    std::vector<double> moved = data;
    moved[i] = to;
    ASSERT_NEAR(channel.log_ratio(data[i], to), channel.log_density(moved) - channel.log_density(data),
                1e-12);
    channel.replace(data[i], to);
    data = moved;
  }
}

// False-alarm rate 1e-4, fixed seed; the density integrates to one over the unit interval.
TEST(SmoothedHistogram, frequencies_match_the_density) {
  const std::vector<double> data{0.1, 1.2, 1.3, 2.9, 0.2, 0.3};
  SmoothedHistogramChannel channel(Bins({0, 3}, 3), 6, 40'000, Epsilon(20'000));
  SeededEntropy entropy(75);
  ExactNoise noise(entropy);
  const std::vector<double> release = channel.release(data, noise);
  std::vector<double> counts(3);
  double left_halves = 0;
  for (const double w : release) {
    ++counts.at(static_cast<std::size_t>(w));
    left_halves += w - std::floor(w) < 0.5 ? 1 : 0;
  }
  const double base[] = {3, 2, 1};
  std::vector<double> probabilities;
  for (const double c : base) probabilities.push_back(((1 - channel.mix()) * 3 * c / 6 + channel.mix()) / 3);
  EXPECT_NEAR(probabilities[0] + probabilities[1] + probabilities[2], 1, 1e-12);
  EXPECT_GT(chi_square_p_value(counts, probabilities), 1e-4);
  EXPECT_NEAR(left_halves, 20'000, 3.9 * 100);
  channel.observe(release);
  double expected = 0;
  for (int j = 0; j < 3; ++j) expected += counts[j] * std::log(3 * probabilities[j]);
  EXPECT_NEAR(channel.log_density(data), expected, 1e-6);
}

TEST(Histograms, starts_resemble_the_release) {
  PerturbedHistogramChannel perturbed(Bins({0, 2}, 2), Epsilon(1));
  perturbed.observe({-30, 400});
  ChainRng rng(76);
  for (const double y : perturbed.initial(50, rng)) EXPECT_GT(y, 1);
  SmoothedHistogramChannel smoothed(Bins({0, 2}, 2), 50, 4, Epsilon(10));
  smoothed.observe(std::vector<double>{1.5, 1.6, 1.7, 1.8});
  for (const double y : smoothed.initial(50, rng)) EXPECT_GT(y, 1);
}

TEST(Histograms, refuse_bad_settings_and_releases) {
  EXPECT_THROW(Bins({0, 1}, 0), Error);
  PerturbedHistogramChannel perturbed(Bins({0, 1}, 3), Epsilon(1));
  EXPECT_THROW(perturbed.observe({1, 2}), Error);
  EXPECT_THROW(perturbed.observe({1, 2, std::nan("")}), Error);
  EXPECT_THROW(perturbed.start(std::vector<double>{0.5}), Error);
  EXPECT_THROW(SmoothedHistogramChannel(Bins({0, 1}, 3), 0, 2, Epsilon(1)), Error);
  EXPECT_THROW(SmoothedHistogramChannel(Bins({0, 1}, 3), 10, 2, Epsilon(0)), Error);
  SmoothedHistogramChannel smoothed(Bins({0, 1}, 3), 10, 2, Epsilon(1));
  EXPECT_THROW(smoothed.observe(std::vector<double>{0.5}), Error);
  EXPECT_THROW(smoothed.observe(std::vector<double>{0.5, 1.5}), Error);
  EXPECT_THROW(smoothed.observe(std::vector<double>{0.5, std::nan("")}), Error);
  SeededEntropy entropy(77);
  ExactNoise noise(entropy);
  EXPECT_THROW((void)smoothed.release(std::vector<double>{0.5}, noise), Error);
}

// A bin that nobody is in has noise like the others, or a count of 0 would tell so.
TEST(PerturbedHistogram, empty_bins_have_noise_too) {
  const PerturbedHistogramChannel channel(Bins({0, 4}, 4), Epsilon(0.1));
  SeededEntropy entropy(74);
  ExactNoise noise(entropy);
  std::set<double> seen;
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> w = channel.release(std::vector<double>{0.5}, noise);
    seen.insert(w[3]);
  }
  EXPECT_GT(seen.size(), 20u);
}

}  // namespace
}  // namespace sotto
