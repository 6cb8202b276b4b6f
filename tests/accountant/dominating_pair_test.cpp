#include "sotto/accountant/pld/dominating_pair.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

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

// Of outputs between two close places both masses are known to a share of themselves, and the bounds on the errors hold.
TEST(DominatingPair, little_lies_between_two_losses_and_is_known_well) {
  using Wide = long double;
  for (const double scale : {3.0, 1e3, 1e6, 1e9})
    for (const double rate : {1.0, 0.3}) {
      const DominatingPair pair(Noise::laplace, scale, 1, rate, 0);
      const double reach = pair.max_loss() - pair.min_loss();
      for (int k = 1; k < 40; ++k) {
        const DominatingPair::Cut low = pair.cut(pair.min_loss() + reach * k / 41);
        const DominatingPair::Cut high = pair.cut(pair.min_loss() + reach * (k + 1) / 41);
        ASSERT_TRUE(low.place >= 0 && low.place < high.place && high.place <= 1);
        const Wide width = (static_cast<Wide>(high.place) - low.place) / scale;
        const Wide f0 = -std::expm1(-width) * std::exp(-static_cast<Wide>(low.place) / scale) / 2;
        const Wide plus = -std::expm1(-width) * std::exp((static_cast<Wide>(high.place) - 1) / scale) / 2;
        const Wide p = (1 - static_cast<Wide>(rate)) * f0 + rate * plus;
        const PairMass mass = pair.between(low, high);
        EXPECT_NEAR(static_cast<double>((mass.p - p) / p), 0, 1e-14) << scale;
        EXPECT_LE(std::abs(static_cast<double>(mass.q - f0)), mass.q_error);
        EXPECT_LE(std::abs(static_cast<double>(mass.difference - (p - f0))), mass.difference_error);
        EXPECT_LT(mass.difference_error, 1e-14 * mass.p);
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

// However a row's moves are spread over coordinates, which compose as releases do: one coordinate that moves by their sum loses as
// much. At both signs of epsilon.
TEST(DominatingPair, laplace_noise_on_several_coordinates) {
  const std::vector<std::vector<double>> moves = {{1, 1},    {0.1, 1.9}, {0.5, 0.5, 1}, {0.2, 0.3, 0.4, 0.5},
                                                  {3, 0.01}, {4, 4, 4}};
  for (const std::vector<double>& each : moves) {
    std::vector<Event> parts;
    double together = 0;
    for (const double move : each) {
      parts.push_back({LaplaceEvent{move, 1}, 1});
      together += move;
    }
    const Event split{CompositionEvent{parts}, 1};
    for (const double share : {0.0, 0.1, 0.4, 0.8, 0.95}) {
      const double epsilon = share * together;
      const double one = 1 - std::exp((epsilon - together) / 2);
      SCOPED_TRACE(testing::Message() << each.size() << " moves, epsilon " << epsilon);
      const Bounds delta = tight_delta(split, Adjacency::substitute, Epsilon(epsilon));
      EXPECT_LE(delta.upper, one);
      EXPECT_GT(delta.lower, 0);
    }
  }
}

}  // namespace
}  // namespace sotto
