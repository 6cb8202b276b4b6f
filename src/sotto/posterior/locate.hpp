// Looks for the posterior's place: scores at growing precision, each where the stand-in puts the mode after the last.
#pragma once

#include <vector>

#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/frame.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/residual_spread.hpp"
#include "sotto/posterior/stand_in.hpp"

namespace sotto {

/// Where the search stands.
struct Place {
  Position at;
  ResidualSpread spread{};  ///< logistic: not used
};

struct Located {
  Place place;
  bool hopeless =
      false;  ///< the whole budget on one score would leave the predictor unknown: nothing was asked
  std::vector<double> moves;  ///< of the linear predictor, step by step
};

/// `prior`: holds positions back, see locating_prior.
[[nodiscard]] Located locate(const OnceFacts& facts, const StandIn& stand_in, const Frame& frame, Place start,
                             const JointNormalPrior& prior, PaidQuestions& questions);

/// What the scale of a linear predictor is compared with: residuals of a normal model, else 1.
[[nodiscard]] double predictor_unit(const OnceFacts& facts, double dispersion);

}  // namespace sotto
