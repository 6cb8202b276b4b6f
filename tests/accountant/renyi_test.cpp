#include "sotto/accountant/rdp/renyi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "sotto/accountant/advanced.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

void expect_cost(const Event& event, Adjacency adjacency, double order, double steps, double published) {
  EXPECT_NEAR(renyi_cost(event, adjacency, order) * steps / published, 1, 1e-6);
}

TEST(Renyi, costs_match_published_values) {
  const auto poisson = [](double sigma, double q) {
    return Event{SubsampledGaussianEvent{1, sigma, q, Sampling::poisson}};
  };
  expect_cost(poisson(2.5, 0.01), Adjacency::add_remove, 5, 50, 0.00218075656);
  expect_cost(poisson(2.5, 0.01), Adjacency::add_remove, 100, 50, 167.416308);
  expect_cost(poisson(1, 0.01), Adjacency::add_remove, 2, 1000, 0.1718134220745343);
  expect_cost(poisson(1, 0.01), Adjacency::add_remove, 10, 1000, 38.27041889494864);
  // The published values take sigma over the replace-one sensitivity, which is twice the clip norm.
  const auto fixed = [](double sigma, double q) {
    return Event{SubsampledGaussianEvent{0.5, sigma, q, Sampling::without_replacement}};
  };
  expect_cost(fixed(4, 0.01), Adjacency::substitute, 2, 1, 2.5797450810048217e-05);
  expect_cost(fixed(4, 0.01), Adjacency::substitute, 32, 1, 0.0004319038556391072);
  expect_cost(fixed(10, 0.1), Adjacency::substitute, 20, 1, 0.004304427253444228);
}

TEST(Renyi, barker_holds_below_a_fifth_of_the_batch_only) {
  const Event step{BarkerEvent{100000, 1000}};
  EXPECT_TRUE(std::isinf(renyi_cost(step, Adjacency::substitute, 200)));
  EXPECT_TRUE(std::isfinite(renyi_cost(step, Adjacency::substitute, 199)));
  EXPECT_THROW((void)renyi_cost(step, Adjacency::add_remove, 2), Error);
  // Theorem 8 at order 2, by hand.
  const double inner = 5 / 2000.0 + 0.5 * std::log(2000 / 990.0) + 4 / 990.0;
  const double q = 0.01;
  EXPECT_NEAR(renyi_cost(step, Adjacency::substitute, 2),
              std::log1p(q * q * std::min(4 * std::expm1(inner), 2 * std::exp(inner))), 1e-12);
}

// Renyi divergence of N(m, v) from N(0, w), by the trapezoidal rule.
double normal_divergence(double m, double v, double w, double a) {
  double sum = 0;
  const double step = 0.02;
  for (double x = -60; x < 60; x += step) {
    const double p = -(x - m) * (x - m) / (2 * v) - std::log(v) / 2;
    const double q = -x * x / (2 * w) - std::log(w) / 2;
    sum += std::exp(a * p + (1 - a) * q) * step / std::sqrt(2 * M_PI);
  }
  return std::log(sum) / (a - 1);
}

// A batch of all rows has no amplification: the cost lies above the divergence of every pair that one exchange can make
// (centres 2 s apart, variances in [2 - s^2 b, 2], 4 s^2 apart), and not far above the worst. Theorem 8 costs more.
TEST(Renyi, variance_completed_barker_bounds_every_pair_of_neighbours) {
  constexpr std::uint64_t kRows = 100;
  for (const double share : {1.0, 0.5}) {
    const double bound = share * std::sqrt(100.0) / kRows * (1 - 1e-12);
    const Event step{VarianceCompletedBarkerEvent{kRows, kRows, bound}};
    const double least = 2 - bound * bound * 100;
    const double change = 4 * bound * bound;
    for (const int a : {2, 5, 12}) {
      double worst = 0;
      for (double v = least; v <= 2; v += (2 - least) / 7) {
        for (const double turn : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
          const double w = std::clamp(v + turn * change, least, 2.0);
          worst = std::max(worst, normal_divergence(2 * bound, v, w, a));
          worst = std::max(worst, normal_divergence(0, v, w, a));
        }
      }
      const double cost = renyi_cost(step, Adjacency::substitute, a);
      EXPECT_GE(cost, worst);
      EXPECT_LE(cost, 1.4 * worst) << a;
      EXPECT_LT(cost, renyi_cost({BarkerEvent{kRows, kRows}}, Adjacency::substitute, a));
    }
  }
  const Event step{VarianceCompletedBarkerEvent{kRows, kRows, 0.1 * (1 - 1e-12)}};
  EXPECT_TRUE(std::isinf(renyi_cost(step, Adjacency::substitute, 25)));
  EXPECT_TRUE(std::isfinite(renyi_cost(step, Adjacency::substitute, 24)));
  EXPECT_THROW((void)renyi_cost(step, Adjacency::add_remove, 2), Error);
  EXPECT_THROW((void)renyi_cost({VarianceCompletedBarkerEvent{kRows, kRows, 0.11}}, Adjacency::substitute, 2),
               Error);
}

// All batches of 5 of 8 rows, before and after one row is exchanged: the outputs are mixtures of normals whose centres and
// variances follow from the batch. Their divergence stays below the cost, amplified or not.
TEST(Renyi, variance_completed_barker_bounds_the_mixture_over_batches) {
  constexpr std::size_t kRows = 8;
  constexpr int kBatch = 5;
  const double n = kRows;
  const double b = kBatch;
  const double bound = std::sqrt(b) / n * (1 - 1e-12);
  using Signs = std::array<int, kRows>;
  const auto density = [&](const Signs& rows, double x) {
    double sum = 0;
    for (unsigned batch = 0; batch < 1u << kRows; ++batch) {
      if (std::popcount(batch) != kBatch) continue;
      double r = 0;
      for (std::size_t i = 0; i < kRows; ++i) r += (batch >> i & 1u) != 0 ? rows[i] * bound : 0;
      const double variance = 2 - n / b * (n / b - 1) * (b * bound * bound - r * r / b);
      const double z = x - n / b * r;
      sum += std::exp(-z * z / (2 * variance)) / std::sqrt(variance);
    }
    return sum;
  };
  const Event step{VarianceCompletedBarkerEvent{kRows, kBatch, bound}};
  for (const std::size_t positive : {0, 3, 7}) {  // of the other seven rows
    Signs before{};
    for (std::size_t i = 0; i < kRows; ++i) before[i] = i < positive ? 1 : -1;
    Signs after = before;
    before.back() = 1;
    after.back() = -1;
    double there = 0;  // at order 2
    double back = 0;
    double mass = 0;
    for (double x = -20; x < 20; x += 0.05) {
      const double p = density(before, x);
      const double q = density(after, x);
      there += p * p / q;
      back += q * q / p;
      mass += p;
    }
    const double divergence = std::log(std::max(there, back) / mass);
    EXPECT_GT(divergence, 0);
    EXPECT_LE(divergence, renyi_cost(step, Adjacency::substitute, 2)) << positive;
  }
}

TEST(Renyi, conversion_of_a_gaussian_is_close_to_the_best) {
  EXPECT_NEAR(renyi_epsilon({GaussianEvent{1, 4.530877117}}, Adjacency::substitute, 1e-6), 1, 1e-6);
  // Little noise and much: the best order lies near 1, or far beyond any table.
  EXPECT_NEAR(renyi_epsilon({GaussianEvent{1, 0.1}}, Adjacency::substitute, 1e-6) / 102.4, 1, 0.02);
  EXPECT_LT(renyi_epsilon({GaussianEvent{1, 1e6}}, Adjacency::substitute, 1e-6), 6e-6);
}

// The moments of the pair by the trapezoidal rule, at integer and fractional orders.
double quadrature_cost(const std::function<double(double)>& density, double q, double a) {
  double sum = 0;
  const double step = 1e-3;
  for (double x = -40; x < 60; x += step) {
    const double base = density(x);
    const double mixed = (1 - q) * base + q * density(x - 1);
    if (base > 0) sum += base * std::expm1(a * std::log(mixed / base)) * step;
  }
  return std::log1p(sum) / (a - 1);
}

TEST(Renyi, subsampled_costs_match_quadrature) {
  const auto laplace = [](double x) { return std::exp(-std::abs(x) / 1.5) / 3; };
  const auto gaussian = [](double x) { return std::exp(-x * x / 4.5) / std::sqrt(4.5 * M_PI); };
  for (const double q : {0.01, 0.4}) {
    const Event l{SubsampledLaplaceEvent{1, 1.5, q, Sampling::poisson}};
    const Event g{SubsampledGaussianEvent{1, 1.5, q, Sampling::poisson}};
    for (const double a : {2.0, 3.0, 9.0, 17.0}) {
      EXPECT_NEAR(renyi_cost(l, Adjacency::add_remove, a) / quadrature_cost(laplace, q, a), 1, 1e-5);
      EXPECT_NEAR(renyi_cost(g, Adjacency::add_remove, a) / quadrature_cost(gaussian, q, a), 1, 1e-5);
    }
    for (const double a : {1.3, 2.5, 8.7}) {
      EXPECT_GE(renyi_cost(l, Adjacency::add_remove, a), quadrature_cost(laplace, q, a) * (1 - 1e-5));
      EXPECT_GE(renyi_cost(g, Adjacency::add_remove, a), quadrature_cost(gaussian, q, a) * (1 - 1e-5));
    }
  }
}

TEST(Concentrated, conversions_match_published_values) {
  EXPECT_NEAR(concentrated_delta(0.05, 0.25), 0.0817727531036956, 1e-9);
  EXPECT_NEAR(concentrated_epsilon(0.03125, 1e-3), 0.6880024554878085, 1e-8);
  EXPECT_GE(concentrated_delta(0.05, 0.25), 0.0817727531036956 * (1 - 1e-13));
}

// The same bound with sixty digits; near 1 its order is near 1, where what is lost to rounding once made it too small.
TEST(Concentrated, no_delta_is_below_the_exact_bound) {
  struct Exact {
    double rho, epsilon, delta;
  };
  for (const Exact& exact : {Exact{20, 1, 0.99999999439720419}, Exact{10, 1, 0.999876742139708077},
                             Exact{15, 2, 0.999997739747224331}, Exact{22.2, 2, 0.999999998312470206},
                             Exact{5, 0.1, 0.992813583158274188}, Exact{0.5, 0.3, 0.46450442542446705},
                             Exact{20, 20, 0.851638683148305865}, Exact{1, 1, 0.493493731233707647}}) {
    EXPECT_GE(concentrated_delta(exact.rho, exact.epsilon), exact.delta * (1 - 2e-16)) << exact.rho;
    EXPECT_LE(concentrated_delta(exact.rho, exact.epsilon), exact.delta * (1 + 1e-12)) << exact.rho;
  }
}

TEST(Concentrated, an_epsilon_is_large_enough_for_its_delta) {
  for (const double rho : {1e-9, 1e-4, 0.01, 0.3, 2.0, 50.0}) {
    for (const double delta : {1e-200, 1e-12, 1e-6, 0.01}) {
      EXPECT_LE(concentrated_delta(rho, concentrated_epsilon(rho, delta)), delta) << rho << " " << delta;
    }
  }
}

// Half of all quotients of doubles are rounded down; long double knows them a thousand times better.
TEST(Concentrated, a_cost_is_never_rounded_down) {
  CompositionEvent all;
  long double sum = 0;
  for (int k = 1; k <= 200; ++k) {
    const double sigma = 1 + 0.37 * k;
    const Event step{GaussianEvent{1, sigma}, static_cast<std::uint64_t>(k)};
    const long double rho = k / (2 * static_cast<long double>(sigma) * sigma);
    EXPECT_GE(*concentrated_rho(step, Adjacency::add_remove), rho) << sigma;
    EXPECT_NEAR(*concentrated_rho(step, Adjacency::add_remove) / static_cast<double>(rho), 1, 1e-11);
    sum += rho;
    all.parts.push_back(step);
    EXPECT_GE(*concentrated_rho({all, 1}, Adjacency::add_remove), sum) << k;
  }
}

// Between integers: the fractional formula for Poisson samples, not a chord. Truths by Simpson's rule in long double.
// [WBK19, Theorem 9] by hand at orders 2 and 3, for an inner cost of a / (2 tau).
TEST(Renyi, batches_of_fixed_size_cost_what_is_proven) {
  for (const double tau : {0.5, 3.0, 40.0}) {
    for (const double q : {0.01, 0.3}) {
      const auto cost = [&](double a) { return a / (2 * tau); };
      const double two = q * q * std::min(4 * std::expm1(cost(2)), 2 * std::exp(cost(2)));
      const double three = 2 * q * q * q * std::exp(2 * cost(3));
      const Event step{SubsampledPenaltyEvent{tau, q}};
      EXPECT_NEAR(renyi_cost(step, Adjacency::substitute, 2), std::min(std::log1p(two), cost(2)), 1e-9);
      EXPECT_NEAR(renyi_cost(step, Adjacency::substitute, 3),
                  std::min(std::log1p(3 * two + three) / 2, cost(3)), 1e-9);
    }
  }
}

// Costs of sampled steps are tabulated: no bound may come from an order between two of the table for less than that order costs.
TEST(Renyi, bounds_of_a_composition_hold_at_every_order) {
  const Event step{SubsampledGaussianEvent{1, 2, 0.02, Sampling::poisson}};
  for (const std::uint64_t count : {50u, 1000u, 20'000u}) {
    for (const double delta : {1e-9, 1e-5}) {
      double least = HUGE_VAL;
      // Every order that may be best: all integers, and some between the small ones.
      for (double a = 1.02; a < 400; a = a < 16 ? a + 0.02 : std::floor(a) + 1) {
        const double cost = renyi_cost(step, Adjacency::add_remove, a) * static_cast<double>(count);
        least = std::min(least, cost + std::log1p(-1 / a) - std::log(delta * a) / (a - 1));
      }
      const double epsilon = renyi_epsilon({step.mechanism, count}, Adjacency::add_remove, delta);
      EXPECT_GE(epsilon, least * (1 - 1e-3));
      EXPECT_LE(epsilon, least * 1.02);
    }
  }
}

TEST(Renyi, orders_between_integers_are_exact) {
  const auto integral = [](double q, double ratio, bool gaussian, double a) {
    const long double low = gaussian ? -30 : -50;
    const long double high = gaussian ? 30 + a * ratio : 50;
    const int n = 80000;  // kinks of the Laplace density lie on even places
    long double sum = 0;
    for (int i = 0; i <= n; ++i) {
      const long double x = low + (high - low) * i / n;
      const long double loss = gaussian ? ratio * x - ratio * ratio / 2 : std::abs(x) - std::abs(x - ratio);
      const long double density =
          gaussian ? std::exp(-x * x / 2) / std::sqrt(2 * M_PIl) : std::exp(-std::abs(x)) / 2;
      const long double w = q * std::expm1(loss);
      sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * density * (std::expm1(a * std::log1p(w)) - a * w);
    }
    return static_cast<double>(std::log1p(sum * (high - low) / n / 3) / (a - 1));
  };
  for (const double a : {1.05, 1.25, 1.5, 2.5, 7.3}) {
    for (const double q : {0.01, 0.3}) {
      SCOPED_TRACE(testing::Message() << "order " << a << " rate " << q);
      const double gaussian =
          renyi_cost({SubsampledGaussianEvent{1, 1, q, Sampling::poisson}}, Adjacency::add_remove, a);
      EXPECT_NEAR(gaussian / integral(q, 1, true, a), 1, 1e-7);
      EXPECT_GE(gaussian, integral(q, 1, true, a) * (1 - 1e-10));
      const double laplace =
          renyi_cost({SubsampledLaplaceEvent{1, 0.8, q, Sampling::poisson}}, Adjacency::add_remove, a);
      EXPECT_NEAR(laplace / integral(q, 1.25, false, a), 1, 1e-6);
    }
  }
  // A thousand steps at order 1.25, sigma 1, rate 0.01: 0.105, where the chord says 0.172.
  EXPECT_NEAR(1000 * renyi_cost({SubsampledGaussianEvent{1, 1, 0.01, Sampling::poisson}},
                                Adjacency::add_remove, 1.25),
              0.105, 1e-3);
}

// At integers the integrals are the binomial sums.
TEST(Renyi, integrals_meet_the_sums) {
  for (const int a : {2, 3, 8, 20}) {
    for (const double q : {1e-6, 0.02, 0.5}) {
      for (const double ratio : {0.01, 0.7, 4.0}) {
        const auto gaussian = [&](int k) { return (k - 1) * gaussian_renyi(ratio, k); };
        EXPECT_NEAR(poisson_gaussian_renyi(q, ratio, a) / poisson_batch_renyi(q, a, gaussian), 1, 1e-7)
            << a << q << ratio;
        const auto laplace = [&](int k) { return (k - 1) * laplace_renyi(ratio, k); };
        EXPECT_NEAR(poisson_laplace_renyi(q, ratio, a) / poisson_batch_renyi(q, a, laplace), 1, 1e-6)
            << a << q << ratio;
      }
    }
  }
}

TEST(Advanced, never_above_basic_composition) {
  for (const double epsilon : {0.01, 0.5, 2.0}) {
    for (const std::uint64_t count : {1, 3, 1000}) {
      EXPECT_LE(advanced_epsilon({PureEvent{epsilon}, count}, Adjacency::substitute, 1e-6),
                epsilon * static_cast<double>(count) * (1 + 1e-11));
    }
  }
  // One Gaussian release: the classic calibration itself, with all of delta.
  EXPECT_NEAR(advanced_epsilon({GaussianEvent{1, 10}}, Adjacency::substitute, 1e-6),
              std::sqrt(2 * std::log(1.25e6)) / 10, 1e-9);
}

TEST(Advanced, formula) {
  const double delta = 1e-6;
  EXPECT_NEAR(advanced_epsilon({PureEvent{0.01}, 1000}, Adjacency::substitute, delta),
              std::sqrt(2 * 1000 * std::log(2 / delta)) * 0.01 + 1000 * 0.01 * std::expm1(0.01), 1e-9);
  EXPECT_TRUE(std::isinf(advanced_epsilon({GaussianEvent{1, 1}, 10}, Adjacency::substitute, delta)));
}

// Half of delta is shared by the steps, half pays for their composition.
TEST(Advanced, every_gaussian_step_has_its_share_of_delta) {
  const double delta = 1e-6;
  const double k = 100;
  const double step = std::sqrt(2 * std::log(1.25 / (delta / (2 * k)))) / 50;
  const double basic = k * std::sqrt(2 * std::log(1.25 / (delta / k))) / 50;
  ASSERT_LT(step, 1);
  EXPECT_NEAR(advanced_epsilon({GaussianEvent{1, 50}, 100}, Adjacency::substitute, delta),
              std::min(basic, std::sqrt(2 * k * std::log(2 / delta)) * step + k * step * std::expm1(step)),
              1e-9);
}

// Sampling only helps a concentrated price, so it is that of all rows; an exchanged row moves those by twice what it contributes.
TEST(Concentrated, a_batch_costs_what_all_rows_do) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const double rows = adjacency == Adjacency::substitute ? 2 : 1;
    for (const double rate : {0.1, 1.0}) {
      EXPECT_GE(*concentrated_rho({SubsampledGaussianEvent{3, 15, rate, Sampling::poisson}, 4}, adjacency),
                4 * (3 * rows / 15) * (3 * rows / 15) / 2);
    }
  }
}

}  // namespace
}  // namespace sotto
