// What may be asked of a density beside its values: probabilities, quantiles, means.
#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/channel/column_settings.hpp"
#include "sotto/mixture/measure.hpp"

namespace sotto {

/// A number that follows from the law of a datum of one column.
struct Quantity {
  enum class Kind { below, at_most, equal, above, at_least, quantile, mean };
  std::string text;  ///< as it was asked for
  std::size_t column = 0;
  Kind kind = Kind::mean;
  double at = 0;  ///< the value compared with (a category by its number), or the probability of a quantile
  std::optional<Kind> beyond{};  ///< P(20 < x < 40): the probability of at_most or below `from` is taken off
  double from = 0;
};

/// What the law of a column has. Categories have no order, and a density gives no value a probability.
enum class Scale { density, counts, categories };

/// `P(x > 30)` with <, <=, >, >=, and = of counts and categories; `P(20 < x <= 40)`; `q(0.9)`; `mean`. x stands for the column; among several, and
/// wherever it is clearer, its name does: `P(age > 30)`, `q(age, 0.9)`, `mean(age)`. Errors: usage, which say what may be asked.
[[nodiscard]] std::vector<Quantity> parse_quantities(std::span<const std::string> texts,
                                                     std::span<const ColumnSettings> columns, Scale scale);

/// P(Y <= y) under P.
template <class Kernel>
double cumulative(const Kernel& kernel, const mixture::MixingMeasure<typename Kernel::Parameter>& measure,
                  double y) {
  double sum = 0;
  for (std::size_t h = 0; h < measure.atoms.size(); ++h)
    sum += measure.weights[h] * kernel.cumulative(y, measure.atoms[h]);
  return std::fmin(std::fmax(sum, 0), 1);
}

/// The least y with P(Y <= y) >= probability, between the ends of the domain.
template <class Kernel>
double quantile(const Kernel& kernel, const mixture::MixingMeasure<typename Kernel::Parameter>& measure,
                double probability, double lower, double upper) {
  const auto excess = [&](double y) { return cumulative(kernel, measure, y) - probability; };
  if constexpr (Kernel::kDiscrete) {
    while (lower < upper) {
      const double middle = std::floor(lower + (upper - lower) / 2);
      if (excess(middle) < 0)
        lower = middle + 1;
      else
        upper = middle;
    }
    return lower;
  } else {
    if (!(excess(lower) < 0)) return lower;
    if (!(excess(upper) > 0)) return upper;
    std::uintmax_t steps = 100;
    const auto [left, right] = boost::math::tools::toms748_solve(
        excess, lower, upper, boost::math::tools::eps_tolerance<double>(40), steps);
    return left + (right - left) / 2;
  }
}

/// The quantity under one P; `grid` spans the column's domain.
template <class Kernel>
double value_of(const Quantity& asked, const Kernel& kernel,
                const mixture::MixingMeasure<typename Kernel::Parameter>& measure, const Position& grid) {
  const auto mixed = [&](auto one) {
    double sum = 0;
    for (std::size_t h = 0; h < measure.atoms.size(); ++h) sum += measure.weights[h] * one(measure.atoms[h]);
    return sum;
  };
  if (asked.kind == Quantity::Kind::equal) {
    using Datum = typename Kernel::Datum;
    return mixed(
        [&](const auto& theta) { return std::exp(kernel.log_density(static_cast<Datum>(asked.at), theta)); });
  }
  if constexpr (requires { kernel.mean(measure.atoms[0]); }) {
    const auto up_to = [&](Quantity::Kind kind, double at) {
      // The largest value below: of counts the one before, of numbers itself.
      const bool open = kind == Quantity::Kind::below || kind == Quantity::Kind::at_least;
      return cumulative(kernel, measure, open && Kernel::kDiscrete ? std::ceil(at) - 1 : at);
    };
    const double less = asked.beyond ? up_to(*asked.beyond, asked.from) : 0;
    switch (asked.kind) {
      case Quantity::Kind::below:
      case Quantity::Kind::at_most:
        return std::fmax(0, up_to(asked.kind, asked.at) - less);
      case Quantity::Kind::above:
      case Quantity::Kind::at_least:
        return 1 - up_to(asked.kind, asked.at);
      case Quantity::Kind::quantile:
        return quantile(kernel, measure, asked.at, grid[0], grid[grid.size() - 1]);
      case Quantity::Kind::mean:
        return mixed([&](const auto& theta) { return kernel.mean(theta); });
      case Quantity::Kind::equal:
        break;
    }
  }
  return std::nan("");
}

}  // namespace sotto
