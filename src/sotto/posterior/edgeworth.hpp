// How a score's distribution departs from a normal one whose variance is that at the anchor.
#pragma once

#include <optional>

#include "sotto/posterior/once_release.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// To the order of one over the square root of the rows: of responses with a canonical link the score's variance changes with the
/// position by K phi, and its third cumulant is K = sum of m''(x' anchor) x x x. With r the score less its mean at phi, and
/// w = (spread + noise)^-1 r, its log density is that of the normal with the anchor's variance and
///
///   K(phi, w, w) / 2 - K(phi, W) / 2 + K(w, w, w) / 6 - K(w, W) / 2,   W = (spread + noise)^-1.
///
/// Without noise this makes the likelihood's own third derivative of the normal's, which is three times as large.
///
/// Where the normal's variance already follows the position, J times a level, only what it does not see is left of the first two terms,
/// and the third cumulant has the level too: few events leave little of the variance where fewer are expected, far beyond the reach
/// of a series.
///
/// Computes   K by the stand-in: given the linear predictor a part's rows are normal
/// Source     [M87, Section 5.3] for the expansion; docs/release-once.md for what it does
/// Holds when the terms are small; they are cut off beyond 1, and below -4
/// Checked by tests/posterior/edgeworth_test.cpp: is_what_simulated_rows_say, makes_the_likelihoods_third_derivative, follows_the_likelihood_of_few_events
class Edgeworth {
 public:
  /// What the normal's variance makes of the change of J: `level` at phi, to first order 1 + `growth`; J(w, w) and J(W).
  struct Following {
    double level = 1, growth = 0, of_w = 0, of_precision = 0;
  };
  /// In the coordinates phi of `frame`; K is multiplied by `level`, what weights leave of it.
  Edgeworth(const StandIn& stand_in, const Matrix& frame, const Position& anchor, double level);

  /// In the coordinates psi, phi = rotation psi, in which W is diagonal.
  [[nodiscard]] Edgeworth turned(const Matrix& rotation, const Position& w) const;
  /// Linear images of phi, one a row, that are asked for: chains have them at hand.
  [[nodiscard]] const Matrix& images() const { return images_; }
  [[nodiscard]] double operator()(const Position& images_of_phi, const Position& phi, const Position& w,
                                  const Following& following) const;

 private:
  /// K(., W)
  [[nodiscard]] Position contracted(const Position& diagonal) const;

  // Shape (parts, 4): sums of m'' t^k over a part's rows, t the linear predictor in its standard deviations from the part's mean.
  Matrix averages_;
  Matrix images_;  // shape (parts + 1, dim): means of the parts, then what goes with t
  Position shares_;
  double length_;  // second moment of a row in any direction
  Position contracted_;
};

/// Where the releases are scores of such responses, of rows each for itself, and little is clipped.
[[nodiscard]] std::optional<Edgeworth> edgeworth(const OnceRelease& release);

}  // namespace sotto
