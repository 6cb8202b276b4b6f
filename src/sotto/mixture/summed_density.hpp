// The kernel seen through the channel where data are few values: a sum.
#pragma once

#include <cmath>
#include <cstddef>

#include "sotto/base/position.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// Counts and categories: g is a sum over all of the domain.
/// Computes   g / max_y q = sum_y q(z | y) / max_y q(z | y) f(y | theta)
template <class Kernel>
class SummedDensity {
 public:
  using Datum = typename Kernel::Datum;
  using Prepared = Position;  ///< shape (values): f

  template <class Data>
  SummedDensity(const Data& data, double first, double last)
      : first_(first),
        ratio_(static_cast<Eigen::Index>(data.size()), static_cast<Eigen::Index>(last - first) + 1) {
    for (Eigen::Index i = 0; i < ratio_.rows(); ++i) {
      for (Eigen::Index y = 0; y < ratio_.cols(); ++y)
        ratio_(i, y) = data.log_density(static_cast<std::size_t>(i), value(y));
      ratio_.row(i) = (ratio_.row(i).array() - ratio_.row(i).maxCoeff()).exp();
    }
  }
  [[nodiscard]] Prepared prepare(const Kernel& kernel, const typename Kernel::Parameter& theta) const {
    Prepared f(ratio_.cols());
    for (Eigen::Index y = 0; y < f.size(); ++y) f[y] = std::exp(kernel.log_density(value(y), theta));
    return f;
  }
  [[nodiscard]] double log_density(const Kernel&, std::size_t i, const Prepared& f) const {
    return std::log(ratio_.row(static_cast<Eigen::Index>(i)).dot(f));
  }
  [[nodiscard]] Datum draw(const Kernel& kernel, std::size_t i, const typename Kernel::Parameter& theta,
                           ChainRng& rng) const {
    const Prepared f = prepare(kernel, theta);
    const Position joint = ratio_.row(static_cast<Eigen::Index>(i)).transpose().cwiseProduct(f);
    double at = rng.uniform() * joint.sum();
    Eigen::Index y = 0;
    while (y + 1 < joint.size() && (at -= joint[y]) >= 0) ++y;
    return value(y);
  }

 private:
  [[nodiscard]] Datum value(Eigen::Index y) const {
    return static_cast<Datum>(first_ + static_cast<double>(y));
  }
  double first_;
  Matrix ratio_;  ///< shape (data, values): q(z | y) over its largest
};

}  // namespace sotto::mixture
