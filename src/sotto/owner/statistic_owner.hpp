// An owner of rows from an exponential family: reads them once, then answers from the sum alone.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/discrete_gaussian.hpp"
#include "sotto/measurement/price.hpp"
#include "sotto/model/exponential_family.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// The exact sum of the rows' standard statistics; entries are integers on the grid kStatisticGrid.
template <ExponentialFamily F>
ExactSum sum_statistics(const StandardStatistic<F>& statistic, const Rows& rows, int threads) {
  constexpr std::size_t kRun = 512;  // tiles; 4096 rows of at most 2^40 steps stay far below 2^63
  return sum_tiles(rows.tiles(), kRun, statistic.size(), threads,
                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                     std::vector<double> row(rows.columns());
                     std::vector<double> raw(statistic.size() - 1);
                     std::vector<std::int64_t> entries(statistic.size());
                     for (std::size_t t = first; t < first + count; ++t) {
                       const double* tile = rows.tile(t);
                       for (std::size_t lane = 0; lane < kTile; ++lane) {
                         if (tile[rows.columns() * kTile + lane] == 0) continue;
                         for (std::size_t j = 0; j < row.size(); ++j) row[j] = tile[j * kTile + lane];
                         statistic.entries(row, 1 / kStatisticGrid, raw, entries);
                         for (std::size_t j = 0; j < entries.size(); ++j) sums[j] += entries[j];
                       }
                     }
                   });
}

/// Answers statistic queries only, each with fresh noise on the same sum. The rows are not kept.
/// Source     [Y17, Algorithm 3]
/// Checked by tests/owner/statistic_owner_test.cpp
template <ExponentialFamily F>
class StatisticOwner final : public QueryInterface {
 public:
  StatisticOwner(const Rows& rows, StandardStatistic<F> statistic, PrivacyUnit unit, int threads,
                 Budget& budget, EntropySource& entropy)
      : statistic_(std::move(statistic)),
        sum_(sum_statistics(statistic_, rows, threads)),
        unit_(unit),
        budget_(&budget),
        mechanism_(entropy) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers(queries.size(), QueryStatus::budget);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const StatisticNoise noise = noise_for(queries[q]);
      auto receipt = budget_->spend(noise.noise.charge("sufficient statistic"));
      if (receipt)
        answers[q] = mechanism_.release_statistic(std::move(*receipt), sum_, noise.noise, noise.quantum);
    }
    return answers;
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    std::vector<Charge> charges;
    for (const Query& query : queries)
      charges.push_back(noise_for(query).noise.charge("sufficient statistic"));
    const std::vector<bool> granted = budget_->grants(charges);
    std::vector<std::optional<QueryStatus>> refusals(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (!granted[q]) refusals[q] = QueryStatus::budget;
    }
    return refusals;
  }
  [[nodiscard]] Rho left() const override { return budget_->left(); }

 private:
  [[nodiscard]] StatisticNoise noise_for(const Query& query) const {
    const auto* asked = std::get_if<StatisticQuery>(&query);
    if (asked == nullptr) {
      throw Error(ErrorCode::configuration,
                  "this owner knows sufficient statistics only: choose method penalty-exponential-family");
    }
    return statistic_noise(statistic_.reach(), unit_, asked->cost);
  }

  StandardStatistic<F> statistic_;
  ExactSum sum_;
  PrivacyUnit unit_;
  Budget* budget_;
  DiscreteGaussianMechanism mechanism_;
};

}  // namespace sotto
