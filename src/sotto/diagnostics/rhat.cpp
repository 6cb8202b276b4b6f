#include "sotto/diagnostics/rhat.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/sequences.hpp"

namespace sotto {
namespace {

// Unbiased variance; 0 for a single number.
template <class Vector>
double variance(const Vector& x) {
  const auto count = static_cast<double>(x.size());
  return count < 2 ? 0 : (x.array() - x.mean()).square().sum() / (count - 1);
}

}  // namespace

double plain_rhat(const Matrix& x) {
  const auto count = static_cast<double>(x.rows());
  double within = 0;
  for (const auto& chain : x.colwise()) within += variance(chain) / static_cast<double>(x.cols());
  const double between = count * variance(x.colwise().mean());
  return std::sqrt((between / within + count - 1) / count);
}

double rhat(const Matrix& x) {
  if (!can_be_diagnosed(x)) return kUndefined;
  const Matrix halves = split_chains(x);
  const double location = plain_rhat(rank_normalise(halves));
  const double scale = plain_rhat(rank_normalise(fold(halves)));
  if (std::isnan(location) || std::isnan(scale)) return kUndefined;
  return std::max(location, scale);
}

double nested_rhat(const Matrix& x, const std::vector<std::size_t>& group) {
  if (static_cast<std::size_t>(x.cols()) != group.size())
    throw Error(ErrorCode::internal, "nested_rhat: one group per chain");
  if (x.rows() < 1 || !x.allFinite()) return kUndefined;
  std::map<std::size_t, std::vector<Eigen::Index>> members;
  for (std::size_t c = 0; c < group.size(); ++c) members[group[c]].push_back(static_cast<Eigen::Index>(c));
  if (members.size() < 2) return kUndefined;
  const std::size_t size = members.begin()->second.size();
  Eigen::VectorXd group_mean(static_cast<Eigen::Index>(members.size()));
  double within = 0;
  Eigen::Index k = 0;
  for (const auto& [name, chains] : members) {
    if (chains.size() != size) return kUndefined;
    const Matrix block = x(Eigen::all, chains);
    group_mean(k++) = block.mean();
    double inside = variance(block.colwise().mean());
    for (const auto& chain : block.colwise()) inside += variance(chain) / static_cast<double>(size);
    within += inside / static_cast<double>(members.size());
  }
  return within > 0 ? std::sqrt(1 + variance(group_mean) / within) : kUndefined;
}

}  // namespace sotto
