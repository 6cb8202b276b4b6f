// Vectorised with Highway, which compiles the loops for several instruction sets and picks the best when
// running.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/model/location/location_pass.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The include above must come first.
#include "hwy/highway.h"
#include "sotto/data/rows.hpp"
#include "sotto/model/location/location_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace sotto::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
        const auto lower = hn::Set(d, line.lower[j]);
        const auto given = hn::Load(d, tile + j * kTile + k);
        const auto above = hn::IfThenElse(hn::Ge(given, lower), given, lower);  // no number -> lower
        const auto inside = hn::Min(above, hn::Set(d, line.upper[j]));
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

}  // namespace sotto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(location_ratio);

std::int64_t location_ratio_pass(const double* tile, std::size_t count, const LocationLine& line) {
  return HWY_DYNAMIC_DISPATCH(location_ratio)(tile, count, line);
}

}  // namespace sotto
#endif
