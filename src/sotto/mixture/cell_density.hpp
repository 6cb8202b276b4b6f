// A normal kernel seen through a channel that knows of a datum its cell alone: a sum over cells.
#pragma once

#include <cmath>
#include <cstddef>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/normal_interval.hpp"

namespace sotto::mixture {

/// A wavelet release depends on y through its cell.
/// Computes   g / max_y q = sum_cells q(z | cell) / max_y q P(cell | theta); data beyond the domain are in its end cells
/// Holds when epsilon < 600, so that nothing underflows
/// Checked by tests/mixture/marginal_density_test.cpp: wavelets
template <class Kernel>
class CellDensity {
 public:
  using Prepared = Position;  ///< shape (cells): P(cell)

  template <class Data>
  CellDensity(const Data& data, const HaarChannel& law)
      : law_(law), ratio_(static_cast<Eigen::Index>(data.size()), static_cast<Eigen::Index>(law.cells())) {
    if (!(law.epsilon() < 600))
      throw Error(ErrorCode::configuration,
                  "the exact marginal density needs epsilon < 600; use Neal 5 or the slice sampler");
    for (std::size_t cell = 0; cell < law.cells(); ++cell) {
      const Interval bounds = law.cell_bounds(cell);
      const double middle = bounds.lower + bounds.width() / 2;
      for (std::size_t i = 0; i < data.size(); ++i)
        ratio_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(cell)) = data.log_density(i, middle);
    }
    const Position largest = ratio_.rowwise().maxCoeff();
    ratio_ = (ratio_.colwise() - largest).array().exp();
  }
  [[nodiscard]] Prepared prepare(const Kernel&, const typename Kernel::Parameter& theta) const {
    double log_inside = 0;
    if constexpr (std::same_as<Kernel, TruncatedNormalKernel>) log_inside = theta.log_inside;
    Prepared p(ratio_.cols());
    for (Eigen::Index cell = 0; cell < p.size(); ++cell) {
      const Interval bounds = in_kernel(cell);
      p[cell] = std::exp(
          log_interval((bounds.lower - theta.mean) / theta.sd, (bounds.upper - theta.mean) / theta.sd) -
          log_inside);
    }
    return p;
  }
  [[nodiscard]] double density(const Kernel&, std::size_t i, const Prepared& p) const {
    return ratio_.row(static_cast<Eigen::Index>(i)).dot(p);
  }
  [[nodiscard]] double log_density(const Kernel& kernel, std::size_t i, const Prepared& p) const {
    return std::log(density(kernel, i, p));
  }
  /// exp(log_density) of all data.
  [[nodiscard]] Position densities(const Kernel& kernel, const typename Kernel::Parameter& theta) const {
    return ratio_ * prepare(kernel, theta);
  }
  [[nodiscard]] double draw(const Kernel& kernel, std::size_t i, const typename Kernel::Parameter& theta,
                            ChainRng& rng) const {
    const Position joint =
        ratio_.row(static_cast<Eigen::Index>(i)).transpose().cwiseProduct(prepare(kernel, theta));
    double at = rng.uniform() * joint.sum();
    Eigen::Index cell = 0;
    while (cell + 1 < joint.size() && (at -= joint[cell]) >= 0) ++cell;
    const Interval bounds = in_kernel(cell);
    return draw_normal_in(theta.mean, theta.sd, bounds.lower, bounds.upper, rng);
  }

 private:
  /// On the whole line the end cells hold what lies beyond them.
  [[nodiscard]] Interval in_kernel(Eigen::Index cell) const {
    Interval bounds = law_.cell_bounds(static_cast<std::size_t>(cell));
    if constexpr (std::same_as<Kernel, NormalKernel>) {
      if (cell == 0) bounds.lower = -HUGE_VAL;
      if (cell + 1 == ratio_.cols()) bounds.upper = HUGE_VAL;
    }
    return bounds;
  }

  HaarChannel law_;
  Matrix ratio_;  ///< shape (data, cells): q(z | cell) over its largest
};

}  // namespace sotto::mixture
