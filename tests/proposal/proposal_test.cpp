#include "sotto/proposal/proposal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/kernel/penalty.hpp"
#include "sotto/proposal/coordinate_move.hpp"
#include "sotto/proposal/independence.hpp"
#include "sotto/proposal/normal_walk.hpp"
#include "sotto/proposal/truncated_walk.hpp"
#include "support/enumerated_kernel.hpp"

namespace sotto {
namespace {

TEST(Proposal, normal_walk_has_the_covariance_it_was_given) {
  const Matrix covariance{{2, 1}, {1, 3}};
  const NormalWalk walk(covariance);
  ChainRng rng(1);
  const Position at{{5, -1}};
  const int n = 200000;
  Matrix scatter = Matrix::Zero(2, 2);
  for (int i = 0; i < n; ++i) {
    const Position move = walk.propose(at, 0.5, rng) - at;
    scatter += move * move.transpose();
  }
  // 4 times the covariance within 5 standard errors (a variance's: sqrt(2 / n)).
  EXPECT_LT((4 * scatter / n - covariance).cwiseAbs().maxCoeff(), 5 * 3 * std::sqrt(2.0 / n));
}

TEST(Proposal, truncated_walk_stays_within_its_bound) {
  const TruncatedWalk walk(Position{{1, 10}}, Position{{0.7, 0.3}});
  ChainRng rng(2);
  const Position at{{1, 2}};
  double first = 0;
  double square = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const Position move = walk.propose(at, 1, rng) - at;
    ASSERT_LT(std::abs(move[0]), 0.7);
    ASSERT_LT(std::abs(move[1]), 0.3);
    first += move[0];
    square += move[0] * move[0];
  }
  // A standard normal within 0.7 has variance 1 - 2 b phi(b) / (2 Phi(b) - 1) = 0.1528; five standard errors.
  const double variance =
      1 - 2 * 0.7 * std::exp(-0.245) / std::sqrt(2 * M_PI) / std::erf(0.7 / std::sqrt(2.0));
  EXPECT_NEAR(square / n, variance, 5 * std::sqrt((0.7 * 0.7 - variance) * variance / n));
  EXPECT_NEAR(first / n, 0, 5 * std::sqrt(variance / n));
}

TEST(Proposal, coordinate_move_moves_one_coordinate) {
  const CoordinateMove walk(Matrix{{1, 0}, {0, 10}});
  ChainRng rng(2);
  const Position at{{1, 2}};
  double square[2] = {0, 0};
  double sum[2] = {0, 0};
  int moved[2] = {0, 0};
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const Position move = walk.propose(at, 0.5, rng) - at;
    const int j = move[0] == 0 ? 1 : 0;
    ASSERT_EQ(move[1 - j], 0);
    ++moved[j];
    square[j] += move[j] * move[j];
    sum[j] += move[j];
  }
  // Five standard errors each.
  EXPECT_NEAR(moved[0], n / 2.0, 5 * std::sqrt(n) / 2);
  for (int j = 0; j < 2; ++j) {
    const double sd = j == 0 ? 0.5 : 5;
    EXPECT_NEAR(sum[j] / moved[j], 0, 5 * sd / std::sqrt(moved[j]));
    EXPECT_NEAR(square[j] / moved[j], sd * sd, 5 * sd * sd * std::sqrt(2.0 / moved[j]));
  }
  EXPECT_EQ(walk.log_ratio(at, at, 1), 0);
  EXPECT_THROW(CoordinateMove(Matrix{{1, 0}, {0, 0}}), Error);
  EXPECT_THROW(CoordinateMove(Matrix{{1, 0}}), Error);
}

TEST(Proposal, coordinate_move_moves_along_its_axes) {
  const CoordinateMove walk(Matrix{{2, 0}, {1, 3}});
  ChainRng rng(3);
  int along[2] = {0, 0};
  for (int i = 0; i < 100; ++i) {
    const Position move = walk.propose(Position::Zero(2), 1, rng);
    ++along[move[0] == 0 ? 1 : 0];
    EXPECT_NEAR(move[0], move[0] == 0 ? 0 : 2 * move[1], 1e-12);
  }
  EXPECT_GT(along[0], 0);
  EXPECT_GT(along[1], 0);
}

TEST(Proposal, independence_knows_its_ratio) {
  const Independence proposal(Position{{1, 0}}, Matrix{{4, 0}, {0, 1}});
  const Position from{{3, 1}};
  const Position to{{1, 2}};
  EXPECT_NEAR(proposal.log_ratio(from, to, 1), -(4.0 / 4 + 1) / 2 + (0 + 4.0) / 2, 1e-14);
  EXPECT_THROW(Independence(Position{{1, 0}}, Matrix{{1, 2}, {2, 1}}), Error);
}

// As a user writes one: an asymmetric walk on five lattice points, reflected nowhere.
struct UphillWalk {
  [[nodiscard]] Position propose(const Position& at, double /*size*/, ChainRng& rng) const {
    return at + Position::Constant(1, rng.below(4) == 0 ? -1 : 1);
  }
  [[nodiscard]] double log_ratio(const Position& from, const Position& to, double /*size*/) const {
    return to[0] > from[0] ? std::log(0.25 / 0.75) : std::log(0.75 / 0.25);
  }
};
static_assert(Proposal<UphillWalk>);

double log_likelihood(const Position& x) { return x[0] >= 0 && x[0] < 5 ? std::cos(3 * x[0]) : -INFINITY; }

TEST(Proposal, an_asymmetric_proposal_of_a_user_is_reversible_by_enumeration) {
  const Penalty<UphillWalk> kernel({.cost = Rho(1), .proposal = {}}, {[](const Position&) { return 0.0; },
                                                                      [](const Position& x) { return x; }});
  std::vector<Penalty<UphillWalk>::State> states;
  for (int i = 0; i < 5; ++i) states.push_back(kernel.init(Position::Constant(1, i)));
  const EnumeratedKernel chain(kernel, states, log_likelihood, [](const Position& from, const Position& to) {
    return to[0] > from[0] ? 0.75 : 0.25;
  });
  EXPECT_LT(chain.reversibility_error(log_likelihood), 1e-13);
}

}  // namespace
}  // namespace sotto
