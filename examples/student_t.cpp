// Robust regression with 5 % wild outliers under differential privacy, by DP-HMC.
#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "sotto/chain/lockstep.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/owner/data_owner.hpp"
#include "student_t.hpp"

int main() {
  // Synthetic rows: y = 1 - 2 x + error, one row in twenty far out.
  constexpr std::size_t kRows = 50000;
  sotto::Rows rows(kRows, 3);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::student_t_distribution<double> error(4);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.at(i, 0) = 1;
    rows.at(i, 1) = uniform(engine);
    rows.at(i, 2) = 1 - 2 * rows.at(i, 1) + error(engine) + (i % 20 == 0 ? 50 : 0);
    rows.weight(i) = 1;
  }

  // The owner: rows, model, who is protected, and the budget.
  const sotto::PerRow model(sotto::AutoGradient(example::StudentT{}));
  sotto::Budget budget(sotto::Epsilon(8), sotto::Delta(1e-6));
  sotto::SystemEntropy entropy;
  sotto::DataOwner owner(std::move(rows), model, sotto::PrivacyUnit{}, sotto::ExecutionOptions{.threads = 2},
                         budget, entropy);

  // The analyst: a prior, a chain, and nothing else.
  const sotto::LogPrior prior{[](const sotto::Position& b) { return -b.squaredNorm() / 50; },
                              [](const sotto::Position& b) -> sotto::Position { return -b / 25; }};
  const std::size_t steps = 120;
  const double share = owner.left().value() * (1 - 1e-6) / static_cast<double>(2 * steps);
  const sotto::Hmc hmc({.ratio_cost = sotto::Rho(share / 2),
                        .gradient_cost = sotto::Rho(share / 2 / 6),
                        .steps = 5,
                        .step_size = 0.3,
                        .inverse_mass = sotto::Matrix::Identity(2, 2) * 5e-5},
                       prior);
  const std::vector<sotto::Position> starts(2, sotto::Position{{0.9, -1.9}});
  const auto chains =
      run_chains(hmc, std::span<const sotto::Position>(starts), owner,
                 {.warmup = steps / 2, .draws = steps / 2}, [](const sotto::Position& b) { return b; });
  for (const sotto::Chain& chain : chains) {
    const Eigen::RowVectorXd mean = chain.draws.colwise().mean();
    const Eigen::RowVectorXd sd = (chain.draws.rowwise() - mean).array().square().colwise().mean().sqrt();
    fmt::print("intercept {:.3f} ({:.3f})  slope {:.3f} ({:.3f})\n", mean[0], sd[0], mean[1], sd[1]);
  }
  fmt::print("spent epsilon {:.3f} at delta 1e-6\n", budget.spent_epsilon(budget.delta()).value());
}
