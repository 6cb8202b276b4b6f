// The exact transition matrix of a kernel on a lattice, taken from the kernel itself: the noise is
// enumerated, and every candidate's acceptance is read off the steps the kernel performs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sotto/kernel/kernel.hpp"
#include "support/released_for_tests.hpp"

namespace sotto {

/// A symmetric move by one lattice step.
struct LatticeMove {
  double operator()(ChainRng& rng) const { return rng.below(2) == 0 ? -1 : 1; }
};

struct EnumeratedNoise {
  double grid = 0.25;
  double variance = 0.75;  // a multiple of the grid
};

/// Positions are lattice points; a kernel that keeps a direction has it in its state.
using LatticeState = std::vector<double>;

template <class State>
LatticeState lattice_state(const State& state) {
  LatticeState key(state.position.begin(), state.position.end());
  if constexpr (requires { state.direction; })
    key.insert(key.end(), state.direction.begin(), state.direction.end());
  return key;
}

/// `weight(from, to)` is the probability of proposing `to`; `log_likelihood` is minus infinity off the
/// lattice. `visits` steps are made for every state and noise value, enough to see every candidate.
template <Kernel K>
class EnumeratedKernel {
 public:
  using LogDensity = std::function<double(const Position&)>;
  using Weight = std::function<double(const Position&, const Position&)>;

  EnumeratedKernel(const K& kernel, std::vector<typename K::State> states, const LogDensity& log_likelihood,
                   const Weight& weight, EnumeratedNoise noise = {}, int visits = 200)
      : kernel_(kernel), states_(std::move(states)) {
    const auto size = static_cast<Eigen::Index>(states_.size());
    transition_ = Matrix::Zero(size, size);
    for (std::size_t s = 0; s < states_.size(); ++s)
      index_[lattice_state(states_[s])] = static_cast<Eigen::Index>(s);
    for (std::size_t s = 0; s < states_.size(); ++s) fill_row(s, log_likelihood, weight, noise, visits);
  }

  [[nodiscard]] const Matrix& transition() const { return transition_; }

  /// Largest entry of |pi P - pi|, relative to the largest entry of pi.
  [[nodiscard]] double invariance_error(const LogDensity& log_density) const {
    const Position pi = target(log_density);
    return (transition_.transpose() * pi - pi).cwiseAbs().maxCoeff() / pi.maxCoeff();
  }
  /// Largest |pi_i P_ij - pi_j P_ji|, relative to the largest flow between two states.
  [[nodiscard]] double reversibility_error(const LogDensity& log_density) const {
    Matrix flow = target(log_density).asDiagonal() * transition_;
    flow.diagonal().setZero();
    return (flow - flow.transpose()).cwiseAbs().maxCoeff() / flow.maxCoeff();
  }

 private:
  struct Outcome {
    double acceptance = 0;  // mean over the noise
    std::optional<Eigen::Index> accepted, rejected;
  };

  [[nodiscard]] Position target(const LogDensity& log_density) const {
    Position pi(static_cast<Eigen::Index>(states_.size()));
    for (std::size_t s = 0; s < states_.size(); ++s) {
      pi[static_cast<Eigen::Index>(s)] = std::exp(log_density(states_[s].position));
    }
    return pi / pi.sum();
  }

  void fill_row(std::size_t s, const LogDensity& log_likelihood, const Weight& weight, EnumeratedNoise noise,
                int visits) {
    const auto reach = static_cast<long>(std::ceil(13 * std::sqrt(noise.variance) / noise.grid));
    double mass = 0;
    for (long k = -reach; k <= reach; ++k) mass += probability(noise, k);
    std::map<LatticeState, Outcome> outcomes;
    for (long k = -reach; k <= reach; ++k) {
      std::map<LatticeState, double> acceptance;
      for (int visit = 0; visit < visits; ++visit) {
        typename K::State state = states_[s];
        Step step = kernel_.step(state, rng_);
        ASSERT_FALSE(step.done());
        const auto query = std::get<RatioQuery>(step.pending());
        const LatticeState candidate(query.to.begin(), query.to.end());
        const double change = log_likelihood(query.to) - log_likelihood(query.from);
        step.resume(
            ReleasedForTests::make(NoisyRatio{change + static_cast<double>(k) * noise.grid, noise.variance}));
        ASSERT_TRUE(step.done());
        acceptance[candidate] = step.info().acceptance;
        auto& outcome = outcomes[candidate];
        const auto found = index_.find(lattice_state(state));
        ASSERT_NE(found, index_.end()) << "the kernel left the lattice";
        (step.info().accepted ? outcome.accepted : outcome.rejected) = found->second;
      }
      for (const auto& [candidate, a] : acceptance)
        outcomes[candidate].acceptance += probability(noise, k) / mass * a;
      ASSERT_EQ(acceptance.size(), outcomes.size()) << "a candidate was missed";
    }
    const auto row = static_cast<Eigen::Index>(s);
    double proposed = 0;
    for (const auto& [candidate, outcome] : outcomes) {
      const Position to =
          Eigen::Map<const Position>(candidate.data(), static_cast<Eigen::Index>(candidate.size()));
      const double q = weight(states_[s].position, to);
      proposed += q;
      if (outcome.accepted) transition_(row, *outcome.accepted) += q * outcome.acceptance;
      if (outcome.rejected) transition_(row, *outcome.rejected) += q * (1 - outcome.acceptance);
    }
    ASSERT_NEAR(proposed, 1, 1e-12) << "the weights do not fit the proposal";
    ASSERT_NEAR(transition_.row(row).sum(), 1, 1e-12);
  }

  static double probability(EnumeratedNoise noise, long k) {
    const double x = static_cast<double>(k) * noise.grid;
    return std::exp(-x * x / (2 * noise.variance));
  }

  const K& kernel_;
  std::vector<typename K::State> states_;
  std::map<LatticeState, Eigen::Index> index_;
  Matrix transition_;
  ChainRng rng_{17};
};

}  // namespace sotto
