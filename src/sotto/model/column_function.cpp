#include "sotto/model/column_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/legendre.hpp>
#include <cmath>

#include "sotto/math/cubic_spline.hpp"

namespace sotto {
namespace {

/// Where x lies between its bounds, from 0 to 1, also where their width is beyond doubles.
double place(double x, const Interval& bounds) {
  const double unit = std::isfinite(bounds.width()) ? 1 : 0.5;
  return std::clamp((unit * x - unit * bounds.lower) / (unit * bounds.upper - unit * bounds.lower), 0.0, 1.0);
}

// Of splines the first of all is left out, as in R: with it they would add up to the intercept.
const ColumnFunction kFunctions[] = {
    {.name = "log",
     .defined = [](double lower) { return lower > 0; },
     .value = [](double x, const Interval&, int, int) { return std::log(x); }},
    {.name = "log1p",
     .defined = [](double lower) { return lower > -1; },
     .value = [](double x, const Interval&, int, int) { return std::log1p(x); }},
    {.name = "sqrt",
     .defined = [](double lower) { return lower >= 0; },
     .value = [](double x, const Interval&, int, int) { return std::sqrt(x); }},
    {.name = "I",
     .before_number = "^",
     .least = 2,
     .most = 9,
     .example = 2,
     .value = [](double x, const Interval&, int power, int) { return std::pow(x, power); }},
    {.name = "poly",
     .before_number = ",",
     .least = 1,
     .most = 9,
     .example = 3,
     .basis = true,
     .value = [](double x, const Interval& bounds, int,
                 int part) { return boost::math::legendre_p(part, 2 * place(x, bounds) - 1); },
     .values = Interval{-1, 1}},
    {.name = "bs",
     .before_number = ",",
     .least = 3,
     .most = 20,
     .example = 5,
     .basis = true,
     .value = [](double x, const Interval& bounds, int number,
                 int part) { return cubic_b_spline(place(x, bounds), number - 3, part); },
     .values = Interval{0, 1}},
};

}  // namespace

std::string ColumnFunction::text(std::string_view column, int number) const {
  if (before_number.empty()) return fmt::format("{}({})", name, column);
  return fmt::format("{}({}{}{}{})", name, column, before_number, before_number == "," ? " " : "", number);
}

Interval ColumnFunction::range(const Interval& bounds, int number) const {
  if (values) return *values;
  const double lower = value(bounds.lower, bounds, number, 1);
  const double upper = value(bounds.upper, bounds, number, 1);
  Interval range{std::min(lower, upper), std::max(lower, upper)};
  if (bounds.lower < 0 && bounds.upper > 0) {
    const double middle = value(0, bounds, number, 1);
    range = hull(range, {middle, middle});
  }
  return range;
}

std::span<const ColumnFunction> column_functions() { return kFunctions; }

const ColumnFunction* find_column_function(std::string_view name) {
  const auto found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [name](const ColumnFunction& function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace sotto
