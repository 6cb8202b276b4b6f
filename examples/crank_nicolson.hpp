// A proposal of one's own: the preconditioned Crank-Nicolson walk, which a normal prior leaves as it is.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/proposal/proposal.hpp"

namespace example {

/// Computes   to = centre + sqrt(1 - b^2) (from - centre) + b scale z,   b = min(size, 1),   z standard normal
/// Source     Cotter, Roberts, Stuart and White (2013), MCMC methods for functions, Statistical Science 28(3)
///
/// It is reversible for Normal(centre, diag(scale^2)): N(from) q(to | from) = N(to) q(from | to). With that as the prior, prior and
/// proposal cancel in the acceptance test, whatever the dimension is, and only the rows' ratio is left.
struct CrankNicolson {
  sotto::Position centre, scale;

  [[nodiscard]] sotto::Position propose(const sotto::Position& from, double size,
                                        sotto::ChainRng& rng) const {
    const double b = std::min(size, 1.0);
    return centre + std::sqrt(1 - b * b) * (from - centre) + b * scale.cwiseProduct(rng.normals(from.size()));
  }
  /// log q(from | to) - log q(to | from)
  [[nodiscard]] double log_ratio(const sotto::Position& from, const sotto::Position& to,
                                 double /*size*/) const {
    return ((to - centre).cwiseQuotient(scale).squaredNorm() -
            (from - centre).cwiseQuotient(scale).squaredNorm()) /
           2;
  }
};

static_assert(sotto::Proposal<CrankNicolson>);

}  // namespace example
