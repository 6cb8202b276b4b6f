// Density estimates with the beta kernel, on the unit interval.
#include "sotto/mixture/fit/density_by_channel.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"

namespace sotto {

DensityResult estimate_with_beta(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                                 const DensitySettings& settings) {
  return estimate_with(mixture::BetaKernel(beta_base()), column, released, rows, settings);
}

DensityResult estimate_confidential_with_beta(const std::vector<double>& data,
                                              const DensitySettings& settings) {
  std::vector<double> inside;
  for (const double y : data) inside.push_back(std::clamp(y, 1e-3, 1 - 1e-3));
  return estimate_confidential(mixture::BetaKernel(beta_base()), inside, {0, 1}, settings);
}

}  // namespace sotto
