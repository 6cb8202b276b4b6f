// Where to begin: an intercept, from a noisy total or histogram.
#pragma once

#include <optional>
#include <vector>

#include "sotto/posterior/at_bounds.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

constexpr double kMedianNoise =
    0.125;  ///< of all cells together, over the rows: a median is then between the 37th and 63rd hundredth

/// Where a noisy histogram's distribution function crosses one half, as a (fractional) place among the edges. The cumulated
/// counts are made monotone by pooling neighbours, so empty bins with noise do no harm.
/// Checked by tests/posterior/start_test.cpp: interpolates_where_half_of_the_rows_lie_below
[[nodiscard]] double median_place(const Position& counts, double rows);

/// Linear predictor of a model without covariates: logit of the share of ones, median of y, or median of log(y + 1/2).
struct FirstIntercept {
  double value = 0;
  double doubt =
      0;  ///< how far off it may be; medians: a bin's width, or half the range where noise hides the bins
  std::vector<AtBound> at_bounds{};      ///< of the responses
  std::optional<NoisyVector> counted{};  ///< histogram of the responses that count, each in one cell
  std::optional<double> few_usable{};  ///< of times at risk: share of the rows that count, where it is small
  std::optional<double> not_all_usable{};  ///< likewise, by not_all_usable
  std::optional<double>
      hardly_lived{};  ///< of times at risk: average share of the last piece that those who began lived through,
                       ///< where it is clearly small
  std::optional<double>
      nearly_all{};  ///< share of binary responses that are 1, or of times that end with the event, where it clearly is
  std::optional<double> no_zero_seen{};  ///< share of ones, where noise hides whether there is any zero
};
/// `usable_rows`: one number, with its noise's variance.
[[nodiscard]] FirstIntercept first_intercept(const OnceFacts& facts, const NoisyVector& usable_rows,
                                             PaidQuestions& questions);

}  // namespace sotto
