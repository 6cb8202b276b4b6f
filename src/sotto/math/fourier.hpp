// Discrete Fourier transforms of real data, with a bound on their rounding error.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace sotto {

/// Unnormalised transform sum_j x_j e^(-2 pi i j m / n), m = 0 .. n/2. `data` has n values, n a power of two.
[[nodiscard]] std::vector<std::complex<double>> real_to_complex(std::span<const double> data);

/// Inverse of the above, divided by n. `half` has n/2 + 1 values and is destroyed.
[[nodiscard]] std::vector<double> complex_to_real(std::vector<std::complex<double>>& half, std::size_t n);

/// Bound on the error of every output of an unnormalised transform of data whose absolute values sum to 1.
/// Computes   12 u log2(n): every output is a sum along a tree of depth log2(n) of terms bounded by the sum
/// of absolute
///            values; a butterfly with a rounded twiddle factor adds at most 6 u per level, doubled here
/// Source     [Hig02, Theorem 24.2], taken per output
[[nodiscard]] double fourier_error(std::size_t n);

}  // namespace sotto
