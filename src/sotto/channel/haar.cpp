#include "sotto/channel/haar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sotto {

HaarChannel::HaarChannel(Interval domain, int top_level, Epsilon epsilon, Scale scale)
    : domain_(Grid(domain).domain()), top_level_(top_level), epsilon_(epsilon), cells_per_unit_(0) {
  if (top_level < 0 || top_level > kLargestLevel) {
    throw Error(ErrorCode::configuration, "the wavelet channel needs a top level between 0 and 12");
  }
  cells_per_unit_ = static_cast<double>(cells()) / domain.width();
  for (int j = 0; j <= top_level; ++j) {
    heights_.push_back(std::llround(std::exp2(j / 2.0) / kStep));
    sensitivity_ += 2 * heights_.back();
  }
  scale_ = scale_for(sensitivity_, epsilon);
  if (scale == Scale::printed) {
    const double printed =
        12 / epsilon.value() * std::sqrt(2) / (std::sqrt(2) - 1) * std::exp2(top_level / 2.0);
    scale_.numerator = std::max(scale_.numerator, static_cast<Int128>(printed / kStep * 0x1p20) + 1);
  }
}

long long HaarChannel::coefficient(std::size_t cell, int j, std::size_t k) const {
  const std::size_t half = cell >> (top_level_ - j);  // among the 2^(j+1) half intervals of the level
  if (half / 2 != k) return 0;
  return half % 2 == 0 ? heights_[j] : -heights_[j];
}

std::vector<std::string> HaarChannel::stored_names(const std::string& name) const {
  std::vector<std::string> names;
  for (int j = 0; j <= top_level_; ++j)
    for (int k = 0; k < 1 << j; ++k) names.push_back(fmt::format("{}.{}.{}", name, j, k));
  return names;
}

Interval HaarChannel::reach(std::size_t) const {
  const double farthest = std::exp2(top_level_ / 2.0) + 1000 * scale();
  return {-farthest, farthest};
}

HaarChannel::Observed HaarChannel::observed_one(std::span<const double> z) const {
  if (z.size() != coefficients()) {
    throw Error(ErrorCode::data, "a wavelet release has the wrong number of coefficients for its channel");
  }
  // Only the coefficient of the cell's own interval differs from level to level; the others are a constant.
  Observed datum{std::vector<double>(cells(), 0.0)};
  const double rate = 1 / scale();
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    for (int j = 0; j <= top_level_; ++j) {
      const std::size_t k = cell >> (top_level_ + 1 - j);
      const double released = z[(std::size_t{1} << j) - 1 + k];
      const double expected = static_cast<double>(coefficient(cell, j, k)) * kStep;
      datum.cells[cell] -= rate * (std::abs(released - expected) - std::abs(released));
    }
  }
  return datum;
}

std::vector<HaarChannel::Observed> HaarChannel::observed(std::span<const double> values) const {
  std::vector<Observed> z;
  for (; !values.empty(); values = values.subspan(std::min(values.size(), coefficients())))
    z.push_back(observed_one(values.first(std::min(values.size(), coefficients()))));
  return z;
}

double HaarChannel::initial(const Observed& z, ChainRng& rng) const {
  const auto best =
      static_cast<std::size_t>(std::max_element(z.cells.begin(), z.cells.end()) - z.cells.begin());
  const Interval bounds = cell_bounds(best);
  return bounds.lower + rng.uniform() * bounds.width();
}

}  // namespace sotto
