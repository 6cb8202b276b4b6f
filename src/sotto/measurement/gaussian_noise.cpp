#include "sotto/measurement/gaussian_noise.hpp"

#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {

Rho GaussianNoise::rho() const {
  return Rho(sensitivity * sensitivity / (2 * static_cast<double>(variance)) * kRoundUp);
}

double GaussianNoise::slack() const {
  return sensitivity * std::sqrt(static_cast<double>(entries)) / static_cast<double>(variance) * kRoundUp;
}

Charge GaussianNoise::charge(std::string query) const {
  const double sd = std::sqrt(static_cast<double>(variance));
  return {.query = std::move(query),
          .mechanism = "discrete Gaussian",
          .rho = rho(),
          .slack = slack(),
          .sensitivity = sensitivity,
          .noise_sd = sd,
          .grid = grid.value(),
          .event = {DiscreteGaussianEvent{.sensitivity = sensitivity, .sigma = sd, .dimension = entries}}};
}

std::optional<GaussianNoise::Integer> GaussianNoise::variance_for(double sensitivity, Rho cost,
                                                                  const Integer& multiple) {
  if (!(cost.value() > 0))
    throw Error(ErrorCode::configuration, "a query must cost more than nothing: raise its cost");
  const double least = sensitivity * sensitivity / (2 * cost.value()) * kRoundUp * kRoundUp;
  if (!(least < 0x1p103)) return std::nullopt;  // the sampler takes 2^104
  const Integer units = Integer(std::ceil(least)) / multiple + 1;
  return units * multiple;
}

}  // namespace sotto
