// A stand-in for the covariates: as many normal vectors with the moments that were released.
#pragma once

#include "sotto/base/position.hpp"
#include "sotto/math/mean_function.hpp"

namespace sotto {

/// `mass` rows x ~ N(mean, covariance). It only has to be roughly right: it chooses where to look next, and centres a weak
/// prior on the information there.
struct NormalDesign {
  double mass = 1;
  Position mean;
  Matrix covariance;

  /// The design with these second moments, sum of x x'. With an intercept, column 0 is constant and gives mass and mean;
  /// without one the mean is taken to be zero and the mass to be `rows`.
  static NormalDesign from_moments(const Matrix& moments, bool intercept, double rows);

  /// Computes   mass E f(x' theta) x = mass (h0 mean + h1 covariance theta), by Stein's lemma
  /// Source     [S81, Lemma 1]
  /// Checked by tests/posterior/normal_design_test.cpp
  [[nodiscard]] Position expected(const MeanFunction& f, const Position& theta) const;
  /// Its derivative in theta: mass E f'(x' theta) x x', which is also the information about theta.
  [[nodiscard]] Matrix information(const MeanFunction& f, const Position& theta) const;
};

}  // namespace sotto
