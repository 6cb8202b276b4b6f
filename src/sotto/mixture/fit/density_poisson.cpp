// Probabilities of counts, with the Poisson kernel.
#include "sotto/mixture/fit/density_by_channel.hpp"

namespace sotto {

DensityResult estimate_with_poisson(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                                    const DensitySettings& settings) {
  const Interval domain{column.settings.lower, column.settings.upper};
  (void)whole_numbers(domain);  // refuses domains without counts
  return estimate_with(poisson_kernel(domain), column, released, rows, settings);
}

DensityResult estimate_confidential_with_poisson(const std::vector<double>& data, const Interval& domain,
                                                 const DensitySettings& settings) {
  (void)whole_numbers(domain);
  std::vector<double> counts;
  for (const double y : data) counts.push_back(std::fmax(0, std::round(y)));
  return estimate_confidential(poisson_kernel(domain), counts, domain, settings);
}

}  // namespace sotto
