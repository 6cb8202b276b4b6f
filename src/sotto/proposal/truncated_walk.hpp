// A random walk whose every coordinate moves by less than a fixed bound, so that a Lipschitz bound on the log
// density bounds the cost of a step.
#pragma once

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// Coordinate j moves by a centred normal of standard deviation size * scale_j, given that it is below
/// bound_j in absolute value. The law of the move does not depend on where it starts and is symmetric.
/// Computes   move = sqrt(2) sd erf^-1((2 u - 1) erf(bound / (sqrt(2) sd))),   u uniform
/// Source     [Y17, Assumption A3]: bound = c n^-alpha
/// Checked by tests/proposal/proposal_test.cpp: truncated_walk_stays_within_its_bound
class TruncatedWalk {
 public:
  /// Both of shape (dim), positive. Errors: configuration.
  TruncatedWalk(Position scale, Position bound) : scale_(std::move(scale)), bound_(std::move(bound)) {
    if (scale_.size() != bound_.size() || !(scale_.array() > 0).all() || !(bound_.array() > 0).all()) {
      throw Error(ErrorCode::configuration,
                  "a truncated walk needs a positive scale and bound for each coordinate");
    }
  }

  [[nodiscard]] Position propose(const Position& at, double size, ChainRng& rng) const {
    Position to = at;
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double spread = std::sqrt(2.0) * size * scale_[j];
      const double within = std::erf(bound_[j] / spread);
      // u at the middle of one of 2^52 cells of (0, 1), so that neither end is reached.
      const double u = (std::floor(rng.uniform() * 0x1p52) + 0.5) * 0x1p-52;
      to[j] += spread * boost::math::erf_inv((2 * u - 1) * within);
    }
    return to;
  }
  [[nodiscard]] double log_ratio(const Position& /*from*/, const Position& /*to*/, double /*size*/) const {
    return 0;
  }

 private:
  Position scale_;
  Position bound_;
};

static_assert(Proposal<TruncatedWalk>);

}  // namespace sotto
