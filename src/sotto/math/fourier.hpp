// Discrete Fourier transforms of real data, with a proven bound on their rounding error.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto {

/// Unnormalised transform sum_j x_j e^(-2 pi i j m / n), m = 0 .. n/2. `data` has n values, n >= 2 a power of two.
/// Computes   n/2 complex numbers from pairs of neighbours, transformed by radix 4 with results in order at every stage,
///            then parted into the transforms of even and odd places
/// Source     Stockham's algorithm [VL92, section 1.7]
/// Checked by tests/math/fourier_test.cpp: transforms_match_their_definition
[[nodiscard]] std::vector<std::complex<double>> real_to_complex(std::span<const double> data);

/// Inverse of the above, divided by n. `half` has n/2 + 1 values; the imaginary parts of its ends are taken as 0.
[[nodiscard]] std::vector<double> complex_to_real(std::span<const std::complex<double>> half, std::size_t n);

/// Bound on the error of every output of real_to_complex where the absolute values of the data sum to 1, and on the
/// Euclidean norm of the errors of complex_to_real where that of its exact result is 1.
/// Computes   12 u log2(n), u = 2^-53
/// Source     docs/accounting.md, "The transform's rounding"
/// Checked by tests/math/fourier_test.cpp: errors_stay_below_the_bound
[[nodiscard]] double fourier_error(std::size_t n);

}  // namespace sotto
