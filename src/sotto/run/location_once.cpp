#include "sotto/run/location_once.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/posterior/location_posterior.hpp"
#include "sotto/run/location_warnings.hpp"

namespace sotto {
namespace {

std::vector<Chain> independent_draws(const LocationPosterior& posterior, const Bend& bend, Eigen::Index dim,
                                     std::size_t draws, const MethodConfig& method,
                                     const Progress& progress) {
  constexpr std::size_t kAtOnce = 1000;
  std::vector<Chain> chains(method.chains);
  std::vector<ChainRng> rngs;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    rngs.emplace_back(method.seed, c);
    chains[c].seed = method.seed;
    chains[c].draws.resize(static_cast<Eigen::Index>(draws), dim);
  }
  std::size_t done = 0;
  for (bool go_on = true; done < draws && go_on; go_on = progress(done, draws)) {
    const std::size_t until = std::min(draws, done + kAtOnce);
    for (std::size_t c = 0; c < chains.size(); ++c) {
      for (std::size_t i = done; i < until; ++i)
        chains[c].draws.row(static_cast<Eigen::Index>(i)) = bend.position(posterior.draw(rngs[c]));
    }
    done = until;
  }
  if (done < draws) {
    for (Chain& chain : chains) {
      chain.draws.conservativeResize(static_cast<Eigen::Index>(done), Eigen::NoChange);
      chain.stop = StopReason::interrupted;
    }
  }
  return chains;
}

}  // namespace

LocationFacts location_facts(const Problem& problem) {
  const LocationModel& model = *problem.model.as<LocationModel>();
  return {.bounds = model.bounds(),
          .covariance = inverse(model.precision()),
          .rows = problem.public_info.rows,
          .unit = problem.unit,
          .owners = static_cast<double>(problem.public_info.owners)};
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
  MeanPrior prior{Position(dim), Position(dim)};
  for (Eigen::Index j = 0; j < dim; ++j) {
    const CoefficientPrior& own = known.coefficient_priors[static_cast<std::size_t>(j)];
    prior.location[j] = own.location;
    prior.sd[j] = own.scale;
  }
  const LocationFacts facts = location_facts(problem);
  const LocationRelease release = release_location(facts, owner, cost, [&] { return progress(0, draws); });
  const LocationPosterior posterior(release, prior);
  record.draws.chains = independent_draws(posterior, model.bend(), dim, draws, config.method, progress);
  record.markov_chain = false;
  const LocationVerdict verdict = check_location(facts, release, prior, posterior);
  for (std::string& sentence : location_warnings(verdict, facts, release, config.model, known.parameters))
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
