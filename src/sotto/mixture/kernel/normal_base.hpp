// The base measure of normal kernels on a declared domain, and its numbers by their names.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"

namespace sotto::mixture {

/// The widest scale: kernels about a sixteenth of the domain wide, with means spread over all of it and somewhat beyond, so that
/// densities which rise towards a bound, or crowd next to one, are not held for unlikely before any data.
[[nodiscard]] inline NormalInverseGamma base_measure(const Interval& domain) {
  const double sd = domain.width() / 16;
  return {.mean = domain.lower + domain.width() / 2, .precision = 0.03, .shape = 3, .rate = 2 * sd * sd};
}

struct NormalBaseNumbers {
  NormalInverseGamma widest;
  int scales;
};

/// Errors: usage for names and numbers that are none of a normal base's.
[[nodiscard]] inline NormalBaseNumbers base_numbers(const Interval& domain, const BaseParameters& asked) {
  NormalInverseGamma base = base_measure(domain);
  double scales = 4;
  set_base(asked, {{"mean", &base.mean},
                   {"precision", &base.precision},
                   {"shape", &base.shape},
                   {"rate", &base.rate},
                   {"scales", &scales}});
  if (!(scales >= 1 && scales <= ScaledBase::kMostScales && scales == std::floor(scales)))
    throw Error(ErrorCode::usage,
                fmt::format("--base: scales is a whole number from 1 to {}", ScaledBase::kMostScales));
  return {base, static_cast<int>(scales)};
}

[[nodiscard]] inline BaseParameters base_parameters(const ScaledBase& base) {
  const NormalInverseGamma& widest = base.widest();
  return {{"mean", widest.mean},
          {"precision", widest.precision},
          {"shape", widest.shape},
          {"rate", widest.rate},
          {"scales", static_cast<double>(base.laws().size())}};
}

}  // namespace sotto::mixture
