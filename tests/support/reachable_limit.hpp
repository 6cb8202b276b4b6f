// How narrow a private posterior could be: weights and clips chosen with knowledge of the data, the whole budget on one score
// at the right position, the information known exactly.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "support/bounded_row.hpp"
#include "support/once_study.hpp"
#include "support/row_oracle.hpp"

namespace sotto {

/// Mean over coefficients of the least posterior sd over the non-private one. `reach`: 2 (substitute) or 1.
[[nodiscard]] inline double reachable_limit(const SimulatedRegression& data, const NormalFit& fit, double rho,
                                            double reach) {
  const Eigen::Index n = data.x.rows();
  const Position eta = data.x * fit.mean;
  Matrix prior = Matrix(fit.sd.cwiseAbs2().cwiseInverse().asDiagonal()) * 1e-6;
  const Eigen::Index unknown = data.x.cols() - (data.offset ? 1 : 0);
  if (data.offset) prior(unknown, unknown) *= 1e6;
  double best = HUGE_VAL;
  const std::vector<double> clips =
      data.link == Link::logit ? std::vector<double>{1} : std::vector<double>{1.3, 2, 3, 4};
  for (const double clip : clips) {
    Position psi(n), largest(n), slope(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double mean = testing_reference::mean_at(data.link, eta[i]);
      const BoundedResidual r = with_response(
          data.link, [&](auto response) { return response.residual(data.y[i], mean, clip * fit.sigma, 0); });
      psi[i] = data.link == Link::logit ? std::sqrt(r.slope) : r.psi;
      largest[i] = r.largest;
      slope[i] = r.slope;
    }
    if (data.link == Link::identity) slope.setConstant(slope.mean());
    const Matrix moments = data.x.transpose() * slope.asDiagonal() * data.x / static_cast<double>(n);
    const Matrix root = Eigen::LLT<Matrix>(moments).matrixL();
    const Matrix frame = root.inverse();
    const Matrix z = data.x * frame.transpose();
    const Position pull = z.rowwise().norm().cwiseProduct(largest);
    Position sorted = pull;
    std::nth_element(sorted.begin(), sorted.begin() + n / 2, sorted.end());
    for (const double width : {.5, .7, 1., 1.4, 2., 3., 5., 9.}) {
      const double bound = width * sorted[n / 2];
      const Position c = (bound / pull.array()).min(1.0);
      const Matrix g = z.transpose() * c.cwiseProduct(slope).asDiagonal() * z;
      Matrix v = z.transpose() * c.cwiseProduct(psi).cwiseAbs2().asDiagonal() * z;
      v.diagonal().array() += reach * reach * bound * bound / (2 * rho);
      const Matrix covariance = (g * v.llt().solve(g) + frame * prior * frame.transpose()).inverse();
      const Position sd = (frame.transpose() * covariance * frame).diagonal().cwiseSqrt();
      best = std::min(best, sd.cwiseQuotient(fit.sd).head(unknown).mean());
    }
  }
  return std::max(best, 1.0);
}

}  // namespace sotto
