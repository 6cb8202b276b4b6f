// What must hold for any events: order and splitting do not matter, more noise never costs more, accountants agree.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "sotto/accountant/account.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/curve.hpp"
#include "sotto/accountant/pld/tight.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

Event random_event(std::mt19937_64& rng) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(rng);
  };
  const std::uint64_t count = 1 + rng() % 40;
  switch (rng() % 6) {
    case 0:
      return {GaussianEvent{1, uniform(1, 20)}, count};
    case 1:
      return {SubsampledGaussianEvent{1, uniform(0.8, 6), uniform(0.001, 0.3), Sampling::poisson}, count};
    case 2:
      return {LaplaceEvent{1, uniform(3, 40)}, count};
    case 3:
      return {PureEvent{uniform(0.01, 0.3)}, count};
    case 4:
      return {RandomizedResponseEvent{uniform(0.7, 0.99), 2 + rng() % 5}, count};
    default:
      return {DiscreteGaussianEvent{static_cast<double>(1 + rng() % 5), uniform(5, 40), 1}, count};
  }
}

Event composed(std::vector<Event> parts) { return {CompositionEvent{std::move(parts)}, 1}; }

void expect_overlap(const Bounds& a, const Bounds& b) {
  EXPECT_LE(a.lower, a.upper);
  EXPECT_LE(b.lower, b.upper);
  EXPECT_LE(a.lower, b.upper);
  EXPECT_LE(b.lower, a.upper);
}

TEST(Properties, order_and_splitting_do_not_matter) {
  std::mt19937_64 rng(20240611);
  for (int i = 0; i < 5; ++i) {
    const Event a = random_event(rng);
    const Event b = random_event(rng);
    const Delta delta(std::pow(10.0, -1.0 - static_cast<double>(rng() % 12)));
    const Bounds forward = tight_epsilon(composed({a, b}), Adjacency::substitute, delta);
    expect_overlap(forward, tight_epsilon(composed({b, a}), Adjacency::substitute, delta));
    Event first = a;
    Event second = a;
    first.count = a.count / 2;
    second.count = a.count - first.count;
    expect_overlap(forward, tight_epsilon(composed({first, b, second}), Adjacency::substitute, delta));
  }
}

TEST(Properties, no_accountant_lies_below_the_lower_bound_of_the_tight_one) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 10; ++i) {
    const Event event = composed({random_event(rng), random_event(rng)});
    const Delta delta(std::pow(10.0, -1.0 - static_cast<double>(rng() % 12)));
    const Bounds tight = tight_epsilon(event, Adjacency::substitute, delta);
    EXPECT_LE(tight.lower, tight.upper);
    EXPECT_GE(upper_epsilon(event, Adjacency::substitute, delta, BoundKind::rdp), tight.lower);
    EXPECT_GE(upper_epsilon(event, Adjacency::substitute, delta, BoundKind::zcdp), tight.lower);
  }
}

// The tight upper bound is at most 1e-3 above the truth, which no other accountant goes below.
TEST(Properties, the_tight_accountant_is_the_tightest) {
  std::mt19937_64 rng(11);
  for (int i = 0; i < 12; ++i) {
    const Event event = i % 2 == 0 ? random_event(rng) : composed({random_event(rng), random_event(rng)});
    const Delta delta(std::pow(10.0, -1.0 - static_cast<double>(rng() % 12)));
    const Bounds tight = tight_epsilon(event, Adjacency::substitute, delta);
    for (const BoundKind kind : {BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
      double other = HUGE_VAL;
      try {
        other = upper_epsilon(event, Adjacency::substitute, delta, kind);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);  // proves nothing here
      }
      EXPECT_GE(other, tight.lower);
      EXPECT_GE(other * 1.001, tight.upper);
      const Bounds reported =
          other < HUGE_VAL ? account_epsilon(event, Adjacency::substitute, delta, kind) : Bounds{0, HUGE_VAL};
      EXPECT_LE(reported.lower, reported.upper);
    }
    if (tight.upper > 0) {
      const double epsilon = tight.upper;
      const Bounds at = tight_delta(event, Adjacency::substitute, Epsilon(epsilon));
      EXPECT_LE(at.lower, delta.value());
      EXPECT_GE(upper_delta(event, Adjacency::substitute, Epsilon(epsilon), BoundKind::rdp), at.lower);
    }
  }
}

TEST(Properties, more_noise_never_costs_more) {
  for (const double rate : {0.003, 0.05, 0.7}) {
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
      double before = HUGE_VAL;
      for (const double sigma : {0.6, 0.9, 1.5, 4.0, 20.0}) {
        const Event event{SubsampledGaussianEvent{1, sigma, rate, Sampling::poisson}, 60};
        const Bounds now = tight_epsilon(event, adjacency, Delta(1e-6));
        EXPECT_LE(now.lower, before);
        before = now.upper;
      }
    }
  }
}

// Awkward corners: rare huge losses, delta near 1, bounded losses, tiny delta. The bounds must never cross.
// An exchanged row moves a sum by twice what one row contributes.
TEST(Properties, a_batch_of_all_rows_costs_what_all_rows_do) {
  const Delta delta(1e-6);
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const double rows = adjacency == Adjacency::substitute ? 2 : 1;
    for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp}) {
      const auto cost = [&](const Event& event) { return upper_epsilon(event, adjacency, delta, kind); };
      const double gaussian = cost({GaussianEvent{3 * rows, 15}, 4});
      EXPECT_NEAR(cost({SubsampledGaussianEvent{3, 15, 1, Sampling::poisson}, 4}), gaussian, 1e-3 * gaussian);
      const double laplace = cost({LaplaceEvent{3 * rows, 30}, 4});
      EXPECT_NEAR(cost({SubsampledLaplaceEvent{3, 30, 1, Sampling::poisson}, 4}), laplace, 1e-3 * laplace);
    }
  }
}

TEST(Properties, bounds_never_cross) {
  struct Corner {
    double sigma, rate;
    std::uint64_t count;
    double delta;
  };
  const Corner corners[] = {{0.5, 1e-6, 30, 1e-6},  {0.5, 0.05, 1000, 0.9},   {0.3, 0.5, 1, 1e-40},
                            {0.3, 1e-6, 30, 1e-40}, {100, 0.001, 1000, 1e-9}, {1000, 1e-6, 1000, 1e-40}};
  for (const Corner& c : corners) {
    SCOPED_TRACE(testing::Message() << "sigma " << c.sigma << " rate " << c.rate);
    const Event event{SubsampledGaussianEvent{1, c.sigma, c.rate, Sampling::poisson}, c.count};
    for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::substitute}) {
      const Bounds epsilon = tight_epsilon(event, adjacency, Delta(c.delta));
      EXPECT_LE(epsilon.lower, epsilon.upper);
      const Bounds delta = tight_delta(event, adjacency, Epsilon(0.5));
      EXPECT_LE(delta.lower, delta.upper);
    }
  }
}

// Corners where bounds were once far apart: small rates, large epsilon, atoms next to densities, tiny losses.
TEST(Properties, bounds_are_narrow_in_corners) {
  struct Corner {
    const char* mechanisms[2];
    Adjacency adjacency;
    double delta;
  };
  const auto substitute = Adjacency::substitute;
  const auto add_remove = Adjacency::add_remove;
  const Corner corners[] = {
      {{"subsampled-gaussian:sigma=0.5,rate=1e-6,count=1000"}, add_remove, 1e-10},
      {{"subsampled-gaussian:sigma=0.3,rate=1e-6,count=1000000"}, add_remove, 1e-10},
      {{"subsampled-gaussian:sigma=1,rate=1e-6,count=1000"}, substitute, 1e-6},
      {{"subsampled-gaussian:sigma=4,rate=1e-6,count=10"}, add_remove, 1e-10},
      {{"subsampled-gaussian:sigma=0.5,rate=0.1,count=1000000"}, substitute, 1e-6},
      {{"subsampled-laplace:scale=1,rate=1e-4,count=100000"}, add_remove, 1e-6},
      {{"laplace:scale=3,count=100000"}, substitute, 1e-6},
      {{"pure:epsilon=600,count=10"}, substitute, 1e-6},
      {{"pure:epsilon=0.1,count=1000000"}, substitute, 1e-6},
      {{"randomized-response:probability=0.5,levels=2,count=100000"}, substitute, 1e-18},
      {{"discrete-gaussian:sigma=1,count=1000000"}, substitute, 1e-18},
      {{"gaussian:sigma=2", "pure:epsilon=3,count=2"}, substitute, 1e-6},
      {{"randomized-response:probability=0.997,levels=147,count=287599", "pure:epsilon=4e-6,count=4941"},
       substitute,
       4e-3},
      {{"gaussian:sigma=81000,count=8000000", "discrete-gaussian:sigma=0.6,grid=140,count=4566"},
       add_remove,
       4e-7},
      {{"laplace:scale=10,count=5", "subsampled-gaussian:sigma=0.7,rate=1e-4,count=100000"},
       substitute,
       1e-6},
  };
  for (const Corner& c : corners) {
    SCOPED_TRACE(testing::Message() << c.mechanisms[0] << " delta " << c.delta);
    std::vector<Event> parts;
    for (const char* spec : c.mechanisms) {
      if (spec != nullptr) parts.push_back(parse_event(spec));
    }
    const Event event = composed(std::move(parts));
    const Bounds epsilon = tight_epsilon(event, c.adjacency, Delta(c.delta));
    EXPECT_LE(epsilon.lower, epsilon.upper);
    EXPECT_LE(epsilon.upper - epsilon.lower, 1e-3 * epsilon.upper);
    if (epsilon.upper > 500) continue;  // delta falls by e^-500 and more over the width of epsilon's bounds
    const Bounds delta = tight_delta(event, c.adjacency, Epsilon(epsilon.upper));
    EXPECT_LE(delta.lower, delta.upper);
    EXPECT_LE(delta.lower, c.delta);
  }
}

TEST(Properties, width_on_demand) {
  for (const char* spec : {"subsampled-gaussian:sigma=2,rate=0.01,count=1000", "laplace:scale=10,count=100",
                           "subsampled-gaussian:sigma=4,rate=0.1,count=100"}) {
    SCOPED_TRACE(spec);
    const Event event = parse_event(spec);
    const Bounds usual = tight_epsilon(event, Adjacency::substitute, Delta(1e-6));
    const Bounds fine = tight_epsilon(event, Adjacency::substitute, Delta(1e-6), 1e-6);
    EXPECT_LE(fine.upper - fine.lower, 1e-6 * fine.upper);
    EXPECT_LE(fine.lower, usual.upper);
    EXPECT_GE(fine.upper, usual.lower);
    const Bounds delta = tight_delta(event, Adjacency::substitute, Epsilon(fine.upper), 1e-5);
    EXPECT_LE(delta.upper - delta.lower, 1e-5 * delta.upper);
  }
}

// From one row to the next an epsilon-private mechanism loses less than twice epsilon in all but the extreme: of two rows and no
// epsilon at all P0(S) <= 1 - e^-1 + P2(S).
TEST(Properties, of_groups_given_guarantees_tell_nothing_from_below) {
  const Event pure = group_event(parse_event("pure:epsilon=1"), 2);
  EXPECT_LE(tight_delta(pure, Adjacency::substitute, Epsilon(0)).lower, 1 - std::exp(-1.0));
  const Event approximate = group_event(parse_event("approximate:epsilon=0.5,delta=0.01"), 3);
  EXPECT_LE(tight_delta(approximate, Adjacency::substitute, Epsilon(0.2)).lower, 0.50988);
}

TEST(Properties, what_is_given_away_is_lost_whatever_epsilon_is) {
  const Event event = parse_event("approximate:epsilon=1,delta=0.1");
  EXPECT_GE(tight_delta(event, Adjacency::substitute, Epsilon(HUGE_VAL)).upper, 0.1);
  EXPECT_GE(tight_delta({CompositionEvent{{event, parse_event("gaussian:sigma=1")}}}, Adjacency::substitute,
                        Epsilon(HUGE_VAL))
                .upper,
            0.1);
}

// One guarantee holds at its own delta, to the last digit; two give away what each of them does, the larger one first or last.
TEST(Properties, guarantees_hold_at_their_own_delta_and_add_up) {
  for (const double delta : {1e-3, 1e-5, 1e-6, 3e-8, 1e-12}) {
    const Event one{ApproximateEvent{.epsilon = 1, .delta = delta}, 1};
    const Bounds at = tight_epsilon(one, Adjacency::substitute, Delta(delta));
    EXPECT_GE(at.upper, 1) << delta;
    EXPECT_NEAR(at.upper, 1, 1e-9) << delta;
    EXPECT_EQ(tight_epsilon(one, Adjacency::substitute, Delta(std::nextafter(delta, 0))).upper, HUGE_VAL);
    const Event more{ApproximateEvent{.epsilon = 1, .delta = 2 * delta}, 3};
    for (const Event& two : {Event{CompositionEvent{{one, more}}}, Event{CompositionEvent{{more, one}}}}) {
      const double given = -std::expm1(std::log1p(-delta) + 3 * std::log1p(-2 * delta));
      const double upper = tight_delta(two, Adjacency::substitute, Epsilon(HUGE_VAL)).upper;
      EXPECT_GE(upper, given);
      EXPECT_NEAR(upper, given, 2e-12 * given);
    }
  }
}

// Five bits and what is given away beside them, summed over the number of right answers; many kinds beside each other.
TEST(Properties, what_is_given_away_leaves_bounds_narrow) {
  const Event five = parse_event("approximate:epsilon=0.5,delta=1e-3,count=5");
  const double high = 1 / (1 + std::exp(-0.5));
  const double given = 1 - std::pow(1 - 1e-3, 5);
  for (const double epsilon : {0.0, 0.7, 1.4, 3.0}) {
    double rest = 0;
    for (int k = 0; k <= 5; ++k) {
      const double ways = std::tgamma(6) / std::tgamma(k + 1) / std::tgamma(6 - k);
      const double p = ways * std::pow(high, k) * std::pow(1 - high, 5 - k);
      rest += p * std::max(0.0, 1 - std::exp(epsilon - 0.5 * (2 * k - 5)));
    }
    const Bounds bounds = account_delta(five, Adjacency::substitute, Epsilon(epsilon), BoundKind::tight);
    EXPECT_NEAR(bounds.upper, given + (1 - given) * rest, 1e-9);
    EXPECT_NEAR(bounds.lower, given + (1 - given) * rest, 1e-9);
  }
  CompositionEvent many;
  for (int i = 0; i < 40; ++i) many.parts.push_back({ApproximateEvent{0.1 + 0.001 * i, 1e-9}, 1});
  const Bounds bounds = account_epsilon({many, 1}, Adjacency::substitute, Delta(1e-6), BoundKind::tight);
  EXPECT_LE(bounds.upper - bounds.lower, 5e-4 * bounds.upper);
  // More than delta is given away for certain.
  EXPECT_EQ(account_epsilon(five, Adjacency::substitute, Delta(4e-3), BoundKind::tight).lower, HUGE_VAL);
}

// Half of all outputs have the largest loss, 1 / scale. Beside the double below it the truth is 1 - e^((epsilon - 1 / scale) / 2),
// found with 60 digits.
TEST(Properties, the_largest_loss_is_not_rounded_away) {
  const auto upper = [](const char* spec, double epsilon, Adjacency adjacency) {
    return tight_delta(parse_event(spec), adjacency, Epsilon(epsilon)).upper;
  };
  EXPECT_GE(upper("laplace:scale=0.042", 23.809523809523807, Adjacency::substitute), 6.98e-16);
  EXPECT_GE(upper("laplace:scale=5.76", 0.1736111111111111, Adjacency::substitute), 6.30e-18);
  EXPECT_GE(upper("laplace:scale=0.002737", 365.36353671903544, Adjacency::add_remove), 1.15e-14);
  EXPECT_GE(upper("subsampled-laplace:scale=0.006563,rate=0.5", 151.67619610757046, Adjacency::add_remove),
            3.7e-15);
}

TEST(Properties, calibration_never_overshoots) {
  const Event step{SubsampledGaussianEvent{1, 2, 0.02, Sampling::poisson}};
  const Target target{Epsilon(1), Delta(1e-6)};
  Event run = step;
  run.count = largest_count(step, target);
  EXPECT_LE(upper_delta(run, target.adjacency, target.epsilon, target.kind), 1e-6);
  run.count += 1 + run.count / 500;
  EXPECT_GT(upper_delta(run, target.adjacency, target.epsilon, target.kind), 1e-6);
}

// The least of all valid bounds, and whose it is.
TEST(Properties, the_tight_bound_is_never_above_a_simpler_one) {
  for (const char* spec :
       {"laplace:scale=1,count=3", "laplace:scale=20,count=500", "gaussian:sigma=3,count=10",
        "pure:epsilon=1e-6,count=1000000", "exponential-mechanism:epsilon=0.5,count=20",
        "subsampled-gaussian:sigma=2,rate=0.01,count=1000", "discrete-gaussian:sigma=1,grid=3,dim=9,count=10",
        "subsampled-laplace:scale=1,rate=0.01,sampling=without-replacement,count=100",
        "subsampled-gaussian:sigma=8,rate=0.5,sampling=without-replacement,count=1000"}) {
    SCOPED_TRACE(spec);
    const Event event = parse_event(spec);
    const Bounds least = account_epsilon(event, Adjacency::substitute, Delta(1e-6), BoundKind::tight);
    const Bounds delta =
        account_delta(event, Adjacency::substitute, Epsilon(least.upper / 2), BoundKind::tight);
    for (const BoundKind kind : {BoundKind::rdp, BoundKind::zcdp}) {
      const double other = upper_epsilon(event, Adjacency::substitute, Delta(1e-6), kind);
      EXPECT_LE(least.upper, other);
      EXPECT_EQ(least.by == kind, least.upper == other);
      EXPECT_LE(delta.upper, upper_delta(event, Adjacency::substitute, Epsilon(least.upper / 2), kind));
    }
  }
  EXPECT_EQ(account_epsilon(parse_event("exponential-mechanism:epsilon=0.5,count=20"), Adjacency::substitute,
                            Delta(1e-6), BoundKind::tight)
                .by,
            BoundKind::zcdp);
}

// Where losses are not known, or too large for the grids, the simpler bounds answer alone.
TEST(Properties, the_tight_bound_takes_what_a_simpler_one_takes) {
  for (const char* spec : {"zcdp:rho=0.1,count=3", "renyi:orders=2/4/8/64,costs=.1/.2/.4/3.2,count=2",
                           "dp-barker:rows=100000,batch=1000", "gaussian:sigma=1",
                           "laplace:scale=1,count=400", "subsampled-gaussian:sigma=2,rate=0.01,count=100"}) {
    for (const double delta : {1e-6, 1e-300}) {
      SCOPED_TRACE(testing::Message() << spec << " " << delta);
      const Event event = parse_event(spec);
      const Bounds tight = account_epsilon(event, Adjacency::substitute, Delta(delta), BoundKind::tight);
      const double rdp = upper_epsilon(event, Adjacency::substitute, Delta(delta), BoundKind::rdp);
      EXPECT_TRUE(std::isfinite(rdp));
      EXPECT_LE(tight.upper, rdp);
      EXPECT_LE(tight.lower, tight.upper);
      const Bounds there =
          account_delta(event, Adjacency::substitute, Epsilon(tight.upper), BoundKind::tight);
      EXPECT_LE(there.upper, delta * (1 + 1e-6) + 1e-300);
    }
  }
  // The reason is that of the bound which takes most.
  try {
    (void)account_epsilon(parse_event("dp-barker:rows=1000,batch=100"), Adjacency::add_remove, Delta(1e-6),
                          BoundKind::tight);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "dp-barker is accounted under --adjacency substitute only");
  }
}

// Gaussian noise beside a bit of randomised response that is told, or everything else with it: delta in closed form.
TEST(Properties, what_may_be_given_away_is_added_to_simpler_bounds) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double mu = std::sqrt(2 * 0.05);
  const auto gaussian = [&](double e) { return phi(mu / 2 - e / mu) - std::exp(e) * phi(-mu / 2 - e / mu); };
  const double high = 1 / (1 + std::exp(-0.5));
  const Event event{
      CompositionEvent{{parse_event("zcdp:rho=0.05"), parse_event("approximate:epsilon=0.5,delta=1e-4")}}, 1};
  for (const double epsilon : {0.0, 0.5, 1.0, 3.0}) {
    const double rest = high * gaussian(epsilon - 0.5) + (1 - high) * gaussian(epsilon + 0.5);
    const double truth = 1e-4 + (1 - 1e-4) * rest;
    for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp}) {
      const double delta = upper_delta(event, Adjacency::substitute, Epsilon(epsilon), kind);
      EXPECT_GE(delta, truth) << epsilon;
      EXPECT_LE(delta, 1e-4 + concentrated_delta(0.05 + 0.5 * 0.5 / 2, epsilon) * (1 + 1e-9)) << epsilon;
      if (delta >= 1) continue;
      EXPECT_LE(upper_epsilon(event, Adjacency::substitute, Delta(delta), kind), epsilon + 1e-6);
      EXPECT_EQ(upper_epsilon(event, Adjacency::substitute, Delta(9.9e-5), kind), HUGE_VAL);
    }
  }
  EXPECT_FALSE(concentrated_rho(event, Adjacency::substitute).has_value());
}

// N(0, 1) against N(mu, 1), whose trade-off function is known.
TEST(Properties, mu_and_the_trade_off_function_of_gaussian_noise) {
  const Event event = parse_event("gaussian:sigma=2,count=4");
  EXPECT_NEAR(gaussian_mu(event, Adjacency::substitute).value(), 1, 1e-11);
  EXPECT_FALSE(gaussian_mu(parse_event("laplace:scale=2"), Adjacency::substitute).has_value());
  EXPECT_FALSE(
      gaussian_mu(parse_event("discrete-gaussian:sigma=9,grid=9,dim=9"), Adjacency::substitute).has_value());
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (const ErrorTradeoff& point : trade_off(event_curve(event, Adjacency::substitute), 11)) {
    double low = -10;
    double high = 10;
    for (int i = 0; i < 60; ++i) (phi((low + high) / 2) < 1 - point.alpha ? low : high) = (low + high) / 2;
    EXPECT_LE(point.beta, phi(low - 1) + 1e-9);
    EXPECT_GE(point.beta, phi(low - 1) - 5e-3);
  }
}

// Squares of mu add up, of given ones and of noise; delta by the two normal probabilities of its definition.
TEST(Properties, a_given_mu_costs_what_gaussian_noise_does) {
  const Event event{CompositionEvent{{parse_event("gdp:mu=0.6,count=2"), parse_event("gaussian:sigma=2")}},
                    1};
  const double mu = std::sqrt(2 * 0.36 + 0.25);
  EXPECT_NEAR(gaussian_mu(event, Adjacency::add_remove).value(), mu, 1e-11);
  EXPECT_NEAR(concentrated_rho(event, Adjacency::substitute).value(), mu * mu / 2, 1e-11);
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  for (const double epsilon : {0.0, 0.5, 2.0}) {
    const double delta = phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
    const Bounds bounds = account_delta(event, Adjacency::add_remove, Epsilon(epsilon), BoundKind::tight);
    EXPECT_NEAR(bounds.upper, delta, 1e-9);
    EXPECT_NEAR(bounds.lower, delta, 1e-9);
  }
  // Given mu alone has no epsilon without a delta.
  EXPECT_EQ(account_epsilon(parse_event("gdp:mu=1"), Adjacency::substitute, Delta(0), BoundKind::tight).upper,
            HUGE_VAL);
}

}  // namespace
}  // namespace sotto
