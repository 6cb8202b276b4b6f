#include "sotto/posterior/once_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sotto {
namespace {

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

bool is_its_stand_in(const CoefficientPrior& prior) {
  return prior.family == PriorFamily::normal || prior.family == PriorFamily::flat;
}

}  // namespace

OncePrior once_prior(std::span<const CoefficientPrior> priors) {
  const auto d = static_cast<Eigen::Index>(priors.size());
  OncePrior result{{Position(d), Position(d)}, {}};
  for (Eigen::Index j = 0; j < d; ++j) {
    const CoefficientPrior& prior = priors[static_cast<std::size_t>(j)];
    prior.check();
    result.normal.mean[j] = prior.family == PriorFamily::flat ? 0 : prior.location;
    result.normal.sd[j] = standard_deviation(prior);
  }
  if (std::all_of(priors.begin(), priors.end(), is_its_stand_in)) return result;
  result.ratio = [own = std::vector<CoefficientPrior>(priors.begin(), priors.end()),
                  normal = result.normal](const Position& theta) {
    double sum = 0;
    for (Eigen::Index j = 0; j < theta.size(); ++j) {
      const CoefficientPrior& prior = own[static_cast<std::size_t>(j)];
      if (is_its_stand_in(prior)) continue;
      const double z = (theta[j] - normal.mean[j]) / normal.sd[j];
      sum += prior.log_density(theta[j]) + z * z / 2;
    }
    return sum;
  };
  return result;
}

}  // namespace sotto
