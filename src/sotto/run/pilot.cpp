#include "sotto/run/pilot.hpp"

#include <cmath>

#include "sotto/model/glm/glm.hpp"
#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_posterior.hpp"
#include "sotto/run/once.hpp"

namespace sotto {
namespace {

constexpr std::size_t kDraws = 50;  // a chain: enough for a centre

/// Behind the coefficients comes log(sigma), whose information is two a row.
Matrix covariance_of(const OnceRelease& release, Eigen::Index dim) {
  const Matrix coefficients = clear_covariance(release);
  Matrix covariance = Matrix::Identity(dim, dim) / (2 * release.rows);
  covariance.topLeftCorner(coefficients.rows(), coefficients.cols()) = coefficients;
  return covariance;
}

}  // namespace

bool can_look(const FitConfig& config, const Problem& problem) {
  const Glm* glm = problem.model.as<Glm>();
  return glm != nullptr && link_of(glm->family()) && config.model.likelihood_power == 1;
}

Pilot look(const FitConfig& config, const Problem& problem, QueryInterface& owner, Rho cost) {
  const Glm& glm = *problem.model.as<Glm>();
  const OnceSettings settings = once_settings(config, problem.public_info, glm, problem.unit, cost);
  const OnceRelease release = release_once(settings, owner);
  const OncePosterior posterior = sample_once(
      settings, release, {.chains = config.method.chains, .draws = kDraws, .seed = config.method.seed});
  Pilot pilot{.starts = {},
              .at = Position::Zero(glm.dim()),
              .covariance = covariance_of(release, glm.dim()),
              .released = {},
              .rows = release.rows,
              .noise_dominates = check_once(release, posterior).noise_dominates};
  for (const Chain& chain : posterior.chains) {
    pilot.starts.emplace_back(chain.draws.row(0));
    pilot.at += chain.draws.colwise().mean().transpose() / static_cast<double>(posterior.chains.size());
  }
  // Draws are few beside the parameters' number squared: half of what they say, and their variances.
  const double draws = static_cast<double>(posterior.chains.size() * kDraws);
  Matrix scatter = Matrix::Zero(glm.dim(), glm.dim());
  for (const Chain& chain : posterior.chains) {
    const Matrix off = chain.draws.rowwise() - pilot.at.transpose();
    scatter += off.transpose() * off / draws;
  }
  pilot.released = (scatter + Matrix(scatter.diagonal().asDiagonal())) / 2;
  return pilot;
}

Matrix known_covariance(const PublicProblem& problem, const Pilot* pilot) {
  if (pilot != nullptr) return pilot->covariance;
  if (problem.prior_covariance.size() > 0) return problem.prior_covariance;
  return problem.prior_scale.array().square().matrix().asDiagonal();
}

Position known_centre(const PublicProblem& problem, const Pilot* pilot) {
  if (problem.chosen_start) return *problem.chosen_start;
  return pilot != nullptr ? pilot->at : problem.start;
}

}  // namespace sotto
