#include "sotto/run/once.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

/// Each column's root mean square if variables were uniform over what the domain allows.
Position uniform_scale(const Domain& domain) {
  Position scale(domain.columns());
  for (const DomainComponent& component : domain.components()) {
    for (Eigen::Index j = 0; j < component.vertices.cols(); ++j) {
      const auto values = component.vertices.col(j).array();
      const double low = values.minCoeff();
      const double high = values.maxCoeff();
      const bool interval = component.vertices.rows() == 2 && component.vertices.cols() == 1;
      const double square = interval ? (low * low + low * high + high * high) / 3 : values.square().mean();
      scale[component.columns[static_cast<std::size_t>(j)]] = std::sqrt(square > 0 ? square : 1.0);
    }
  }
  return scale;
}

}  // namespace

OnceSettings once_settings(const Glm& model, bool intercept, const NormalPrior& prior, Rho cost) {
  if (model.family().unknown_sigma) {
    throw Error(ErrorCode::configuration,
                "release-once needs a known sigma: set model.sigma, or use method penalty");
  }
  OnceSettings settings;
  settings.cost = cost;
  settings.column_scale = uniform_scale(model.domain());
  settings.intercept = intercept;
  settings.prior = prior;
  const Interval response = model.response();
  switch (model.family().family) {
    case Family::bernoulli:
      settings.mean = {Link::logit, 1};
      break;
    case Family::poisson:
      settings.mean = {Link::log, 1};
      settings.residual = std::max(1.0, response.upper - 1);
      break;
    case Family::normal:
      settings.mean = {Link::identity, 1 / (model.family().sigma * model.family().sigma)};
      settings.residual = response.magnitude() * settings.mean.precision;
      break;
  }
  return settings;
}

}  // namespace sotto
