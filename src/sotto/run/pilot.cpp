#include "sotto/run/pilot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/posterior/location_posterior.hpp"
#include "sotto/posterior/location_release.hpp"
#include "sotto/posterior/once_checks.hpp"
#include "sotto/posterior/once_posterior.hpp"
#include "sotto/posterior/told_of_table.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/location_once.hpp"
#include "sotto/run/location_warnings.hpp"
#include "sotto/run/once.hpp"

namespace sotto {
namespace {

constexpr std::size_t kDraws = 50;             // a chain: enough for a centre
constexpr Eigen::Index kMeanDraws = 4000;      // independent ones, and cheap
constexpr std::uint64_t kLookStream = 0x100c;  // of the look's draws: the chains' own are others

/// Behind the coefficients comes log(sigma), whose information is two a row.
Matrix covariance_of(const OnceRelease& release, Eigen::Index dim) {
  const Matrix coefficients = clear_covariance(release);
  Matrix covariance = Matrix::Identity(dim, dim) / (2 * release.rows);
  covariance.topLeftCorner(coefficients.rows(), coefficients.cols()) = coefficients;
  return covariance;
}

/// Sum of the products of draws' deviations; `draws`: shape (n, dim).
Matrix scatter_about(const Position& centre, const Matrix& draws) {
  const Matrix off = draws.rowwise() - centre.transpose();
  return off.transpose() * off;
}

/// Chains take counts for Poisson ones.
void tell_of_dispersion(const OnceRelease& release, Pilot& pilot) {
  constexpr double kTell = 1.2;  // times too narrow
  if (release.facts.link != Link::log || release.facts.steps || release.spread.hidden) return;
  const double mean = std::exp(release.stand_in.predictor(release.pooled.anchor).mean);
  const double narrow = std::sqrt(1 + release.spread.found_dispersion * mean);
  if (!(release.spread.dispersion > 0) || narrow < kTell) return;
  pilot.warnings.push_back(fmt::format(
      "Counts seem to vary more than the Poisson model says, about as negative binomial ones of variance "
      "m + {:.2g} m^2 do, and chains take them for Poisson ones: if so, intervals are some {:.1f} times "
      "too narrow. release-once, the default of private fits, allows for it.",
      release.spread.found_dispersion, narrow));
}

Pilot look_at_regression(const Glm& glm, const FitConfig& config, const Problem& problem,
                         QueryInterface& owner, Rho cost, const std::function<bool()>& go_on) {
  OnceSettings settings = once_settings(config, problem.public_info, glm, problem.unit, cost);
  settings.go_on = go_on;
  const OnceRelease release = release_once(settings, owner);
  const OncePosterior posterior = sample_once(settings, release,
                                              {.chains = config.method.chains,
                                               .draws = kDraws,
                                               .seed = ChainRng(config.method.seed, kLookStream)(),
                                               .progress = [&](std::size_t) { return !go_on || go_on(); }});
  if (go_on && !go_on()) throw Error(ErrorCode::interrupted, "stopped before the first draw");
  const OnceVerdict of_table = told_of_table(release);
  Pilot pilot{.starts = {},
              .at = Position::Zero(glm.dim()),
              .covariance = covariance_of(release, glm.dim()),
              .released = {},
              .rows = release.rows,
              .noise_dominates = check_once(release, posterior).noise_dominates,
              .warnings = in_sentences(of_table, release, problem.public_info),
              .unreliable = of_table.unreliable};
  tell_of_dispersion(release, pilot);
  for (const Chain& chain : posterior.chains) {
    pilot.starts.emplace_back(chain.draws.row(0));
    pilot.at += chain.draws.colwise().mean().transpose() / static_cast<double>(posterior.chains.size());
  }
  // Draws are few beside the parameters' number squared: half of what they say, and their variances.
  const double draws = static_cast<double>(posterior.chains.size() * kDraws);
  Matrix scatter = Matrix::Zero(glm.dim(), glm.dim());
  for (const Chain& chain : posterior.chains) scatter += scatter_about(pilot.at, chain.draws) / draws;
  pilot.released = (scatter + Matrix(scatter.diagonal().asDiagonal())) / 2;
  return pilot;
}

/// Positions of a banana are no linear function of the mean: their centre and covariances are those of draws.
Pilot look_at_mean(const LocationModel& model, const FitConfig& config, const Problem& problem,
                   QueryInterface& owner, Rho cost) {
  const LocationFacts facts = location_facts(problem);
  const MeanPrior prior = mean_prior(problem.public_info);
  const LocationRelease release = release_location(facts, owner, cost);
  const LocationPosterior posterior(release, prior);
  const LocationVerdict verdict = check_location(facts, release, prior, posterior);
  const double rows = std::max({release.rows, release.rows_sd, 1.0});
  const Cholesky clear(rows * model.precision() + Matrix(prior.sd.cwiseAbs2().cwiseInverse().asDiagonal()));
  const Position mean = posterior.mean();
  ChainRng rng(config.method.seed, kLookStream);
  Matrix given_look(kMeanDraws, model.dim());
  Matrix without_noise(kMeanDraws, model.dim());
  const Matrix factor = Cholesky(clear.inverse()).lower();
  for (Eigen::Index i = 0; i < kMeanDraws; ++i) {
    given_look.row(i) = model.bend().position(posterior.draw(rng));
    without_noise.row(i) = model.bend().position(mean + factor * rng.normals(model.dim()));
  }
  Pilot pilot{.starts = {},
              .at = given_look.colwise().mean(),
              .covariance = {},
              .released = {},
              .rows = rows,
              .noise_dominates = verdict.noise_dominates};
  if (verdict.covariance) {
    if (std::optional<std::string> told = spread_warning(*verdict.covariance, false, config.model))
      pilot.warnings.push_back(std::move(*told));
  }
  pilot.covariance = scatter_about(without_noise.colwise().mean(), without_noise) / kMeanDraws;
  pilot.released = scatter_about(pilot.at, given_look) / kMeanDraws;
  for (std::size_t c = 0; c < config.method.chains; ++c)
    pilot.starts.push_back(model.bend().position(posterior.draw(rng)));
  return pilot;
}

}  // namespace

bool can_look(const FitConfig& config, const Problem& problem) {
  if (config.model.likelihood_power != 1) return false;
  if (const Glm* glm = problem.model.as<Glm>()) return link_of(glm->family()).has_value();
  return problem.model.as<LocationModel>() != nullptr && !problem.public_info.own;
}

Pilot look(const FitConfig& config, const Problem& problem, QueryInterface& owner, Rho cost,
           const std::function<bool()>& go_on) {
  if (const Glm* glm = problem.model.as<Glm>())
    return look_at_regression(*glm, config, problem, owner, cost, go_on);
  return look_at_mean(*problem.model.as<LocationModel>(), config, problem, owner, cost);
}

void tell(const Pilot& pilot, RunRecord& record) {
  record.warnings.insert(record.warnings.end(), pilot.warnings.begin(), pilot.warnings.end());
  record.unreliable = record.unreliable || pilot.unreliable;
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
