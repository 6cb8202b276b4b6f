#include "sotto/run/describe_priors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// From 4,000 draws of the prior, spread evenly in each parameter: of a parameter as it is, quantiles are exact to a four-thousandth.
/// Source     Latin hypercube: McKay, Beckman and Conover (1979), Technometrics 21(2)
std::vector<PriorDescription> describe_priors(const PublicProblem& problem, const std::string& where) {
  const std::vector<CoefficientPrior>& priors = problem.coefficient_priors;
  constexpr Eigen::Index count = 4000;
  ChainRng rng(20260101);
  Matrix positions(count, static_cast<Eigen::Index>(priors.size()));
  for (std::size_t j = 0; j < priors.size(); ++j) {
    auto column = positions.col(static_cast<Eigen::Index>(j));
    for (Eigen::Index i = 0; i < count; ++i)
      column[i] = priors[j].quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    for (Eigen::Index i = count - 1; i > 0; --i)
      std::swap(column[i], column[static_cast<Eigen::Index>(rng.below(static_cast<std::size_t>(i) + 1))]);
  }
  Matrix draws(count, static_cast<Eigen::Index>(problem.parameters.size()));
  for (Eigen::Index i = 0; i < count; ++i) draws.row(i) = problem.to_report(positions.row(i));
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
