// A normal random walk that moves one coordinate at a time, chosen uniformly.
#pragma once

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// Coordinate j of a uniform choice moves by size * scale_j * z, z standard normal. The choice and the move's law do not depend on
/// where it starts, and the law is symmetric.
/// Checked by tests/proposal/proposal_test.cpp: coordinate_move_moves_one_coordinate
class CoordinateMove {
 public:
  /// Shape (dim), positive. Errors: configuration.
  explicit CoordinateMove(Position scale) : scale_(std::move(scale)) {
    if (scale_.size() == 0 || !(scale_.array() > 0).all())
      throw Error(ErrorCode::configuration, "a coordinate's move needs a positive scale for each coordinate");
  }

  [[nodiscard]] Position propose(const Position& at, double size, ChainRng& rng) const {
    Position to = at;
    const auto j = static_cast<Eigen::Index>(rng.below(static_cast<std::size_t>(at.size())));
    to[j] += size * scale_[j] * rng.normal();
    return to;
  }
  [[nodiscard]] double log_ratio(const Position& /*from*/, const Position& /*to*/, double /*size*/) const {
    return 0;
  }

 private:
  Position scale_;
};

static_assert(Proposal<CoordinateMove>);

}  // namespace sotto
