#include "sotto/posterior/count_dispersion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/random/chain_rng.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {
namespace {

// 20,000 counts, noise of standard deviation 50 per cell. Whether the best grid point is the true one or its neighbour is all
// that is asked.
TEST(CountDispersion, finds_the_dispersion) {
  for (const double dispersion : {0.0, 0.5, 1.0}) {
    ChainRng rng(5);
    Position edges(32);
    edges[0] = 0;
    for (int j = 0; j <= 30; ++j) edges[j + 1] = 60 * std::exp2((j - 30) / 2.0);
    NoisyVector histogram{50 * rng.normals(31), 2500};
    for (int i = 0; i < 20000; ++i) {
      const double mean = std::exp(0.6 + 0.5 * rng.normal());
      double frailty = 1;  // gamma of shape 1 / dispersion
      if (dispersion > 0) {
        frailty = 0;
        for (int k = 0; k < 1 / dispersion; ++k) frailty -= dispersion * std::log1p(-rng.uniform());
      }
      const double y = poisson_draw(mean * frailty, rng);
      const double r = std::abs(y - mean) / std::max(1.0, std::sqrt(mean));
      const auto above = std::upper_bound(edges.begin(), edges.end(), r) - edges.begin();
      histogram.value[std::clamp<Eigen::Index>(above - 1, 0, 30)] += 1;
    }
    const CountFit fit = fit_dispersion(edges, histogram, {0.6, 0.5}, 20000);
    EXPECT_NEAR(fit.dispersion, dispersion, 0.3 * dispersion + 1e-12);
    EXPECT_LT(fit.misfit, 4);
  }
}

}  // namespace
}  // namespace sotto
