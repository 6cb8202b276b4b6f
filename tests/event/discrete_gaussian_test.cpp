// Discrete Gaussian noise on several coordinates: bounds against sums over all outputs, for every change that is allowed.
#include "sotto/event/discrete_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "sotto/accountant/pld/tight.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"

namespace sotto {
namespace {

using Law = std::map<std::int64_t, long double>;  // of d.X

Law law_of(double sigma, const std::vector<int>& change) {
  const auto reach = static_cast<std::int64_t>(std::ceil(12 * sigma));
  long double total = 0;
  const auto weight = [&](std::int64_t j) {
    return std::exp(-static_cast<long double>(j * j) / (2.0L * sigma * sigma));
  };
  for (std::int64_t j = -reach; j <= reach; ++j) total += weight(j);
  Law law{{0, 1}};
  for (const int d : change) {
    Law next;
    for (const auto& [sum, mass] : law) {
      for (std::int64_t j = -reach; j <= reach; ++j) next[sum + d * j] += mass * weight(j) / total;
    }
    law = std::move(next);
  }
  return law;
}

// delta(epsilon) of two steps, each showing its change once.
double truth(double sigma, const std::vector<int>& first, const std::vector<int>& second, double epsilon) {
  std::vector<int> both = first;
  both.insert(both.end(), second.begin(), second.end());
  long double norm2 = 0;
  for (const int d : both) norm2 += d * d;
  long double delta = 0;
  for (const auto& [sum, mass] : law_of(sigma, both)) {
    const long double loss = (norm2 + 2.0L * static_cast<long double>(sum)) / (2.0L * sigma * sigma);
    if (loss > epsilon) delta -= mass * std::expm1(epsilon - loss);
  }
  return static_cast<double>(delta);
}

// Every list of changes of squared norm at most `most`, in at most `left` coordinates.
void changes(int largest, int most, int left, std::vector<int>& now, std::vector<std::vector<int>>& all) {
  if (!now.empty()) all.push_back(now);
  if (left == 0) return;
  for (int d = std::min(largest, most); d >= 1; --d) {
    if (d * d > most) continue;
    now.push_back(d);
    changes(d, most - d * d, left - 1, now, all);
    now.pop_back();
  }
}

TEST(DiscreteGaussian, no_change_shows_more_than_the_upper_bound) {
  struct Case {
    double sensitivity, sigma;
    std::uint64_t dimension;
  };
  for (const Case& c :
       {Case{2, 0.7, 4}, Case{2, 2, 3}, Case{3, 1.5, 9}, Case{3, 4, 2}, Case{6, 5, 2}, Case{5, 1.2, 3}}) {
    SCOPED_TRACE(testing::Message() << "D " << c.sensitivity << " sigma " << c.sigma);
    std::vector<std::vector<int>> all;
    std::vector<int> now;
    changes(static_cast<int>(c.sensitivity), static_cast<int>(c.sensitivity * c.sensitivity),
            static_cast<int>(c.dimension), now, all);
    const Event one{DiscreteGaussianEvent{c.sensitivity, c.sigma, c.dimension}, 1};
    const Event two{one.mechanism, 2};
    const double ratio = c.sensitivity / c.sigma;
    for (const double epsilon : {0.0, ratio * ratio / 2, 2 * ratio, 4 * ratio}) {
      const Bounds first = tight_delta(one, Adjacency::substitute, Epsilon(epsilon));
      const Bounds both = tight_delta(two, Adjacency::substitute, Epsilon(epsilon));
      double worst = 0;
      for (const auto& change : all) worst = std::max(worst, truth(c.sigma, change, {}, epsilon));
      EXPECT_LE(first.lower, worst * (1 + 1e-12)) << epsilon;
      EXPECT_GE(first.upper, worst * (1 - 1e-12)) << epsilon;
      // Few changes are listed, many cost less than one squared grid step of variance.
      const double less = c.sigma * c.sigma - 1;
      if (c.sensitivity < 5) {
        EXPECT_LE(first.upper, worst * 1.001) << epsilon;
      } else if (c.sigma > 2) {
        EXPECT_LE(
            first.upper,
            gaussian_delta_bounds(Rho(c.sensitivity * c.sensitivity / 2 / less), Epsilon(epsilon)).upper);
      }
      for (std::size_t i = 0; i < all.size(); i += 7) {
        EXPECT_GE(both.upper, truth(c.sigma, all[i], all[all.size() - 1 - i], epsilon) * (1 - 1e-12))
            << epsilon;
        EXPECT_GE(both.upper, truth(c.sigma, all[i], all[i], epsilon) * (1 - 1e-12)) << epsilon;
      }
    }
  }
}

// Beyond the exact lattice noise of one coordinate is smoothed, too: both sides against the sum over a million outputs.
TEST(DiscreteGaussian, smoothed_bounds_enclose_a_long_sum) {
  const double sigma = 2.5e4;
  for (const double sensitivity : {2e4, 1e5}) {
    const Event event{DiscreteGaussianEvent{sensitivity, sigma, 1}, 1};
    for (const double epsilon : {0.0, 0.5, 8.0}) {
      long double total = 0;
      long double delta = 0;
      for (std::int64_t j = -400'000; j <= 400'000; ++j) {
        const auto x = static_cast<long double>(j);
        const long double mass = std::exp(-x * x / (2.0L * sigma * sigma));
        const long double loss = sensitivity * (sensitivity + 2 * x) / (2.0L * sigma * sigma);
        total += mass;
        if (loss > epsilon) delta -= mass * std::expm1(epsilon - loss);
      }
      const auto truth = static_cast<double>(delta / total);
      const Bounds bounds = tight_delta(event, Adjacency::substitute, Epsilon(epsilon));
      EXPECT_LE(bounds.lower, truth * (1 + 1e-12));
      EXPECT_GE(bounds.upper, truth * (1 - 1e-12));
      EXPECT_LE(bounds.upper - bounds.lower, 1e-6 * truth);
    }
  }
}

}  // namespace
}  // namespace sotto
