// The keys of an event, written once for JSON and for the command line, and the ranges of their values.
#pragma once

#include <cmath>
#include <cstdint>

#include "sotto/base/error.hpp"

namespace sotto {

/// One key. T is double, std::uint64_t, std::vector<double> or Sampling.
template <class E, class T>
struct Field {
  const char* json;       ///< key in JSON, always there
  T E::*member;           ///< what it sets
  const char* spec;       ///< key on the command line; null: cannot be given there
  bool is_needed = true;  ///< on the command line; else the member's initial value stands
};

/// What calibration may change: the noise, in units of another member (null: of 1).
template <class E>
struct NoiseField {
  double E::*noise;
  double E::*unit = nullptr;
};

/// Throws Error(configuration) unless it holds.
inline void require(bool holds, const char* message) {
  if (!holds) throw Error(ErrorCode::configuration, message);
}

/// A range in which every derived quantity is a normal double.
inline bool is_positive(double x) { return x >= 1e-100 && x <= 1e100; }

inline void require_noise(double sensitivity, double scale) {
  require(sensitivity == 0 || is_positive(sensitivity), "sensitivity must be 0 or lie in [1e-100, 1e100]");
  require(is_positive(scale), "sigma or scale must lie in [1e-100, 1e100]");
  require(sensitivity == 0 || is_positive(scale / sensitivity),
          "sigma or scale must lie in [1e-100, 1e100] times the sensitivity");
}

inline void require_rate(double rate) {
  require(rate == 0 || (rate >= 1e-30 && rate <= 1), "rate must be 0 or lie in [1e-30, 1]");
}

/// a / b, rounded up, and by nothing where it is exact. For positive numbers.
inline double ratio_up(double a, double b) {
  const double ratio = a / b;
  return std::fma(ratio, b, -a) < 0 ? std::nextafter(ratio, HUGE_VAL) : ratio;
}

/// A number of rows or a count that a double holds exactly.
inline bool is_exact(std::uint64_t n) { return n <= (1ULL << 53); }

}  // namespace sotto
