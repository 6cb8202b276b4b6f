#include "sotto/math/fourier.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Complex = std::complex<double>;

// Real and imaginary parts apart: inner loops then run over neighbours. They begin at other places of a page, and so do those of the
// `other` that a stage writes: else its eight streams would fall into the same few lines of the cache, which takes twice the time.
struct Split {
  explicit Split(std::size_t n, bool other)
      : all(std::make_unique_for_overwrite<double[]>(2 * n + 3 * kApart)),
        re(all.get() + (other ? 2 * kApart : 0)),
        im(re + n + kApart) {}
  static constexpr std::size_t kApart = 128;
  std::unique_ptr<double[]> all;
  double* re;
  double* im;
};

// e^(-2 pi i k / n) for k up to n / 8, rounded once.
Complex in_first_octant(std::size_t k, std::size_t n) {
  const long double angle =
      2 * 3.141592653589793238462643383279502884L * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), -static_cast<double>(std::sin(angle))};
}

// The same for k up to 3n/4, brought to the first octant.
Complex root(std::size_t k, std::size_t n, const std::vector<Complex>& octant) {
  const std::size_t axis = (8 * k / n + 1) / 2;  // the nearest one
  const bool beyond = k >= axis * (n / 4);
  const Complex turned = octant[beyond ? k - axis * (n / 4) : axis * (n / 4) - k];
  const double c = turned.real();
  const double s = beyond ? -turned.imag() : turned.imag();
  switch (axis % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

// The first 3n/4 roots of unity of this order, computed when first asked for: every other one from the order below.
const std::vector<Complex>& roots(std::size_t n) {
  static std::array<std::once_flag, 40> once;
  static std::array<std::vector<Complex>, 40> tables;
  const auto place = static_cast<std::size_t>(std::countr_zero(n));
  std::call_once(once.at(place), [&] {
    if (n < 4) {
      tables[place] = n == 1 ? std::vector<Complex>{1} : std::vector<Complex>{1, -1};
      return;
    }
    const std::vector<Complex>& below = roots(n / 2);
    std::vector<Complex> octant(n / 8 + 1);
    for (std::size_t k = 0; k < octant.size(); ++k)
      octant[k] = k % 2 == 0 && 8 * k < n ? below[k / 2] : in_first_octant(k, n);
    std::vector<Complex> table(3 * n / 4);
    for (std::size_t k = 0; k < table.size(); ++k) table[k] = root(k, n, octant);
    tables[place] = std::move(table);
  });
  return tables[place];
}

// One stage: of `length` interleaved sub-transforms `stride` apart, four points each.
void stage4(const Split& x, Split& y, std::size_t length, std::size_t stride, const Complex* w,
            std::size_t step) {
  const std::size_t quarter = length / 4;
  const std::size_t apart = stride * quarter;
  for (std::size_t p = 0; p < quarter; ++p) {
    const Complex w1 = w[p * step];
    const Complex w2 = w[2 * p * step];
    const Complex w3 = w[3 * p * step];
    const double* __restrict ar = x.re + stride * p;
    const double* __restrict ai = x.im + stride * p;
    double* __restrict yr = y.re + 4 * stride * p;
    double* __restrict yi = y.im + 4 * stride * p;
    for (std::size_t q = 0; q < stride; ++q) {
      const double sum_r = ar[q] + ar[q + 2 * apart];
      const double sum_i = ai[q] + ai[q + 2 * apart];
      const double gap_r = ar[q] - ar[q + 2 * apart];
      const double gap_i = ai[q] - ai[q + 2 * apart];
      const double other_r = ar[q + apart] + ar[q + 3 * apart];
      const double other_i = ai[q + apart] + ai[q + 3 * apart];
      const double turned_r = ai[q + apart] - ai[q + 3 * apart];  // times -i
      const double turned_i = ar[q + 3 * apart] - ar[q + apart];
      yr[q] = sum_r + other_r;
      yi[q] = sum_i + other_i;
      const double r1 = gap_r + turned_r;
      const double i1 = gap_i + turned_i;
      yr[q + stride] = r1 * w1.real() - i1 * w1.imag();
      yi[q + stride] = r1 * w1.imag() + i1 * w1.real();
      const double r2 = sum_r - other_r;
      const double i2 = sum_i - other_i;
      yr[q + 2 * stride] = r2 * w2.real() - i2 * w2.imag();
      yi[q + 2 * stride] = r2 * w2.imag() + i2 * w2.real();
      const double r3 = gap_r - turned_r;
      const double i3 = gap_i - turned_i;
      yr[q + 3 * stride] = r3 * w3.real() - i3 * w3.imag();
      yi[q + 3 * stride] = r3 * w3.imag() + i3 * w3.real();
    }
  }
}

// Unnormalised forward transform of n complex numbers, n a power of two.
void transform(Split& x, std::size_t n) {
  Split y(n, true);
  const Complex* w = roots(n).data();
  std::size_t stride = 1;
  for (std::size_t length = n; length >= 4; length /= 4, stride *= 4) {
    stage4(x, y, length, stride, w, stride);
    std::swap(x, y);
  }
  if (stride == n) return;
  for (std::size_t q = 0; q < stride; ++q) {
    y.re[q] = x.re[q] + x.re[q + stride];
    y.im[q] = x.im[q] + x.im[q + stride];
    y.re[q + stride] = x.re[q] - x.re[q + stride];
    y.im[q + stride] = x.im[q] - x.im[q + stride];
  }
  std::swap(x, y);
}

void require_power_of_two(std::size_t n) {
  if (n < 2 || !std::has_single_bit(n))
    throw Error(ErrorCode::internal, "a Fourier transform's size must be a power of two, at least 2");
}

}  // namespace

std::vector<Complex> real_to_complex(std::span<const double> data) {
  const std::size_t n = data.size();
  require_power_of_two(n);
  const std::size_t half = n / 2;
  Split z(half, false);
  for (std::size_t j = 0; j < half; ++j) {
    z.re[j] = data[2 * j];
    z.im[j] = data[2 * j + 1];
  }
  transform(z, half);
  // Transform of the even places: (z_k + conj z_(half - k)) / 2; of the odd ones: (z_k - conj z_(half - k)) / 2i.
  const Complex* w = roots(n).data();
  std::vector<Complex> result(half + 1);
  for (std::size_t k = 0; k <= half; ++k) {
    const std::size_t here = k & (half - 1);
    const std::size_t there = (half - k) & (half - 1);
    const double even_r = (z.re[here] + z.re[there]) / 2;
    const double even_i = (z.im[here] - z.im[there]) / 2;
    const double odd_r = (z.im[here] + z.im[there]) / 2;
    const double odd_i = (z.re[there] - z.re[here]) / 2;
    result[k] = {even_r + (odd_r * w[k].real() - odd_i * w[k].imag()),
                 even_i + (odd_r * w[k].imag() + odd_i * w[k].real())};
  }
  return result;
}

std::vector<double> complex_to_real(std::span<const Complex> half_values, std::size_t n) {
  require_power_of_two(n);
  const std::size_t half = n / 2;
  if (half_values.size() != half + 1)
    throw Error(ErrorCode::internal, "half a spectrum has n / 2 + 1 values");
  const auto value = [&](std::size_t k) {
    return k == 0 || k == half ? Complex(half_values[k].real(), 0) : half_values[k];
  };
  // z = even + i odd places, with real and imaginary parts exchanged: that makes the transform the inverse one.
  const Complex* w = roots(n).data();
  const double scale = 1 / static_cast<double>(n);
  Split z(half, false);
  for (std::size_t k = 0; k < half; ++k) {
    const Complex here = value(k);
    const Complex there = value(half - k);
    const double even_r = here.real() + there.real();
    const double even_i = here.imag() - there.imag();
    const double gap_r = here.real() - there.real();
    const double gap_i = here.imag() + there.imag();
    const double odd_r = gap_r * w[k].real() + gap_i * w[k].imag();
    const double odd_i = gap_i * w[k].real() - gap_r * w[k].imag();
    z.im[k] = (even_r - odd_i) * scale;
    z.re[k] = (even_i + odd_r) * scale;
  }
  transform(z, half);
  std::vector<double> data(n);
  for (std::size_t j = 0; j < half; ++j) {
    data[2 * j] = z.im[j];
    data[2 * j + 1] = z.re[j];
  }
  return data;
}

double fourier_error(std::size_t n) {
  return 12 * std::numeric_limits<double>::epsilon() / 2 * std::log2(static_cast<double>(n));
}

}  // namespace sotto
