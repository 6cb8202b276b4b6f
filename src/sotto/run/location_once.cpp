#include "sotto/run/location_once.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/posterior/location_posterior.hpp"

namespace sotto {
namespace {

/// The mean of the bent coordinate is the position plus a term of the first.
Position position_of(const Bend& bend, const Position& mean) {
  Position position = mean;
  if (position.size() > 1) position[1] -= bend.mean(mean)[1] - mean[1];
  return position;
}

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
        chains[c].draws.row(static_cast<Eigen::Index>(i)) = position_of(bend, posterior.draw(rngs[c]));
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

void tell(const LocationVerdict& verdict, const LocationRelease& release, const FitConfig& config,
          const PublicProblem& problem, std::vector<std::string>& warnings) {
  const auto name = [&](Eigen::Index j) { return problem.parameters[static_cast<std::size_t>(j)]; };
  const auto column = [&](Eigen::Index j) { return config.model.columns[static_cast<std::size_t>(j)]; };
  if (!verdict.hidden.empty()) {
    std::vector<std::string> names;
    for (const Eigen::Index j : verdict.hidden) names.push_back(name(j));
    warnings.push_back(fmt::format(
        "Little but the prior is left of {}: the noise, or too few rows, hide where the mean lies; take a "
        "larger epsilon, narrower bounds or fewer columns.",
        fmt::join(names, ", ")));
  }
  for (const Eigen::Index j : verdict.beyond) {
    warnings.push_back(fmt::format(
        "By the model {:.2g} % of the values of {} lie beyond its declared bounds and were taken as the "
        "bound, which moved {} by {:.1f} of its posterior's standard deviations: declare wider bounds. That "
        "is the "
        "model's word; how many there were was not asked.",
        100 * verdict.share_beyond[j], column(j), name(j), std::abs(verdict.pull[j])));
  }
  if (verdict.astray) {
    warnings.emplace_back(
        "The rows were clipped around a point that turned out to lie far from their mean, which bends the "
        "answer: take a larger epsilon, or narrower bounds.");
  }
  for (const Eigen::Index j : verdict.held) {
    warnings.push_back(fmt::format(
        "The prior holds {} back, which lies more than two of its standard deviations out: set a wider one, "
        "prior.default.",
        name(j)));
  }
  if (release.clipped > 0.001) {
    warnings.push_back(
        fmt::format("Note: rows far from the others were drawn in, {:.1g} % of them where the model holds; "
                    "where tails are "
                    "longer on one side, the mean is that of the rows so drawn in.",
                    100 * release.clipped));
  }
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
  const MeanPrior prior{Position::Constant(dim, config.default_prior.location),
                        Position::Constant(dim, config.default_prior.scale)};
  const LocationFacts facts = location_facts(problem);
  const LocationRelease release = release_location(facts, owner, cost, [&] { return progress(0, draws); });
  const LocationPosterior posterior(release, prior);
  record.draws.chains = independent_draws(posterior, model.bend(), dim, draws, config.method, progress);
  record.markov_chain = false;
  const LocationVerdict verdict = check_location(facts, release, prior, posterior);
  tell(verdict, release, config, known, record.warnings);
  nlohmann::ordered_json inflation = nlohmann::ordered_json::object();
  for (Eigen::Index j = 0; j < dim; ++j)
    inflation[known.parameters[static_cast<std::size_t>(j)]] = verdict.sd_inflation[j];
  record.manifest.configuration["release_once"] = {{"predicted_sd_inflation", inflation},
                                                   {"looks", release.looks},
                                                   {"clipped_by_the_model", release.clipped},
                                                   {"noise_dominates", verdict.noise_dominates}};
}

}  // namespace sotto
