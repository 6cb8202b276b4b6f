#include "sotto/privatise/privatise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "entropy/seeded_entropy.hpp"

namespace sotto {
namespace {

ColumnSettings column(const std::string& name, const std::string& channel, double weight = 1) {
  ColumnSettings s;
  s.name = name;
  s.channel = channel;
  s.lower = 0;
  s.upper = 10;
  s.weight = weight;
  if (channel == "randomized-response") s.levels = {"a", "b", "c"};
  return s;
}

PrivacyTarget pure(double epsilon) { return {Epsilon(epsilon), std::nullopt, std::nullopt}; }

TEST(Decoding, every_cell_is_a_number) {
  const std::pair<const char*, double> cells[] = {
      {"1.5", 1.5}, {" +2e3\t", 2000}, {"-0", 0},  {"", -7},      {"NaN", -7},  {"nan", -7}, {"abc", -7},
      {"1.5x", -7}, {"+-1", -7},       {"2\n", 2}, {"1e999", -7}, {"0x10", -7}, {"1,5", -7}};
  for (const auto& [cell, number] : cells) EXPECT_EQ(decode_number(cell, -7), number) << cell;
  EXPECT_EQ(decode_number("inf", -7), HUGE_VAL);
}

// The same noise on cells that mean the same.
TEST(Privatiser, odd_cells_are_treated_as_declared) {
  ColumnSettings number = column("x", "laplace");
  number.missing = "3";
  const ColumnPlan plan = plan_columns({number, column("c", "randomized-response")}, pure(2), 4);
  SeededEntropy a(81);
  SeededEntropy b(81);
  const std::vector<std::vector<std::string>> odd{{"", "99", "-inf", "text"},
                                                  {" b", "unheard of", "", "c\t"}};
  const std::vector<std::vector<std::string>> plain{{"3", "10", "0", "3"}, {"b", "a", "a", "c"}};
  Privatiser first(plan, a);
  Privatiser second(plan, b);
  const auto x = first.release(odd);
  const auto y = second.release(plain);
  for (int c = 0; c < 2; ++c) EXPECT_EQ(x.value()[c].values, y.value()[c].values);
}

TEST(Privatiser, a_plan_is_spent_once) {
  SeededEntropy entropy(82);
  Privatiser privatiser(plan_columns({column("x", "laplace")}, pure(2), 1), entropy);
  const std::vector<std::vector<std::string>> cells{{"1"}};
  (void)privatiser.release(cells);
  EXPECT_THROW((void)privatiser.release(cells), Error);
}

TEST(Privatiser, columns_of_unlike_length_are_refused) {
  SeededEntropy entropy(83);
  Privatiser privatiser(plan_columns({column("x", "laplace"), column("y", "laplace")}, pure(2), 2), entropy);
  const std::vector<std::vector<std::string>> cells{{"1", "2"}, {"1"}};
  EXPECT_THROW((void)privatiser.release(cells, RowOrder::shuffled), Error);
}

// The rows of all columns move together, by draws of the entropy source, and nothing but their order changes.
TEST(Privatiser, rows_are_shuffled_together) {
  constexpr std::size_t kRows = 300;
  const ColumnPlan plan = plan_columns({column("x", "laplace"), column("y", "laplace")}, pure(1e5), kRows);
  std::vector<std::vector<std::string>> cells(2);
  for (std::size_t i = 0; i < kRows; ++i) {
    cells[0].push_back(std::to_string(0.03 * static_cast<double>(i)));
    cells[1].push_back(std::to_string(9 - 0.03 * static_cast<double>(i)));
  }
  const auto release = [&](RowOrder order) {
    SeededEntropy entropy(83);
    return Privatiser(plan, entropy).release(cells, order);
  };
  const auto kept = release(RowOrder::kept);
  const auto shuffled = release(RowOrder::shuffled);
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    // Next to no noise: the two values of a row still add up to 9.
    EXPECT_NEAR(shuffled.value()[0].values[i] + shuffled.value()[1].values[i], 9, 0.02);
    in_place += shuffled.value()[0].values[i] == kept.value()[0].values[i] ? 1 : 0;
  }
  EXPECT_LT(in_place, 10u);  // about Poisson(1): more with probability 1e-7
  for (std::size_t c = 0; c < 2; ++c) {
    std::vector<double> a = kept.value()[c].values;
    std::vector<double> b = shuffled.value()[c].values;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b);
  }
}

// Values of several coefficients stay whole.
TEST(Privatiser, shuffled_wavelets_keep_their_coefficients) {
  ColumnSettings wavelet = column("x", "wavelet");
  wavelet.top_level = 1;
  const ColumnPlan plan = plan_columns({wavelet}, pure(1), 20);
  const std::vector<std::vector<std::string>> cells{std::vector<std::string>(20, "3")};
  const auto rows = [&](RowOrder order) {
    SeededEntropy entropy(84);
    const auto released = Privatiser(plan, entropy).release(cells, order);
    std::vector<std::vector<double>> found;
    const PrivatisedColumn& z = released.value()[0];
    for (std::size_t at = 0; at < z.values.size(); at += z.width)
      found.emplace_back(z.values.begin() + static_cast<std::ptrdiff_t>(at),
                         z.values.begin() + static_cast<std::ptrdiff_t>(at + z.width));
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_EQ(rows(RowOrder::kept), rows(RowOrder::shuffled));
}

// Three rows and next to no noise: the order of the release is that of the shuffle. Each of the six orders 1,000 times out of 6,000,
// sd 29: five of them; the seed is fixed.
TEST(Privatiser, every_order_is_equally_likely) {
  const ColumnPlan plan = plan_columns({column("x", "laplace")}, pure(1e5), 3);
  const std::vector<std::vector<std::string>> cells{{"1", "5", "9"}};
  SeededEntropy entropy(85);
  std::map<std::vector<long>, int> orders;
  for (int i = 0; i < 6000; ++i) {
    const auto released = Privatiser(plan, entropy).release(cells, RowOrder::shuffled);
    std::vector<long> order;
    for (const double value : released.value()[0].values) order.push_back(std::lround(value));
    ++orders[order];
  }
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 145);
}

}  // namespace
}  // namespace sotto
