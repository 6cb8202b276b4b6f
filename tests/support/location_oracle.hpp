// Answers release-once's question about normal rows, with continuous noise: what the analyst's side is tested with alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/release/query.hpp"
#include "support/released_for_tests.hpp"

namespace sotto {

class LocationOracle final : public QueryInterface {
 public:
  /// `rows`: shape (rows, dim).
  LocationOracle(Matrix rows, PrivacyUnit unit, Rho budget, std::uint64_t seed)
      : rows_(std::move(rows)), unit_(unit), left_(budget.value()), rng_(seed, 0x10c) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers;
    for (const Query& query : queries) {
      if (const auto* sum = std::get_if<ClippedDeviationsQuery>(&query)) {
        answers.push_back(one(*sum));
      } else if (const auto* counts = std::get_if<DeviationLengthsQuery>(&query)) {
        answers.push_back(one(*counts));
      } else {
        answers.emplace_back(QueryStatus::out_of_range);
      }
    }
    return answers;
  }
  [[nodiscard]] Rho left() const override { return Rho(std::max(left_, 0.0)); }
  std::vector<ClippedDeviationsQuery> asked;
  std::vector<DeviationLengthsQuery> lengths_asked;

 private:
  Answer one(const ClippedDeviationsQuery& query) {
    asked.push_back(query);
    left_ -= query.cost.value();
    const double added = std::hypot(query.bound, query.count);
    const double sensitivity =
        unit_.adjacency == Adjacency::substitute ? std::max(2 * query.bound, added) : added;
    const double sd =
        static_cast<double>(unit_.rows_per_unit) * sensitivity / std::sqrt(2 * query.cost.value());
    const Matrix z = (rows_.rowwise() - query.at.transpose()) * query.frame.transpose();
    Position value = Position::Zero(z.cols() + (query.count > 0 ? 1 : 0));
    for (const auto& row : z.rowwise())
      value.head(z.cols()) += row.transpose() * std::min(1.0, query.bound / row.norm());
    if (query.count > 0) value[z.cols()] = query.count * static_cast<double>(z.rows());
    value += sd * rng_.normals(value.size());
    return ReleasedForTests::make(NoisyVector{std::move(value), sd * sd});
  }

  Answer one(const DeviationLengthsQuery& query) {
    lengths_asked.push_back(query);
    left_ -= query.cost.value();
    const double exchanged = unit_.adjacency == Adjacency::substitute ? std::sqrt(2.0) : 1;
    const double sd =
        static_cast<double>(unit_.rows_per_unit) * exchanged / std::sqrt(2 * query.cost.value());
    Position value = Position::Zero(query.edges.size());
    for (const auto& row : rows_.rowwise()) {
      const double length = (query.frame * (row.transpose() - query.at)).norm();
      value[(query.edges.array() <= length).count() - 1] += 1;
    }
    value += sd * rng_.normals(value.size());
    return ReleasedForTests::make(NoisyVector{std::move(value), sd * sd});
  }

  Matrix rows_;
  PrivacyUnit unit_;
  double left_;
  ChainRng rng_;
};

}  // namespace sotto
