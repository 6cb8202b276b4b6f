#include "sotto/run/groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

namespace sotto {
std::vector<VaryingEffects> Groups::priors(const std::vector<double>& scales) const {
  std::vector<VaryingEffects> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) all.emplace_back(groups_[g].columns, scales[g]);
  return all;
}

std::vector<VaryingColumns> Groups::columns() const {
  std::vector<VaryingColumns> all;
  for (const DesignGroup& group : groups_) all.push_back({group.columns, group.mean});
  return all;
}

std::vector<double> Groups::as_reported(std::vector<double> scales) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) scales[g] /= groups_[g].half_width;
  return scales;
}

bool Groups::has(Eigen::Index column) const {
  return std::any_of(groups_.begin(), groups_.end(), [column](const DesignGroup& group) {
    return std::find(group.columns.begin(), group.columns.end(), column) != group.columns.end();
  });
}

std::vector<std::string> Groups::names(const std::vector<std::string>& parameters) const {
  std::vector<std::string> all;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    if (!has(static_cast<Eigen::Index>(j))) all.push_back(parameters[j]);
  }
  for (const DesignGroup& group : groups_) {
    all.push_back(fmt::format("sd({})", group.name));
    for (const std::string& level : group.levels) all.push_back(fmt::format("{}[{}]", group.name, level));
  }
  return all;
}

Position Groups::complete(const Position& reported, const std::vector<VaryingEffects::Drawn>& drawn) const {
  std::vector<double> all;
  Position means = reported;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    means[groups_[g].mean] -= drawn[g].first;
    means[0] += drawn[g].first * groups_[g].centre;
  }
  for (Eigen::Index j = 0; j < reported.size(); ++j) {
    if (!has(j)) all.push_back(means[j]);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto [sd, first] = drawn[g];
    all.push_back(sd);
    all.push_back(first);
    for (const Eigen::Index column : groups_[g].columns) all.push_back(reported[column] + first);
  }
  return Eigen::Map<const Position>(all.data(), static_cast<Eigen::Index>(all.size()));
}

Position Groups::differences(const Position& completed) const {
  Position reported(completed.size() - 2 * static_cast<Eigen::Index>(groups_.size()));
  Eigen::Index from = 0;
  for (Eigen::Index j = 0; j < reported.size(); ++j) {
    if (!has(j)) reported[j] = completed[from++];
  }
  for (const DesignGroup& group : groups_) {
    const double first = completed[from + 1];  // behind the spread
    from += 2;
    for (const Eigen::Index column : group.columns) reported[column] = completed[from++] - first;
    reported[group.mean] += first;
    reported[0] -= first * group.centre;
  }
  return reported;
}

void Groups::complete(Draws& draws, const std::vector<double>& scales, std::uint64_t seed) const {
  constexpr std::uint64_t kStream = 0x6702;
  if (empty()) return;
  const std::vector<VaryingEffects> all = priors(as_reported(scales));
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    ChainRng rng(seed, kStream + c);
    Matrix& own = draws.chains[c].draws;
    Matrix completed(own.rows(), static_cast<Eigen::Index>(names(draws.parameters).size()));
    for (Eigen::Index i = 0; i < own.rows(); ++i) {
      std::vector<VaryingEffects::Drawn> drawn;
      drawn.reserve(all.size());
      for (const VaryingEffects& one : all) drawn.push_back(one.draw(own.row(i), rng));
      completed.row(i) = complete(own.row(i), drawn);
    }
    own = std::move(completed);
  }
  draws.parameters = names(draws.parameters);
}

std::vector<VaryingEffects::Drawn> Groups::plain(const Position& reported) const {
  std::vector<VaryingEffects::Drawn> all;
  for (const DesignGroup& group : groups_) {
    const Position b = reported(group.columns);
    const auto levels = static_cast<double>(group.levels.size());
    const double mean = b.sum() / levels;
    all.push_back({std::sqrt(std::max(b.squaredNorm() / levels - mean * mean, 0.0)), -mean});
  }
  return all;
}

namespace {

using StudentT = boost::math::students_t;

/// Quantile of a group's spread s of scale 1, half a Student t distribution.
double spread_quantile(double p) {
  return boost::math::quantile(StudentT(VaryingEffects::kFreedom), 0.5 + p / 2);
}

/// The same of a level's deviation s z, z standard normal. Its distribution function at x is the mean of that of z at x / s over
/// quantiles of s.
double deviation_quantile(double p) {
  constexpr int kSpreads = 2000;
  std::vector<double> spreads;
  spreads.reserve(kSpreads);
  for (int i = 0; i < kSpreads; ++i) spreads.push_back(spread_quantile((i + 0.5) / kSpreads));
  const auto missing = [&](double x) {
    double below = 0;
    for (const double s : spreads) below += boost::math::cdf(boost::math::normal(), x / s) / kSpreads;
    return below - p;
  };
  std::uintmax_t steps = 100;
  const auto ends = boost::math::tools::bracket_and_solve_root(
      missing, 1.0, 2.0, true, boost::math::tools::eps_tolerance<double>(30), steps);
  return ends.first + (ends.second - ends.first) / 2;
}

PriorDescription scaled(PriorDescription of, double scale) {
  for (double* number : {&of.mean, &of.sd, &of.q05, &of.q50, &of.q95}) *number *= scale;
  return of;
}

PriorDescription named(PriorDescription of, std::string parameter, std::string distribution) {
  of.parameter = std::move(parameter);
  of.distribution = std::move(distribution);
  return of;
}

}  // namespace

std::vector<PriorDescription> Groups::describe(const std::vector<double>& scales) const {
  if (groups_.empty()) return {};
  constexpr double kFreedom = VaryingEffects::kFreedom;
  constexpr double kVariance = kFreedom / (kFreedom - 2);
  PriorDescription spread, deviation;  // of scale 1
  spread.mean = 2 * std::sqrt(kFreedom / std::numbers::pi) / (kFreedom - 1) /
                boost::math::tgamma_delta_ratio(kFreedom / 2, 0.5);
  spread.sd = std::sqrt(kVariance - spread.mean * spread.mean);
  spread.q05 = spread_quantile(0.05);
  spread.q50 = spread_quantile(0.5);
  spread.q95 = spread_quantile(0.95);
  deviation.mean = deviation.q50 = 0;
  deviation.sd = std::sqrt(kVariance);
  deviation.q95 = deviation_quantile(0.95);
  deviation.q05 = -deviation.q95;
  const std::vector<double> reported = as_reported(scales);
  std::vector<PriorDescription> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const DesignGroup& group = groups_[g];
    all.push_back(named(scaled(spread, reported[g]), fmt::format("sd({})", group.name),
                        fmt::format("half-student_t({:g}, 0, {:.4g})", kFreedom, reported[g])));
    for (const std::string& level : group.levels)
      all.push_back(named(scaled(deviation, reported[g]), fmt::format("{}[{}]", group.name, level),
                          fmt::format("normal(0, sd({}))", group.name)));
  }
  return all;
}

}  // namespace sotto
