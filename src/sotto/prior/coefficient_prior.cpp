#include "sotto/prior/coefficient_prior.hpp"

#include <fmt/core.h>

#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {

void CoefficientPrior::check() const {
  if (family == PriorFamily::flat) return;
  if (!(scale > 0) || !std::isfinite(scale) || !std::isfinite(location)) {
    throw Error(ErrorCode::configuration,
                "a prior's scale must be a finite number > 0 and its location finite");
  }
  if (family == PriorFamily::student_t && !(degrees_of_freedom > 0)) {
    throw Error(ErrorCode::configuration, "a student_t prior needs degrees of freedom > 0");
  }
}

double CoefficientPrior::log_density(double x) const {
  const double z = (x - location) / scale;
  switch (family) {
    case PriorFamily::normal:
      return -z * z / 2;
    case PriorFamily::student_t:
      return -(degrees_of_freedom + 1) / 2 * std::log1p(z * z / degrees_of_freedom);
    case PriorFamily::laplace:
      return -std::abs(z);
    case PriorFamily::flat:
      return 0;
  }
  return 0;
}

double CoefficientPrior::slope(double x) const {
  const double z = (x - location) / scale;
  switch (family) {
    case PriorFamily::normal:
      return -z / scale;
    case PriorFamily::student_t:
      return -(degrees_of_freedom + 1) * z / (degrees_of_freedom + z * z) / scale;
    case PriorFamily::laplace:
      return (z < 0 ? 1 : z > 0 ? -1 : 0) / scale;
    case PriorFamily::flat:
      return 0;
  }
  return 0;
}

double CoefficientPrior::quantile(double p) const {
  switch (family) {
    case PriorFamily::normal:
      return boost::math::quantile(boost::math::normal(location, scale), p);
    case PriorFamily::student_t:
      return location + scale * boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
    case PriorFamily::laplace:
      return boost::math::quantile(boost::math::laplace(location, scale), p);
    case PriorFamily::flat:
      return std::numeric_limits<double>::quiet_NaN();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string CoefficientPrior::text() const {
  switch (family) {
    case PriorFamily::normal:
      return fmt::format("normal({:g}, {:g})", location, scale);
    case PriorFamily::student_t:
      return fmt::format("student_t({:g}, {:g}, {:g})", degrees_of_freedom, location, scale);
    case PriorFamily::laplace:
      return fmt::format("laplace({:g}, {:g})", location, scale);
    case PriorFamily::flat:
      return "flat";
  }
  return "";
}

CoefficientPrior known_coefficient(double value) {
  constexpr double kDoubt = 1e-5;  // samplers take steps of its size, and linear predictors do not show it
  return {PriorFamily::normal, value, kDoubt * std::abs(value)};
}

LogPrior product(std::vector<CoefficientPrior> priors) {
  for (const CoefficientPrior& prior : priors) prior.check();
  LogPrior result;
  result.log_density = [priors](const Position& x) {
    double sum = 0;
    for (std::size_t j = 0; j < priors.size(); ++j)
      sum += priors[j].log_density(x[static_cast<Eigen::Index>(j)]);
    return sum;
  };
  result.gradient = [priors = std::move(priors)](const Position& x) {
    Position slope(x.size());
    for (std::size_t j = 0; j < priors.size(); ++j) {
      slope[static_cast<Eigen::Index>(j)] = priors[j].slope(x[static_cast<Eigen::Index>(j)]);
    }
    return slope;
  };
  return result;
}

}  // namespace sotto
