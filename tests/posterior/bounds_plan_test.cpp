#include "sotto/posterior/bounds_plan.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// A thousand rows of weight .75 and residuals of 10 at the most: 7500, had all of them that.
TEST(BoundsPlan, a_score_at_the_clip_is_saturated) {
  BoundsPlan plan;
  plan.kept = 0.75;
  plan.typical = 10;
  const auto saturated = [&](double size, double variance, Link link = Link::log, bool hidden = true) {
    OnceFacts facts;
    facts.link = link;
    ResidualSpread spread;
    spread.hidden = hidden;
    return is_saturated(facts, spread, plan, 1000, {Position{{-0.6 * size, 0.8 * size}}, variance});
  };
  EXPECT_TRUE(saturated(6000, 1e4));
  EXPECT_FALSE(saturated(2500, 1e4)) << "a third of the way";
  EXPECT_FALSE(saturated(6000, 4e6)) << "noise alone would do it";
  EXPECT_FALSE(saturated(6000, 1e4, Link::log, false)) << "the clip follows from the residuals";
  EXPECT_FALSE(saturated(6000, 1e4, Link::identity)) << "their declared range is the clip";
  EXPECT_FALSE(saturated(6000, 1e4, Link::logit)) << "not clipped";
}

}  // namespace
}  // namespace sotto
