// One owner of rows: prices a query, books the charge, reads the rows once, adds noise, releases.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accountant/budget.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/mechanism/discrete_gaussian.hpp"
#include "sotto/model/model.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// What protects whom. All of it is public.
struct Protection {
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows_per_unit = 1;  ///< most rows that one privacy unit holds
  double temper = 1;              ///< the likelihood's power, n0 / n
  int threads = 1;
};

/// The grid of log densities is absolute, so that ratios over several positions add up exactly.
inline constexpr double kLogDensityGrid = 0x1p-40;

/// Answers queries about its rows from its budget. In the order of the flow: price (public) -> receipt -> pass over the
/// rows -> noise -> release.
template <Model M>
class Owner final : public Answerer {
 public:
  Owner(Rows rows, M model, Protection protection, Budget& budget, EntropySource& entropy)
      : rows_(std::move(rows)), model_(std::move(model)), protection_(protection), budget_(&budget), mechanism_(entropy) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers(queries.size(), Refusal::budget);
    answer_ratios(queries, answers);
    answer_gradients(queries, answers);
    answer_curvatures(queries, answers);
    return answers;
  }
  [[nodiscard]] Rho left() const override { return budget_->left(); }

 private:
  // A query that was paid for and waits for its sum.
  template <class Task>
  struct Paid {
    std::size_t query;
    Task task;
    GaussianNoise noise;
    Receipt receipt;
  };

  /// Query        sum over rows of the quantised log density's change from `from` to `to`
  /// Adjacency    as declared; a unit holds at most rows_per_unit rows
  /// Sensitivity  every contribution is an integer in [lower, upper] with lower <= 0 <= upper, so a unit's share moves by at
  ///              most rows_per_unit (upper - lower) under substitution, rows_per_unit max(-lower, upper) when added or removed
  /// Noise        discrete Gaussian, variance a whole multiple of one grid step in the log density's unit
  /// Charge       sensitivity^2 / (2 variance) and the slack of discreteness
  /// Source       [CKS20, Theorem 14]; exactness of the penalty test: docs/penalty.md
  void answer_ratios(std::span<const Query> queries, std::vector<Answer>& answers) {
    std::vector<Paid<RatioTask>> paid;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto* query = std::get_if<RatioQuery>(&queries[q]);
      if (query == nullptr) continue;
      const Interval range = model_.ratio_range(query->from, query->to) * Interval{protection_.temper, protection_.temper};
      // Room for the rounding of two log densities and of the bound itself.
      const double lower = std::floor(std::min(range.lower, 0.0) / kLogDensityGrid * (1 + 0x1p-20)) - 16;
      const double upper = std::ceil(std::max(range.upper, 0.0) / kLogDensityGrid * (1 + 0x1p-20)) + 16;
      if (!(std::max(-lower, upper) < kLargestContribution)) {
        answers[q] = Refusal::out_of_range;
        continue;
      }
      const double unit = static_cast<double>(protection_.rows_per_unit);
      GaussianNoise noise;
      noise.sensitivity =
          unit * (protection_.adjacency == Adjacency::substitute ? upper - lower : std::max(-lower, upper));
      noise.grid = GridStep(kLogDensityGrid);
      noise.variance = GaussianNoise::variance_for(noise.sensitivity, query->cost, GaussianNoise::Integer(1) << 40);
      auto receipt = budget_->spend(noise.charge("log-likelihood ratio"));
      if (!receipt) continue;
      paid.push_back({q,
                      {&query->from, &query->to, static_cast<std::int64_t>(lower), static_cast<std::int64_t>(upper)},
                      noise,
                      std::move(*receipt)});
    }
    if (paid.empty()) return;
    std::vector<RatioTask> tasks;
    std::int64_t largest = 1;
    for (const auto& p : paid) {
      tasks.push_back(p.task);
      largest = std::max({largest, -p.task.lower, p.task.upper});
    }
    const double scale = protection_.temper / kLogDensityGrid;
    const ExactSum sum = sum_tiles(rows_.tiles(), tiles_per_run(largest), tasks.size(), protection_.threads,
                                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                                     model_.add_ratios(rows_, first, count, std::span<const RatioTask>(tasks), scale, sums);
                                   });
    for (std::size_t i = 0; i < paid.size(); ++i) {
      answers[paid[i].query] = mechanism_.release_ratio(std::move(paid[i].receipt), sum.part(i, 1), paid[i].noise);
    }
  }

  /// Query        sum over rows of scale * gradient of the log density, each coordinate on a grid of 2^-30 of the bound
  /// Sensitivity  the bound's norm or diameter in grid steps, plus one step a coordinate for rounding
  /// Otherwise    as for ratios
  void answer_gradients(std::span<const Query> queries, std::vector<Answer>& answers) {
    std::vector<Paid<GradientTask>> paid;
    const auto dim = static_cast<std::size_t>(model_.dim());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto* query = std::get_if<GradientQuery>(&queries[q]);
      if (query == nullptr) continue;
      const Position scale = query->scale.size() == 0 ? Position::Ones(model_.dim()).eval() : query->scale;
      const auto noise = vector_noise(model_.gradient_bound(query->at, scale), dim, query->cost);
      if (!noise) {
        answers[q] = Refusal::out_of_range;
        continue;
      }
      auto receipt = budget_->spend(noise->charge("gradient"));
      if (!receipt) continue;
      paid.push_back({q, {&query->at, scale * (protection_.temper / noise->grid.value())}, *noise, std::move(*receipt)});
    }
    if (paid.empty()) return;
    std::vector<GradientTask> tasks;
    for (const auto& p : paid) tasks.push_back(p.task);
    const ExactSum sum = sum_tiles(rows_.tiles(), tiles_per_run(std::int64_t{1} << 31), tasks.size() * dim,
                                   protection_.threads,
                                   [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                                     model_.add_gradients(rows_, first, count, std::span<const GradientTask>(tasks), sums);
                                   });
    for (std::size_t i = 0; i < paid.size(); ++i) {
      const Position scale = paid[i].task.factor * (paid[i].noise.grid.value() / protection_.temper);
      answers[paid[i].query] =
          mechanism_.release_gradient(std::move(paid[i].receipt), sum.part(i * dim, dim), paid[i].noise, scale);
    }
  }

  /// Query        sum over rows of the negative second derivative, upper triangle, on a grid of 2^-30 of the bound
  /// Otherwise    as for gradients
  void answer_curvatures(std::span<const Query> queries, std::vector<Answer>& answers) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto* query = std::get_if<CurvatureQuery>(&queries[q]);
      if (query == nullptr) continue;
      if constexpr (CurvatureModel<M>) {
        const auto dim = static_cast<std::size_t>(model_.dim());
        const std::size_t entries = dim * (dim + 1) / 2;
        const auto noise = vector_noise(model_.curvature_bound(query->at), entries, query->cost);
        if (!noise) {
          answers[q] = Refusal::out_of_range;
          continue;
        }
        auto receipt = budget_->spend(noise->charge("curvature"));
        if (!receipt) continue;
        const double factor = protection_.temper / noise->grid.value();
        const ExactSum sum =
            sum_tiles(rows_.tiles(), tiles_per_run(std::int64_t{1} << 31), entries, protection_.threads,
                      [&](std::size_t first, std::size_t count, std::span<std::int64_t> sums) {
                        model_.add_curvatures(rows_, first, count, query->at, factor, sums);
                      });
        answers[q] = mechanism_.release_curvature(std::move(*receipt), sum, *noise);
      } else {
        throw Error(ErrorCode::configuration, "this model has no curvature query: choose a method that does without");
      }
    }
  }

  /// Noise for an integer vector whose rows obey `bound` (in the statistic's unit, before tempering).
  [[nodiscard]] std::optional<GaussianNoise> vector_noise(GradientBound bound, std::size_t entries, Rho cost) const {
    const double norm = bound.norm * protection_.temper;
    const double diameter = std::max(bound.diameter * protection_.temper, norm);  // a dropped row contributes zero
    if (!(norm > 0) || !std::isfinite(diameter)) return std::nullopt;
    GaussianNoise noise;
    noise.entries = entries;
    noise.grid = GridStep(std::ldexp(1.0, std::ilogb(norm) - 29));  // |entry| <= norm < 2^30 steps
    const double steps =
        (protection_.adjacency == Adjacency::substitute ? diameter : norm) / noise.grid.value() * (1 + 0x1p-40) +
        std::sqrt(static_cast<double>(entries));
    noise.sensitivity = static_cast<double>(protection_.rows_per_unit) * steps;
    noise.variance = GaussianNoise::variance_for(noise.sensitivity, cost, 1);
    return noise;
  }

  /// Integers are summed in doubles inside a run: eight lanes of it must stay below 2^53.
  [[nodiscard]] static std::size_t tiles_per_run(std::int64_t largest) {
    return std::max<std::size_t>(1, std::min<std::size_t>(512, static_cast<std::size_t>((std::int64_t{1} << 49) / largest)));
  }
  static constexpr double kLargestContribution = 0x1p49;

  Rows rows_;
  M model_;
  Protection protection_;
  Budget* budget_;
  DiscreteGaussianMechanism mechanism_;
};

}  // namespace sotto
