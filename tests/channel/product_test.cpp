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
