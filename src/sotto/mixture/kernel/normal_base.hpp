// The base measure of normal kernels on a declared domain, and its numbers by their names.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/base/interval.hpp"
#include "sotto/mixture/base_parameters.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"

namespace sotto::mixture {

/// The widest scale: kernels about a sixteenth of the domain wide, their means mostly inside it. On [-10, 10] it is close to the
/// published N(0, 10 variance) x IG(3, 3) [BFR24, section 4.1].
[[nodiscard]] inline NormalInverseGamma base_measure(const Interval& domain) {
  const double sd = domain.width() / 16;
  return {.mean = domain.lower + domain.width() / 2, .precision = 0.1, .shape = 3, .rate = 2 * sd * sd};
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
