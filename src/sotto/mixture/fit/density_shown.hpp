// What is shown of a mixture: for each column the density of one datum, given an atom.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "sotto/mixture/kernel/multivariate_normal_kernel.hpp"

namespace sotto {

/// One column, shown by a kernel on its data: the sampler's own, except where the sampler works on releases.
template <class Kernel>
class Marginal {
 public:
  explicit Marginal(Kernel kernel) : kernel_(std::move(kernel)) {}
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const Kernel& column(std::size_t) const { return kernel_; }
  static double value(const typename Kernel::Datum& y, std::size_t) { return static_cast<double>(y); }

 private:
  Kernel kernel_;
};

/// Coordinate d of a multivariate normal kernel.
template <int Dim>
class NormalMargin {
 public:
  using Kernel = mixture::MultivariateNormalKernel<Dim>;
  using Datum = double;
  using Parameter = typename Kernel::Parameter;

  NormalMargin(Kernel kernel, int d) : kernel_(std::move(kernel)), d_(d) {}
  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    const double sd = theta.factor.row(d_).norm();
    const double x = (y - theta.mean[d_]) / sd;
    return -0.5 * x * x - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
  }
  Parameter draw_prior(ChainRng& rng) const { return kernel_.draw_prior(rng); }

 private:
  Kernel kernel_;
  int d_;
};

/// Several columns, each by its margin.
template <int Dim>
class ShownRows {
 public:
  using Kernel = mixture::MultivariateNormalKernel<Dim>;
  explicit ShownRows(Kernel kernel) : kernel_(std::move(kernel)) {}
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] NormalMargin<Dim> column(std::size_t d) const { return {kernel_, static_cast<int>(d)}; }
  static double value(const typename Kernel::Datum& y, std::size_t d) {
    return y[static_cast<Eigen::Index>(d)];
  }

 private:
  Kernel kernel_;
};

}  // namespace sotto
