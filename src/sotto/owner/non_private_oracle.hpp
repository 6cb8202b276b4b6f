// NOT PRIVATE: an owner that answers exactly, for study and for tests of the chains.
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sotto/measurement/no_noise.hpp"
#include "sotto/measurement/price.hpp"
#include "sotto/model/model.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/sum/passes.hpp"

namespace sotto {

/// Takes the same path as Owner without a budget and without noise: variance 0, so a penalty chain is plain
/// Metropolis.
template <Model M>
class NonPrivateOracle final : public QueryInterface {
 public:
  NonPrivateOracle(Rows rows, M model, ExecutionOptions options)
      : rows_(std::move(rows)), model_(std::move(model)), options_(options) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers;
    answers.reserve(queries.size());
    for (const Query& query : queries)
      answers.push_back(std::visit([&](const auto& asked) { return answer_one(asked); }, query));
    return answers;
  }
  [[nodiscard]] Rho left() const override { return Rho(std::numeric_limits<double>::infinity()); }

 private:
  Answer answer_one(const RatioQuery& query) const {
    const Interval change = model_.ratio_range(query.from, query.to);
    const auto range = contribution_range(
        {change.lower * options_.likelihood_power, change.upper * options_.likelihood_power});
    if (!range) return QueryStatus::out_of_range;
    const RatioTask task{&query.from, &query.to, range->lower, range->upper};
    return NoNoise::release_ratio(sum_ratios(model_, rows_, std::span(&task, 1),
                                             options_.likelihood_power / kLogDensityGrid, options_.threads),
                                  kLogDensityGrid);
  }

  Answer answer_one(const GradientQuery& query) const {
    const Position scale = query.scale.size() == 0 ? Position::Ones(model_.dim()).eval() : query.scale;
    const double norm = model_.gradient_bound(query.at, scale).norm * options_.likelihood_power;
    if (!(norm > 0) || !std::isfinite(norm)) return QueryStatus::out_of_range;
    const double grid = std::ldexp(1.0, std::ilogb(norm) - 29);
    const GradientTask task{&query.at, scale * (options_.likelihood_power / grid)};
    return NoNoise::release_gradient(sum_gradients(model_, rows_, std::span(&task, 1), options_.threads),
                                     grid * scale.cwiseInverse());
  }

  Answer answer_one(const JointQuery& query) const {
    const Answer gradient = answer_one(query.gradient);
    const Answer ratio = answer_one(query.ratio);
    if (std::holds_alternative<QueryStatus>(gradient) || std::holds_alternative<QueryStatus>(ratio))
      return QueryStatus::out_of_range;
    return join<NoisyJoint>(std::get<Released<NoisyGradient>>(gradient),
                            std::get<Released<NoisyRatio>>(ratio));
  }

  template <class Other>
  Answer answer_one(const Other&) const {
    throw Error(ErrorCode::configuration, "the study mode does not answer this query: choose another method");
  }

  Rows rows_;
  M model_;
  ExecutionOptions options_;
};

}  // namespace sotto
