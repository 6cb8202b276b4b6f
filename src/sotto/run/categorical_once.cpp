#include "sotto/run/categorical_once.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/first_names.hpp"
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

std::vector<Chain> draw_shares(const LevelCountsPosterior& posterior, const PublicProblem& problem,
                               std::size_t draws, const MethodConfig& method, const Progress& progress) {
  std::vector<Chain> chains(method.chains);
  for (Chain& chain : chains) {
    chain.seed = method.seed;
    chain.draws.resize(static_cast<Eigen::Index>(draws),
                       static_cast<Eigen::Index>(problem.parameters.size()));
  }
  std::vector<ChainRng> rngs;
  for (std::size_t c = 0; c < chains.size(); ++c) rngs.emplace_back(method.seed, c);
  std::size_t done = 0;
  while (done < draws && progress(done, draws)) {
    for (std::size_t c = 0; c < chains.size(); ++c)
      chains[c].draws.row(static_cast<Eigen::Index>(done)) = problem.to_report(posterior.draw(rngs[c]));
    ++done;
  }
  if (done == draws) return chains;
  for (Chain& chain : chains) {
    chain.draws.conservativeResize(static_cast<Eigen::Index>(done), Eigen::NoChange);
    chain.stop = StopReason::interrupted;
  }
  return chains;
}

Matrix together(const std::vector<Chain>& chains) {
  const Eigen::Index each = chains.front().draws.rows();
  Matrix all(each * static_cast<Eigen::Index>(chains.size()), chains.front().draws.cols());
  for (std::size_t c = 0; c < chains.size(); ++c)
    all.middleRows(static_cast<Eigen::Index>(c) * each, each) = chains[c].draws;
  return all;
}

}  // namespace

void run_categorical_once(const FitConfig& config, const Problem& problem, std::size_t draws,
                          QueryInterface& owner, Rho cost, const Progress& progress, RunRecord& record) {
  const PublicProblem& known = problem.public_info;
  if (config.model.likelihood_power != 1)
    refuse("release-once takes the likelihood as it is: drop model.likelihood_power, or choose penalty");
  const ReleasedCounts released = ask_for_counts(owner, cost);
  const LevelCountsPosterior posterior(released, known.coefficient_priors.front());
  record.draws.chains = draw_shares(posterior, known, draws, config.method, progress);
  record.markov_chain = false;
  const Matrix shares = together(record.draws.chains);
  if (shares.rows() == 0) return;
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
