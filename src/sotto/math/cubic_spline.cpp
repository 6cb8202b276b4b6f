#include "sotto/math/cubic_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto {

double cubic_b_spline(double u, int inner, int index) {
  constexpr int kDegree = 3;
  const int pieces = inner + 1;
  const auto knot = [pieces](int i) {
    return static_cast<double>(std::clamp(i - kDegree, 0, pieces)) / static_cast<double>(pieces);
  };
  const int piece = std::clamp(static_cast<int>(std::floor(u * pieces)), 0, pieces - 1);
  std::array<double, kDegree + 1> spline{};  // those of one degree that the next ones are made of
  for (int i = 0; i <= kDegree; ++i)
    spline[static_cast<std::size_t>(i)] = index + i == piece + kDegree ? 1 : 0;
  for (int degree = 1; degree <= kDegree; ++degree) {
    const auto rise = [&](int i) {
      const double width = knot(i + degree) - knot(i);
      return width > 0 ? (u - knot(i)) / width : 0;
    };
    const auto fall = [&](int i) {
      const double width = knot(i + degree) - knot(i);
      return width > 0 ? (knot(i + degree) - u) / width : 0;
    };
    for (int i = 0; i <= kDegree - degree; ++i) {
      const auto at = static_cast<std::size_t>(i);
      spline[at] = rise(index + i) * spline[at] + fall(index + i + 1) * spline[at + 1];
    }
  }
  return spline[0];
}

}  // namespace sotto
