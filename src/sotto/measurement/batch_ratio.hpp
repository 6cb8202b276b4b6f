// The subsampled log-likelihood ratio less half its batch variance, as one integer with a proven sensitivity.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <span>

#include "sotto/base/int128.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/measurement/ratio.hpp"

namespace sotto {

/// The integer statistic of a batch of b = changes.size() out of `rows` rows, in steps of kLogDensityGrid (g).
/// `changes` are the batch's log density changes in steps, r_j.
/// Computes   floor( (n/b) R - (g/2) (n/b) (n/b - 1) (Q - R^2/b) ),   R = sum r_j,   Q = sum r_j^2,   without rounding
///            before the floor
/// Source     [R21, Section 4.1]
/// Differs    (n/b) (n/b - 1) instead of (n/b)^2: batches are drawn without replacement, so that one of all rows does not
///            vary at all
[[nodiscard]] Int128 batch_statistic(std::span<const std::int64_t> changes, std::size_t rows);

/// How far that statistic moves when one row of the batch is exchanged for another, in steps, rounded up.
/// Computes   2 + ((n/b) + c D) D, D the width of the range, c = (g/2) (n/b) (n/b - 1) (1 - 1/b): the sup over x, y in the range and
///            S in (b - 1) * range of |h_S(x) - h_S(y)|, h_S(x) = (n/b) x - c (x^2 - 2 S x / (b - 1)), which is
///            |x - y| |n/b + c (2 S / (b - 1) - x - y)|: with d = |x - y| at most d (n/b + c (2 D - d)), which rises up to d = D
/// Source     [R21, Lemma 1]
/// Differs    exact instead of a sum of two bounds, the first of which is twice too large (erratum E5)
/// Checked by tests/measurement/batch_ratio_test.cpp: sensitivity_bounds_every_exchange
[[nodiscard]] double batch_sensitivity(const ContributionRange& range, std::size_t batch, std::size_t rows);

/// Query        batch_statistic of a secret batch of fixed size, drawn without replacement
/// Adjacency    substitute; a unit holds one row. A row that is left out changes its log density by 0
/// Sensitivity  batch_sensitivity, an integer fact: contributions are clamped integers
/// Noise        discrete Gaussian of a variance that is a whole multiple of the grid
/// Charge       GaussianNoise::charge, of at least `least_sensitivity`, as if every row were in the batch, at most `cost`: given the batch, which does
///              not depend on the data, the loss is a Gaussian release's or none, and divergences are convex in
///              mixtures. Less is due by amplification: measure_batch_ratios
/// Source       [CKS20, Theorem 14]; [WBK19]
/// None when the noise does not fit the grid. Errors: configuration for other adjacencies and units.
[[nodiscard]] std::optional<GaussianNoise> batch_ratio_noise(const ContributionRange& range,
                                                             std::size_t batch, std::size_t rows,
                                                             const PrivacyUnit& unit, Rho cost,
                                                             double least_sensitivity = 0);

/// PrecomposedBudget ratios are priced as if none were less sensitive than this many steps (2^-10), so that the slack of their
/// discreteness has a bound.
inline constexpr double kLeastPrecomposedSensitivity = 0x1p30;

/// At least what any batch_ratio_noise of cost 1 / (2 tau) and that least sensitivity charges without sampling.
[[nodiscard]] Charge batch_ratio_charge(double tau);

/// The ratios of a run: each with noise of variance tau * sensitivity^2.
struct BatchRatioPlan {
  std::size_t batch = 0;
  double tau = 0;
  std::size_t count = 0;
  Rho others{0};  ///< of Gaussian releases of all rows beside them: a look
};

/// `count` releases of noise variance tau * sensitivity^2, as the accountant sees them.
[[nodiscard]] Event batch_ratio_event(double tau, std::size_t batch, std::size_t rows, std::size_t count);
/// All of a run: its ratios and its other releases.
[[nodiscard]] Event batch_ratio_run(const BatchRatioPlan& plan, std::size_t rows);

/// Answers ratio questions only. The released value is an estimate of the ratio from a fresh batch, less half
/// the batch's own estimated variance; its `variance` is that of the noise alone, so that a penalty kernel
/// corrects for both. The chain's target is approximate: the variance of a batch is estimated, and correlated
/// with its mean (erratum E6). The batch never leaves. A release is paid for as if its batch were known.
/// Source     [R21, Section 4.1]
/// Checked by tests/measurement/batch_ratio_test.cpp: is_priced_as_it_is_drawn
[[nodiscard]] Measure measure_batch_ratios(const Rows& rows, OwnerContext context, std::size_t batch);

/// The same, all ratios of a run paid for together, with the gain of sampling; each costs 1 / (2 tau), and
/// ratios of another cost are errors. Other questions are answered from all rows, as long as `plan.others` lasts.
/// Errors: budget, before anything is spent.
/// Computes   epsilon from the Renyi divergence of a release whose batch is known, a / (2 tau), which discrete
///            noise has like continuous noise [CKS20, Theorem 14], amplified by sampling without replacement
///            [WBK19, Theorem 9], and that of Gaussian releases of cost `others`, a others: both at every order
/// Source     docs/accounting.md, "Batches beside adaptive releases"
/// Checked by tests/measurement/batch_ratio_answers_test.cpp: other_queries_are_answered_from_what_is_granted_beside_a_prepaid_run
[[nodiscard]] Measure measure_batch_ratios(const Rows& rows, OwnerContext context, const BatchRatioPlan& plan,
                                           Ledger& ledger);

}  // namespace sotto
