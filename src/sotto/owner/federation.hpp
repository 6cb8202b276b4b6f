// Several owners answer as one: each query is answered by the sum of their releases.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// The kernels do not see that they talk to several owners: values and variances arrive as sums, so that half
/// the sum of the variances is the penalty's correction. Every owner has rows, noise, budget and adjacency of
/// its own, and protects its rows against the others and against whoever asks.
///
/// A query is asked in two phases. First each owner says, for nothing, whether it would refuse; what one
/// refuses is refused for all, and nobody spends. Then all are asked. Should an owner refuse only now (its
/// budget is shared with another run, or it has gone), the query is refused for all, while the owners that
/// did answer have spent: a release that nobody used costs budget, never privacy.
/// Source     [Y17, Algorithm 2], with erratum E21
/// Checked by tests/owner/federation_test.cpp: values_and_variances_add, what_one_refuses_costs_nobody
/// Checked by tests/statistical/owners_test.cpp: three_owners_sample_the_pooled_posterior
class Federation final : public QueryInterface {
 public:
  /// At least one owner; none may be destroyed before this object.
  explicit Federation(std::vector<QueryInterface*> owners) : owners_(std::move(owners)) {
    if (owners_.empty()) throw Error(ErrorCode::configuration, "name at least one owner");
  }

  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    std::vector<std::optional<QueryStatus>> all(queries.size());
    for (const QueryInterface* owner : owners_) {
      const auto own = owner->refusals(queries);
      for (std::size_t q = 0; q < queries.size(); ++q) all[q] = worse(all[q], own[q]);
    }
    return all;
  }

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    const auto refused = refusals(queries);
    std::vector<Answer> answers(queries.size(), QueryStatus::budget);
    std::vector<Query> asked;
    std::vector<std::size_t> places;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (refused[q]) {
        answers[q] = *refused[q];
      } else {
        asked.push_back(queries[q]);
        places.push_back(q);
      }
    }
    if (asked.empty()) return answers;
    std::vector<Answer> sums = owners_.front()->answer(asked);
    for (std::size_t o = 1; o < owners_.size(); ++o) {
      const std::vector<Answer> own = owners_[o]->answer(asked);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = add(sums[i], own[i]);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) answers[places[i]] = std::move(sums[i]);
    return answers;
  }

  /// What the poorest owner has left.
  [[nodiscard]] Rho left() const override {
    Rho least(std::numeric_limits<double>::infinity());
    for (const QueryInterface* owner : owners_) least = std::min(least, owner->left());
    return least;
  }

 private:
  /// A query that is out of range for one owner is so for the chain, whatever the budgets say.
  static std::optional<QueryStatus> worse(std::optional<QueryStatus> a, std::optional<QueryStatus> b) {
    if (a == QueryStatus::out_of_range || b == QueryStatus::out_of_range) return QueryStatus::out_of_range;
    return a ? a : b;
  }

  static Answer add(const Answer& a, const Answer& b) {
    return std::visit(
        []<class A, class B>(const A& left, const B& right) -> Answer {
          if constexpr (std::is_same_v<A, QueryStatus> && std::is_same_v<B, QueryStatus>) {
            return *worse(left, right);
          } else if constexpr (std::is_same_v<A, QueryStatus>) {
            return left;
          } else if constexpr (std::is_same_v<B, QueryStatus>) {
            return right;
          } else if constexpr (std::is_same_v<A, B>) {
            return left + right;
          } else {
            throw Error(ErrorCode::internal, "owners answered one query with different kinds of releases");
          }
        },
        a, b);
  }

  std::vector<QueryInterface*> owners_;
};

}  // namespace sotto
