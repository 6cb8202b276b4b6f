#include "sotto/model/glm/glm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

double logistic(double eta) { return 1 / (1 + std::exp(-eta)); }

}  // namespace

Glm::Glm(GlmFamily family, Domain domain, Interval response)
    : family_(family), domain_(std::move(domain)), response_(response) {
  if (family.family == Family::bernoulli && (response.lower < 0 || response.upper > 1)) {
    throw Error(ErrorCode::configuration,
                "a bernoulli response must be binary: compare it with a number, as in y > 0 ~ x");
  }
  if (family.family == Family::poisson && response.lower < 0) {
    throw Error(ErrorCode::configuration,
                "a poisson response must be a count: declare it with lower = 0 or more");
  }
  if (family.family == Family::normal && !family.unknown_sigma && !(family.sigma > 0)) {
    throw Error(ErrorCode::configuration, "sigma must be > 0, or \"unknown\"");
  }
}

Interval Glm::linear_range(const Position& at) const { return domain_.range(at.head(domain_.columns())); }

double Glm::sigma(const Position& at) const {
  return family_.unknown_sigma ? std::exp(at[domain_.columns()]) : family_.sigma;
}

Interval Glm::score_over(const Interval& eta, const Position& at) const {
  switch (family_.family) {
    case Family::bernoulli:
      return {response_.lower - logistic(eta.upper), response_.upper - logistic(eta.lower)};
    case Family::poisson:
      return {response_.lower - std::exp(eta.upper), response_.upper - std::exp(eta.lower)};
    case Family::normal: {
      const double precision = 1 / (sigma(at) * sigma(at));
      return {(response_.lower - eta.upper) * precision, (response_.upper - eta.lower) * precision};
    }
  }
  throw Error(ErrorCode::internal, "unknown family");
}

Interval Glm::score_range(const Position& at) const { return score_over(linear_range(at), at); }

Interval Glm::ratio_range(const Position& from, const Position& to) const {
  if (!from.allFinite() || !to.allFinite()) return {-HUGE_VAL, HUGE_VAL};
  const Eigen::Index p = domain_.columns();
  if (family_.family != Family::normal) {
    const Interval score = score_over(hull(linear_range(from), linear_range(to)), from);
    if (!std::isfinite(score.width())) return {-HUGE_VAL, HUGE_VAL};
    return score * domain_.range(to - from);
  }
  // With a = (y - x'beta) / sigma the log density is -log(sigma) - a^2 / 2, and both a - a' and a + a' are linear in (x, y).
  const double u = 1 / sigma(from);
  const double v = 1 / sigma(to);
  const auto linear = [&](double in_y, const Position& in_x) {
    const Interval y = response_ * Interval{in_y, in_y};
    const Interval x = domain_.range(in_x);
    return Interval{y.lower + x.lower, y.upper + x.upper};
  };
  const Interval product =
      linear(u - v, to.head(p) * v - from.head(p) * u) * linear(u + v, -(to.head(p) * v + from.head(p) * u));
  const double shift = std::log(v / u);
  return {product.lower / 2 + shift, product.upper / 2 + shift};
}

// One part in 2^40 more than the bound, for the rounding of the bound itself.
double Glm::weight_bound(const Position& at) const { return score_range(at).magnitude() * (1 + 0x1p-40); }

double Glm::sigma_score_bound(const Position& at) const {
  const Interval eta = linear_range(at);
  const double residual = std::max(response_.upper - eta.lower, eta.upper - response_.lower) / sigma(at);
  return std::max(1.0, residual * residual - 1) * (1 + 0x1p-40);
}

VectorBound Glm::gradient_bound(const Position& at, const Position& scale) const {
  if (!at.allFinite()) return {HUGE_VAL, HUGE_VAL};
  double norm = weight_bound(at) * domain_.max_norm(scale.head(domain_.columns()));
  if (family_.unknown_sigma) norm = std::hypot(norm, sigma_score_bound(at) * scale[domain_.columns()]);
  return {norm, 2 * norm};
}

GlmTiles Glm::tiles(const Rows& rows, std::size_t first, std::size_t count) const {
  return {rows.tile(first), count, static_cast<std::size_t>(domain_.columns())};
}

void Glm::add_ratios(const Rows& rows, std::size_t first, std::size_t count, std::span<const RatioTask> tasks,
                     double scale, std::span<std::int64_t> sums) const {
  std::vector<RatioWork> work;
  work.reserve(tasks.size());
  for (const RatioTask& task : tasks) {
    work.push_back({task.from->data(), task.to->data(), static_cast<double>(task.lower),
                    static_cast<double>(task.upper)});
  }
  glm_ratio_pass(family_, tiles(rows, first, count), work, scale, sums);
}

void Glm::add_gradients(const Rows& rows, std::size_t first, std::size_t count,
                        std::span<const GradientTask> tasks, std::span<std::int64_t> sums) const {
  std::vector<GradientWork> work;
  work.reserve(tasks.size());
  for (const GradientTask& task : tasks) {
    work.push_back({task.at->data(), weight_bound(*task.at), task.factor.data(),
                    family_.unknown_sigma ? sigma_score_bound(*task.at) : 0});
  }
  glm_gradient_pass(family_, tiles(rows, first, count), work, sums);
}

}  // namespace sotto
