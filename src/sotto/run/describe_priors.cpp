#include "sotto/run/describe_priors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// From 20,000 draws of the prior, of many parameters fewer: exact enough for a figure.
std::vector<PriorDescription> describe_priors(const PublicProblem& problem, const std::string& where) {
  const std::vector<CoefficientPrior>& priors = problem.coefficient_priors;
  const auto count = std::clamp<Eigen::Index>(
      1'000'000 / std::max<Eigen::Index>(static_cast<Eigen::Index>(priors.size()), 1), 4000, 20000);
  ChainRng rng(20260101);
  Matrix draws(count, static_cast<Eigen::Index>(problem.parameters.size()));
  Position position(static_cast<Eigen::Index>(priors.size()));
  for (Eigen::Index i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < priors.size(); ++j) {
      const double u = (static_cast<double>(rng.below(std::size_t{1} << 52)) + 0.5) * 0x1p-52;
      position[static_cast<Eigen::Index>(j)] = priors[j].quantile(u);
    }
    draws.row(i) = problem.to_report(position);
  }
  std::vector<PriorDescription> descriptions;
  const auto coordinate = [&](const std::string& name, std::size_t parameter) {
    const auto& all = problem.coordinates;  // of a program's own model: none
    const auto found = std::find(all.begin(), all.end(), name);
    return found == all.end() ? parameter : static_cast<std::size_t>(found - all.begin());
  };
  for (Eigen::Index j = 0; j < draws.cols(); ++j) {
    PriorDescription d;
    d.parameter = problem.parameters[static_cast<std::size_t>(j)];
    d.distribution = priors[coordinate(d.parameter, static_cast<std::size_t>(j))].text() + where;
    Eigen::VectorXd column = draws.col(j);
    if (column.allFinite()) {
      std::sort(column.begin(), column.end());
      d.mean = column.mean();
      d.sd = std::sqrt((column.array() - d.mean).square().mean());
      d.q05 = column[count / 20];
      d.q50 = column[count / 2];
      d.q95 = column[count - count / 20];
    }
    descriptions.push_back(std::move(d));
  }
  return descriptions;
}

}  // namespace sotto
