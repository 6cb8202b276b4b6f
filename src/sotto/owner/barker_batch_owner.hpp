// An owner that answers log-likelihood ratios from secret batches for Barker's test: batch and noise have variance 2 together.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/discrete_gaussian.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/model.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/secret_batches.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// Answers ratio queries only, all paid for before the first. A query between positions where a row's log ratio may pass
/// the plan's bound is refused: that follows from the positions alone. The batch and the noise's variance never leave.
/// The chain's target is approximate: the variance of a batch is estimated, and its mean normal only in the limit.
/// Source     [R21, Algorithm 2]; docs/barker.md
/// Checked by tests/owner/barker_batch_owner_test.cpp
template <Model M>
class BarkerBatchOwner final : public QueryInterface {
 public:
  /// Errors: budget, before anything is spent; configuration for other adjacencies and for units of several rows.
  BarkerBatchOwner(const Rows& rows, M model, const VarianceCompletedPlan& plan, std::size_t count,
                   PrivacyUnit unit, ExecutionOptions options, Budget& budget, EntropySource& entropy)
      : batches_(rows, std::move(model), plan.batch, options.likelihood_power),
        plan_(plan),
        budget_(&budget),
        entropy_(&entropy),
        mechanism_(entropy) {
    if (unit.adjacency != Adjacency::substitute || unit.rows_per_unit != 1) {
      throw Error(ErrorCode::configuration,
                  "batches of fixed size protect single rows under adjacency substitute only: choose another "
                  "method");
    }
    if (plan.rows != rows.rows()) throw Error(ErrorCode::internal, "a plan for another number of rows");
    const Epsilon composed(upper_epsilon(plan.event(count), unit.adjacency, budget.delta(), BoundKind::rdp));
    prepaid_ = budget.prepay(plan.charge(), count, composed);
    if (!prepaid_)
      throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer steps");
  }

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers(queries.size(), QueryStatus::budget);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const RatioQuery& query = checked(queries[q]);
      const auto range = range_within_bound(query);
      if (!range) {
        answers[q] = QueryStatus::out_of_range;
        continue;
      }
      auto receipt = prepaid_->take();
      if (!receipt) continue;
      answers[q] = mechanism_.release_variance_completed(std::move(*receipt), plan_,
                                                         batches_.draw(query, *range, *entropy_));
    }
    return answers;
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    std::vector<std::optional<QueryStatus>> refusals(queries.size());
    std::size_t left = prepaid_->left();
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (!range_within_bound(checked(queries[q]))) {
        refusals[q] = QueryStatus::out_of_range;
      } else if (left == 0) {
        refusals[q] = QueryStatus::budget;
      } else {
        --left;
      }
    }
    return refusals;
  }
  [[nodiscard]] Rho left() const override { return budget_->left(); }

 private:
  static const RatioQuery& checked(const Query& query) {
    const RatioQuery& ratio = ratio_of_batch(query);
    if (std::abs(ratio.noise_sd * ratio.noise_sd - kVarianceCompletedVariance) > 1e-9) {
      throw Error(ErrorCode::configuration,
                  "batches are topped up to a variance of 2: set noise_variance to 2");
    }
    return ratio;
  }
  [[nodiscard]] std::optional<ContributionRange> range_within_bound(const RatioQuery& query) const {
    const auto range = batches_.range(query);
    if (!range || std::max(-range->lower, range->upper) > plan_.bound) return std::nullopt;
    return range;
  }

  SecretBatches<M> batches_;
  VarianceCompletedPlan plan_;
  Budget* budget_;
  EntropySource* entropy_;
  DiscreteGaussianMechanism mechanism_;
  std::optional<PrecomposedBudget> prepaid_;
};

}  // namespace sotto
