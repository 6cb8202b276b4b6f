// Batches of a run are paid for as a whole, before the first.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

Rows rows() {
  Rows result(50, 1);
  for (std::size_t i = 0; i < 50; ++i) result.weight(i) = 1;
  return result;
}
LocationModel model() { return {{{-1, 1}}, Matrix::Identity(1, 1)}; }

struct Bench {
  explicit Bench(double epsilon, PrivacyUnit unit = {})
      : budget(Epsilon(epsilon), Delta(1e-6)), unit(unit), entropy(3) {
    owner.emplace(rows(), model(), unit, ExecutionOptions{}, budget, entropy);
  }
  void serve(const BatchPlan& plan, std::optional<Epsilon> composed = {}) {
    owner.emplace(rows(), measure_batches({model(), unit}, plan, budget, composed), 1, budget, entropy,
                  std::make_unique<DiscreteGaussianMechanism>(entropy));
  }
  Answer ask(const Query& query) { return owner->answer(std::span(&query, 1)).front(); }
  Budget budget;
  PrivacyUnit unit;
  TestEntropy entropy;
  std::optional<DataOwner> owner;
};

const BatchGradientQuery kBatch{Position::Zero(1), 0.1, 4};
bool budget_refused(const Answer& answer) {
  const auto* refusal = std::get_if<QueryStatus>(&answer);
  return refusal != nullptr && *refusal == QueryStatus::budget;
}

TEST(Batches, cost_what_the_accountant_says_and_end_after_the_last) {
  Bench bench(4);
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 3});
  const double due =
      upper_epsilon(batch_event(0.1, 4, 3), Adjacency::substitute, Delta(1e-6), BoundKind::tight);
  EXPECT_GE(bench.budget.spent_epsilon(Delta(1e-6)).value(), due);
  EXPECT_LT(bench.budget.spent_epsilon(Delta(1e-6)).value(), due * 1.001);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(bench.ask(kBatch)));
  EXPECT_TRUE(budget_refused(bench.ask(kBatch)));
  EXPECT_TRUE(budget_refused(bench.ask(GradientQuery{Position::Zero(1), Rho(1e-9)})));
}

TEST(Batches, are_refused_whole_when_they_do_not_fit) {
  Bench bench(0.01);
  EXPECT_THROW(bench.serve({.rate = 0.5, .noise_multiplier = 1, .count = 100}), Error);
  EXPECT_EQ(bench.budget.entries().size(), 0u);
}

TEST(Batches, leave_others_what_was_composed_with_them) {
  Bench bench(8);
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 3, .others = Rho(0.1)});
  const GradientQuery gradient{Position::Zero(1), Rho(0.04)};
  EXPECT_FALSE(budget_refused(bench.ask(gradient)));
  EXPECT_FALSE(budget_refused(bench.ask(gradient)));
  EXPECT_TRUE(budget_refused(bench.ask(gradient)));
  EXPECT_LE(bench.budget.spent_epsilon(Delta(1e-6)).value(), 8);
}

TEST(Batches, must_be_planned) {
  Bench bench(4);
  EXPECT_THROW((void)bench.ask(kBatch), Error);
  bench.serve({.rate = 0.2, .noise_multiplier = 4, .count = 3}, Epsilon(1));
  EXPECT_THROW((void)bench.ask(kBatch), Error);
}

TEST(Batches, need_an_untouched_budget) {
  Bench bench(4);
  (void)bench.ask(GradientQuery{Position::Zero(1), Rho(0.01)});
  EXPECT_THROW(bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 1}), Error);
}

TEST(Batches, protect_single_rows_only) {
  Bench bench(4, {Adjacency::substitute, 2});
  bench.serve({.rate = 0.1, .noise_multiplier = 4, .count = 1});
  EXPECT_THROW((void)bench.ask(kBatch), Error);
}

// Four coordinates a hair above a half are all rounded up: the row's norm grows by a step. The grid is 1 here.
TEST(Batches, noise_covers_one_rounded_row) {
  const double coordinate = 0x1p28 + 0.5;
  const VectorBound bound{2 * coordinate, 4 * coordinate};
  const double longest = 2 * std::ceil(coordinate);
  const GaussianNoise left_out = batch_noise(bound, 4, {Adjacency::add_remove, 1}, 3).value();
  ASSERT_EQ(left_out.grid.value(), 1);
  EXPECT_GE(left_out.sensitivity, longest);
  EXPECT_GE(static_cast<double>(left_out.variance), 9 * longest * longest);
  const GaussianNoise exchanged = batch_noise(bound, 4, {Adjacency::substitute, 1}, 3).value();
  EXPECT_GE(exchanged.sensitivity, 2 * longest);
  EXPECT_EQ(exchanged.variance, left_out.variance);  // the multiplier is that of one row
  // What is charged for any batch covers this one.
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const GaussianNoise noise = batch_noise(bound, 4, {adjacency, 1}, 3).value();
    const Charge charged = batch_charge(4, {adjacency, 1}, 3);
    EXPECT_GE(charged.rho, noise.rho());
    EXPECT_GE(charged.slack, noise.slack());
  }
}

// Every row contributes 1, so a batch's sum is its size. 200 batches of about 200 out of 2,000 rows: the mean of the estimates is
// off by 0.5 % of the whole; a band of five.
TEST(Batches, hold_the_share_of_the_rows_that_is_priced) {
  constexpr std::size_t kRows = 2000;
  constexpr int kBatches = 200;
  Rows ones(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) ones.at(i, 0) = ones.weight(i) = 1;
  Budget budget(Epsilon(1e3), Delta(1e-6));
  TestEntropy entropy(3);
  const BatchPlan plan{.rate = 0.1, .noise_multiplier = 0.01, .count = kBatches};
  DataOwner owner(std::move(ones), measure_batches({model(), {}}, plan, budget, Epsilon(1)), 1, budget,
                  entropy, std::make_unique<DiscreteGaussianMechanism>(entropy));
  const Query query = BatchGradientQuery{Position::Zero(1), plan.rate, plan.noise_multiplier};
  double sum = 0;
  for (int i = 0; i < kBatches; ++i)
    sum += std::get<Released<NoisyGradient>>(owner.answer(std::span(&query, 1))[0]).value().value[0];
  EXPECT_NEAR(sum / kBatches / kRows, 1, 0.025);
}

// Every row contributes 1 and the noise is a hundredth of that: the sums are the batches' sizes. Ten draws with a deviation of
// 13 are all alike for less than one in 10^13 seeds.
TEST(Batches, are_drawn_anew_for_each_step) {
  constexpr std::size_t kRows = 2000;
  Rows ones(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) ones.at(i, 0) = ones.weight(i) = 1;
  Budget budget(Epsilon(1e3), Delta(1e-6));
  TestEntropy entropy(3);
  const BatchPlan plan{.rate = 0.1, .noise_multiplier = 0.01, .count = 10};
  DataOwner owner(std::move(ones), measure_batches({model(), {}}, plan, budget, Epsilon(1)), 1, budget,
                  entropy, std::make_unique<DiscreteGaussianMechanism>(entropy));
  const Query query = BatchGradientQuery{Position::Zero(1), plan.rate, plan.noise_multiplier};
  std::set<long> sizes;
  for (std::size_t i = 0; i < plan.count; ++i) {
    const Answer answer = owner.answer(std::span(&query, 1))[0];
    sizes.insert(std::lround(std::get<Released<NoisyGradient>>(answer).value().value[0] * plan.rate));
  }
  EXPECT_GT(sizes.size(), 1u);
}

/// A model of arrays whose gradients depend on a row's place, as last bits may: the value at even places, its opposite at odd ones.
struct OfPlaces {
  [[nodiscard]] static Eigen::Index dim() { return 1; }
  [[nodiscard]] static Interval ratio_range(const Position&, const Position&) { return {-1, 1}; }
  [[nodiscard]] static VectorBound gradient_bound(const Position&, const Position& scale) {
    return {scale[0], 2 * scale[0]};
  }
  [[nodiscard]] static bool log_densities(const Matrix& rows, const Position&, Position& out) {
    out = Position::Zero(rows.rows());
    return true;
  }
  [[nodiscard]] static bool gradients(const Matrix& rows, const Position&, Matrix& out) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) out(0, i) = (i % 2 == 0 ? 1 : -1) * rows(i, 0);
    return true;
  }
};

// Rows of value 1 at odd places, 0 at even ones. In batches that keep places all that are chosen add -1; were they put one after the
// other, as many would add 1, and one row more would change them all. The noise is a hundredth of a row.
TEST(Batches, a_row_more_moves_no_others_place) {
  constexpr std::size_t kRows = 2000;
  Rows all(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    all.at(i, 0) = static_cast<double>(i % 2);
    all.weight(i) = 1;
  }
  Budget budget(Epsilon(1e3), Delta(1e-6));
  TestEntropy entropy(3);
  const PerArray places(OfPlaces{}, Position::Zero(1), PrivacyUnit{});
  const BatchPlan plan{.rate = 0.3, .noise_multiplier = 0.01, .count = 5};
  DataOwner owner(std::move(all), measure_batches({places, {}}, plan, budget, Epsilon(1)), 1, budget, entropy,
                  std::make_unique<DiscreteGaussianMechanism>(entropy));
  const Query query = BatchGradientQuery{Position::Zero(1), plan.rate, plan.noise_multiplier};
  for (std::size_t i = 0; i < plan.count; ++i) {
    const Answer answer = owner.answer(std::span(&query, 1))[0];
    const double sum = std::get<Released<NoisyGradient>>(answer).value().value[0] * plan.rate;
    EXPECT_NEAR(sum, -300, 75) << "300 are expected, their standard deviation is 14.5";
  }
}

// What the accountant is told.
TEST(Batches, are_priced_as_they_are_drawn) {
  const Event run = batch_event(0.1, 4, 3);
  const auto& event = std::get<SubsampledGaussianEvent>(run.mechanism);
  EXPECT_EQ(event.rate, 0.1);
  EXPECT_EQ(event.sigma, 4 * event.clip_norm);
  EXPECT_EQ(event.sampling, Sampling::poisson);
  EXPECT_EQ(run.count, 3u);
  const Event both = beside(run, Rho(0.5));
  const auto& parts = std::get<CompositionEvent>(both.mechanism).parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(std::get<SubsampledGaussianEvent>(parts[0].mechanism), event);
  EXPECT_EQ(parts[0].count, 3u);
  const auto& others = std::get<GaussianEvent>(parts[1].mechanism);
  EXPECT_NEAR(others.sensitivity * others.sensitivity / (2 * others.sigma * others.sigma), 0.5, 1e-12);
}

}  // namespace
}  // namespace sotto
