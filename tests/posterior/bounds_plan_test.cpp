#include "sotto/posterior/bounds_plan.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

// A thousand rows of weight .75 and residuals of 10 at the most: 7500, had all of them that.
TEST(BoundsPlan, a_score_at_the_clip_is_saturated) {
  BoundsPlan plan;
  plan.kept = 0.75;
  plan.typical = 10;
  const auto saturated = [&](Link link, double size, double variance) {
    OnceFacts facts;
    facts.link = link;
    return is_saturated(facts, plan, 1000, {Position{{-0.6 * size, 0.8 * size}}, variance});
  };
  for (const Link link : {Link::log, Link::identity}) {
    EXPECT_TRUE(saturated(link, 6000, 1e4));
    EXPECT_FALSE(saturated(link, 2500, 1e4)) << "a third of the way";
    EXPECT_FALSE(saturated(link, 6000, 4e6)) << "noise alone would do it";
  }
  EXPECT_FALSE(saturated(Link::logit, 6000, 1e4)) << "not clipped";
}

}  // namespace
}  // namespace sotto
