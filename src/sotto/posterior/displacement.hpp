// How far a position is from the last score's, measured by what the score's mean becomes there.
#pragma once

#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// The released information G is a slope at the anchor; scores of binary responses and counts bend away from it. At `at`, phi
/// away, the score's mean is G h: h is phi, and as much more or less as the stand-in's own score bends from its slope there.
///
/// Computes   h = phi + S^-1 frame (expected(at) - expected(anchor) - expected'(anchor) (at - anchor)),  S = frame slope frame'
///            in terms that are linear in the position, and averages over the parts of the rows
/// Checked by tests/posterior/displacement_test.cpp: bends_as_the_expected_score_does
class Displacement {
 public:
  Displacement(const StandIn& stand_in, const Matrix& frame, const Position& anchor);

  [[nodiscard]] Position operator()(const Position& at) const;
  /// Of h by the position: shape (dim, dim).
  [[nodiscard]] Matrix derivative(const Position& at) const;

  /// Of a position: the linear images that h is made of.
  struct Images {
    Matrix straight;  ///< shape (dim, dim), of at - anchor
    Matrix pull;      ///< shape (dim, dim), of at: what the slope's average multiplies
    Matrix
        deviation;  ///< shape (dim, dim), of at: its square is the linear predictor's variance within a part
    Matrix predictors;  ///< shape (parts, dim), of at: the linear predictor's mean in each part
  };
  [[nodiscard]] const Images& images() const { return images_; }
  /// Averages over the rows: h = straight + columns mean - origin + slope pull.
  struct Averages {
    Position mean;  ///< of the mean function, one per part
    double slope;   ///< of its derivative, over all parts
  };
  [[nodiscard]] Averages averages(const Position& predictors, double variance) const;
  [[nodiscard]] Averages averages_at(const Position& at) const;
  [[nodiscard]] Averages averages_at_anchor() const { return averages_at(anchor_); }
  /// Of the logarithm of the slope's average by the position, at the anchor: shape (dim).
  [[nodiscard]] Position growth() const;
  [[nodiscard]] const Matrix& columns() const { return columns_; }
  [[nodiscard]] const Position& origin() const { return origin_; }

 private:
  StandIn stand_in_;
  Position anchor_;
  Images images_;
  Matrix columns_;   // shape (dim, parts)
  Position origin_;  // h is 0 at the anchor
  Matrix back_;      // shape (dim, dim): S^-1 frame; empty of an identity link
};

}  // namespace sotto
