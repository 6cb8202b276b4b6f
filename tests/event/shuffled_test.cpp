#include "sotto/event/shuffled.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sotto/event/event.hpp"

namespace sotto {
namespace {

using Pairs = std::vector<std::pair<double, double>>;  // of probabilities, one per output

double hockey_stick(const Pairs& pairs, double epsilon) {
  double sum = 0;
  for (const auto& [p, q] : pairs) sum += std::max(p - std::exp(epsilon) * q, 0.0);
  return sum;
}

double hockey_stick(const Loss& loss, double epsilon) {
  const auto& lattice = std::get<LatticeLoss>(loss);
  double sum = lattice.infinite;
  for (std::size_t i = 0; i < lattice.mass.size(); ++i) {
    const double l = lattice.offset + lattice.step * static_cast<double>(lattice.first + static_cast<int>(i));
    if (l > epsilon) sum -= lattice.mass[i] * std::expm1(epsilon - l);
  }
  return sum;
}

LossView view_of(double epsilon, std::uint64_t users, Side side) {
  return loss_view({ShuffledEvent{epsilon, users}, 1}, Adjacency::substitute, side).value();
}

// Numbers of clones of the one value and of the other, summed as the theorem says.
Pairs clones(double epsilon, int users) {
  const double each = std::exp(-epsilon);
  const double own = 1 / (1 + std::exp(-epsilon));
  Pairs pairs;
  for (int c = 0; c < users; ++c) {
    const double log_c = std::lgamma(users) - std::lgamma(c + 1) - std::lgamma(users - c) +
                         c * std::log(each) + (users - 1 - c) * std::log1p(-each);
    if (log_c < -120) continue;
    const auto half = [&](int a) {
      if (a < 0 || a > c) return 0.0;
      return std::exp(log_c + std::lgamma(c + 1) - std::lgamma(a + 1) - std::lgamma(c - a + 1) -
                      c * std::log(2.0));
    };
    double before = 0;
    for (int a = 0; a <= c + 1; ++a) {
      const double here = half(a);
      pairs.emplace_back(own * before + (1 - own) * here, own * here + (1 - own) * before);
      before = here;
    }
  }
  return pairs;
}

TEST(Shuffled, is_the_sum_over_clones) {
  for (const auto& [epsilon, users] : std::vector<std::pair<double, int>>{
           {0.1, 1}, {1, 2}, {1, 10}, {4, 10}, {0.01, 300}, {1, 300}, {4, 1000}, {10, 1000}, {2, 4000}}) {
    SCOPED_TRACE(testing::Message() << epsilon << " " << users);
    const Pairs truth = clones(epsilon, users);
    const LossView view = view_of(epsilon, static_cast<std::uint64_t>(users), Side::upper);
    ASSERT_FALSE(view.reverse.has_value());
    for (const double share : {0.0, 0.01, 0.1, 0.3, 0.7, 0.99}) {
      const double delta = hockey_stick(truth, share * epsilon);
      const double bound = hockey_stick(view.forward, share * epsilon);
      EXPECT_GE(bound, delta * (1 - 1e-10));
      EXPECT_LE(bound, delta * 1.001 + 1e-12) << share;
    }
    for (const double a : {1.1, 2.0, 16.0}) {
      double moment = 0;
      for (const auto& [p, q] : truth)
        moment += p > 0 ? std::exp(a * std::log(p) - (a - 1) * std::log(q)) : 0;
      const double cost = std::log(moment) / (a - 1);
      const double bound =
          renyi_view({ShuffledEvent{epsilon, static_cast<std::uint64_t>(users)}, 1}, Adjacency::substitute)
              .value()
              .real(a);
      EXPECT_GE(bound, cost * (1 - 1e-9) - 1e-12) << a;
      EXPECT_LE(bound, cost * 1.001 + 1e-9) << a;
    }
  }
}

// Answers of all users with these values by randomised response on so many levels: the histograms that the shuffler leaves.
std::map<std::array<int, 3>, double> histograms(double epsilon, int levels, const std::vector<int>& values) {
  const double same = 1 / (1 + (levels - 1) * std::exp(-epsilon));
  std::map<std::array<int, 3>, double> found{{{0, 0, 0}, 1.0}};
  for (const int value : values) {
    std::map<std::array<int, 3>, double> next;
    for (const auto& [counts, probability] : found) {
      for (int answer = 0; answer < levels; ++answer) {
        auto more = counts;
        ++more[static_cast<std::size_t>(answer)];
        next[more] += probability * (answer == value ? same : (1 - same) / (levels - 1));
      }
    }
    found = std::move(next);
  }
  return found;
}

// Whatever the others answer, no randomiser tells more; one of them tells as much as the lower side says.
TEST(Shuffled, encloses_what_randomised_response_tells) {
  for (const double epsilon : {0.3, 1.0, 3.0}) {
    for (const int users : {1, 2, 5, 12}) {
      SCOPED_TRACE(testing::Message() << epsilon << " " << users);
      const auto n = static_cast<std::uint64_t>(users);
      const LossView above = view_of(epsilon, n, Side::upper);
      const LossView below = view_of(epsilon, n, Side::lower);
      for (const double share : {0.0, 0.2, 0.6, 0.95}) {
        for (const int levels : {2, 3}) {
          for (int ones = 0; ones < users; ++ones) {
            for (int others = 0; others < levels; ++others) {
              std::vector<int> values(n, others);
              for (int i = 1; i <= ones; ++i) values[static_cast<std::size_t>(i)] = 1;
              values[0] = 0;
              const auto p = histograms(epsilon, levels, values);
              values[0] = 1;
              auto q = histograms(epsilon, levels, values);
              Pairs pairs;
              Pairs reverse;
              for (const auto& [counts, probability] : p) {
                pairs.emplace_back(probability, q[counts]);
                reverse.emplace_back(q[counts], probability);
              }
              const double one = hockey_stick(pairs, share * epsilon);
              EXPECT_LE(one, hockey_stick(above.forward, share * epsilon) * (1 + 1e-12) + 1e-14);
              if (levels == 2 && ones == 0 && others == 0) {
                EXPECT_LE(hockey_stick(below.forward, share * epsilon),
                          hockey_stick(reverse, share * epsilon) + 1e-12);
                EXPECT_LE(hockey_stick(*below.reverse, share * epsilon), one + 1e-12);
                if (share == 0) {
                  EXPECT_NEAR(hockey_stick(below.forward, 0), one, 1e-9);
                }
              }
            }
          }
        }
      }
    }
  }
}

// More users than are looked at one by one: about the Gaussian curve of the same variance of losses, and less with more users.
TEST(Shuffled, millions_of_users_are_nearly_gaussian) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  double last = 1;
  for (const double users : {1e6, 1e7, 1e8, 1e9}) {
    const LossView view = view_of(1, static_cast<std::uint64_t>(users), Side::upper);
    const double mu = 2 * std::tanh(0.5) / std::sqrt(users * std::exp(-1.0));
    const double bound = hockey_stick(view.forward, mu);
    EXPECT_NEAR(bound / (phi(mu / 2 - 1) - std::exp(mu) * phi(-mu / 2 - 1)), 1, 2e-3) << users;
    EXPECT_LT(bound, last);
    last = bound;
  }
}

TEST(Shuffled, users_are_neither_added_nor_removed) {
  const Event event = parse_event("shuffled:epsilon=1,users=100");
  EXPECT_NE(loss_view(event, Adjacency::add_remove, Side::upper).why_not(), "");
  EXPECT_NE(renyi_view(event, Adjacency::add_remove).why_not(), "");
  EXPECT_NE(rho_view(event, Adjacency::add_remove).why_not(), "");
  EXPECT_NE(pure_epsilon_view(event, Adjacency::add_remove).why_not(), "");
}

}  // namespace
}  // namespace sotto
