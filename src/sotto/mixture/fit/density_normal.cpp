// Density estimates with the truncated normal kernel.
#include "sotto/mixture/fit/density_by_channel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"

namespace sotto {
namespace {

mixture::TruncatedNormalKernel kernel_on(const Interval& domain) { return {base_measure(domain), domain}; }

}  // namespace

DensityResult estimate_with_normal(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                                   const DensitySettings& settings) {
  const Interval domain{column.settings.lower, column.settings.upper};
  return estimate_with(kernel_on(domain), column, released, rows, settings);
}

DensityResult estimate_confidential_with_normal(const std::vector<double>& data, const Interval& domain,
                                                const DensitySettings& settings) {
  return estimate_confidential(kernel_on(domain), data, domain, settings);
}

}  // namespace sotto
