// A proposal that forgets where it stands: a normal around a fixed centre.
#pragma once

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// Candidates are Normal(mean, covariance), whatever the position and the size are. For a centre and spread
/// known beforehand or released before, as from a noisy mode.
class Independence {
 public:
  /// Errors: configuration when the covariance is not positive definite or the shapes differ.
  Independence(Position mean, const Matrix& covariance) : mean_(std::move(mean)), decomposition_(covariance) {
    if (covariance.rows() != mean_.size() || !decomposition_.is_positive_definite()) {
      throw Error(ErrorCode::configuration,
                  "an independence proposal needs a mean and a positive definite covariance");
    }
  }

  [[nodiscard]] Position propose(const Position& at, double /*size*/, ChainRng& rng) const {
    return mean_ + decomposition_.lower() * rng.normals(at.size());
  }
  [[nodiscard]] double log_ratio(const Position& from, const Position& to, double /*size*/) const {
    return log_density(from) - log_density(to);
  }

 private:
  [[nodiscard]] double log_density(const Position& x) const {
    return -decomposition_.half_solve(x - mean_).squaredNorm() / 2;
  }
  Position mean_;
  Cholesky decomposition_;
};

static_assert(Proposal<Independence>);

}  // namespace sotto
