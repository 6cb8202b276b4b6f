#include "sotto/posterior/unit_sizes.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/released_for_tests.hpp"

namespace sotto {
namespace {

UnitSizes some_sizes() {
  UnitSizes sizes;
  sizes.sizes = Position{{1, 2, 10}};
  sizes.tops = Position{{1, 2, 12}};
  sizes.counts = Position{{500, 300, 20}};
  return sizes;
}

TEST(UnitSizes, rows_are_counted_and_weighed) {
  const UnitSizes sizes = some_sizes();
  EXPECT_EQ(sizes.rows(), 1300);
  EXPECT_DOUBLE_EQ(sizes.mean(), 1300.0 / 820);
  EXPECT_DOUBLE_EQ(sizes.kept(2), (500 + 600 + 40) / 1300.0);
  EXPECT_EQ(sizes.kept(10), 1);
}

// Few units of many rows may be of another kind than the others.
TEST(UnitSizes, bounds_leave_nearly_all_weight) {
  EXPECT_EQ(most_unit_rows(some_sizes()), 12);
  UnitSizes few_of_many = some_sizes();
  few_of_many.counts[2] = 1;
  EXPECT_EQ(most_unit_rows(few_of_many), 2);
}

/// Answers a histogram.
class CountsOfUnits final : public QueryInterface {
 public:
  CountsOfUnits(Position counts, double variance) : counts_(std::move(counts)), variance_(variance) {}
  std::vector<Answer> answer(std::span<const Query> queries) override {
    asked = std::get<HistogramQuery>(queries[0]);
    std::vector<Answer> answers;
    answers.emplace_back(ReleasedForTests::make(NoisyVector{counts_, variance_}));
    return answers;
  }
  [[nodiscard]] Rho left() const override { return Rho(1); }
  HistogramQuery asked{HistogramOf::response, Position(), Position(), Rho(0)};

 private:
  Position counts_;
  double variance_;
};

TEST(UnitSizes, what_the_noise_may_have_made_does_not_count) {
  CountsOfUnits owner(Position{{800, -12, 20, 5, 300, 24}}, 100);  // 1, 2, 3, 4, 5 and 6, 7 and 8 rows
  PaidQuestions questions(owner, Rho(1));
  const UnitSizes sizes = find_unit_sizes(8, 0.5, questions);
  EXPECT_EQ(owner.asked.quantity, HistogramOf::unit_rows);
  EXPECT_EQ(owner.asked.edges, (Position{{1, 2, 3, 4, 5, 7, 9}}));
  EXPECT_EQ(sizes.sizes, (Position{{1, 5.5}}));
  EXPECT_EQ(sizes.tops, (Position{{1, 6}}));
  EXPECT_EQ(sizes.counts, (Position{{800, 300}}));
  EXPECT_EQ(sizes.hidden, 25);
  EXPECT_EQ(sizes.units, 1100);
  EXPECT_EQ(sizes.units_variance, 200);
  EXPECT_TRUE(sizes.seen);
}

TEST(UnitSizes, units_that_the_noise_hides_are_told) {
  CountsOfUnits owner(Position{{12, -12, 20}}, 100);
  PaidQuestions questions(owner, Rho(1));
  EXPECT_FALSE(find_unit_sizes(3, 0.5, questions).seen);
}

}  // namespace
}  // namespace sotto
