// From a method's needs to the owner that answers it, and to what its chains may ask there.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/release/query.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// What answers a method's queries.
enum class QueryRegime {
  rows,                       ///< all rows: ratios, gradients, scores, informations
  trajectories,               ///< likewise; or gradients of secret Poisson batches, beside ratios of all rows
  batches,                    ///< gradients of secret Poisson batches
  batch_ratios,               ///< ratios of secret batches of fixed size
  variance_completed_ratios,  ///< the same, batch and noise with variance 2 together
  statistics,                 ///< the sufficient statistic of an exponential family
};

/// What one step of a chain may ask for: settled before the first query, from public things alone.
struct StepBudget {
  Rho step_cost{0};             ///< of all queries of a step together
  double rate = 1;              ///< batches: of each row
  double noise_multiplier = 0;  ///< batches: of each gradient
  double ratio_bound = 0;       ///< variance-completed ratios: of one row's log ratio
  double step_size = 0;         ///< variance-completed ratios: the longest that a row's log ratio allows
  std::function<Position(const Position&)> coefficients;  ///< statistics: see StandardStatistic
};

struct RunPlan {
  std::unique_ptr<QueryInterface> interface;
  StepBudget step_budget;
  Rho look_cost{0};   ///< kept for a look at the rows before the chains begin (pilot.hpp)
  Rho steps_cost{0};  ///< of all steps together; 0: their number is settled, as they are paid for
};

/// Of the cost of hmc's steps. The path's gradients are noisy in every direction, the ratio is in one: what both add to the test's
/// variance is least where the ratio has one part of the cost and the gradients sqrt(dim) (docs/walks.md).
[[nodiscard]] double share_of_ratio(Eigen::Index dim);

/// Rows of a batch of fixed size: what is configured, else nine in ten: the fewer, the fewer draws a budget buys (docs/walks.md).
/// Errors: configuration where there are too few.
[[nodiscard]] std::size_t size_of_batch(const FitConfig& config, std::size_t rows);

/// In the place of the number of steps that a plan was made for, which must not be settled.
void share_among(std::size_t steps, RunPlan& plan);

/// An owner whose budget lasts for `steps` steps of all chains together, after a look if the method `looks` first. Batches
/// are paid for here, all of them.
/// Errors: configuration when the model or the data's protection rule the regime out, saying what to choose instead;
/// budget when it cannot pay, or pays only for steps that never arrive. `wanted`: called before batches are paid for, once their noise
/// is known, which takes a while; what it throws leaves the ledger as it was.
[[nodiscard]] RunPlan make_run_plan(QueryRegime regime, const FitConfig& config, const Problem& problem,
                                    std::size_t steps, Ledger& ledger, EntropySource& entropy,
                                    bool looks = false, const std::function<void()>& wanted = {});

/// NOT PRIVATE: an owner that answers exactly, clipped where method.clip_* say so; `for_look`: with variances as if answers were paid
/// for. Errors: configuration when the model cannot be clipped.
[[nodiscard]] std::unique_ptr<QueryInterface> open_without_privacy(const FitConfig& config,
                                                                   const Problem& problem,
                                                                   bool for_look = false);

}  // namespace sotto
