// The parts of an atom that are moved by themselves: one of most kernels, one of each column of a product.
#pragma once

#include <cstddef>

#include "sotto/mixture/kernel/product_kernel.hpp"

namespace sotto::mixture {

template <class Kernel>
struct KernelParts {
  using Part = Kernel;
  static constexpr std::size_t kCount = 1;
  static const Part& kernel(const Kernel& whole, std::size_t) { return whole; }
  static typename Part::Parameter& of(typename Kernel::Parameter& theta, std::size_t) { return theta; }
  static const typename Part::Parameter& of(const typename Kernel::Parameter& theta, std::size_t) {
    return theta;
  }
};

template <int Dim, class One>
struct KernelParts<ProductKernel<Dim, One>> {
  using Kernel = ProductKernel<Dim, One>;
  using Part = One;
  static constexpr auto kCount = static_cast<std::size_t>(Dim);
  static const Part& kernel(const Kernel& whole, std::size_t d) { return whole.part(d); }
  static typename Part::Parameter& of(typename Kernel::Parameter& theta, std::size_t d) { return theta[d]; }
  static const typename Part::Parameter& of(const typename Kernel::Parameter& theta, std::size_t d) {
    return theta[d];
  }
};

}  // namespace sotto::mixture
