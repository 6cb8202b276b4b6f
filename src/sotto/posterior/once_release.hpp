// The releases behind a release-once posterior: where to look, then score and information there.
#pragma once

#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// A normal distribution with independent coordinates.
struct NormalPrior {
  Position mean;
  Position sd;  ///< > 0; infinite is flat
};

/// How much of the cost each release takes; they are scaled to sum to one.
struct OnceShares {
  double first_information = 0.04;  ///< at zero: the shape of the covariates
  double first_score = 0.06;        ///< at zero: a rough position
  double second_score = 0.26;       ///< there: a better position
  double last = 0.64;               ///< information and score at the better position
};

struct OnceSettings {
  MeanFunction mean;
  Rho cost{0};            ///< of all releases together
  Position column_scale;  ///< public guess of each column's root mean square over the rows, > 0
  bool intercept = true;  ///< column 0 of the design is constant
  double residual = 0.5;  ///< largest |y - mean| at eta = 0 in the score's unit; 1/2 for a binary response
  NormalPrior prior;      ///< a normal prior, or a normal that roughly covers the prior
  double width = 0;  ///< the score bound is this many times the typical length of a row's score; 0: chosen
  OnceShares shares;
};

/// Everything the posterior is computed from, in the coordinates phi = frame^-T (theta - anchor).
/// Given theta:  score ~ N(G phi, ratio G + score_variance I),  information = G + noise.
struct OnceRelease {
  Position anchor;
  Matrix frame;    ///< z = frame x
  Position score;  ///< pooled over the scores released in this frame
  double score_variance;
  Matrix information;
  double information_variance;  ///< of a diagonal entry; half of that off the diagonal
  double squares;               ///< about ratio * trace of G
  Matrix expected;              ///< G as guessed before it was released
  double expected_weight;       ///< degrees of freedom of a Wishart distribution that is as sure of the guess
  double rows;                  ///< released number of rows
  double width;                 ///< the score bound was this many times the typical length of a row's score
};

/// Asks for two informations and three scores. Nothing it returns needs further protection.
/// Errors: budget if the interface refuses; configuration if shapes or settings do not fit.
[[nodiscard]] OnceRelease release_once(const OnceSettings& settings, QueryInterface& interface);

}  // namespace sotto
