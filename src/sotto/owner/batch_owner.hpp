// An owner that answers log-likelihood ratios from secret batches of fixed size: the subsampled penalty algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/discrete_gaussian.hpp"
#include "sotto/model/model.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/secret_batches.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// The ratios of a run: each with noise of variance tau * sensitivity^2.
struct BatchRatioPlan {
  double tau = 0;
  std::size_t count = 0;
};

/// Answers ratio queries only. The released value is an estimate of the ratio from a fresh batch, less half the batch's
/// own estimated variance; its `variance` is that of the noise alone, so that a penalty kernel corrects for both.
/// The chain's target is approximate: the variance of a batch is estimated, and correlated with its mean (erratum E6).
/// The batch never leaves this class. A release is paid for as if its batch were known; or all releases of a run
/// together, with the gain of sampling, when `serve` was told of them.
/// Source     [R21, Section 4.1]
/// Checked by tests/owner/batch_owner_test.cpp
template <Model M>
class BatchOwner final : public QueryInterface {
 public:
  BatchOwner(const Rows& rows, M model, std::size_t batch, PrivacyUnit unit, ExecutionOptions options,
             Budget& budget, EntropySource& entropy)
      : batches_(rows, std::move(model), batch, options.likelihood_power),
        unit_(unit),
        budget_(&budget),
        entropy_(&entropy),
        mechanism_(entropy) {}

  /// `count` releases of noise variance tau * sensitivity^2, as the accountant sees them.
  [[nodiscard]] Event event(double tau, std::size_t count) const {
    return {
        SubsampledPenaltyEvent{
            .tau = tau, .rate = static_cast<double>(batches_.batch()) / static_cast<double>(batches_.rows())},
        count};
  }

  /// Pays for the ratios of a whole run, each of a cost of 1 / (2 tau); others are errors from then on.
  /// Errors: budget, before anything is spent.
  /// Computes   epsilon from the Renyi divergence of a release whose batch is known, a / (2 tau), which discrete noise
  ///            has like continuous noise [CKS20, Theorem 14], amplified by sampling without replacement [WBK19,
  ///            Theorem 9]
  void serve(const BatchRatioPlan& plan) {
    const Epsilon composed(
        upper_epsilon(event(plan.tau, plan.count), unit_.adjacency, budget_->delta(), BoundKind::rdp));
    Charge each = batch_ratio_charge(plan.tau);
    each.query = kName;
    prepaid_ = budget_->prepay(std::move(each), plan.count, composed);
    if (!prepaid_)
      throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer or more noise");
    cost_ = Rho(1 / (2 * plan.tau));
  }

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers(queries.size(), QueryStatus::budget);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const RatioQuery& query = ratio_of_batch(queries[q]);
      const auto range = batches_.range(query);
      const auto noise = range ? noise_for(*range, query) : std::nullopt;
      if (!noise) {
        answers[q] = QueryStatus::out_of_range;
        continue;
      }
      auto receipt = prepaid_ ? prepaid_->take() : budget_->spend(noise->charge(kName));
      if (!receipt) continue;
      answers[q] = mechanism_.release_ratio(std::move(*receipt), statistic(query, *range), *noise);
    }
    return answers;
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    std::vector<std::optional<QueryStatus>> refusals(queries.size());
    std::vector<Charge> charges;
    std::vector<std::size_t> charged;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto range = batches_.range(ratio_of_batch(queries[q]));
      const auto noise = range ? noise_for(*range, ratio_of_batch(queries[q])) : std::nullopt;
      if (noise) {
        charges.push_back(noise->charge(kName));
        charged.push_back(q);
      } else {
        refusals[q] = QueryStatus::out_of_range;
      }
    }
    const std::vector<bool> granted =
        prepaid_ ? first_granted(prepaid_->left(), charged.size()) : budget_->grants(charges);
    for (std::size_t i = 0; i < charged.size(); ++i) {
      if (!granted[i]) refusals[charged[i]] = QueryStatus::budget;
    }
    return refusals;
  }
  [[nodiscard]] Rho left() const override { return budget_->left(); }

 private:
  static constexpr const char* kName = "subsampled log-likelihood ratio";

  [[nodiscard]] std::optional<GaussianNoise> noise_for(const ContributionRange& range,
                                                       const RatioQuery& query) const {
    if (!prepaid_) return batch_ratio_noise(range, batches_.batch(), batches_.rows(), unit_, query.cost);
    if (query.cost != *cost_)
      throw Error(ErrorCode::configuration,
                  "the ratios of this run were paid for at another cost: ask for that one");
    return batch_ratio_noise(range, batches_.batch(), batches_.rows(), unit_, query.cost,
                             kLeastPrecomposedSensitivity);
  }

  [[nodiscard]] ExactSum statistic(const RatioQuery& query, const ContributionRange& range) {
    ExactSum sum(1);
    sum.add(0, batch_statistic(batches_.draw(query, range, *entropy_), batches_.rows()));
    return sum;
  }

  SecretBatches<M> batches_;
  PrivacyUnit unit_;
  Budget* budget_;
  EntropySource* entropy_;
  DiscreteGaussianMechanism mechanism_;
  std::optional<PrecomposedBudget> prepaid_;
  std::optional<Rho> cost_;  // of each prepaid ratio
};

}  // namespace sotto
