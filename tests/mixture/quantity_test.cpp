#include "sotto/mixture/fit/quantity.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "sotto/base/error.hpp"
#include "sotto/mixture/fit/density.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/rounded_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_poisson_kernel.hpp"

namespace sotto {
namespace {

std::vector<Quantity> parsed(std::vector<std::string> texts, Scale scale,
                             std::vector<std::string> names = {"hours"}) {
  std::vector<ColumnSettings> columns;
  for (const std::string& name : names) {
    columns.emplace_back();
    columns.back().name = name;
    columns.back().levels = {"yes", "no", "it's"};
  }
  return parse_quantities(texts, columns, scale);
}

TEST(Quantity, is_read_as_it_is_written) {
  const auto all = parsed(
      {"P(x > 30)", " P(hours<=-1.5e1) ", "q(0.9)", "q(hours, 0.25)", "mean", "mean(hours)", "P(x = 3)"},
      Scale::counts);
  using Kind = Quantity::Kind;
  const std::pair<Kind, double> expected[] = {
      {Kind::above, 30}, {Kind::at_most, -15}, {Kind::quantile, 0.9}, {Kind::quantile, 0.25},
      {Kind::mean, 0},   {Kind::mean, 0},      {Kind::equal, 3}};
  ASSERT_EQ(all.size(), std::size(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].kind, expected[i].first) << all[i].text;
    EXPECT_EQ(all[i].at, expected[i].second) << all[i].text;
  }
  EXPECT_EQ(parsed({"P(b > 1)"}, Scale::density, {"a", "b"})[0].column, 1u);
  const Quantity between = parsed({"P( -20 < b <= 4e1 )"}, Scale::density, {"a", "b"})[0];
  EXPECT_EQ(between.column, 1u);
  EXPECT_EQ(between.kind, Kind::at_most);
  EXPECT_EQ(between.at, 40);
  EXPECT_EQ(between.beyond, Kind::at_most);
  EXPECT_EQ(between.from, -20);
  EXPECT_EQ(parsed({"P(2<=x<4)"}, Scale::counts)[0].beyond, Kind::below);
  EXPECT_EQ(parsed({"P(x = 'no')"}, Scale::categories)[0].at, 1);
  EXPECT_EQ(parsed({"P(x == it's)"}, Scale::categories)[0].at, 2);
}

TEST(Quantity, what_has_no_meaning_is_refused) {
  const std::tuple<const char*, Scale, std::vector<std::string>> wrong[] = {
      {"P(x > )", Scale::density, {"a"}},       {"P(x > many)", Scale::density, {"a"}},
      {"P(x = 3)", Scale::density, {"a"}},      {"q(1)", Scale::density, {"a"}},
      {"q(0)", Scale::density, {"a"}},          {"q(nan)", Scale::density, {"a"}},
      {"median", Scale::density, {"a"}},        {"", Scale::density, {"a"}},
      {"P(x > inf)", Scale::density, {"a"}},    {"P(b > 1)", Scale::density, {"a"}},
      {"mean", Scale::density, {"a", "b"}},     {"P(x > 1)", Scale::density, {"a", "b"}},
      {"mean", Scale::categories, {"a"}},       {"q(0.5)", Scale::categories, {"a"}},
      {"P(x > yes)", Scale::categories, {"a"}}, {"P(x = maybe)", Scale::categories, {"a"}},
      {"P(4 < x < 2)", Scale::density, {"a"}},  {"P(2 < x < 2)", Scale::density, {"a"}},
      {"P(2 < x > 1)", Scale::density, {"a"}},  {"P(2 < x)", Scale::density, {"a"}},
      {"P(2 < 3 < 4)", Scale::density, {"a"}},  {"P(1 < x < 2)", Scale::categories, {"a"}}};
  for (const auto& [text, scale, names] : wrong) {
    try {
      (void)parsed({text}, scale, names);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    }
  }
}

template <class Kernel>
double value(const std::string& text, const Kernel& kernel,
             const mixture::MixingMeasure<typename Kernel::Parameter>& measure) {
  const Scale scale = Kernel::kDiscrete ? Scale::counts : Scale::density;
  return value_of(parsed({text}, scale)[0], kernel, measure, kernel.shown(201));
}

// Against draws of the kernel: 100,000 of them, standard errors below 0.0016 of a probability and 0.005 of a mean; five of them.
template <class Kernel>
void agrees_with_draws(const Kernel& kernel, double least, double most) {
  ChainRng rng(71);
  const mixture::MixingMeasure<typename Kernel::Parameter> measure{
      {0.3, 0.7}, {kernel.draw_prior(rng), kernel.draw_prior(rng)}};
  double mean = 0, square = 0, above = 0, at_least = 0, below_quantile = 0;
  const double middle = std::round((least + most) / 2);
  const double median = value("q(0.6)", kernel, measure);
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double y = mixture::draw_predictive(kernel, measure, rng);
    mean += y / kDraws;
    square += y * y / kDraws;
    above += y > middle ? 1.0 / kDraws : 0;
    at_least += y >= middle ? 1.0 / kDraws : 0;
    below_quantile += y <= median ? 1.0 / kDraws : 0;
  }
  const std::string at = std::to_string(middle);
  EXPECT_NEAR(value("mean", kernel, measure), mean, 5 * std::sqrt((square - mean * mean) / kDraws));
  EXPECT_NEAR(value("P(x > " + at + ")", kernel, measure), above, 0.008);
  EXPECT_NEAR(value("P(x >= " + at + ")", kernel, measure), at_least, 0.008);
  EXPECT_NEAR(value("P(x <= " + at + ")", kernel, measure), 1 - above, 0.008);
  EXPECT_NEAR(value("P(x < " + at + ")", kernel, measure), 1 - at_least, 0.008);
  const auto between = [&](const char* from, const char* to) {
    return value("P(" + std::to_string(least) + from + "x" + to + at + ")", kernel, measure);
  };
  const double least_at_most = value("P(x <= " + std::to_string(least) + ")", kernel, measure);
  const double least_below = value("P(x < " + std::to_string(least) + ")", kernel, measure);
  EXPECT_NEAR(between("<=", "<="), 1 - above - least_below, 0.008);
  EXPECT_NEAR(between("<", "<="), 1 - above - least_at_most, 0.008);
  EXPECT_NEAR(between("<=", "<"), 1 - at_least - least_below, 0.008);
  EXPECT_NEAR(between("<", "<"), 1 - at_least - least_at_most, 0.008);
  if (Kernel::kDiscrete) {
    EXPECT_GE(below_quantile, 0.592);
    EXPECT_NEAR(value("P(x = " + at + ")", kernel, measure), at_least - above, 0.008);
    EXPECT_LT(value("P(x < " + std::to_string(median) + ")", kernel, measure), 0.6);
  } else {
    EXPECT_NEAR(below_quantile, 0.6, 0.008);
  }
  EXPECT_NEAR(value("P(x > " + std::to_string(most + 1) + ")", kernel, measure), 0, 1e-12);
  EXPECT_NEAR(value("P(x < " + std::to_string(least - 1) + ")", kernel, measure), 0, 1e-12);
}

TEST(Quantity, agrees_with_what_is_drawn) {
  ColumnSettings column;
  column.lower = 2;
  column.upper = 30;
  agrees_with_draws(mixture::TruncatedNormalKernel::make(column), 2, 30);
  agrees_with_draws(mixture::BetaKernel::make(column), 2, 30);
  agrees_with_draws(mixture::TruncatedPoissonKernel::make(column), 2, 30);
  agrees_with_draws(mixture::RoundedNormalKernel::make(column), 2, 30);
}

// A normal fifty deviations outside its domain: the mean by the asymptotic series of Mills's ratio, the median by the tail.
TEST(Quantity, of_kernels_far_outside_their_domain) {
  const mixture::TruncatedNormalKernel kernel({.mean = 0, .precision = 1, .shape = 3, .rate = 1}, {0, 1});
  for (const double sign : {1.0, -1.0}) {
    const double far = sign > 0 ? -50 : 51;
    const mixture::MixingMeasure<mixture::TruncatedNormalKernel::Parameter> measure{
        {1.0}, {kernel.complete({.mean = far, .sd = 1, .log_sd = 0})}};
    const double mean = value("mean", kernel, measure);
    EXPECT_NEAR(sign > 0 ? mean : 1 - mean, 1.0 / 50 - 2.0 / (50 * 50 * 50), 1e-7);
    const double median = value("q(0.5)", kernel, measure);
    const double beyond = 50 + (sign > 0 ? median : 1 - median);
    EXPECT_NEAR(mixture::log_upper_tail(beyond) - mixture::log_upper_tail(50), -std::numbers::ln2, 1e-6);
  }
}

}  // namespace
}  // namespace sotto
