#include "sotto/entropy/discrete_gaussian.hpp"

#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/entropy/exact_bernoulli.hpp"

namespace sotto {
namespace {

using boost::multiprecision::cpp_int;

cpp_int wide(Uint128 x) {
  return (cpp_int(static_cast<std::uint64_t>(x >> 64)) << 64) | static_cast<std::uint64_t>(x);
}

// Beyond this many scales the products below could leave 128 bits. e^-30000 is never drawn; the refusal is
// here so that the claim of exactness needs no "almost".
constexpr unsigned kFarthest = 30000;

}  // namespace

DiscreteGaussian::DiscreteGaussian(const Variance& variance) : variance_(variance) {
  if (variance < 1 || variance > (cpp_int(1) << 104)) {
    throw Error(ErrorCode::configuration,
                "the variance of discrete Gaussian noise must lie in [1, 2^104] squared grid steps; change "
                "the grid step");
  }
  variance_narrow_ = static_cast<Uint128>(variance);
  // The double's root is off by a step or two.
  auto root = static_cast<Uint128>(std::sqrt(static_cast<double>(variance_narrow_)));
  while (root * root > variance_narrow_) --root;
  while ((root + 1) * (root + 1) <= variance_narrow_) ++root;
  scale_ = root + 1;
  const double narrow = static_cast<double>(scale_);
  inverse_ = 0.5 / static_cast<double>(variance_narrow_) / narrow / narrow;
}

Int128 DiscreteGaussian::operator()(EntropySource& entropy) const {
  while (true) {
    Uint128 size = 0;
    do {
      size = uniform_below(scale_, entropy);
    } while (!bernoulli_exp(size, scale_, entropy));
    Uint128 scales = 0;
    while (bernoulli_exp<std::uint64_t>(1, 1, entropy)) ++scales;
    size += scales * scale_;
    const bool negative = (entropy.bits() >> 63) != 0;
    if (negative && size == 0) continue;
    if (!keep(size, entropy)) continue;
    const auto value = static_cast<Int128>(size);
    return negative ? -value : value;
  }
}

bool DiscreteGaussian::keep(Uint128 size, EntropySource& entropy) const {
  const auto exact = [&] {
    const cpp_int difference = wide(size) * wide(scale_) - variance_;
    return std::pair<cpp_int, cpp_int>(difference * difference, 2 * variance_ * wide(scale_) * wide(scale_));
  };
  if (size / scale_ >= kFarthest) {
    const auto [p, q] = exact();
    return bernoulli_exp(p, q, entropy);
  }
  // |y| t < 30000 t^2 < 2^120, so the difference is exact; one rounding to a double, then four operations.
  const Int128 difference = static_cast<Int128>(size * scale_) - static_cast<Int128>(variance_narrow_);
  const auto rounded = static_cast<double>(difference);
  const double exponent = rounded * rounded * inverse_;
  return bernoulli_exp_lazy(exponent, exponent * 0x1p-46, exact, entropy);
}

}  // namespace sotto
