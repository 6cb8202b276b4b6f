#include "sotto/model/glm/ordered_row.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/math/mean_function.hpp"

namespace sotto {
namespace {

constexpr double kLeastGap = 1e-3;  // between thresholds: closer, their gap's term is a line
constexpr double kBoundRoundUp = 1 + 0x1p-40;

/// log logistic(x)
double log_logistic(double x) { return std::fmin(x, 0) - std::log1p(std::exp(-std::abs(x))); }

double logistic_of(double x) { return std::exp(log_logistic(x)); }

/// log(1 - exp(-gap)), and its slope.
struct GapTerm {
  double value, slope;
};
GapTerm gap_term(double gap) {
  const double used = std::fmax(gap, kLeastGap);
  const double slope = 1 / std::expm1(used);
  return {std::log(-std::expm1(-used)) + slope * (gap - used), slope};
}

}  // namespace

/// The position without what tells thresholds apart.
Position OrderedRow::common(const Position& at) const {
  Position rest = at;
  rest.segment(pieces_.first, thresholds() - 1).setZero();
  return rest;
}

bool OrderedRow::is_first(std::span<const double> row) const {
  const auto own = row.subspan(static_cast<std::size_t>(pieces_.first), pieces_.count - 1);
  return std::all_of(own.begin(), own.end(), [](double x) { return x == 0; });
}

Eigen::Index OrderedRow::category(std::span<const double> row) const {
  return static_cast<Eigen::Index>(std::fmin(std::fmax(row.back(), 0), static_cast<double>(pieces_.count)));
}

double OrderedRow::log_density(std::span<const double> row, const Position& at) const {
  if (!is_first(row)) return 0;
  if (std::isnan(row.back())) return row.back();
  const Eigen::Index k = category(row);
  const double eta = Eigen::Map<const Position>(row.data(), dim()).dot(at);
  double sum = 0;
  if (k > 0) sum += log_logistic(eta + shift(at, k - 1));
  if (k < thresholds()) sum += log_logistic(-eta - shift(at, k));
  if (k > 0 && k < thresholds()) sum += gap_term(shift(at, k - 1) - shift(at, k)).value;
  return sum;
}

void OrderedRow::gradient(std::span<const double> row, const Position& at, Position& out) const {
  out.setZero();
  if (!is_first(row) || std::isnan(row.back())) return;
  const Eigen::Map<const Position> x(row.data(), dim());
  const Eigen::Index k = category(row);
  const double eta = x.dot(at);
  const auto add = [&](Eigen::Index threshold, double slope, double of_gap) {
    out += slope * x;
    if (threshold > 0) out[pieces_.first + threshold - 1] += slope + of_gap;
  };
  const double gap = k > 0 && k < thresholds() ? gap_term(shift(at, k - 1) - shift(at, k)).slope : 0;
  if (k > 0) add(k - 1, logistic_of(-eta - shift(at, k - 1)), gap);
  if (k < thresholds()) add(k, -logistic_of(eta + shift(at, k)), -gap);
}

Interval OrderedRow::ratio_range(const Position& from, const Position& to) const {
  if (!from.allFinite() || !to.allFinite()) return {-HUGE_VAL, HUGE_VAL};
  const Interval move = domain_.range(common(to) - common(from));
  const Interval before = domain_.range(common(from));
  const Interval after = domain_.range(common(to));
  /// Of log logistic(sign (eta + shift)), by the mean value theorem.
  const auto side = [&](Eigen::Index threshold, double sign) {
    const double then = shift(from, threshold);
    const double now = shift(to, threshold);
    const Interval own{move.lower + now - then, move.upper + now - then};
    const double lower = std::min(before.lower + then, after.lower + now);
    const double upper = std::max(before.upper + then, after.upper + now);
    const Interval slope = sign > 0 ? Interval{logistic_of(-upper), logistic_of(-lower)}
                                    : Interval{-logistic_of(upper), -logistic_of(lower)};
    return slope * own;
  };
  Interval all{0, 0};
  for (Eigen::Index k = 0; k <= thresholds(); ++k) {
    Interval sum{0, 0};
    const auto add = [&sum](const Interval& term) { sum = {sum.lower + term.lower, sum.upper + term.upper}; };
    if (k > 0) add(side(k - 1, 1));
    if (k < thresholds()) add(side(k, -1));
    if (k > 0 && k < thresholds()) {
      const double change = gap_term(shift(to, k - 1) - shift(to, k)).value -
                            gap_term(shift(from, k - 1) - shift(from, k)).value;
      add({change, change});
    }
    all = hull(all, sum);
  }
  const double rounding = (kBoundRoundUp - 1) * (1 + all.magnitude());
  return {all.lower - rounding, all.upper + rounding};
}

VectorBound OrderedRow::gradient_bound(const Position& at, const Position& scale) const {
  if (!at.allFinite()) return {HUGE_VAL, HUGE_VAL};
  const auto own = [&](Eigen::Index k) { return k == 0 ? 0 : std::abs(scale[pieces_.first + k - 1]); };
  double largest = 0;
  for (Eigen::Index k = 0; k <= thresholds(); ++k) {
    const double gap = k > 0 && k < thresholds() ? gap_term(shift(at, k - 1) - shift(at, k)).slope : 0;
    double norm = 0;
    if (k > 0) norm += own(k - 1) * (1 + gap);
    if (k < thresholds()) norm += own(k) * (1 + gap);
    largest = std::max(largest, norm);
  }
  const double norm = (domain_.max_norm(common(scale)) + largest) * kBoundRoundUp;
  return {norm, 2 * norm};
}

}  // namespace sotto
