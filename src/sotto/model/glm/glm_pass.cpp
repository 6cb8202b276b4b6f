// Vectorised with Highway, which compiles the loops for several instruction sets and picks the best when
// running.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sotto/model/glm/glm_pass.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The include above must come first.
#include <algorithm>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "sotto/data/rows.hpp"
#include "sotto/data/wiped.hpp"
#include "sotto/model/glm/glm_pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace sotto::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<double, kTile>;
using Vec = hn::Vec<Lanes>;

// e^x for x <= 0 (below -708: e^-708). Cody-Waite reduction, then a polynomial of degree 10; relative error below 4e-16.
HWY_INLINE Vec exp_negative(Lanes d, Vec x) {
  const hn::RebindToUnsigned<Lanes> bits;
  x = hn::Max(x, hn::Set(d, -708.0));
  const Vec shifter = hn::Set(d, 0x1.8p52);  // adding it leaves the rounded integer in the low bits
  const Vec shifted = hn::MulAdd(x, hn::Set(d, 0x1.71547652b82fep+0), shifter);
  const Vec n = hn::Sub(shifted, shifter);
  Vec r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fee00000p-1), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.a39ef35793c76p-33), r);
  // Minimax on |r| <= log(2) / 2, in two halves so that two chains of operations are in flight.
  const Vec r2 = hn::Mul(r, r);
  Vec even = hn::MulAdd(hn::Set(d, 0x1.28a2ca617b969p-22), r2, hn::Set(d, 0x1.a019a6611cad5p-16));
  Vec odd = hn::MulAdd(hn::Set(d, 0x1.72fafebdaf273p-19), r2, hn::Set(d, 0x1.a01978b8b3d18p-13));
  even = hn::MulAdd(even, r2, hn::Set(d, 0x1.6c16c17f46982p-10));
  odd = hn::MulAdd(odd, r2, hn::Set(d, 0x1.1111112ddae8bp-7));
  even = hn::MulAdd(even, r2, hn::Set(d, 0x1.55555555520a4p-5));
  odd = hn::MulAdd(odd, r2, hn::Set(d, 0x1.555555554b736p-3));
  even = hn::MulAdd(even, r2, hn::Set(d, 0x1.0000000000005p-1));
  odd = hn::MulAdd(odd, r2, hn::Set(d, 1.0));
  even = hn::MulAdd(even, r2, hn::Set(d, 1.0));
  const Vec power = hn::MulAdd(odd, r, even);
  // Times 2^n: n goes into the exponent's bits.
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, power), hn::ShiftLeft<52>(hn::BitCast(bits, shifted))));
}

// log(1 + u) for 0 <= u <= 1, as 2 atanh(u / (2 + u)); relative error below 4e-16.
HWY_INLINE Vec log_one_plus(Lanes d, Vec u) {
  const Vec z = hn::Div(u, hn::Add(u, hn::Set(d, 2.0)));
  const Vec w = hn::Mul(z, z);
  const Vec w2 = hn::Mul(w, w);
  Vec odd = hn::MulAdd(hn::Set(d, 0x1.6c26693a7c095p-4), w2, hn::Set(d, 0x1.1659956da410fp-4));
  Vec even = hn::MulAdd(hn::Set(d, 0x1.94b79523b2fbbp-5), w2, hn::Set(d, 0x1.3aa5e932d3628p-4));
  odd = hn::MulAdd(odd, w2, hn::Set(d, 0x1.74628d4f43596p-4));
  even = hn::MulAdd(even, w2, hn::Set(d, 0x1.c71c47af989fdp-4));
  odd = hn::MulAdd(odd, w2, hn::Set(d, 0x1.2492498161ca5p-3));
  even = hn::MulAdd(even, w2, hn::Set(d, 0x1.99999998ca58bp-3));
  odd = hn::MulAdd(odd, w2, hn::Set(d, 0x1.5555555555aeep-2));
  even = hn::MulAdd(even, w2, hn::Set(d, 1.0));
  const Vec series = hn::MulAdd(odd, w, even);
  return hn::Mul(hn::Add(z, z), series);
}

HWY_INLINE Vec logistic(Lanes d, Vec x) {
  const Vec one = hn::Set(d, 1.0);
  const Vec e = exp_negative(d, hn::Neg(hn::Abs(x)));
  const Vec small = hn::Div(e, hn::Add(one, e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), small, hn::Sub(one, small));
}

HWY_INLINE Vec softplus(Lanes d, Vec x) {
  const Vec tail = log_one_plus(d, exp_negative(d, hn::Neg(hn::Abs(x))));
  return hn::Add(hn::Max(x, hn::Zero(d)), tail);
}

// law::value for several rows; a product and a difference are one operation.
template <law::Term E>
HWY_INLINE Vec value(Lanes d, const E& e, Vec eta, Vec y, const law::Spread& spread) {
  using law::Op;
  if constexpr (E::op == Op::eta) return eta;
  if constexpr (E::op == Op::y) return y;
  if constexpr (E::op == Op::log_sigma) return hn::Set(d, spread.log_sigma);
  if constexpr (E::op == Op::precision) return hn::Set(d, spread.precision);
  if constexpr (E::op == Op::number) return hn::Set(d, e.number);
  if constexpr (E::op == Op::negate) return hn::Neg(value(d, e.a, eta, y, spread));
  if constexpr (E::op == Op::floor) return hn::Floor(value(d, e.a, eta, y, spread));
  if constexpr (E::op == Op::exp) return hn::Exp(d, value(d, e.a, eta, y, spread));
  if constexpr (E::op == Op::logistic) return logistic(d, value(d, e.a, eta, y, spread));
  if constexpr (E::op == Op::softplus) return softplus(d, value(d, e.a, eta, y, spread));
  if constexpr (E::op == Op::multiply)
    return hn::Mul(value(d, e.a, eta, y, spread), value(d, e.b, eta, y, spread));
  if constexpr (E::op == Op::subtract) {
    if constexpr (decltype(e.a)::op == Op::multiply) {
      return hn::MulSub(value(d, e.a.a, eta, y, spread), value(d, e.a.b, eta, y, spread),
                        value(d, e.b, eta, y, spread));
    } else if constexpr (decltype(e.b)::op == Op::multiply) {
      return hn::NegMulAdd(value(d, e.b.a, eta, y, spread), value(d, e.b.b, eta, y, spread),
                           value(d, e.a, eta, y, spread));
    } else {
      return hn::Sub(value(d, e.a, eta, y, spread), value(d, e.b, eta, y, spread));
    }
  }
}

HWY_INLINE Vec linear_predictor(Lanes d, const double* x, const double* position, std::size_t predictors) {
  // Two partial sums, so that two chains of additions are in flight.
  Vec even = hn::Zero(d);
  Vec odd = hn::Zero(d);
  std::size_t j = 0;
  for (; j + 1 < predictors; j += 2) {
    even = hn::MulAdd(hn::Load(d, x + j * kTile), hn::Set(d, position[j]), even);
    odd = hn::MulAdd(hn::Load(d, x + (j + 1) * kTile), hn::Set(d, position[j + 1]), odd);
  }
  if (j < predictors) even = hn::MulAdd(hn::Load(d, x + j * kTile), hn::Set(d, position[j]), even);
  return hn::Add(even, odd);
}

// NaN -> 0.
HWY_INLINE Vec number_or_zero(Vec value) { return hn::IfThenElseZero(hn::Eq(value, value), value); }

// NaN -> 0, then [lower, upper]; what comes out is finite whatever went in.
HWY_INLINE Vec clamp(Vec value, Vec lower, Vec upper) {
  return hn::Min(hn::Max(number_or_zero(value), lower), upper);
}

template <RowByRow F>
void ratio_pass(const F&, const GlmTiles& tiles, std::span<const RatioWork> work, double scale,
                std::span<std::int64_t> sums) {
  const Lanes d;
  const std::size_t p = tiles.predictors;
  const std::size_t stride = (p + 2) * kTile;
  for (std::size_t r = 0; r < work.size(); ++r) {
    const RatioWork ratio = work[r];
    const Vec lower = hn::Set(d, ratio.lower);
    const Vec upper = hn::Set(d, ratio.upper);
    const Vec grid = hn::Set(d, scale);
    Vec sum = hn::Zero(d);
    const double* x = tiles.data;
    for (std::size_t t = 0; t < tiles.count; ++t, x += stride) {
      for (std::size_t k = 0; k < kTile; k += hn::Lanes(d)) {
        const Vec y = hn::Load(d, x + p * kTile + k);
        const Vec weight = hn::Load(d, x + (p + 1) * kTile + k);
        const Vec before =
            value(d, F::log_density, linear_predictor(d, x + k, ratio.from, p), y, ratio.from_spread);
        const Vec after =
            value(d, F::log_density, linear_predictor(d, x + k, ratio.to, p), y, ratio.to_spread);
        const Vec change = hn::Sub(hn::Round(hn::Mul(after, grid)), hn::Round(hn::Mul(before, grid)));
        sum = hn::MulAdd(clamp(change, lower, upper), weight, sum);
      }
    }
    sums[r] += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
}

template <RowByRow F>
void gradient_pass([[maybe_unused]] const F& family, const GlmTiles& tiles,
                   std::span<const GradientWork> work, double* memory, std::span<std::int64_t> sums) {
  const Lanes d;
  const std::size_t p = tiles.predictors;
  const std::size_t stride = (p + 2) * kTile;
  std::size_t dim = p;
  if constexpr (HasSigma<F>) dim += family.sigma ? 0 : 1;
  const std::size_t lanes = hn::Lanes(d);
  constexpr double kUp = 1 + 0x1p-40;
  double* partial = memory;            // sums
  double* own = memory + dim * lanes;  // vectors of some rows
  for (std::size_t g = 0; g < work.size(); ++g) {
    const GradientWork gradient = work[g];
    const Vec bound = hn::Set(d, gradient.weight_bound);
    const Vec longest = hn::Set(d, kUp * gradient.longest * gradient.longest);
    std::fill_n(partial, dim * lanes, 0.0);
    const double* x = tiles.data;
    for (std::size_t t = 0; t < tiles.count; ++t, x += stride) {
      for (std::size_t k = 0; k < kTile; k += lanes) {
        const Vec y = hn::Load(d, x + p * kTile + k);
        const Vec weight = hn::Load(d, x + (p + 1) * kTile + k);
        const Vec eta = linear_predictor(d, x + k, gradient.at, p);
        const Vec slope = value(d, F::score, eta, y, gradient.spread);
        const Vec score = hn::Mul(clamp(slope, hn::Neg(bound), bound), weight);
        Vec squared = hn::Zero(d);
        for (std::size_t j = 0; j < p; ++j) {
          const Vec entry =
              hn::Mul(hn::Mul(hn::Load(d, x + j * kTile + k), hn::Set(d, gradient.factor[j])), score);
          squared = hn::MulAdd(entry, entry, squared);
          hn::StoreU(entry, d, own + j * lanes);
        }
        if constexpr (HasSigma<F>) {
          if (dim > p) {
            const Vec raw = value(d, F::sigma_score, eta, y, gradient.spread);
            const Vec least = hn::Set(d, gradient.sigma_score.lower);
            const Vec kept = clamp(raw, least, hn::Set(d, gradient.sigma_score.upper));
            const Vec entry = hn::Mul(hn::Mul(kept, hn::Set(d, gradient.factor[p])), weight);
            squared = hn::MulAdd(entry, entry, squared);
            hn::StoreU(entry, d, own + p * lanes);
          }
        }
        const auto priced = hn::Le(squared, longest);
        for (std::size_t j = 0; j < dim; ++j) {
          const Vec term = hn::IfThenElseZero(priced, hn::Round(hn::LoadU(d, own + j * lanes)));
          hn::StoreU(hn::Add(hn::LoadU(d, partial + j * lanes), term), d, partial + j * lanes);
        }
      }
    }
    for (std::size_t j = 0; j < dim; ++j) {
      sums[g * dim + j] +=
          static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, partial + j * lanes))));
    }
  }
}

// One entry point per pass for the dispatcher; the family is chosen once per call.

void ratio(const GlmFamily& family, const GlmTiles& tiles, std::span<const RatioWork> work, double scale,
           std::span<std::int64_t> sums) {
  std::visit(
      [&]<class F>(const F& f) {
        if constexpr (RowByRow<F>) ratio_pass(f, tiles, work, scale, sums);
      },
      family);
}

void gradient(const GlmFamily& family, const GlmTiles& tiles, std::span<const GradientWork> work,
              double* memory, std::span<std::int64_t> sums) {
  std::visit(
      [&]<class F>(const F& f) {
        if constexpr (RowByRow<F>) gradient_pass(f, tiles, work, memory, sums);
      },
      family);
}

const char* instructions() { return hwy::TargetName(HWY_TARGET); }

}  // namespace sotto::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(ratio);
HWY_EXPORT(gradient);
HWY_EXPORT(instructions);

void glm_ratio_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const RatioWork> work,
                    double scale, std::span<std::int64_t> sums) {
  HWY_DYNAMIC_DISPATCH(ratio)(family, tiles, work, scale, sums);
}

void glm_gradient_pass(const GlmFamily& family, const GlmTiles& tiles, std::span<const GradientWork> work,
                       std::span<std::int64_t> sums) {
  WipedVector<double> memory(2 * (tiles.predictors + 1) * kTile);  // for two vectors of a group of rows
  HWY_DYNAMIC_DISPATCH(gradient)(family, tiles, work, memory.data(), sums);
}

const char* glm_pass_instructions() { return HWY_DYNAMIC_DISPATCH(instructions)(); }

}  // namespace sotto
#endif
