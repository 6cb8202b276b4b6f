#include "sotto/posterior/anchor_residuals.hpp"

#include <cmath>

#include "sotto/math/decomposition.hpp"

namespace sotto {

AnchorResiduals anchor_residuals(const PooledRelease& release, const Matrix& clear_spread,
                                 const NormalBase& base) {
  const Matrix products = base.covariance + base.mean * base.mean.transpose();
  // Of the score's distance from its mean, what the rows' residuals are expected to have brought.
  const Matrix of_rows = Cholesky(score_covariance(release, products)).solve(clear_spread).transpose();
  const Spectrum information(release.information);
  const Matrix root = information.with(information.values().cwiseSqrt()) / std::sqrt(release.square_level);
  const Matrix to_fit = root * Cholesky(release.information).solve(of_rows);
  return {to_fit * release.score, root - to_fit * release.information, of_rows.trace()};
}

}  // namespace sotto
