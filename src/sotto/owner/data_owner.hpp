// One owner of rows: prices a query, books the charge, reads the rows once, adds noise, releases.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/data/secret_batch.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/discrete_gaussian.hpp"
#include "sotto/measurement/price.hpp"
#include "sotto/model/model.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/passes.hpp"

namespace sotto {

/// How an owner reads its rows.
struct ExecutionOptions {
  double likelihood_power = 1;  ///< the likelihood's power, n0 / n
  int threads = 1;
};

/// The batch gradients of a run: each row enters a batch with probability `rate`.
struct BatchPlan {
  double rate = 0;
  double noise_multiplier = 0;
  std::size_t count = 0;
  Rho others{0};  ///< cost kept for releases over all rows, e.g. ratios
};

/// Answers queries about its rows from its budget. In the order of the flow: price (public) -> receipt -> one
/// pass over the rows for all queries of a kind -> noise -> release.
template <Model M>
class DataOwner final : public QueryInterface {
 public:
  DataOwner(Rows rows, M model, PrivacyUnit unit, ExecutionOptions options, Budget& budget,
            EntropySource& entropy)
      : rows_(std::move(rows)),
        model_(std::move(model)),
        unit_(unit),
        options_(options),
        budget_(&budget),
        entropy_(&entropy),
        mechanism_(entropy) {}

  /// Pays for the batch gradients of a whole run. Besides, the budget then serves releases of a total cost of
  /// plan.others. Errors: budget, before anything is spent.
  void serve_batches(const BatchPlan& plan) {
    const Event run = batch_run(plan.rate, plan.noise_multiplier, plan.count, plan.others);
    serve_batches(plan, Epsilon(upper_epsilon(run, unit_.adjacency, budget_->delta(), BoundKind::tight)));
  }
  /// Likewise, when the epsilon of all of it together at the budget's delta is known.
  void serve_batches(const BatchPlan& plan, Epsilon composed) {
    batches_ =
        budget_->prepay(batch_charge(static_cast<std::size_t>(model_.dim()), unit_, plan.noise_multiplier),
                        plan.count, composed, plan.others);
    if (!batches_)
      throw Error(ErrorCode::budget, "the budget does not cover this many batches: take fewer or more noise");
    plan_ = plan;
  }

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers(queries.size(), QueryStatus::budget);
    Pass pass;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (const auto refusal =
              std::visit([&](const auto& query) { return book(q, query, pass); }, queries[q]))
        answers[q] = *refusal;
    }
    read(pass, answers);
    read_batches(pass, answers);
    answer_curvatures(queries, answers);
    answer_weighted(queries, answers);
    return answers;
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    std::vector<std::optional<QueryStatus>> refusals(queries.size());
    std::vector<Charge> charges;
    std::vector<std::size_t> charged;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      auto charge = std::visit([this](const auto& query) { return price(query); }, queries[q]);
      if (charge) {
        charges.push_back(std::move(*charge));
        charged.push_back(q);
      } else {
        refusals[q] = QueryStatus::out_of_range;
      }
    }
    const std::vector<bool> granted = budget_->grants(charges);
    for (std::size_t i = 0; i < charged.size(); ++i) {
      if (!granted[i]) refusals[charged[i]] = QueryStatus::budget;
    }
    return refusals;
  }
  [[nodiscard]] Rho left() const override { return budget_->left(); }

 private:
  /// What is paid for and waits for the pass over the rows. A joint query has one of each.
  struct PaidRatio {
    std::size_t query;
    GaussianNoise noise;
    Receipt receipt;
  };
  struct PaidGradient {
    std::size_t query;
    GaussianNoise noise;
    Receipt receipt;
    Position scale;
  };
  struct PaidBatch {
    PaidGradient paid;
    GradientTask task;
  };
  struct Pass {
    std::vector<PaidRatio> ratios;
    std::vector<RatioTask> ratio_tasks;
    std::vector<PaidGradient> gradients;
    std::vector<GradientTask> gradient_tasks;
    std::vector<PaidBatch> batches;
  };
  using Refused = std::optional<QueryStatus>;

  Refused book(std::size_t q, const RatioQuery& query, Pass& pass) {
    const auto range = contributions(query);
    if (!range) return QueryStatus::out_of_range;
    const auto noise = ratio_noise(*range, unit_, query.cost, query.noise_sd);
    if (!noise) return QueryStatus::out_of_range;
    auto receipt = budget_->spend(noise->charge("log-likelihood ratio"));
    if (!receipt) return QueryStatus::budget;
    pass.ratio_tasks.push_back({&query.from, &query.to, range->lower, range->upper});
    pass.ratios.push_back({q, *noise, std::move(*receipt)});
    return {};
  }

  Refused book(std::size_t q, const GradientQuery& query, Pass& pass) {
    const auto noise = noise_for(query);
    if (!noise) return QueryStatus::out_of_range;
    Position scale = scale_of(query);
    auto receipt = budget_->spend(noise->charge("gradient"));
    if (!receipt) return QueryStatus::budget;
    pass.gradient_tasks.push_back({&query.at, scale * (options_.likelihood_power / noise->grid.value())});
    pass.gradients.push_back({q, *noise, std::move(*receipt), std::move(scale)});
    return {};
  }

  /// Two releases with a charge each. The ratio's range is looked at first, so that nothing is booked for a
  /// query that has no answer; when the budget covers the gradient alone, that charge is lost.
  Refused book(std::size_t q, const JointQuery& query, Pass& pass) {
    if (!contributions(query.ratio)) return QueryStatus::out_of_range;
    if (const Refused refused = book(q, query.gradient, pass)) return refused;
    const Refused refused = book(q, query.ratio, pass);
    if (refused) {
      pass.gradients.pop_back();
      pass.gradient_tasks.pop_back();
    }
    return refused;
  }

  // These have a pass of their own.
  Refused book(std::size_t, const CurvatureQuery&, Pass&) { return {}; }
  Refused book(std::size_t, const ScoreQuery&, Pass&) { return {}; }
  Refused book(std::size_t, const InformationQuery&, Pass&) { return {}; }

  Refused book(std::size_t, const StatisticQuery& query, Pass&) {
    (void)noise_for(query);  // throws
    return {};
  }

  /// A batch of its own per query; paid for by the run's plan.
  Refused book(std::size_t q, const BatchGradientQuery& query, Pass& pass) {
    if (!batches_ || query.rate != plan_.rate || query.noise_multiplier != plan_.noise_multiplier)
      throw Error(ErrorCode::configuration,
                  "batches must be paid for as a whole before the first: name their "
                  "rate, noise and number");
    const Position scale = query.scale.size() == 0 ? Position::Ones(model_.dim()).eval() : query.scale;
    const auto noise = batch_noise(powered(model_.gradient_bound(query.at, scale)),
                                   static_cast<std::size_t>(model_.dim()), unit_, query.noise_multiplier);
    if (!noise) return QueryStatus::out_of_range;
    auto receipt = batches_->take();
    if (!receipt) return QueryStatus::budget;
    pass.batches.push_back({{q, *noise, std::move(*receipt), scale * query.rate},
                            {&query.at, scale * (options_.likelihood_power / noise->grid.value())}});
    return {};
  }

  /// One pass over the rows for everything booked, then noise and release.
  void read(Pass& pass, std::vector<Answer>& answers) {
    if (pass.ratios.empty() && pass.gradients.empty()) return;
    const auto dim = static_cast<std::size_t>(model_.dim());
    const ExactSum sum =
        sum_ratios_and_gradients(model_, rows_, std::span<const RatioTask>(pass.ratio_tasks),
                                 options_.likelihood_power / kLogDensityGrid,
                                 std::span<const GradientTask>(pass.gradient_tasks), options_.threads);
    for (std::size_t i = 0; i < pass.gradients.size(); ++i) {
      PaidGradient& paid = pass.gradients[i];
      answers[paid.query] = mechanism_.release_gradient(
          std::move(paid.receipt), sum.part(pass.ratios.size() + i * dim, dim), paid.noise, paid.scale);
    }
    for (std::size_t i = 0; i < pass.ratios.size(); ++i) {
      PaidRatio& paid = pass.ratios[i];
      auto ratio = mechanism_.release_ratio(std::move(paid.receipt), sum.part(i, 1), paid.noise);
      auto* gradient = std::get_if<Released<NoisyGradient>>(&answers[paid.query]);
      if (gradient == nullptr) {
        answers[paid.query] = std::move(ratio);
      } else {
        answers[paid.query] = join<NoisyJoint>(std::move(*gradient), std::move(ratio));
      }
    }
  }

  void read_batches(Pass& pass, std::vector<Answer>& answers) {
    for (PaidBatch& batch : pass.batches) {
      const Rows rows = poisson_batch(rows_, plan_.rate, *entropy_);
      const ExactSum sum = sum_gradients(model_, rows, std::span(&batch.task, 1), 1);
      answers[batch.paid.query] =
          mechanism_.release_gradient(std::move(batch.paid.receipt), sum, batch.paid.noise, batch.paid.scale);
    }
  }

  void answer_curvatures(std::span<const Query> queries, std::vector<Answer>& answers) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto* query = std::get_if<CurvatureQuery>(&queries[q]);
      if (query == nullptr) continue;
      if constexpr (CurvatureModel<M>) {
        const auto noise = noise_for(*query);
        if (!noise) {
          answers[q] = QueryStatus::out_of_range;
          continue;
        }
        auto receipt = budget_->spend(noise->charge("curvature"));
        if (!receipt) continue;
        const ExactSum sum = sum_curvatures(
            model_, rows_, query->at, options_.likelihood_power / noise->grid.value(), options_.threads);
        answers[q] = mechanism_.release_curvature(std::move(*receipt), sum, *noise);
      } else {
        throw Error(ErrorCode::configuration,
                    "this model has no curvature query: choose a method that does without");
      }
    }
  }

  void answer_weighted(std::span<const Query> queries, std::vector<Answer>& answers) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto* score = std::get_if<ScoreQuery>(&queries[q]);
      const auto* information = std::get_if<InformationQuery>(&queries[q]);
      if (score == nullptr && information == nullptr) continue;
      if constexpr (WeightedModel<M>) {
        if (options_.likelihood_power != 1)
          throw Error(ErrorCode::configuration, "weighted scores are not tempered: set temper to 1");
        const Weighting& weighting = score != nullptr ? score->weighting : information->weighting;
        const auto noise = score != nullptr ? noise_for(*score) : noise_for(*information);
        if (!noise) {
          answers[q] = QueryStatus::out_of_range;
          continue;
        }
        auto receipt =
            budget_->spend(noise->charge(score != nullptr ? "weighted score" : "weighted information"));
        if (!receipt) continue;
        const VectorBound bound = score != nullptr
                                      ? weighted_score_bound(weighting)
                                      : information_bound(weighting, static_cast<std::size_t>(model_.dim()));
        const WeightedTask task = weighted_task(weighting, bound, noise->entries, noise->grid);
        if (score != nullptr) {
          answers[q] = mechanism_.release_score(std::move(*receipt),
                                                sum_scores(model_, rows_, task, options_.threads), *noise);
        } else {
          answers[q] = mechanism_.release_information(std::move(*receipt),
                                                      sum_information(model_, rows_, task, options_.threads),
                                                      *noise, weighting.information_bound);
        }
      } else {
        throw Error(ErrorCode::configuration,
                    "this model has no weighted score: choose another method than release-once");
      }
    }
  }

  // Prices: from positions and bounds alone. None when no bound fits the grid.
  [[nodiscard]] std::optional<ContributionRange> contributions(const RatioQuery& query) const {
    const Interval change = model_.ratio_range(query.from, query.to);
    return contribution_range(
        {change.lower * options_.likelihood_power, change.upper * options_.likelihood_power});
  }
  [[nodiscard]] Position scale_of(const GradientQuery& query) const {
    return query.scale.size() == 0 ? Position::Ones(model_.dim()).eval() : query.scale;
  }
  [[nodiscard]] std::optional<GaussianNoise> noise_for(const GradientQuery& query) const {
    return vector_noise(powered(model_.gradient_bound(query.at, scale_of(query))),
                        static_cast<std::size_t>(model_.dim()), unit_, query.cost);
  }
  [[nodiscard]] std::optional<GaussianNoise> noise_for(const CurvatureQuery& query) const {
    if constexpr (CurvatureModel<M>) {
      const auto dim = static_cast<std::size_t>(model_.dim());
      return vector_noise(powered(model_.curvature_bound(query.at)), dim * (dim + 1) / 2, unit_, query.cost);
    } else {
      throw Error(ErrorCode::configuration,
                  "this model has no curvature query: choose a method that does without");
    }
  }
  [[nodiscard]] std::optional<GaussianNoise> noise_for(const StatisticQuery& /*query*/) const {
    throw Error(ErrorCode::configuration,
                "this model has no sufficient statistic of fixed size: choose another method");
  }
  [[nodiscard]] std::optional<GaussianNoise> noise_for(const ScoreQuery& query) const {
    const auto dim = static_cast<std::size_t>(model_.dim());
    if (!legal_weighting(query.weighting, dim)) return std::nullopt;
    return vector_noise(weighted_score_bound(query.weighting), dim, unit_, query.cost);
  }
  [[nodiscard]] std::optional<GaussianNoise> noise_for(const InformationQuery& query) const {
    const auto dim = static_cast<std::size_t>(model_.dim());
    if (!legal_weighting(query.weighting, dim)) return std::nullopt;
    return vector_noise(information_bound(query.weighting, dim), information_entries(dim), unit_, query.cost);
  }
  [[nodiscard]] std::optional<Charge> price(const RatioQuery& query) const {
    const auto range = contributions(query);
    if (!range) return std::nullopt;
    const auto noise = ratio_noise(*range, unit_, query.cost, query.noise_sd);
    if (!noise) return std::nullopt;
    return noise->charge("log-likelihood ratio");
  }
  [[nodiscard]] std::optional<Charge> price(const JointQuery& query) const {
    const auto gradient = price(query.gradient);
    const auto ratio = price(query.ratio);
    if (!gradient || !ratio) return std::nullopt;
    return Charge{"priced", ratio->mechanism, Rho(gradient->rho.value() + ratio->rho.value()),
                  gradient->slack + ratio->slack};
  }
  [[nodiscard]] std::optional<Charge> price(const BatchGradientQuery&) const {
    throw Error(ErrorCode::configuration, "several owners answer no batch queries: choose another method");
  }
  [[nodiscard]] std::optional<Charge> price(const auto& query) const {
    const auto noise = noise_for(query);
    return noise ? std::optional(noise->charge("priced")) : std::nullopt;
  }
  [[nodiscard]] VectorBound powered(VectorBound bound) const {
    return {bound.norm * options_.likelihood_power, bound.diameter * options_.likelihood_power};
  }

  Rows rows_;
  M model_;
  PrivacyUnit unit_;
  ExecutionOptions options_;
  Budget* budget_;
  EntropySource* entropy_;
  DiscreteGaussianMechanism mechanism_;
  BatchPlan plan_;
  std::optional<PrecomposedBudget> batches_;
};

}  // namespace sotto
