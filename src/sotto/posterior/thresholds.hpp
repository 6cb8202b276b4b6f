// Responses in ordered categories: where thresholds begin, and how much each weighs, from a noisy count of every category.
#pragma once

#include <vector>

#include "sotto/posterior/once_facts.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

struct FirstThresholds {
  Position at;                           ///< position of a model without covariates
  Position weights;                      ///< of the thresholds, mean 1
  std::vector<Eigen::Index> hardly_any;  ///< categories whose count does not stand clear of the noise
};

/// How many responses each category has.
[[nodiscard]] HistogramQuery category_counts(const OnceFacts& facts, Rho cost);

/// The weight of a threshold is the share of the two categories that it lies between: where covariates have no effect, the weighted
/// sum of its rows' scores is the score of the cumulative logit likelihood.
/// Computes   sum over k of (p_k + p_(k+1)) (1{y > k} - g_k) = 1 - g_(y-1) - g_y up to a constant, with g_k = P(y > k)
/// Source     docs/release-once.md, "Ordered categories"
/// Checked by tests/posterior/thresholds_test.cpp: begin_at_the_log_odds_to_lie_beyond_them
[[nodiscard]] FirstThresholds first_thresholds(const OnceFacts& facts, const NoisyVector& counts);

}  // namespace sotto
