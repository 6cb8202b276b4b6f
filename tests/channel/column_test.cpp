#include "sotto/channel/column.hpp"

#include <gtest/gtest.h>

#include "sotto/accountant/zcdp/gaussian.hpp"

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
PrivacyTarget approximate(double epsilon, double delta) {
  return {Epsilon(epsilon), Delta(delta), std::nullopt};
}
PrivacyTarget concentrated(double rho) { return {std::nullopt, std::nullopt, Rho(rho)}; }

/// What the noise of all columns costs: rho, and slack for its steps.
std::pair<double, double> cost_of(const ColumnPlan& plan) {
  double rho = 0;
  double slack = 0;
  for (const Column& c : plan.columns) {
    const auto& channel = std::get<DiscreteGaussianChannel>(c.channel);
    const auto steps = static_cast<double>(channel.sensitivity());
    const auto variance = static_cast<double>(channel.grid_variance());
    rho += steps * steps / (2 * variance);
    slack += steps / variance;
  }
  return {rho, slack};
}

TEST(Columns, epsilon_is_split_by_weight) {
  const ColumnPlan plan = plan_columns(
      {column("x", "laplace", 2), column("y", "wavelet", 1), column("c", "randomized-response", 1)}, pure(4),
      20);
  double sum = 0;
  for (const Column& c : plan.columns) sum += guarantee(c.channel).epsilon.value();
  EXPECT_LE(sum, 4);
  EXPECT_NEAR(sum, 4, 1e-9);
  EXPECT_NEAR(guarantee(plan.columns[0].channel).epsilon.value(), 2, 1e-9);
  EXPECT_EQ(plan.total.epsilon.value(), 4);
  EXPECT_EQ(plan.total.delta.value(), 0);
}

// Gaussian columns compose on the tight curve, with the discrete slack of each.
TEST(Columns, gaussians_are_composed_tightly) {
  const double epsilon = 1;
  const double delta = 1e-5;
  const ColumnPlan plan =
      plan_columns({column("x", "gaussian", 2), column("y", "gaussian"), column("z", "gaussian")},
                   approximate(epsilon, delta), 20);
  const auto [rho, slack] = cost_of(plan);
  EXPECT_LE(gaussian_delta(Rho(rho), Epsilon(epsilon - slack)).value(), delta);
  EXPECT_NEAR(rho, gaussian_rho(Epsilon(epsilon), Delta(delta)).value(), 1e-4 * rho);
  EXPECT_EQ(plan.total.delta.value(), delta);
}

// The coarsest grid has the most slack, wherever its column stands.
TEST(Columns, gaussians_on_any_grids_are_composed_within_the_target) {
  ColumnSettings coarse = column("x", "gaussian");
  coarse.steps = 4;
  ColumnSettings fine = column("y", "gaussian");
  fine.steps = 1 << 20;
  ColumnSettings rough = column("z", "gaussian");
  rough.steps = 4;
  for (const auto& columns :
       {std::vector{coarse, fine}, std::vector{fine, coarse}, std::vector{coarse, rough}}) {
    const ColumnPlan plan = plan_columns(columns, approximate(1, 1e-5), 20);
    const auto [rho, slack] = cost_of(plan);
    EXPECT_LE(gaussian_delta(Rho(rho), Epsilon(1 - slack)).value(), 1e-5);
  }
}

TEST(Columns, mixed_columns_compose_by_addition) {
  const ColumnPlan plan =
      plan_columns({column("x", "gaussian"), column("y", "laplace"), column("z", "gaussian", 2)},
                   approximate(2, 1e-4), 20);
  double epsilon = 0;
  double delta = 0;
  for (const Column& c : plan.columns) {
    epsilon += guarantee(c.channel).epsilon.value();
    delta += guarantee(c.channel).delta.value();
  }
  EXPECT_LE(epsilon, 2);
  EXPECT_LE(delta, 1e-4);
  EXPECT_NEAR(delta, 1e-4, 1e-12);
}

TEST(Columns, the_stated_rho_is_that_of_all_columns) {
  for (const PrivacyTarget& target :
       {PrivacyTarget{Epsilon(2), std::nullopt, std::nullopt}, approximate(2, 1e-4)}) {
    const bool pure = !target.delta;
    const ColumnPlan plan = plan_columns(
        {column("x", "laplace", 3), column("y", pure ? "laplace" : "gaussian"), column("z", "laplace")},
        target, 20);
    double rho = 0;
    for (const Column& c : plan.columns) rho += guarantee(c.channel).rho.value();
    EXPECT_GE(plan.total.rho.value(), rho);
    EXPECT_LE(plan.total.rho.value(), rho * 1.000001);
  }
}

// However many columns are so light that their weights are lost beside another's.
TEST(Columns, shares_of_many_light_columns_are_not_more_than_the_whole) {
  std::vector<ColumnSettings> columns{column("x", "laplace")};
  for (int i = 0; i < 20'000; ++i)
    columns.push_back(column(("c" + std::to_string(i)).c_str(), "laplace", 1.1e-16));
  const ColumnPlan plan = plan_columns(columns, concentrated(0.05), 20);
  long double rho = 0;
  for (const Column& c : plan.columns) rho += static_cast<long double>(guarantee(c.channel).rho.value());
  EXPECT_LE(rho, 0.05L);
}

// A tenth is no double: ten of those nearest to it are more than one.
TEST(Columns, shares_of_equal_columns_are_not_more_than_the_whole) {
  std::vector<ColumnSettings> columns;
  for (int count = 1; count <= 50; ++count) {
    columns.push_back(column("x" + std::to_string(count), "laplace"));
    long double epsilon = 0;
    for (const Column& c : plan_columns(columns, pure(1), 20).columns)
      epsilon += static_cast<long double>(guarantee(c.channel).epsilon.value());
    EXPECT_LE(epsilon, 1) << count;
    EXPECT_GT(epsilon, 1 - 1e-9) << count;
  }
}

TEST(Columns, rho_is_split_by_weight) {
  const ColumnPlan plan =
      plan_columns({column("x", "gaussian", 3), column("y", "laplace")}, concentrated(0.4), 20);
  double rho = 0;
  for (const Column& c : plan.columns) rho += guarantee(c.channel).rho.value();
  EXPECT_LE(rho, 0.4);
  EXPECT_NEAR(rho, 0.4, 1e-9);
  EXPECT_EQ(plan.total.rho.value(), 0.4);
}

TEST(Columns, bad_declarations_are_refused) {
  EXPECT_THROW((void)plan_columns({}, pure(1), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace")}, PrivacyTarget{}, 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace")}, pure(0), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "gaussian")}, pure(1), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "gaussian")}, approximate(1, 0), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace"), column("x", "laplace")}, pure(1), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace"), column("y", "perturbed-histogram")}, pure(1), 20),
               Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace", -1)}, pure(1), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "gaussian")}, approximate(1e-320, 1e-6), 20), Error);
  EXPECT_THROW((void)plan_columns({column("x", "laplace")}, pure(1), 0), Error);
  EXPECT_THROW((void)plan_columns({column("x", "other")}, pure(1), 20), Error);
  ColumnSettings odd = column("x", "laplace");
  odd.missing = "often";
  EXPECT_THROW((void)plan_columns({odd}, pure(1), 20), Error);
  const PrivacyTarget both{Epsilon(1), std::nullopt, Rho(1)};
  EXPECT_THROW((void)plan_columns({column("x", "laplace")}, both, 20), Error);
}

TEST(Columns, histogram_sizes_follow_the_number_of_rows) {
  const ColumnPlan plan = plan_columns({column("x", "smoothed-histogram")}, pure(2), 250);
  const auto& channel = std::get<SmoothedHistogramChannel>(plan.columns[0].channel);
  EXPECT_EQ(channel.bins().count(), 16);
  EXPECT_EQ(channel.draws(), 28u);
}

TEST(Columns, the_stated_delta_is_that_of_all_columns) {
  for (const auto& columns : {std::vector{column("x", "gaussian"), column("y", "laplace")},
                              std::vector{column("x", "laplace"), column("y", "gaussian")}}) {
    EXPECT_EQ(plan_columns(columns, approximate(2, 1e-4), 20).total.delta.value(), 1e-4);
  }
}

// Bins of bounds that are nearly one number could not be told apart, and squares of those that are far from zero are none.
TEST(Columns, bounds_are_refused_of_which_nothing_can_be_computed) {
  for (const char* channel : {"laplace", "perturbed-histogram", "smoothed-histogram", "wavelet"}) {
    for (const Interval bounds : {Interval{0, 1e-308}, Interval{0, 1e160}, Interval{-1e200, 1}}) {
      ColumnSettings settings = column("x", channel);
      settings.lower = bounds.lower;
      settings.upper = bounds.upper;
      try {
        (void)plan_columns({settings}, pure(1), 20);
        ADD_FAILURE() << channel << ' ' << bounds.upper;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::configuration) << channel;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
