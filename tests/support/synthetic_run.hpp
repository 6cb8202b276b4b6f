// A run that looks like a real one: autocorrelated chains around a made-up posterior, priors, charges, a
// comparison.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "sotto/ledger/budget.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/report/run_record.hpp"

namespace sotto {

/// Chains of an AR(1) process with the given mean, sd and lag-one correlation per parameter.
inline Draws synthetic_draws(const std::vector<std::string>& names, const std::vector<double>& mean,
                             const std::vector<double>& sd, std::size_t chains, Eigen::Index length,
                             double correlation, std::uint64_t seed) {
  Draws draws;
  draws.parameters = names;
  for (std::size_t c = 0; c < chains; ++c) {
    ChainRng rng(seed, c);
    Chain chain;
    chain.seed = seed + c;
    chain.warmup = 200;
    chain.draws.resize(length, static_cast<Eigen::Index>(names.size()));
    for (Eigen::Index j = 0; j < chain.draws.cols(); ++j) {
      double z = rng.normal();
      for (Eigen::Index i = 0; i < length; ++i) {
        z = correlation * z + std::sqrt(1 - correlation * correlation) * rng.normal();
        chain.draws(i, j) = mean[static_cast<std::size_t>(j)] + sd[static_cast<std::size_t>(j)] * z;
      }
    }
    for (Eigen::Index i = 0; i < length; ++i) {
      chain.steps["log_prior"].push_back(-chain.draws.row(i).squaredNorm() / 12.5);
      chain.steps["accept_stat"].push_back(rng.uniform());
    }
    draws.chains.push_back(std::move(chain));
  }
  return draws;
}

inline RunRecord synthetic_run(Eigen::Index length = 1000, double correlation = 0.5) {
  const std::vector<std::string> names{"(Intercept)", "lncoins",         "idp", "physlm", "disea",
                                       "hlthg",       "C(region)[south]"};
  const std::vector<double> mean{0.42, -0.11, -0.36, 0.31, 0.83, -0.04, 0.27};
  const std::vector<double> sd{0.09, 0.05, 0.12, 0.14, 0.2, 0.08, 0.3};
  std::vector<double> sharper = sd;
  for (double& x : sharper) x *= 0.7;
  RunRecord record;
  record.title = "mdvis > 0 ~ lncoins + idp + physlm + disea + hlthg + C(region)";
  record.model = "logistic regression (bernoulli, logit)";
  record.method = "hmc";
  record.draws = synthetic_draws(names, mean, sd, 4, length, correlation, 11);
  record.draws.chains[1].stop = StopReason::budget_spent;
  for (const auto& name : names) {
    record.priors.push_back({name, "normal(0, 1)", 0, 1, -1.644854, 0, 1.644854});
  }
  record.comparison = synthetic_draws(names, mean, sharper, 2, length, 0.1, 77);
  Budget budget(Epsilon(1), Delta(1e-6));
  for (int i = 0; i < 40; ++i)
    (void)budget.spend({"log-likelihood ratio", "discrete Gaussian", Rho(2.4e-4), 1e-12});
  for (int i = 0; i < 40; ++i)
    (void)budget.spend({"gradient", "discrete Gaussian", Rho(1.1e-4 + 1e-6 * i), 1e-12});
  record.privacy = statement_of(budget.spending(), Adjacency::substitute, "one person (at most 1 row)",
                                "one curator holds the rows and runs this program",
                                "operating system (libsodium randombytes)", true);
  record.sd_inflation = {{names[0], 1.25}};
  record.prior_sensitivity = {{names[0], 0.125}};
  record.effects.assign(names.begin() + 1, names.end());
  record.ratio = "odds ratio";
  record.manifest.versions = current_versions();
  record.manifest.configuration = {
      {"data", "randhie.csv"}, {"model", {{"family", "bernoulli"}}}, {"chains", 4}};
  record.manifest.started = "2026-01-02 03:04:05 UTC";
  record.manifest.wall_seconds = 12.5;
  record.manifest.warmup_seconds = 3;
  record.manifest.sampling_seconds = 9;
  return record;
}

}  // namespace sotto
