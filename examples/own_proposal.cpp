// A proposal of one's own under the DP penalty algorithm, from the library's parts: an owner of rows, its budget, a kernel, chains.
#include <fmt/core.h>

#include <cstdio>
#include <vector>

#include "crank_nicolson.hpp"
#include "simulated_rows.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/sotto.hpp"
#include "student_t.hpp"

namespace {

constexpr std::size_t kChains = 4;

/// Normal(centre, diag(scale^2)), which the proposal leaves as it is.
sotto::LogPrior prior_of(const example::CrankNicolson& walk) {
  return {[walk](const sotto::Position& at) {
            return -(at - walk.centre).cwiseQuotient(walk.scale).squaredNorm() / 2;
          },
          [walk](const sotto::Position& at) {
            return sotto::Position(-(at - walk.centre).cwiseQuotient(walk.scale.cwiseProduct(walk.scale)));
          }};
}

}  // namespace

int main() try {
  sotto::SystemEntropy entropy;
  sotto::Budget budget(sotto::Epsilon(8), sotto::Delta(1e-6));
  sotto::DataOwner owner(example::simulated_rows(), sotto::PerRow(sotto::AutoGradient(example::StudentT{})),
                         sotto::PrivacyUnit{}, {}, budget, entropy);

  // Every step of every chain pays the same; a thousandth is left, for noise that comes in whole grid steps.
  const sotto::ChainSettings length{.warmup = 800, .draws = 1000, .thin = 2};
  const auto steps = static_cast<double>(kChains * (length.warmup + length.draws * length.thin));
  const example::CrankNicolson walk{.centre = sotto::Position::Zero(2), .scale = sotto::Position{{5, 5}}};
  const sotto::Penalty<example::CrankNicolson> kernel(
      {.cost = sotto::Rho(0.999 * budget.left().value() / steps), .proposal = walk, .step_size = 0.01},
      prior_of(walk));
  const std::vector<sotto::Position> starts(kChains, sotto::Position::Zero(2));
  const sotto::Draws draws{.parameters = {"intercept", "slope"},
                           .chains = run_chains<sotto::Penalty<example::CrankNicolson>>(
                               kernel, starts, owner, length, [](const sotto::Position& at) { return at; })};

  fmt::print("epsilon {:.3f} of {:g} spent\n{}", budget.spent_epsilon(budget.delta()).value(),
             budget.epsilon().value(), posterior_table(draws));
  for (const std::string& warning : warnings(draws, summarise(draws))) fmt::print("{}\n", warning);
} catch (const sotto::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
