#include "sotto/accountant/pld/dominating_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "sotto/accountant/pld/tight.hpp"
#include "sotto/accountant/rdp/renyi.hpp"

namespace sotto {
namespace {

// A sketch steers where to look: it must hold all of P, and weighted by e^-loss all of Q.
TEST(DominatingPair, sketches_hold_both_distributions) {
  for (const Noise noise : {Noise::gaussian, Noise::laplace}) {
    for (const auto& [r, s] :
         {std::tuple{1.0, 0.0}, std::tuple{0.1, 0.0}, std::tuple{0.0, 0.1}, std::tuple{0.1, 0.1}}) {
      for (const bool mirrored : {false, true}) {
        if (mirrored && s > 0) continue;
        SCOPED_TRACE(testing::Message() << "r " << r << " s " << s << (mirrored ? " mirrored" : ""));
        const DominatingPair plain(noise, 1.5, 1, r, s);
        const LossSketch sketch = (mirrored ? DominatingPair::mirrored(plain) : plain).sketch(1e-12);
        double p = 0;
        double q = 0;
        for (std::size_t i = 0; i < sketch.loss.size(); ++i) {
          p += sketch.mass[i];
          q += sketch.mass[i] * std::exp(-sketch.loss[i]);
        }
        EXPECT_NEAR(p, 1, 1e-3);
        EXPECT_NEAR(q, 1, 1e-3);
      }
    }
  }
}

// Batches of fixed size with Laplace noise: the bracket's upper end is never wider than what Renyi orders prove.
TEST(DominatingPair, mirrored_laplace_is_not_wide) {
  for (const char* spec : {"subsampled-laplace:scale=2,rate=0.05,sampling=without-replacement,count=1000",
                           "subsampled-laplace:scale=5,rate=0.01,sampling=without-replacement,count=10000",
                           "subsampled-laplace:scale=10,rate=0.2,sampling=without-replacement,count=500"}) {
    SCOPED_TRACE(spec);
    const Event event = parse_event(spec);
    const Bounds epsilon = tight_epsilon(event, Adjacency::substitute, Delta(1e-6));
    EXPECT_LE(epsilon.lower, epsilon.upper);
    EXPECT_LE(epsilon.upper, renyi_epsilon(event, Adjacency::substitute, 1e-6));
    EXPECT_LE(epsilon.upper, 1.5 * epsilon.lower);
  }
}

}  // namespace
}  // namespace sotto
