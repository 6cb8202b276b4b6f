// A normal random walk that moves one coordinate at a time, chosen uniformly.
#pragma once

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// Along column j of the axes, a uniform choice, the position moves by size * z, z standard normal. The choice and the move's law do not
/// depend on where it starts, and the law is symmetric.
/// Checked by tests/proposal/proposal_test.cpp: coordinate_move_moves_one_coordinate
class CoordinateMove {
 public:
  /// Shape (dim, dim), of full rank: triangular, with a diagonal that is positive. Errors: configuration.
  explicit CoordinateMove(Matrix axes) : axes_(std::move(axes)) {
    if (axes_.rows() == 0 || axes_.rows() != axes_.cols() || !(axes_.diagonal().array() > 0).all())
      throw Error(ErrorCode::configuration, "a coordinate's move needs a positive scale for each coordinate");
  }

  [[nodiscard]] Position propose(const Position& at, double size, ChainRng& rng) const {
    const auto j = static_cast<Eigen::Index>(rng.below(static_cast<std::size_t>(at.size())));
    return at + size * rng.normal() * axes_.col(j);
  }
  [[nodiscard]] double log_ratio(const Position& /*from*/, const Position& /*to*/, double /*size*/) const {
    return 0;
  }

 private:
  Matrix axes_;
};

static_assert(Proposal<CoordinateMove>);

}  // namespace sotto
