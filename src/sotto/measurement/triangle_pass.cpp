// Vectorised with Highway, which compiles the loops for several instruction sets and picks the best when
// running.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/measurement/triangle_pass.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The include above must come first.
#include <cmath>

#include "hwy/highway.h"
#include "sotto/data/rows.hpp"
#include "sotto/measurement/triangle_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace sotto::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<double, kTile>;
using Vec = hn::Vec<Lanes>;

HWY_INLINE Vec nearest(Lanes d, Vec x) {
  const Vec magic = hn::Set(d, 0x1.8p52);
  return hn::Sub(hn::Add(x, magic), magic);
}

/// So many of the tile's rows, from `first` on.
struct Part {
  HWY_INLINE Part(Lanes d, const TileOuter& tile, std::size_t first)
      : z(tile.z + first),
        scale(hn::LoadU(d, tile.scale + first)),
        across(hn::Mul(scale, hn::Set(d, std::sqrt(2.0)))) {}
  HWY_INLINE Vec load(Lanes d, std::size_t i) const { return hn::LoadU(d, z + i * kTile); }
  HWY_INLINE Vec diagonal(Lanes d, Vec own) const { return nearest(d, hn::Mul(hn::Mul(scale, own), own)); }
  /// The entry of row i and column j; `factor`: across z_i.
  HWY_INLINE Vec beside(Lanes d, Vec factor, std::size_t j) const {
    return nearest(d, hn::Mul(factor, load(d, j)));
  }

  const double* z;
  Vec scale, across;
};

HWY_INLINE Vec add_square(Vec sum, Vec v) { return hn::Add(sum, hn::Mul(v, v)); }

/// All bits of the rows that count, none of the others.
HWY_INLINE Vec rows_within(Lanes d, const Part& part, std::size_t dim, double longest2) {
  Vec even = hn::Zero(d);  // two chains of additions are in flight
  Vec odd = hn::Zero(d);
  for (std::size_t i = 0; i < dim; ++i) {
    const Vec own = part.load(d, i);
    const Vec factor = hn::Mul(part.across, own);
    even = add_square(even, part.diagonal(d, own));
    std::size_t j = i + 1;
    for (; j + 1 < dim; j += 2) {
      even = add_square(even, part.beside(d, factor, j));
      odd = add_square(odd, part.beside(d, factor, j + 1));
    }
    if (j < dim) odd = add_square(odd, part.beside(d, factor, j));
  }
  return hn::VecFromMask(d, hn::Le(hn::Add(even, odd), hn::Set(d, longest2)));
}

HWY_INLINE double sum_of(Lanes d, Vec rows, Vec v) {
  return hn::GetLane(hn::SumOfLanes(d, hn::And(rows, v)));
}

void add_triangles(const TileOuter& tile, double longest2, double* totals) {
  const Lanes d;
  for (std::size_t first = 0; first < kTile; first += hn::Lanes(d)) {
    const Part part(d, tile, first);
    const Vec rows = rows_within(d, part, tile.dim, longest2);
    double* total = totals;
    for (std::size_t i = 0; i < tile.dim; ++i) {
      const Vec own = part.load(d, i);
      const Vec factor = hn::Mul(part.across, own);
      *total++ += sum_of(d, rows, part.diagonal(d, own));
      for (std::size_t j = i + 1; j < tile.dim; ++j) *total++ += sum_of(d, rows, part.beside(d, factor, j));
    }
  }
}

}  // namespace sotto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(add_triangles);

void add_triangles(const TileOuter& tile, double longest2, double* totals) {
  HWY_DYNAMIC_DISPATCH(add_triangles)(tile, longest2, totals);
}

}  // namespace sotto
#endif
