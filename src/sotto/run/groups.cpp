#include "sotto/run/groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
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

/// Deviations have a t distribution's tails, so no mean of their squares is taken: quantiles from 20,000 draws.
std::vector<PriorDescription> Groups::describe(const std::vector<double>& scales) const {
  constexpr std::size_t kDraws = 20000;
  const boost::math::students_t half(VaryingEffects::kFreedom);
  ChainRng rng(20260102);
  std::vector<double> spreads, deviations;  // of scale 1
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double u = (static_cast<double>(i) + 0.5) / kDraws;
    spreads.push_back(boost::math::quantile(half, 0.5 + u / 2));
    deviations.push_back(spreads.back() * rng.normal());
  }
  std::sort(spreads.begin(), spreads.end());
  std::sort(deviations.begin(), deviations.end());
  const auto described = [](const std::vector<double>& sorted, double scale, std::string parameter,
                            std::string distribution) {
    PriorDescription d;
    d.parameter = std::move(parameter);
    d.distribution = std::move(distribution);
    double sum = 0;
    double squares = 0;
    for (const double x : sorted) {
      sum += x / kDraws;
      squares += x * x / kDraws;
    }
    d.mean = scale * sum;
    d.sd = scale * std::sqrt(squares - sum * sum);
    d.q05 = scale * sorted[kDraws / 20];
    d.q50 = scale * sorted[kDraws / 2];
    d.q95 = scale * sorted[kDraws - kDraws / 20];
    return d;
  };
  const std::vector<double> reported = as_reported(scales);
  std::vector<PriorDescription> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const DesignGroup& group = groups_[g];
    all.push_back(
        described(spreads, reported[g], fmt::format("sd({})", group.name),
                  fmt::format("half-student_t({:g}, 0, {:.4g})", VaryingEffects::kFreedom, reported[g])));
    for (const std::string& level : group.levels) {
      all.push_back(described(deviations, reported[g], fmt::format("{}[{}]", group.name, level),
                              fmt::format("normal(0, sd({}))", group.name)));
    }
  }
  return all;
}

}  // namespace sotto
