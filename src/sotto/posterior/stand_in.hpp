// A stand-in for the covariates: as many vectors with the moments that were released, normal but for rare levels.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/posterior/once_facts.hpp"

namespace sotto {

/// Distribution of the linear predictor over the rows, or over a part of them.
struct NormalPredictor {
  double mean, sd;
  double share = 1;
};

/// How a column's values are spread: so many values, and each one's share of the rows.
struct ColumnSpread {
  Position values, shares;
};

/// Rows that have one rare value of a column of two values, or none, and offsets of one size: they vary alike around means of
/// their own.
struct Part {
  double share;  ///< of the rows
  Position mean;
};

/// A response's row of one threshold, over all responses.
struct ThresholdRows {
  double mean;         ///< P(y > k)
  Matrix information;  ///< E m (1 - m) x x'
};

/// `rows` rows, x ~ N(a part's mean, the parts' common covariance). It says where to look next and how
/// wide bounds should be; the posterior is computed from releases.
class StandIn {
 public:
  /// The design in which z = frame x has second moments I per row, but that the mean and the square of a column of two values, each noisy,
  /// say one share of the rows. What is constant, an intercept or all levels of a category,
  /// gives the mean. Rows with the rarer value of a column of two values are a part, the rarest first, twenty parts at the most,
  /// as long as a fiftieth of the rows are in no such part. Where nothing is constant the mean
  /// has the share of the second moments that the schema's middle has. `resolved`: every direction of the frame stands clear of
  /// the noise; else there are no parts, as noise would pass for rare values. `offsets`: where there is an offset, every part is
  /// one of such rows with offsets of one size: they differ too much from one another to be taken for normal. Of ordered categories
  /// every part is one of rows of one threshold, which count with the thresholds' weights.
  StandIn(const OnceFacts& facts, const Matrix& frame, double rows, bool resolved = true,
          const ColumnSpread& offsets = {});

  /// The same where the rows of each part count so much: weights, one per part.
  [[nodiscard]] StandIn weighted(const Position& weights) const;

  /// Of all rows.
  [[nodiscard]] const Position& mean() const { return mean_; }
  [[nodiscard]] const Matrix& covariance() const { return covariance_; }
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] const Matrix& within() const { return within_; }  ///< covariance of every part
  /// Second moments of x, per row.
  [[nodiscard]] Matrix moments() const { return mean_ * mean_.transpose() + covariance_; }
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] Link link() const { return function_.link; }
  [[nodiscard]] bool has_thresholds() const { return first_threshold_.has_value(); }

  /// Computes   rows E f(x' at) x = rows (h0 mean + h1 covariance at), by Stein's lemma in every part
  /// Source     [S81, Lemma 1]
  /// Checked by tests/posterior/stand_in_test.cpp: expected_score_matches_simulated_rows
  [[nodiscard]] Position expected(const Position& at) const;
  [[nodiscard]] Matrix derivative(const Position& at) const;
  /// The derivative with eigenvalues raised to a tenth of those at a constant variance, of ordered categories to a thousandth: expected
  /// information.
  [[nodiscard]] Matrix slope(const Position& at) const;
  /// Averages of the mean function and its derivatives over rows of a part, whose linear predictors have this mean and
  /// variance.
  [[nodiscard]] std::array<double, 4> averages(double mean, double variance) const;
  /// Over all rows, as if it were normal.
  [[nodiscard]] NormalPredictor predictor(const Position& at) const;
  /// Over the rows of each part.
  [[nodiscard]] std::vector<NormalPredictor> predictors(const Position& at) const;
  /// Mean derivative of the mean function.
  [[nodiscard]] double variance(const Position& at) const;
  /// Binary responses: mean of max(m, 1 - m).
  [[nodiscard]] double typical_residual(const Position& at) const;
  /// Ordered categories: expected sum over the responses of s s', with s the weighted sum of x (1{y > k} - m_k) over the thresholds.
  /// Checked by tests/posterior/thresholds_test.cpp: squares_of_ordered_categories_match_simulated_rows
  [[nodiscard]] Matrix ordered_squares(const Position& at) const;
  /// Ordered categories.
  /// Checked by tests/posterior/threshold_effects_test.cpp: rows_of_a_threshold_match_simulated_rows
  [[nodiscard]] ThresholdRows threshold(const Position& at, Eigen::Index k) const;
  /// E f(m) x over the responses' rows of a threshold, by quadrature.
  [[nodiscard]] Position over_threshold(const Position& at, Eigen::Index k,
                                        const std::function<double(double)>& f) const;
  /// Root mean square of S (release/regression_query.hpp) in a frame.
  [[nodiscard]] double typical_ordered_score(const Position& at, const Matrix& frame) const;
  /// The trace of that over that of the expected information, both as the moments' root sees them.
  [[nodiscard]] double ordered_dispersion(const Position& at) const;

  /// Position of highest posterior density when a score released in `frame` at `from` has covariance `noise`, see score_mode.hpp:
  /// score ~ N(frame (expected(at) - expected(from)), noise).
  [[nodiscard]] Position mode(const Matrix& frame, const Position& score, const Matrix& noise,
                              const Position& from, const JointNormalPrior& prior,
                              const std::function<void()>& wanted = {}) const;

 private:
  void agree_on_shares(const OnceFacts& facts);
  void split(const OnceFacts& facts);
  void split(const ColumnSpread& offsets);
  void forget_thresholds();
  void split_thresholds();
  /// Linear predictors, over the rows of each part, before thresholds are split and without what they add.
  [[nodiscard]] std::vector<NormalPredictor> common_predictors(const Position& at) const;
  /// Of a part's rows, per row.
  [[nodiscard]] Matrix derivative(const Part& part, const Position& at) const;
  /// How the columns of a part's rows go with the linear predictor, in its standard deviations; zero where rounding is all it has.
  [[nodiscard]] Position along(const Position& at) const;
  [[nodiscard]] double shift(const Position& at, Eigen::Index threshold) const;

  MeanFunction function_;
  double rows_;
  Position mean_;
  Matrix covariance_;
  std::vector<Part> parts_;
  Matrix within_;
  std::optional<Eigen::Index> first_threshold_;
  Position threshold_weights_;
  Matrix root_, root_inverse_;  // of the moments
};

}  // namespace sotto
