// The product channel: its density is that of the columns released one by one.
#include "sotto/channel/product.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sotto {
namespace {

TEST(ProductChannel, density_is_the_product) {
  const DiscreteLaplaceChannel first(Grid({0, 4}, 8), Epsilon(1));
  const DiscreteGaussianChannel second(Grid({-1, 1}, 4), Rho(0.5));
  const ProductChannel<2> both({first, second});
  const Eigen::Vector2d z(3.5, -1.5);
  const Eigen::Vector2d y(1.2, 0.4);
  EXPECT_DOUBLE_EQ(both.log_density(z, y), first.log_density(3.5, 1.2) + second.log_density(-1.5, 0.4));
  ChainRng rng(1);
  EXPECT_EQ(both.initial(z, rng), Eigen::Vector2d(3.5, -1));
}

/// What the wavelet channel releases of these cells, without noise but for a shift.
std::vector<double> coefficients_of(const HaarChannel& law, const std::vector<std::size_t>& cells,
                                    double shift) {
  std::vector<double> values;
  for (const std::size_t cell : cells)
    for (int j = 0; j <= law.top_level(); ++j)
      for (std::size_t k = 0; k < std::size_t{1} << j; ++k)
        values.push_back(static_cast<double>(law.coefficient(cell, j, k)) * HaarChannel::kStep + shift);
  return values;
}

TEST(ProductChannel, a_wavelet_is_one_of_the_parts) {
  const DiscreteLaplaceChannel first(Grid({0, 4}, 8), Epsilon(1));
  const HaarChannel second({0, 8}, 1, Epsilon(3));
  const std::vector<double> values = coefficients_of(second, {3, 0, 2}, 0.25);
  const HaarReleases releases(second, values);
  ASSERT_EQ(releases.rows(), 3u);
  const ProductChannel<2> both({first, releases});
  EXPECT_EQ(both.domain(1).upper, 8);
  ChainRng rng(2);
  for (std::size_t row = 0; row < 3; ++row) {
    const HaarChannel::Observed alone = second.observed_one(std::span(values).subspan(3 * row, 3));
    for (const double y : {-1.0, 0.5, 3.0, 5.0, 7.9, 12.0})
      EXPECT_DOUBLE_EQ(both.log_density({3.5, static_cast<double>(row)}, {1.2, y}),
                       first.log_density(3.5, 1.2) + second.log_density(alone, y));
    const Eigen::Vector2d start = both.initial({3.5, static_cast<double>(row)}, rng);
    EXPECT_EQ(start[0], 3.5);
    EXPECT_EQ(second.cell(start[1]), (std::vector<std::size_t>{3, 0, 2})[row]);
  }
  EXPECT_THROW(HaarReleases(second, std::span(values).first(8)), Error);
}

// Every pair of rows in grid and cells, releases at every corner of the density and beyond: the loss is the sum of the parts'
// epsilons and reaches it.
TEST(ProductChannel, privacy_with_a_wavelet_on_every_pair) {
  const HaarChannel haar({0, 4}, 1, Epsilon(1.1));
  std::vector<double> values;
  const double heights[] = {1, static_cast<double>(haar.coefficient(0, 1, 0)) * HaarChannel::kStep};
  for (int release = 0; release < 125; ++release)
    for (int c = 0, rest = release; c < 3; ++c, rest /= 5) {
      const double corner = (rest % 5 - 2) * heights[c == 0 ? 0 : 1];
      values.push_back(corner);
    }
  const ProductChannel<2> channel(
      {DiscreteLaplaceChannel(Grid({0, 1}, 3), Epsilon(0.7)), HaarReleases(haar, values)});
  double worst = 0;
  const auto row = [](int pair) { return Eigen::Vector2d(pair / 4 / 3.0, pair % 4 + 0.5); };
  for (int z = 0; z < 8; ++z)
    for (int release = 0; release < 125; ++release)
      for (int one = 0; one < 16; ++one)
        for (int other = 0; other < 16; ++other) {
          const Eigen::Vector2d released((z - 2) / 3.0, release);
          worst = std::max(
              worst, channel.log_density(released, row(one)) - channel.log_density(released, row(other)));
        }
  EXPECT_LE(worst, 1.8 * (1 + 1e-12));
  EXPECT_GT(worst, 1.8 - 1e-5);
}

// Every pair of rows on the grids, every release near them: the loss is the sum of the parts' epsilons and reaches it.
TEST(ProductChannel, privacy_on_every_pair) {
  const ProductChannel<2> channel({DiscreteLaplaceChannel(Grid({0, 1}, 3), Epsilon(0.7)),
                                   DiscreteLaplaceChannel(Grid({0, 1}, 4), Epsilon(1.1))});
  double worst = 0;
  const auto row = [](int a, int b) { return Eigen::Vector2d(a / 3.0, b / 4.0); };
  for (int z = 0; z < 8 * 9; ++z)
    for (int one = 0; one < 4 * 5; ++one)
      for (int other = 0; other < 4 * 5; ++other) {
        const Eigen::Vector2d released = row(z / 9 - 2, z % 9 - 2);
        worst = std::max(worst, channel.log_density(released, row(one / 5, one % 5)) -
                                    channel.log_density(released, row(other / 5, other % 5)));
      }
  EXPECT_LE(worst, 1.8);
  EXPECT_GT(worst, 1.8 - 1e-5);
}

}  // namespace
}  // namespace sotto
