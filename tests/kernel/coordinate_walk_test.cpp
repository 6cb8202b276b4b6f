#include "sotto/kernel/coordinate_walk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>
#include <vector>

#include "support/enumerated_kernel.hpp"

namespace sotto {
namespace {

constexpr int kSide = 3;

bool on_lattice(const Position& x) { return x.minCoeff() >= 0 && x.maxCoeff() < kSide; }

// An arbitrary likelihood without symmetries, and a prior.
double log_likelihood(const Position& x) {
  return on_lattice(x) ? 0.9 * std::sin(1 + 2 * x[0] + 5 * x[1]) - 0.3 * x[0] * x[1] : -INFINITY;
}
double log_prior(const Position& x) {
  return on_lattice(x) ? -0.2 * (x[0] - x[1]) * (x[0] - x[1]) : -INFINITY;
}
double log_posterior(const Position& x) { return log_likelihood(x) + log_prior(x); }

LogPrior prior() {
  return {log_prior, [](const Position& x) { return Position::Zero(x.size()).eval(); }};
}

template <class K>
std::vector<typename K::State> states(const K& kernel, bool directions) {
  std::vector<typename K::State> result;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      for (const double first : {1.0, -1.0}) {
        for (const double second : {1.0, -1.0}) {
          if (!directions && (first < 0 || second < 0)) continue;
          auto state = kernel.init(Position{{static_cast<double>(i), static_cast<double>(j)}});
          state.direction = directions ? Position{{first, second}} : Position::Zero(2).eval();
          result.push_back(state);
        }
      }
    }
  }
  return result;
}

// The coordinates' own axes, and two that lead along a row and along a diagonal of the lattice.
const std::vector<Matrix> kAxes = {Matrix(), Matrix{{1, 1}, {0, 1}}};

TEST(CoordinateWalk, guided_walk_is_invariant_by_enumeration) {
  for (const Matrix& axes : kAxes) {
    const CoordinateWalk<Guidance::directed, LatticeMove> kernel({.cost = Rho(1), .axes = axes}, prior());
    const EnumeratedKernel chain(kernel, states(kernel, true), log_likelihood,
                                 [](const Position&, const Position&) { return 0.5; });
    EXPECT_LT(chain.invariance_error(log_posterior), 1e-13);
    EXPECT_GT(chain.reversibility_error(log_posterior), 1e-2);  // it is directed, after all
  }
}

TEST(CoordinateWalk, one_at_a_time_is_reversible_by_enumeration) {
  for (const Matrix& axes : kAxes) {
    const CoordinateWalk<Guidance::none, LatticeMove> kernel({.cost = Rho(1), .axes = axes}, prior());
    const EnumeratedKernel chain(kernel, states(kernel, false), log_likelihood,
                                 [](const Position&, const Position&) { return 0.25; });
    EXPECT_LT(chain.reversibility_error(log_posterior), 1e-13);
    EXPECT_LT(chain.invariance_error(log_posterior), 1e-13);
  }
}

TEST(CoordinateWalk, moves_along_its_axes) {
  const CoordinateWalk<Guidance::none> kernel({.cost = Rho(1), .axes = Matrix{{2, 0}, {1, 3}}}, prior());
  ChainRng rng(4);
  for (int i = 0; i < 20; ++i) {
    auto state = kernel.init(Position{{1, 1}});
    const Step step = kernel.step(state, rng);
    const Position move = std::get<RatioQuery>(step.pending()).to - Position{{1, 1}};
    EXPECT_NEAR(state.coordinate == 0 ? move[0] - 2 * move[1] : move[0], 0, 1e-12);
  }
}

TEST(CoordinateWalk, enumeration_notices_a_variance_off_the_grid) {
  const CoordinateWalk<Guidance::directed, LatticeMove> kernel({.cost = Rho(1)}, prior());
  const EnumeratedKernel chain(kernel, states(kernel, true), log_likelihood,
                               [](const Position&, const Position&) { return 0.5; },
                               {.grid = 1, .variance = 0.6});
  EXPECT_GT(chain.invariance_error(log_posterior), 1e-4);
}

}  // namespace
}  // namespace sotto
