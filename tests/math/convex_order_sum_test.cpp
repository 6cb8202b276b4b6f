#include "sotto/math/convex_order_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace sotto {
namespace {

double excess(const PositiveLaw& law, double above) {
  double sum = 0;
  for (std::size_t i = 0; i < law.value.size(); ++i) sum += law.mass[i] * std::max(law.value[i] - above, 0.0);
  return sum;
}
double shortfall(const PositiveLaw& law, double below) {
  double sum = 0;
  for (std::size_t i = 0; i < law.value.size(); ++i) sum += law.mass[i] * std::max(below - law.value[i], 0.0);
  return sum;
}

void expect_between(const PositiveLaw& truth, const PositiveLaw& above, const PositiveLaw& below, double at,
                    double width) {
  for (const auto& of : {excess, shortfall}) {
    const double exact = of(truth, at);
    EXPECT_GE(of(above, at), exact * (1 - 1e-9)) << at;
    EXPECT_LE(of(below, at), exact * (1 + 1e-9)) << at;
    if (exact < 1e-12) continue;
    EXPECT_LE(of(above, at), exact * (1 + width)) << at;
    EXPECT_GE(of(below, at), exact * (1 - width)) << at;
  }
}

TEST(ConvexOrderSum, encloses_binomial_sums) {
  const PositiveLaw one{{0.3, 1.7}, {0.5, 0.5}};
  for (const int times : {1, 2, 7, 100, 1000}) {
    SCOPED_TRACE(times);
    PositiveLaw truth;
    for (int k = 0; k <= times; ++k) {
      truth.value.push_back(0.3 * times + 1.4 * k);
      truth.mass.push_back(std::exp(std::lgamma(times + 1) - std::lgamma(k + 1) - std::lgamma(times - k + 1) -
                                    times * std::log(2.0)));
    }
    const auto number = static_cast<std::uint64_t>(times);
    const PositiveLaw above = sum_law(one, number, ConvexOrder::above, 1200);
    const PositiveLaw below = sum_law(one, number, ConvexOrder::below, 1200);
    for (const double z : {-3.0, -1.0, 0.0, 0.5, 2.0, 4.0})
      expect_between(truth, above, below, times + 0.7 * z * std::sqrt(times), 0.03);
  }
}

// Over many powers of ten, a zero among them.
TEST(ConvexOrderSum, encloses_sums_of_many_values) {
  const PositiveLaw one{{0, 1e-6, 0.1, 2.5, 1e4}, {0.1, 0.2, 0.4, 0.2999, 0.0001}};
  std::map<double, double> sums{{0, 1}};
  for (int i = 0; i < 6; ++i) {
    std::map<double, double> next;
    for (const auto& [value, mass] : sums) {
      for (std::size_t j = 0; j < one.value.size(); ++j) next[value + one.value[j]] += mass * one.mass[j];
    }
    sums = std::move(next);
  }
  PositiveLaw truth;
  for (const auto& [value, mass] : sums) {
    truth.value.push_back(value);
    truth.mass.push_back(mass);
  }
  const PositiveLaw above = sum_law(one, 6, ConvexOrder::above, 1200);
  const PositiveLaw below = sum_law(one, 6, ConvexOrder::below, 1200);
  for (const double at : {1e-3, 0.3, 3.0, 12.0, 9e3, 2.5e4}) expect_between(truth, above, below, at, 0.05);
}

}  // namespace
}  // namespace sotto
