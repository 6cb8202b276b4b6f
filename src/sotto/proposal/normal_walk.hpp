// A normal random walk, preconditioned by a covariance.
#pragma once

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/proposal/proposal.hpp"

namespace sotto {

/// Computes   to = from + size * factor * z,   factor factor' = covariance,   z standard normal
class NormalWalk {
 public:
  NormalWalk() = default;
  /// `covariance`: any Eigen expression of shape (dim, dim), positive definite. Errors: configuration.
  template <class Derived>
  NormalWalk(const Eigen::EigenBase<Derived>& covariance)
      : covariance_(covariance.derived()) {  // NOLINT: a matrix is a walk
    factorise();
  }

  [[nodiscard]] Position propose(const Position& at, double size, ChainRng& rng) const {
    return at + size * (factor_ * rng.normals(at.size()));
  }
  [[nodiscard]] double log_ratio(const Position& /*from*/, const Position& /*to*/, double /*size*/) const {
    return 0;
  }

  void learn(const Matrix& covariance) {
    covariance_ = covariance;
    factorise();
  }
  [[nodiscard]] const Matrix& covariance() const { return covariance_; }

 private:
  void factorise() {
    const Cholesky decomposition(covariance_);
    if (covariance_.rows() != covariance_.cols() || !decomposition.is_positive_definite()) {
      throw Error(ErrorCode::configuration, "the covariance of a proposal must be positive definite");
    }
    factor_ = decomposition.lower();
  }
  Matrix covariance_;
  Matrix factor_;
};

static_assert(Proposal<NormalWalk>);

}  // namespace sotto
