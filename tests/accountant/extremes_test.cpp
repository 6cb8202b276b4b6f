// Corners where a formula written plainly overflows, underflows or cancels. Truths: mpmath, at 30 to 400 digits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/accountant/pld/composition.hpp"
#include "sotto/accountant/pld/tight.hpp"
#include "sotto/event/event.hpp"

namespace sotto {
namespace {

struct Corner {
  std::vector<std::string> specs;
  Adjacency adjacency;
  double epsilon;
  double delta;
};

TEST(Extremes, truth_lies_inside) {
  constexpr Adjacency kSubstitute = Adjacency::substitute;
  constexpr Adjacency kAddRemove = Adjacency::add_remove;
  const std::vector<Corner> corners = {
      {{"subsampled-gaussian:sigma=0.03,rate=0.5"}, kSubstitute, 0, 0.5},
      {{"subsampled-gaussian:sigma=0.037,rate=0.01"}, kSubstitute, 356, 0.0055346429348404191},
      {{"subsampled-gaussian:sigma=0.045,rate=0.5"}, kSubstitute, 356, 1.8601257172655428e-7},
      {{"subsampled-gaussian:sigma=1,rate=1e-30"}, kSubstitute, 0, 6.8268949213708595e-31},
      {{"subsampled-gaussian:sigma=0.05,rate=1e-30"}, kSubstitute, 0.5, 9.9999999996176602e-31},
      {{"subsampled-gaussian:sigma=0.1,rate=1e-30"}, kAddRemove, 105, 5.2640012816338402e-66},
      // A row that is drawn once of two times shows a loss of N(m, 2 m), m = 1 / (2 sigma^2); drawn never 0, twice far more.
      {{"subsampled-gaussian:sigma=0.0333,rate=0.5,count=2"}, kSubstitute, 460, 0.43420110730837946},
      {{"subsampled-gaussian:sigma=0.0357,rate=0.3", "pure:epsilon=0.5,count=3"},
       kSubstitute,
       0.2,
       0.50243085789497823},
      {{"subsampled-gaussian:sigma=0.0357,rate=0.3", "pure:epsilon=0.5,count=3"},
       kSubstitute,
       400,
       0.11156587828440025},
      {{"subsampled-gaussian:sigma=0.029,rate=0.5"}, kAddRemove, 720, 5.6891679208157686e-5},
      {{"subsampled-gaussian:sigma=0.02866,rate=1e-12"}, kAddRemove, 705, 1.7274297873583025e-16},
      {{"randomized-response:probability=0.5"}, kSubstitute, 1.0986122886, 5.1082237016105525e-11},
      {{"randomized-response:probability=0.5"}, kSubstitute, 1.0986122886681, 7.2594372332634866e-15},
      {{"randomized-response:probability=0.5"}, kSubstitute, 1.0986122886681096, 9.8498724431261999e-17},
      {{"discrete-gaussian:sigma=0.3"}, kSubstitute, 27.77777777777678, 4.1294836352825554e-22},
  };
  for (const Corner& corner : corners) {
    std::vector<Event> events;
    for (const std::string& spec : corner.specs) events.push_back(parse_event(spec));
    const Event event = events.size() == 1 ? events.front() : Event{CompositionEvent{events}, 1};
    const Bounds bounds = tight_delta(event, corner.adjacency, Epsilon(corner.epsilon));
    EXPECT_LE(bounds.lower, corner.delta) << corner.specs.front() << " " << corner.epsilon;
    EXPECT_GE(bounds.upper, corner.delta) << corner.specs.front() << " " << corner.epsilon;
  }
}

// Beside one that is sampled so rarely a grid had shown nothing below, though the other alone shows nearly all.
TEST(Extremes, what_one_part_shows_alone_is_a_lower_bound) {
  const Event one = parse_event("subsampled-laplace:scale=3.2,rate=0.5");
  const Event both{CompositionEvent{{parse_event("subsampled-laplace:scale=5,rate=1e-5"), one}}, 1};
  const Bounds bounds = tight_epsilon(both, Adjacency::add_remove, Delta(1e-8));
  EXPECT_GE(bounds.lower, tight_epsilon(one, Adjacency::add_remove, Delta(1e-8)).lower);
  EXPECT_LT(bounds.upper - bounds.lower, 1e-4 * bounds.upper);
}

// With so many steps and a tilt far beyond what is asked, factors overflow and their products are no numbers: the upper
// side must say 1, not 0. The truth at epsilon = 0 is the total variation distance of N(0) and N(1e-3), about.
TEST(Extremes, what_is_no_number_bounds_nothing) {
  const Event event = parse_event("pure:epsilon=1e-9,count=1000000000000");
  for (const Side side : {Side::upper, Side::lower}) {
    const LossModel model = loss_models(flatten(event), Adjacency::substitute, side).front();
    const CompositionPlan plan = plan_at(model, 0.127, -13.8, 10);
    const LossCurve curve = curve_of(model, plan, {false, 1e-6}, side, {2e-4, 0x1p17, 10});
    if (side == Side::upper) {
      EXPECT_GE(curve.delta(0), 3.98e-4);
    }
    if (side == Side::lower) {
      EXPECT_LE(curve.delta(0), 3.99e-4);
    }
  }
}

// Slack for discreteness is far above epsilon 0, and far below what one release shows.
TEST(Extremes, slack_above_epsilon_leaves_a_bound) {
  const Event event = parse_event("discrete-gaussian:sigma=23.9,grid=315677,count=16");
  const Bounds bounds = tight_delta(event, Adjacency::substitute, Epsilon(0));
  const double truth = 0.06669073779;  // erf(4 / 23.9 / sqrt(8)): the grid is fine
  EXPECT_NEAR(bounds.lower, truth, 1e-5);
  EXPECT_NEAR(bounds.upper, truth, 1e-5);
}

// A huge sum next to a tiny one: no grid holds both finely, and trying must not break what is known. The truth is within
// the smaller part's largest loss of the larger part's.
TEST(Extremes, losses_of_very_different_size) {
  const Event event{CompositionEvent{{parse_event("pure:epsilon=17.2,count=306539"),
                                      parse_event("subsampled-gaussian:sigma=0.68,rate=8.65e-5,count=514")}},
                    1};
  const Bounds epsilon = tight_epsilon(event, Adjacency::substitute, Delta(1e-6));
  EXPECT_GE(epsilon.lower, 17.2 * 306530 * (1 - 1e-3));
  EXPECT_LE(epsilon.upper, 17.2 * 306539 * (1 + 1e-3));
}

}  // namespace
}  // namespace sotto
