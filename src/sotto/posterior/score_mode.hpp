// Where a posterior is highest that one score tells of.
#pragma once

#include <functional>

#include "sotto/posterior/once_facts.hpp"

namespace sotto {

/// Of a score, by where the truth is: its mean, shape (dim), and the derivative of that, shape (dim, dim).
struct ScoreMean {
  std::function<Position(const Position& at)> value;
  std::function<Matrix(const Position& at)> slope;
};

/// Position of highest density where score ~ N(mean(position), noise) and position ~ prior: damped Newton steps from `from`.
/// `wanted` is called before each, which takes long where columns are hundreds, and may throw.
///
/// Checked by tests/posterior/score_mode_test.cpp: is_where_a_bent_score_points, is_between_score_and_prior
[[nodiscard]] Position score_mode(const ScoreMean& mean, const Position& score, const Matrix& noise,
                                  const Position& from, const JointNormalPrior& prior,
                                  const std::function<void()>& wanted = {});

}  // namespace sotto
