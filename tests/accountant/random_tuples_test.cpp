// Whatever is asked within reason: the bounds do not cross, and are narrower than 1e-3 of what they bound.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : rng_(seed) {}
  /// Uniform in the logarithm.
  double between(double low, double high) { return low * std::exp(uniform() * std::log(high / low)); }
  std::uint64_t count(double most) { return static_cast<std::uint64_t>(between(1, most)); }
  bool coin() { return rng_() % 2 == 0; }
  std::size_t below(std::size_t n) { return rng_() % n; }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(rng_); }
  std::mt19937_64 rng_;
};

Event gaussian(Draw& d) { return {GaussianEvent{1, d.between(0.1, 1e6)}, d.count(1e9)}; }
Event laplace(Draw& d) { return {LaplaceEvent{1, d.between(0.1, 1000)}, d.count(1e6)}; }
Event pure(Draw& d) { return {PureEvent{d.between(1e-6, 20)}, d.count(1e6)}; }
Event response(Draw& d) {
  const double share = d.between(1e-6, 0.5);
  return {RandomizedResponseEvent{d.coin() ? share : 1 - share, 2 + d.below(100)}, d.count(1e6)};
}
Event discrete(Draw& d) {
  const double sensitivity = std::floor(d.between(1, 1e6));
  return {DiscreteGaussianEvent{sensitivity, sensitivity * d.between(0.3, 100), 1}, d.count(1e5)};
}
Event sampled_gaussian(Draw& d) {
  return {SubsampledGaussianEvent{1, d.between(0.4, 20), d.between(1e-6, 1), Sampling::poisson},
          d.count(1e6)};
}
Event rare_gaussian(Draw& d) {
  return {SubsampledGaussianEvent{1, d.between(0.5, 2), d.between(1e-6, 1e-3), Sampling::poisson},
          d.count(1e5)};
}
Event sampled_laplace(Draw& d) {
  return {SubsampledLaplaceEvent{1, d.between(0.1, 50), d.between(1e-6, 1), Sampling::poisson}, d.count(1e6)};
}

// Delta from 1e-2 to 1e-30.
void expect_narrow(const Event& event, Adjacency adjacency, Draw& d) {
  const Delta delta(d.between(1e-30, 1e-2));
  const Bounds epsilon = tight_epsilon(event, adjacency, delta);
  EXPECT_LE(epsilon.lower, epsilon.upper);
  EXPECT_LE(epsilon.upper - epsilon.lower, 1e-3 * epsilon.upper);
  // Beyond, delta may fall by e^-100 and more over the width of epsilon's bounds. At the largest loss delta is 0.
  if (!(epsilon.upper > 0 && epsilon.upper < 100) || d.coin()) return;
  const Bounds back = tight_delta(event, adjacency, Epsilon(0.9 * epsilon.upper));
  EXPECT_LE(back.lower, back.upper);
  EXPECT_GE(back.upper, delta.value());
  EXPECT_LE(back.upper - back.lower, 2e-3 * back.upper);
}

using Kind = std::function<Event(Draw&)>;

TEST(RandomTuples, single_mechanisms_have_narrow_bounds) {
  Draw d(20261121);
  for (const Kind& kind : {Kind(gaussian), Kind(laplace), Kind(pure), Kind(response), Kind(discrete),
                           Kind(sampled_gaussian), Kind(rare_gaussian), Kind(sampled_laplace)}) {
    for (int i = 0; i < 10; ++i) {
      const Event event = kind(d);
      const bool substitute = d.coin() || mechanism_name(event) == "randomized-response";
      const Adjacency adjacency = substitute ? Adjacency::substitute : Adjacency::add_remove;
      SCOPED_TRACE(nlohmann::json(event).dump() + (substitute ? " substitute" : " add_remove"));
      expect_narrow(event, adjacency, d);
    }
  }
}

TEST(RandomTuples, mixtures_have_narrow_bounds) {
  Draw d(7);
  const std::vector<Kind> kinds = {gaussian, laplace,          pure,          response,
                                   discrete, sampled_gaussian, rare_gaussian, sampled_laplace};
  for (int i = 0; i < 14; ++i) {
    const Event event{CompositionEvent{{kinds[d.below(kinds.size())](d), kinds[d.below(kinds.size())](d)}},
                      1};
    SCOPED_TRACE(nlohmann::json(event).dump());
    expect_narrow(event, Adjacency::substitute, d);
  }
}

// Atoms of many kinds, none of which lies where another's does: between the costs of the dearest and of the cheapest repeated,
// narrow, and soon.
TEST(RandomTuples, many_kinds_have_narrow_bounds_soon) {
  std::vector<Event> kinds;
  for (int i = 0; i < 64; ++i) kinds.push_back({LaplaceEvent{1, 2 + 0.01 * i}, 1});
  const std::clock_t start = std::clock();
  const Bounds apart = tight_epsilon({CompositionEvent{kinds}, 1}, Adjacency::substitute, Delta(1e-6));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const Bounds dearest = tight_epsilon({LaplaceEvent{1, 2}, 64}, Adjacency::substitute, Delta(1e-6));
  const Bounds cheapest = tight_epsilon({LaplaceEvent{1, 2.63}, 64}, Adjacency::substitute, Delta(1e-6));
  EXPECT_LE(apart.lower, dearest.upper);
  EXPECT_GE(apart.upper, cheapest.lower);
  EXPECT_LE(apart.upper - apart.lower, 5e-4 * apart.upper);
  EXPECT_LE(seconds, 6) << "some 0.5 where no grid is finer than it has to be";
}

// Sixty-four kinds that differ in the thirteenth digit cost what sixty-four steps of one kind do.
TEST(RandomTuples, many_kinds_cost_what_one_kind_does) {
  std::vector<Event> kinds;
  for (int i = 0; i < 64; ++i) kinds.push_back({LaplaceEvent{1, 2 * (1 + 1e-13 * i)}, 1});
  const Bounds apart = tight_epsilon({CompositionEvent{kinds}, 1}, Adjacency::substitute, Delta(1e-6));
  const Bounds together = tight_epsilon({LaplaceEvent{1, 2}, 64}, Adjacency::substitute, Delta(1e-6));
  EXPECT_LE(apart.lower, together.upper * (1 + 1e-11));
  EXPECT_GE(apart.upper, together.lower * (1 - 1e-11));
}

TEST(RandomTuples, kinds_of_very_different_weight_have_narrow_bounds) {
  const Event event{CompositionEvent{{parse_event("subsampled-laplace:scale=0.9,rate=0.33,count=5000"),
                                      parse_event("subsampled-laplace:scale=0.6,rate=0.00015,count=25000"),
                                      parse_event("subsampled-laplace:scale=9,rate=0.00076,count=3")}},
                    1};
  const Bounds epsilon = tight_epsilon(event, Adjacency::substitute, Delta(1e-6));
  EXPECT_LE(epsilon.upper - epsilon.lower, 1e-3 * epsilon.upper);
}

}  // namespace
}  // namespace sotto
