#include "sotto/posterior/default_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/posterior/offset.hpp"
#include "sotto/prior/varying_effects.hpp"

namespace sotto {
namespace {

constexpr double kSlope = 2.5;
constexpr double kIntercept = 5;
constexpr double kWidestPredictor = 2.8;  // what slopes make of it, in its unit: that of five columns
constexpr double kNarrowest = 1e-4;       // spread of a column over the width of its declared range
constexpr double kNarrowestOfAll = 1e-150;

double standard_deviation(const CoefficientPrior& prior) {
  switch (prior.family) {
    case PriorFamily::normal:
      return prior.scale;
    case PriorFamily::laplace:
      return std::sqrt(2.0) * prior.scale;
    case PriorFamily::student_t: {
      const double df = prior.degrees_of_freedom;
      return prior.scale * (df > 8.0 / 3 ? std::sqrt(df / (df - 2)) : 2.0);
    }
    case PriorFamily::flat:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

bool needs_ratio(const std::optional<CoefficientPrior>& prior) {
  return prior && prior->family != PriorFamily::normal && prior->family != PriorFamily::flat;
}

PriorRatio ratio_of(const std::vector<std::optional<CoefficientPrior>>& own,
                    const std::vector<VaryingEffects>& groups, const JointStudentT& slopes) {
  std::vector<std::pair<Eigen::Index, CoefficientPrior>> others;
  for (std::size_t j = 0; j < own.size(); ++j) {
    if (needs_ratio(own[j])) others.emplace_back(static_cast<Eigen::Index>(j), *own[j]);
  }
  if (others.empty() && groups.empty() && slopes.empty()) return {};
  return [others, groups, slopes](const Position& at) {
    double sum = slopes.log_ratio(at);
    for (const VaryingEffects& group : groups) {
      sum += group.log_density(at) + group.squares(at) / (2 * group.scale() * group.scale());
    }
    for (const auto& [j, prior] : others) {
      const double z = (at[j] - prior.location) / standard_deviation(prior);
      sum += prior.log_density(at[j]) + z * z / 2;
    }
    return sum;
  };
}

/// `of_groups`: the part of the precision that groups' levels have.
std::function<double(const Position&)> own_density(const ResolvedPrior& prior, const Matrix& of_groups,
                                                   bool offset, PriorRatio others) {
  Matrix precision = prior.normal.precision - of_groups;
  const Eigen::Index last = precision.rows() - 1;
  if (offset) precision(last, last) -= prior.alone[last];
  return [precision, others = std::move(others), location = prior.normal.location](const Position& at) {
    const Position off = at - location;
    return -off.dot(precision * off) / 2 + (others ? others(at) : 0);
  };
}

/// What no part may exceed so that the root of the parts' squares is at most `whole`.
double largest_part(Position parts, double whole) {
  std::sort(parts.begin(), parts.end());
  double left = whole * whole;
  for (Eigen::Index j = 0; j < parts.size(); ++j) {
    const auto others = static_cast<double>(parts.size() - j);
    if (parts[j] * parts[j] * others > left) return std::sqrt(left / others);
    left -= parts[j] * parts[j];
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

ResolvedPrior resolve_prior(const std::vector<std::optional<CoefficientPrior>>& own, const OnceFacts& facts,
                            const StandIn& stand_in, double unit, const FirstIntercept& centre) {
  const Eigen::Index d = facts.dim();
  const Position constant = facts.constant();
  const auto spread = [&](Eigen::Index j) {
    const double width = facts.range[static_cast<std::size_t>(j)].width();
    return std::max(
        {std::sqrt(std::max(stand_in.covariance()(j, j), 0.0)), kNarrowest * width, kNarrowestOfAll});
  };
  std::vector<VaryingEffects> groups;
  std::vector<double> scales;
  for (const VaryingColumns& group : facts.groups) {
    const double scale = VaryingEffects::kUsualScale * unit;
    scales.push_back(group.mean == 0 ? scale : scale / (2 * spread(group.mean)));
    groups.emplace_back(group.columns, scales.back());
  }
  ResolvedPrior prior{{Matrix::Zero(d, d), Position::Zero(d)}, {}, Position::Zero(d)};
  prior.group_scales = std::move(scales);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const VaryingEffects& group = groups[g];
    const VaryingColumns& of = facts.groups[g];
    prior.normal.precision(group.columns(), group.columns()) += group.stand_in();
    prior.alone(group.columns()).setConstant(1 / (group.scale() * group.scale()));
    Matrix deviations = Matrix::Zero(d, d);
    for (const Eigen::Index j : group.columns()) {
      deviations(j, j) = 1;
      deviations.col(j) -= of.mean == 0 ? Position(stand_in.mean()[j] * constant)
                                        : Position(Position::Unit(d, of.mean) / of.levels());
    }
    prior.deviations.push_back(std::move(deviations));
  }
  const Matrix of_groups = prior.normal.precision;
  Position scales_of_slopes = Position::Zero(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const auto& mine = own[static_cast<std::size_t>(j)];
    if (mine) {
      mine->check();
      if (mine->family == PriorFamily::flat) continue;
      const double sd = standard_deviation(*mine);
      prior.normal.location[j] = mine->location;
      prior.normal.precision(j, j) += 1 / (sd * sd);
      prior.alone[j] = 1 / (sd * sd);
    } else if (facts.intercept && j == 0) {
      const double sd = std::hypot(kIntercept * unit, centre.doubt);
      prior.normal.location[0] = centre.value;
      prior.normal.precision += stand_in.mean() * stand_in.mean().transpose() / (sd * sd);
    } else if (constant.size() > 0 && constant[j] != 0) {
      // A row of this level whose other columns are the covariates' mean.
      Position row = (constant.array() == 0).select(stand_in.mean(), 0);
      row[j] = 1 / constant[j];
      const double sd = std::hypot(kIntercept * unit, centre.doubt);
      prior.normal.location[j] = centre.value * constant[j];
      prior.normal.precision += row * row.transpose() / (sd * sd);
    } else if (!facts.in_group(j)) {
      const double width = facts.range[static_cast<std::size_t>(j)].width();
      const bool indicator = facts.indicator[static_cast<std::size_t>(j)] && width > 0;
      scales_of_slopes[j] = unit * (indicator ? kSlope / width : kSlope / (2 * spread(j)));
    }
  }
  // Of the linear predictor over the rows, were columns not correlated. A column of two values spreads by half their difference at the
  // most.
  const Position spreads = stand_in.covariance().diagonal().cwiseMax(0).cwiseSqrt();
  const Position of_predictor = scales_of_slopes.cwiseProduct(spreads).cwiseMin(kSlope / 2 * unit);
  const double most = largest_part(of_predictor, kWidestPredictor * unit);
  if (facts.offset) {
    const Position shift = offset_alone(facts, stand_in);
    for (Eigen::Index j = 0; j < d; ++j) {
      if (!own[static_cast<std::size_t>(j)]) prior.normal.location[j] += shift[j];
    }
  }
  for (Eigen::Index j = 0; j < d; ++j) {
    if (scales_of_slopes[j] == 0) continue;
    double sd = scales_of_slopes[j];
    if (of_predictor[j] > most) {
      const CoefficientPrior alone =
          JointStudentT::alone(prior.normal.location[j], sd * most / of_predictor[j]);
      prior.slopes.add(j, alone.location, alone.scale);
      sd = standard_deviation(alone);
    }
    prior.normal.precision(j, j) += 1 / (sd * sd);
    prior.alone[j] = 1 / (sd * sd);
  }
  prior.ratio = ratio_of(own, groups, prior.slopes);
  prior.own = own_density(prior, of_groups, facts.offset.has_value(), ratio_of(own, {}, prior.slopes));
  return prior;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): a std::function frees what it holds

JointNormalPrior locating_prior(const StandIn& stand_in, const OnceFacts& facts, double reach, double unit,
                                const ResolvedPrior& prior) {
  const auto d = static_cast<double>(facts.dim());
  const double intercept = kIntercept * unit;
  Matrix precision = stand_in.covariance() * (d / (reach * reach)) +
                     stand_in.mean() * stand_in.mean().transpose() / (intercept * intercept);
  precision.diagonal() += 1e-9 / (unit * unit) * facts.column_scale().array().square().matrix();
  precision.diagonal() = precision.diagonal().cwiseMax(prior.alone);
  return {std::move(precision), prior.normal.location};
}

}  // namespace sotto
