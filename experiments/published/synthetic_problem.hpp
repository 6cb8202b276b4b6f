// The two problems of the DP-HMC paper: synthetic rows, and a posterior that is known exactly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/position.hpp"
#include "sotto/chain/draws.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/prior/log_prior.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Normal rows whose mean is the position, bent for the banana; conjugate priors on the mean.
struct SyntheticProblem {
  Rows rows;
  LocationModel model;
  LogPrior prior;
  double prior_precision;  ///< of each entry of the mean
  Position truth;          ///< generating position
  Matrix exact;            ///< 1,000 draws of the posterior, shape (1000, dim)
  Position average;        ///< of the posterior
  Position sd;             ///< of the posterior
};

/// `name`: banana (two dimensions) or normal (ten, correlated). Always the same rows. Errors: usage for other names.
[[nodiscard]] SyntheticProblem make_synthetic_problem(const std::string& name, std::size_t rows);

[[nodiscard]] Rows copy(const Rows& rows);

/// Four starting points: truth plus normal noise of the posterior's mean sd in every coordinate, as published.
[[nodiscard]] std::vector<Position> published_starts(const SyntheticProblem& problem);

/// The second halves of all chains in one, shape (draws, dim).
[[nodiscard]] Matrix second_halves(std::span<const Chain> chains);

/// All draws of all chains in one, shape (draws, dim).
[[nodiscard]] Matrix all_draws(std::span<const Chain> chains);

/// How far draws are from the exact posterior.
struct Distance {
  double mmd = 0;         ///< sqrt |unbiased squared discrepancy| against the 1,000 exact draws
  double mean_error = 0;  ///< |mean of the draws - true mean| over the mean posterior sd
  double sd_ratio = 0;    ///< mean over the coordinates of sd of the draws / true sd
};

/// At least four draws; of many, some 4,000 are used for the discrepancy.
[[nodiscard]] Distance distance(const Matrix& draws, const SyntheticProblem& problem);

/// Noise that can be repeated, for data that are synthetic. NOT PRIVATE.
class StudyEntropy final : public EntropySource {
 public:
  explicit StudyEntropy(std::uint64_t seed) : rng_(seed, 0x5eed) {}
  std::uint64_t bits() override { return rng_(); }
  [[nodiscard]] std::string name() const override { return "seeded, for study: not private"; }

 private:
  ChainRng rng_;
};

}  // namespace sotto
