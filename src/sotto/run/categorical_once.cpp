#include "sotto/run/categorical_once.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/first_names.hpp"
#include "sotto/chain/independent_draws.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto/posterior/level_counts.hpp"

namespace sotto {
namespace {

ReleasedCounts ask_for_counts(QueryInterface& owner, Rho cost) {
  const Query query = StatisticQuery{cost};
  const Answer answer = owner.answer(std::span(&query, 1)).front();
  const auto* released = std::get_if<Released<NoisyStatistic>>(&answer);
  if (released == nullptr) throw Error(ErrorCode::budget, "the budget does not cover the counts");
  const NoisyStatistic& statistic = released->value();
  return {statistic.value, std::sqrt(statistic.variance.maxCoeff())};
}

/// Shape (draws of all chains, levels).
Matrix all_shares(const Draws& draws) {
  Matrix shares;
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(draws.parameters.size()); ++k) {
    const std::vector<double> level = pooled(draws, k);
    const auto count = static_cast<Eigen::Index>(level.size());
    shares.conservativeResize(count, k + 1);
    shares.col(k) = Eigen::Map<const Position>(level.data(), count);
  }
  return shares;
}

}  // namespace

void run_categorical_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                          QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record) {
  const PublicProblem& known = problem.public_info;
  const ReleasedCounts released = ask_for_counts(owner, cost);
  const LevelCountsPosterior posterior(released, known.coefficient_priors.front());
  record.draws.chains = independent_draws(
      config.method.chains, draws, static_cast<Eigen::Index>(known.parameters.size()), config.method.seed,
      progress, [&](ChainRng& rng) { return known.to_report(posterior.draw(rng)); });
  record.markov_chain = false;
  const Matrix shares = all_shares(record.draws);
  const Position inflation = share_inflation(released, shares);
  for (Eigen::Index k = 0; k < inflation.size(); ++k)
    record.sd_inflation.emplace_back(known.parameters[static_cast<std::size_t>(k)], inflation[k]);
  std::vector<std::string> hidden;
  for (const Eigen::Index k : hidden_levels(released, shares))
    hidden.push_back(known.parameters[static_cast<std::size_t>(k)]);
  if (!hidden.empty()) {
    record.warnings.push_back(fmt::format(
        "The noise on each level's count, {:.2g} rows, hides how many rows there are of {}: such a share is "
        "small, "
        "and how small is for the most part the prior's word. Take a larger epsilon, or join rare levels.",
        released.noise_sd, first_names(hidden)));
  }
}

}  // namespace sotto
