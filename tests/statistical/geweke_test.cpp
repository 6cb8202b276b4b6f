// Joint distribution test of the Hamiltonian kernels: position and rows drawn in turns must keep the prior.
// Source [G04, Section 3].
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "sotto/kernel/hmc.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

const Bend kBend{0.5, 0, 0};
constexpr double kReach = 12;  // the rows' bounds; a draw beyond them has probability below 1e-20

// Two rows with unit variance about the bent mean, whose prior is standard normal.
LocationModel model() { return {{{-kReach, kReach}, {-kReach, kReach}}, Matrix::Identity(2, 2), kBend}; }

LogPrior prior() {
  return {[](const Position& x) { return -kBend.mean(x).squaredNorm() / 2; },
          [](const Position& x) {
            Position g = -kBend.mean(x);
            kBend.pull_back(x, g);
            return g;
          }};
}

Rows rows_about(const Position& mean, ChainRng& rng) {
  Rows rows(2, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      rows.at(i, j) = std::clamp(mean[static_cast<Eigen::Index>(j)] + rng.normal(), -kReach, kReach);
    }
    rows.weight(i) = 1;
  }
  return rows;
}

// The rule as printed in the thesis: friction inside the half kicks, acceptance as without friction.
class PrintedFriction {
 public:
  PrintedFriction(Hmc::Settings settings, LogPrior prior)
      : settings_(std::move(settings)), prior_(std::move(prior)) {}
  struct State {
    Position position;
  };
  [[nodiscard]] State init(const Position& position) const { return {position}; }
  [[nodiscard]] Step step(State& state, ChainRng& rng) const {
    StepInfo info;
    const double eta = settings_.step_size;
    Position position = state.position;
    Position momentum = rng.normals(position.size());
    const double threshold = rng.uniform();
    const double before = momentum.squaredNorm() / 2;
    for (int i = 0; i <= settings_.steps; ++i) {
      const GradientQuery query{position, settings_.gradient_cost};
      const auto gradient = co_await query;
      if (!gradient) co_return info;
      const Position force = gradient->value + prior_.gradient(position);
      const int halves = i == 0 || i == settings_.steps ? 1 : 2;
      for (int half = 0; half < halves; ++half)
        momentum += eta / 2 * (force - (gradient->variance.array() * momentum.array()).matrix() / 2);
      if (i < settings_.steps) position += eta * momentum;
    }
    const RatioQuery query{state.position, position, settings_.ratio_cost};
    const auto ratio = co_await query;
    if (!ratio) co_return info;
    const double drop = ratio->value + prior_.log_density(position) - prior_.log_density(state.position) +
                        before - momentum.squaredNorm() / 2;
    info.acceptance = penalty_acceptance(drop, ratio->variance);
    if (threshold < info.acceptance) state.position = position;
    co_return info;
  }

 private:
  Hmc::Settings settings_;
  LogPrior prior_;
};

Hmc::Settings settings(double friction) {
  return {.ratio_cost = Rho(400),
          .gradient_cost = Rho(100),
          .steps = 4,
          .step_size = 0.3,
          .inverse_mass = Matrix::Identity(2, 2),
          .friction = friction};
}

struct Result {
  double worst = 0;       // largest |z| over the test functions
  double acceptance = 0;  // mean
};

// Test functions of the bent mean, which is standard normal under the prior.
constexpr std::size_t kFunctions = 6;
std::array<double, kFunctions> deviations(const Position& x) {
  const double u = x[0];
  const double v = x[1];
  return {u, v, u * u - 1, v * v - 1, u * v, (u * u - 1) * (v * v - 1)};
}

template <class K>
Result geweke(const K& kernel, std::size_t count, double rate = 1) {
  ChainRng rng(17);
  TestEntropy entropy(23);
  auto state = kernel.init(Position::Zero(2));
  Matrix values(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(kFunctions));
  Result result;
  for (std::size_t t = 0; t < count; ++t) {
    Budget budget(Epsilon(1e6), Delta(1e-6));
    Measure measure = rate < 1 ? measure_batches({model()}, {rate, 0.1, 10, Rho(1e6)}, budget, Epsilon(1))
                               : measure_all_rows({model()});
    DataOwner owner(rows_about(kBend.mean(state.position), rng), std::move(measure), 1, budget, entropy,
                    std::make_unique<DiscreteGaussianMechanism>(entropy));
    Step step = kernel.step(state, rng);
    while (!step.done()) {
      const Query query = step.pending();
      step.resume(std::move(owner.answer(std::span(&query, 1)).front()));
    }
    result.acceptance += step.info().acceptance / static_cast<double>(count);
    const auto functions = deviations(kBend.mean(state.position));
    for (std::size_t f = 0; f < kFunctions; ++f)
      values(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(f)) = functions[f];
  }
  const Eigen::Index batch = values.rows() / 50;
  for (Eigen::Index f = 0; f < values.cols(); ++f) {
    Eigen::VectorXd means(50);
    for (Eigen::Index b = 0; b < 50; ++b) means[b] = values.col(f).segment(b * batch, batch).mean();
    const double error = std::sqrt((means.array() - means.mean()).square().sum() / 49 / 50);
    result.worst = std::max(result.worst, std::abs(means.mean()) / error);
  }
  return result;
}

// Six functions, 49 degrees of freedom: a right kernel exceeds 5 with probability below 6e-5.
TEST(Geweke, hmc_keeps_the_joint_distribution) {
  const Result result = geweke(Hmc(settings(0), prior()), 60000);
  EXPECT_LT(result.worst, 5);
  EXPECT_GT(result.acceptance, 0.2);
}

TEST(Geweke, friction_keeps_the_joint_distribution) {
  const Result result = geweke(Hmc(settings(1), prior()), 60000);
  EXPECT_LT(result.worst, 5);
  EXPECT_GT(result.acceptance, 0.2);
}

// Gradients of batches into which each row enters with probability 1/2: a proposal of any quality stays exact.
TEST(Geweke, friction_with_batches_keeps_the_joint_distribution) {
  Hmc::Settings s = settings(1);
  s.batch_rate = 0.5;
  s.noise_multiplier = 0.1;
  const Result result = geweke(Hmc(s, prior()), 40000, 0.5);
  EXPECT_LT(result.worst, 5);
  EXPECT_GT(result.acceptance, 0.1);
}

TEST(Geweke, printed_friction_rule_fails) {
  const Result result = geweke(PrintedFriction(settings(0), prior()), 20000);
  EXPECT_GT(result.worst, 10);
}

}  // namespace
}  // namespace sotto
