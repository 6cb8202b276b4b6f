// What is shown of a mixture: for each column the density of one datum, given an atom.
#pragma once

#include <cstddef>
#include <utility>

#include "sotto/mixture/kernel/product_kernel.hpp"

namespace sotto {

/// One column, shown by the sampler's own kernel.
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

/// Several columns, each by its part of the product.
template <int Dim, class Part>
class Marginal<mixture::ProductKernel<Dim, Part>> {
 public:
  using Kernel = mixture::ProductKernel<Dim, Part>;

  /// Column d given an atom of all.
  class OneColumn {
   public:
    using Datum = double;
    using Parameter = typename Kernel::Parameter;
    static constexpr bool kDiscrete = Part::kDiscrete;
    OneColumn(const Kernel& kernel, std::size_t d) : kernel_(kernel), d_(d) {}
    [[nodiscard]] double log_density(double y, const Parameter& theta) const {
      return kernel_.part(d_).log_density(y, theta[d_]);
    }
    Parameter draw_prior(ChainRng& rng) const { return kernel_.draw_prior(rng); }
    [[nodiscard]] double cumulative(double y, const Parameter& theta) const {
      return kernel_.part(d_).cumulative(y, theta[d_]);
    }
    bool add_cells(const Position& grid, const Parameter& theta, double weight,
                   Eigen::Ref<Position> out) const {
      return kernel_.part(d_).add_cells(grid, theta[d_], weight, out);
    }
    [[nodiscard]] double mean(const Parameter& theta) const { return kernel_.part(d_).mean(theta[d_]); }

   private:
    const Kernel& kernel_;
    std::size_t d_;
  };

  explicit Marginal(Kernel kernel) : kernel_(std::move(kernel)) {}
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] OneColumn column(std::size_t d) const { return {kernel_, d}; }
  static double value(const typename Kernel::Datum& y, std::size_t d) {
    return y[static_cast<Eigen::Index>(d)];
  }

 private:
  Kernel kernel_;
};

}  // namespace sotto
