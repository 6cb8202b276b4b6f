// Vectorised with Highway, which compiles the loops for several instruction sets and picks the best when
// running.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/model/location/location_pass.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The include above must come first.
#include <limits>

#include "hwy/highway.h"
#include "sotto/data/rows.hpp"
#include "sotto/data/wiped.hpp"
#include "sotto/model/location/location_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace sotto::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Values of a column, within its bounds.
template <class D>
HWY_INLINE hn::Vec<D> clamped(D d, const double* values, double lower, double upper) {
  const auto low = hn::Set(d, lower);
  const auto given = hn::Load(d, values);
  const auto above = hn::IfThenElse(hn::Ge(given, low), given, low);  // no number -> lower
  return hn::Min(above, hn::Set(d, upper));
}

std::int64_t location_ratio(const double* tile, std::size_t count, const LocationLine& line) {
  const hn::CappedTag<double, kTile> d;
  const std::size_t dim = line.slope.size();
  const auto least = hn::Set(d, line.least);
  const auto most = hn::Set(d, line.most);
  auto sum = hn::Zero(d);
  for (std::size_t t = 0; t < count; ++t, tile += (dim + 1) * kTile) {
    for (std::size_t k = 0; k < kTile; k += hn::Lanes(d)) {
      auto change = hn::Set(d, line.at_centre);
      for (std::size_t j = 0; j < dim; ++j) {
        const auto inside = clamped(d, tile + j * kTile + k, line.lower[j], line.upper[j]);
        change = hn::MulAdd(hn::Sub(inside, hn::Set(d, line.centre[j])), hn::Set(d, line.slope[j]), change);
      }
      const auto step = hn::Round(change);
      const auto number = hn::IfThenElseZero(hn::Eq(step, step), step);
      const auto weight = hn::Load(d, tile + dim * kTile + k);
      sum = hn::MulAdd(hn::Min(hn::Max(number, least), most), weight, sum);
    }
  }
  return static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

void location_gradient(const double* tile, std::size_t count, const LocationGradient& gradient,
                       double* memory, std::span<std::int64_t> sums) {
  const hn::CappedTag<double, kTile> d;
  constexpr double kUp = 1 + 0x1p-41;
  const std::size_t dim = sums.size();
  const auto longest = hn::Set(d, kUp * gradient.longest * gradient.longest);
  const auto widest = hn::Set(d, kUp * gradient.widest * gradient.widest / 4);
  const auto clip = hn::Set(d, gradient.clip);
  const bool clipped = gradient.clip < std::numeric_limits<double>::infinity();
  // Of a group of rows, kTile numbers an entry of the vector.
  double* sum = memory;  // zeros
  double* residual = sum + dim * kTile;
  double* pull = residual + dim * kTile;
  const auto at = [](double* of, std::size_t j) { return of + j * kTile; };
  for (std::size_t t = 0; t < count; ++t, tile += (dim + 1) * kTile) {
    for (std::size_t k = 0; k < kTile; k += hn::Lanes(d)) {
      for (std::size_t j = 0; j < dim; ++j) {
        const auto inside = clamped(d, tile + j * kTile + k, gradient.lower[j], gradient.upper[j]);
        hn::StoreU(hn::Sub(inside, hn::Set(d, gradient.mean[j])), d, at(residual, j));
      }
      auto norm = hn::Zero(d);
      for (std::size_t i = dim; i-- > 0;) {  // the second entry before the first, which it is added to
        const double* row = gradient.precision.data() + i * dim;
        auto entry = hn::Zero(d);
        for (std::size_t j = 0; j < dim; ++j)
          if (row[j] != 0) entry = hn::MulAdd(hn::Set(d, row[j]), hn::LoadU(d, at(residual, j)), entry);
        if (i == 0 && gradient.bend != 0)
          entry = hn::MulAdd(hn::Set(d, gradient.bend), hn::LoadU(d, at(pull, 1)), entry);
        norm = hn::MulAdd(entry, entry, norm);
        hn::StoreU(entry, d, at(pull, i));
      }
      auto shorter = hn::Set(d, 1.0);
      if (clipped) {
        norm = hn::Sqrt(norm);
        shorter = hn::IfThenElse(hn::Gt(norm, clip), hn::Div(clip, norm), shorter);
      }
      auto squared = hn::Zero(d);
      auto apart = hn::Zero(d);
      for (std::size_t j = 0; j < dim; ++j) {
        const auto entry =
            hn::Mul(hn::Mul(hn::LoadU(d, at(pull, j)), shorter), hn::Set(d, gradient.factor[j]));
        const auto off = hn::Sub(entry, hn::Set(d, gradient.middle[j]));
        squared = hn::MulAdd(entry, entry, squared);
        apart = hn::MulAdd(off, off, apart);
        hn::StoreU(entry, d, at(pull, j));
      }
      const auto kept = hn::And(hn::Le(squared, longest), hn::Le(apart, widest));
      const auto weight = hn::Load(d, tile + dim * kTile + k);
      for (std::size_t j = 0; j < dim; ++j) {
        const auto number = hn::IfThenElseZero(kept, hn::Round(hn::LoadU(d, at(pull, j))));
        hn::StoreU(hn::MulAdd(number, weight, hn::LoadU(d, at(sum, j))), d, at(sum, j));
      }
    }
  }
  for (std::size_t j = 0; j < dim; ++j)
    sums[j] += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, at(sum, j)))));
}

}  // namespace sotto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(location_ratio);
HWY_EXPORT(location_gradient);

std::int64_t location_ratio_pass(const double* tile, std::size_t count, const LocationLine& line) {
  return HWY_DYNAMIC_DISPATCH(location_ratio)(tile, count, line);
}

void location_gradient_pass(const double* tile, std::size_t count, const LocationGradient& gradient,
                            std::span<std::int64_t> sums) {
  WipedVector<double> memory(3 * sums.size() * kTile);
  HWY_DYNAMIC_DISPATCH(location_gradient)(tile, count, gradient, memory.data(), sums);
}

}  // namespace sotto
#endif
