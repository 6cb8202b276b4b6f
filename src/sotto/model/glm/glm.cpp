#include "sotto/model/glm/glm.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr double kLeastReach = 0x1p-960;  // of scaled covariates: shorter ones lose digits to underflow

/// Range of d log p / d eta, which falls in eta and rises in y.
template <RowByRow F>
Interval score_over(const F&, const Interval& eta, const Interval& y, const law::Spread& spread) {
  if constexpr (requires { F::score_range(eta); }) return F::score_range(eta);
  return {law::value(F::score, eta.upper, y.lower, spread), law::value(F::score, eta.lower, y.upper, spread)};
}

template <HasThresholds F>
Interval score_over(const F&, const Interval&, const Interval&, const law::Spread&) {
  return {-1, 1};
}

// One part in 2^40 more than a bound, for the rounding of the bound itself.
constexpr double kScoreRoundUp = 1 + 0x1p-40;

}  // namespace

Glm::Glm(GlmFamily family, Domain domain, Interval response, Pieces pieces)
    : family_(family), domain_(std::move(domain)), response_(response), pieces_(pieces) {
  std::visit(
      [&](const auto& f) {
        if (response.lower < f.support.lower || response.upper > f.support.upper)
          refuse(std::string(f.needs));
      },
      family_);
  if (has_thresholds(family_) && response.upper != static_cast<double>(pieces.count))
    refuse("ordered categories need a row for each threshold between them");
  const auto* sigma = sigma_of(family_);
  if (sigma != nullptr && sigma->has_value() && !(**sigma > 0)) refuse("sigma must be > 0, or \"unknown\"");
}

bool Glm::unknown_sigma() const {
  const auto* sigma = sigma_of(family_);
  return sigma != nullptr && !sigma->has_value();
}

Interval Glm::linear_range(const Position& at) const { return domain_.range(coefficients(at)); }

law::Spread Glm::spread(const Position& at) const {
  const auto* sigma = sigma_of(family_);
  if (sigma == nullptr) return {};
  return *sigma ? law::Spread::of_sigma(**sigma) : law::Spread::of_log_sigma(at[domain_.columns()]);
}

Interval Glm::score_range(const Position& at) const {
  return std::visit([&](const auto& f) { return score_over(f, linear_range(at), response_, spread(at)); },
                    family_);
}

PerRow<OrderedRow> Glm::ordered() const { return PerRow<OrderedRow>({domain_, pieces_}); }

Interval Glm::ratio_range(const Position& from, const Position& to) const {
  if (has_thresholds(family_)) return ordered().ratio_range(from, to);
  if (!from.allFinite() || !to.allFinite()) return {-HUGE_VAL, HUGE_VAL};
  const auto linear = [&](double of_y, const Position& of_x) {
    const Interval y = response_ * Interval{of_y, of_y};
    const Interval x = domain_.range(of_x);
    return Interval{y.lower + x.lower, y.upper + x.upper};
  };
  return std::visit(
      [&]<class F>(const F& f) -> Interval {
        if constexpr (requires { f.ratio_range(from, law::Spread(), to, law::Spread(), linear); }) {
          return f.ratio_range(coefficients(from), spread(from), coefficients(to), spread(to), linear);
        } else if constexpr (RowByRow<F>) {
          static_assert(!HasSigma<F>, "sigma moves the ratio too: the family must tell its range");
          const Interval score =
              score_over(f, hull(linear_range(from), linear_range(to)), response_, spread(from));
          if (!std::isfinite(score.width())) return {-HUGE_VAL, HUGE_VAL};
          return score * domain_.range(to - from);
        }
        return {-HUGE_VAL, HUGE_VAL};
      },
      family_);
}

double Glm::weight_bound(const Position& at) const { return score_range(at).magnitude() * kScoreRoundUp; }

Interval Glm::sigma_score_range(const Position& at) const {
  const Interval range = std::visit(
      [&]<class F>(const F& f) -> Interval {
        if constexpr (HasSigma<F>) {
          return f.sigma_score_range(linear_range(at), response_, spread(at));
        }
        return {};
      },
      family_);
  return {range.lower * kScoreRoundUp, range.upper * kScoreRoundUp};
}

VectorBound Glm::gradient_bound(const Position& at, const Position& scale) const {
  if (has_thresholds(family_)) return ordered().gradient_bound(at, scale);
  if (!at.allFinite()) return {HUGE_VAL, HUGE_VAL};
  const double reach = domain_.max_norm(coefficients(scale));
  if (!(reach >= kLeastReach)) return {HUGE_VAL, HUGE_VAL};
  double norm = weight_bound(at) * reach;
  if (unknown_sigma()) norm = std::hypot(norm, sigma_score_range(at).magnitude() * scale[domain_.columns()]);
  return {norm, 2 * norm};
}

GlmTiles Glm::tiles(const Rows& rows, std::size_t first, std::size_t count) const {
  return {rows.tile(first), count, static_cast<std::size_t>(domain_.columns())};
}

void Glm::add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                     double scale, std::span<std::int64_t> sums) const {
  if (has_thresholds(family_)) {
    ordered().add_ratios(rows, first, count, tasks, scale, sums);
    return;
  }
  std::vector<RatioWork> work;
  work.reserve(tasks.size());
  for (const RatioTask& task : tasks) {
    work.push_back({task.from->data(), task.to->data(), spread(*task.from), spread(*task.to),
                    static_cast<double>(task.lower), static_cast<double>(task.upper)});
  }
  glm_ratio_pass(family_, tiles(rows, first, count), work, scale, sums);
}

void Glm::add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                        std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
  if (has_thresholds(family_)) {
    ordered().add_gradients(rows, first, count, tasks, sums);
    return;
  }
  std::vector<GradientWork> work;
  work.reserve(tasks.size());
  for (const GradientTask& task : tasks) {
    work.push_back({task.at->data(), spread(*task.at), weight_bound(*task.at), task.factor.data(),
                    task.longest, sigma_score_range(*task.at)});
  }
  glm_gradient_pass(family_, tiles(rows, first, count), work, sums);
}

}  // namespace sotto
