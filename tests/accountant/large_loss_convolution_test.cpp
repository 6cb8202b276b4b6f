// Rare large losses summed apart: truths by direct integration, and agreement with the composition that does not split.
#include "sotto/accountant/pld/large_loss_convolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

// Two steps, delta(epsilon) = integral of P(dx) H(e^(epsilon - L(x))), H and L of one step in closed form: mpmath's quad
// at 30 digits.
TEST(LargeLossConvolution, two_steps_enclose_the_integral) {
  struct Case {
    const char* spec;
    Adjacency adjacency;
    double epsilon, truth;
  };
  constexpr Adjacency kSubstitute = Adjacency::substitute;
  constexpr Adjacency kAddRemove = Adjacency::add_remove;
  for (const Case& c : {Case{"sigma=1,rate=1e-6", kAddRemove, 0.01, 2.91782930406815028e-25},
                        Case{"sigma=1,rate=1e-6", kAddRemove, 0.1, 1.54422820487748831e-35},
                        Case{"sigma=0.5,rate=1e-4", kAddRemove, 1, 3.39645518337476936e-9},
                        Case{"sigma=0.5,rate=1e-4", kSubstitute, 1, 3.39761143902441049e-9},
                        Case{"sigma=2,rate=1e-5", kSubstitute, 0.001, 1.6861572578160839e-25},
                        Case{"sigma=1,rate=0.01", kSubstitute, 1, 6.02118528446828942e-9},
                        Case{"sigma=0.4,rate=1e-6", kAddRemove, 0, 1.44775839058861653e-6}}) {
    SCOPED_TRACE(testing::Message() << c.spec << " epsilon " << c.epsilon);
    const Event event = parse_event("subsampled-gaussian:" + std::string(c.spec) + ",count=2");
    const Bounds bounds = tight_delta(event, c.adjacency, Epsilon(c.epsilon));
    EXPECT_LE(bounds.lower, c.truth);
    EXPECT_GE(bounds.upper, c.truth);
    EXPECT_LE(bounds.upper - bounds.lower, 1e-3 * bounds.upper);
    for (const Side side : {Side::lower, Side::upper}) {
      const LossModel model =
          loss_models(flatten(event), c.adjacency, side).front();  // "remove", the larger one
      const auto split = LargeLossConvolution::around(model, c.epsilon, std::log(c.truth), side, 0x1p16);
      ASSERT_TRUE(split);
      EXPECT_NEAR(split->delta(c.epsilon) / c.truth, 1, 1e-3);
      EXPECT_EQ(split->delta(c.epsilon) < c.truth, side == Side::lower);
    }
  }
}

// Many jumps at once, where no split is needed: the contour integral of oracle_test.cpp.
TEST(LargeLossConvolution, many_jumps_add_up) {
  const Event event = parse_event("subsampled-gaussian:sigma=4,rate=0.01,count=10000");
  const double truth = 4.243484252431285e-6;
  for (const Side side : {Side::lower, Side::upper}) {
    const LossModel model = loss_models(flatten(event), Adjacency::add_remove, side).front();
    const auto split = LargeLossConvolution::around(model, 1, std::log(truth), side, 0x1p17);
    ASSERT_TRUE(split);
    EXPECT_NEAR(split->delta(1) / truth, 1, 1e-3);
    EXPECT_EQ(split->delta(1) < truth, side == Side::lower);
  }
}

TEST(LargeLossConvolution, needs_rare_large_losses) {
  for (const char* spec :
       {"pure:epsilon=0.1,count=9", "laplace:scale=2,count=9", "gaussian:sigma=2,count=9"}) {
    const LossModel model =
        loss_models(flatten(parse_event(spec)), Adjacency::substitute, Side::upper).front();
    EXPECT_FALSE(LargeLossConvolution::around(model, 1, -10, Side::upper, 0x1p12));
  }
}

// Places where rounding in one transform once hid delta.
TEST(LargeLossConvolution, bounds_are_narrow_where_single_outliers_rule) {
  struct Corner {
    const char* mechanisms[2];
    Adjacency adjacency;
    double delta;
  };
  constexpr Adjacency kSubstitute = Adjacency::substitute;
  constexpr Adjacency kAddRemove = Adjacency::add_remove;
  for (const Corner& c : {
           Corner{{"subsampled-gaussian:sigma=1,rate=1e-6,count=1000"}, kAddRemove, 1e-30},
           Corner{{"subsampled-gaussian:sigma=1,rate=1e-6,count=1000"}, kSubstitute, 1e-30},
           Corner{{"subsampled-gaussian:sigma=2,rate=1e-4,count=1000"}, kSubstitute, 1e-30},
           Corner{{"subsampled-gaussian:sigma=1.3,rate=1.7e-4,count=7800"}, kAddRemove, 1e-26},
           Corner{{"subsampled-gaussian:sigma=2.3,rate=1e-6,count=100",
                   "subsampled-gaussian:sigma=1.3,rate=2e-6,count=300"},
                  kAddRemove,
                  1e-27},
           Corner{{"subsampled-gaussian:sigma=0.6,rate=2e-6,count=4000",
                   "subsampled-laplace:scale=0.3,rate=2e-4"},
                  kSubstitute,
                  1e-22},
       }) {
    SCOPED_TRACE(testing::Message() << c.mechanisms[0] << " delta " << c.delta);
    CompositionEvent parts;
    for (const char* spec : c.mechanisms) {
      if (spec != nullptr) parts.parts.push_back(parse_event(spec));
    }
    const Bounds epsilon = tight_epsilon({parts, 1}, c.adjacency, Delta(c.delta));
    EXPECT_LE(epsilon.lower, epsilon.upper);
    EXPECT_LE(epsilon.upper - epsilon.lower, 1e-3 * epsilon.upper);
    const Bounds delta = tight_delta({parts, 1}, c.adjacency, Epsilon(epsilon.upper));
    EXPECT_LE(delta.lower, c.delta);
    EXPECT_LE(delta.upper - delta.lower, 1e-3 * delta.upper);
  }
}

}  // namespace
}  // namespace sotto
