#include "sotto/run/location_once.hpp"

#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/chain/independent_draws.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/run/location_warnings.hpp"

namespace sotto {
LocationFacts location_facts(const Problem& problem) {
  const LocationModel& model = *problem.model.as<LocationModel>();
  return {.bounds = model.bounds(),
          .covariance = inverse(model.precision()),
          .rows = problem.public_info.rows,
          .unit = problem.unit,
          .owners = static_cast<double>(problem.public_info.owners)};
}

MeanPrior mean_prior(const PublicProblem& problem) {
  const Eigen::Index dim = problem.start.size();
  MeanPrior prior{Position(dim), Position(dim)};
  for (Eigen::Index j = 0; j < dim; ++j) {
    const CoefficientPrior& own = problem.coefficient_priors[static_cast<std::size_t>(j)];
    prior.location[j] = own.location;
    prior.sd[j] = own.scale;
  }
  return prior;
}

void run_location_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                       QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record) {
  const PublicProblem& known = problem.public_info;
  if (known.own) {
    refuse(
        "release-once does not know the prior of a program's own model: choose guided-walk, penalty or hmc");
  }
  const LocationModel& model = *problem.model.as<LocationModel>();
  const Eigen::Index dim = model.dim();
  const MeanPrior prior = mean_prior(known);
  const LocationFacts facts = location_facts(problem);
  const LocationRelease release = release_location(facts, owner, cost, [&] { return progress(0, draws); });
  const LocationPosterior posterior(release, prior);
  record.draws.chains =
      independent_draws(config.method.chains, draws, dim, config.method.seed, progress,
                        [&](ChainRng& rng) { return model.bend().position(posterior.draw(rng)); });
  record.markov_chain = false;
  const LocationVerdict verdict = check_location(facts, release, prior, posterior);
  for (std::string& sentence : location_warnings(verdict, facts, release, config.model))
    record.warnings.push_back(std::move(sentence));
  for (Eigen::Index j = 0; j < dim; ++j) {
    if (std::isfinite(verdict.sd_inflation[j]))
      record.sd_inflation.emplace_back(known.parameters[static_cast<std::size_t>(j)],
                                       verdict.sd_inflation[j]);
  }
  nlohmann::ordered_json& told = record.manifest.configuration["release_once"];
  told = {{"looks", release.looks},
          {"clipped_by_the_model", release.clipped},
          {"noise_dominates", verdict.noise_dominates}};
  if (verdict.covariance) {
    told["far_share"] = verdict.covariance->far_share;
    told["far_by_the_model"] = verdict.covariance->far_by_model;
    told["spread_over_declared"] = verdict.covariance->spread;
  }
}

}  // namespace sotto
