// Two, three and ten owners: the posterior of the pooled rows, and an acceptance that falls as the noise adds up.
#include "sotto/owner/federation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/one_dimension.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr double kStep = 0.5;
constexpr double kNoise = 0.6;  // sd of each owner's noise

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// E min(1, exp(r + X - v/2)) for X ~ N(0, v) [Y17, proof of Proposition 1].
double smoothed_acceptance(double ratio, double variance) {
  const double s = std::sqrt(variance);
  return normal_cdf(ratio / s - s / 2) + std::exp(ratio) * normal_cdf(-ratio / s - s / 2);
}

// The mean acceptance of a random walk in equilibrium, by quadrature over position and move.
double predicted_acceptance(const PosteriorOnTheLine& posterior, double variance) {
  const auto& x = posterior.points();
  const auto& p = posterior.density();
  const double cell = x[1] - x[0];
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i += 5) {
    for (std::size_t j = 0; j < x.size(); j += 5) {
      const double move = (x[j] - x[i]) / kStep;
      const double q = std::exp(-move * move / 2) / std::sqrt(2 * M_PI) / kStep * cell * 5;
      if (p[i] < 1e-16 || p[j] < 1e-300) continue;
      sum += 5 * p[i] * q * smoothed_acceptance(std::log(p[j] / p[i]), variance);
    }
  }
  return sum;
}

struct Party {
  Party(const std::vector<double>& values, std::uint64_t seed)
      : budget(Epsilon(1e9), Delta(1e-6)),
        entropy(seed),
        owner(rows_of(values), model_on_the_line(), PrivacyUnit{}, ExecutionOptions{}, budget, entropy) {}
  Budget budget;
  TestEntropy entropy;
  DataOwner owner;
};

// 50 independent chains; four averages within 5 standard errors of 49 degrees of freedom: false alarm below 1e-4.
void expect_pooled_posterior(std::size_t count) {
  const auto values = values_on_the_line(20);
  const PosteriorOnTheLine posterior(values, 1);
  std::deque<Party> parties;
  std::vector<QueryInterface*> owners;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(20 * i / count);
    const auto to = static_cast<std::ptrdiff_t>(20 * (i + 1) / count);
    parties.emplace_back(std::vector<double>(values.begin() + from, values.begin() + to), 31 * count + i);
    owners.push_back(&parties.back().owner);
  }
  Federation all(owners);
  const PenaltyMetropolis kernel({.proposal = Matrix::Identity(1, 1), .step_size = kStep, .noise_sd = kNoise},
                                 prior_on_the_line());
  ChainRng rng(count);
  std::vector<Position> starts;
  for (int c = 0; c < 50; ++c) starts.push_back(Position::Constant(1, posterior.draw(rng)));
  const auto chains =
      run_chains(kernel, std::span<const Position>(starts), all,
                 {.warmup = 0, .draws = 2000, .thin = 1, .seed = count}, [](const Position& x) { return x; });
  Matrix averages(50, 3);
  for (Eigen::Index c = 0; c < 50; ++c) {
    const Chain& chain = chains[static_cast<std::size_t>(c)];
    const Eigen::ArrayXd z = (chain.draws.col(0).array() - posterior.mean()) / posterior.sd();
    const auto& accept = chain.steps.at("accept_stat");
    averages.row(c) << z.mean(), z.square().mean(),
        Eigen::Map<const Eigen::ArrayXd>(accept.data(), static_cast<Eigen::Index>(accept.size())).mean();
  }
  const double expected[] = {0, 1,
                             predicted_acceptance(posterior, static_cast<double>(count) * kNoise * kNoise)};
  for (Eigen::Index j = 0; j < 3; ++j) {
    const Eigen::VectorXd column = averages.col(j);
    const double error = std::sqrt((column.array() - column.mean()).square().sum() / 49 / 50);
    EXPECT_NEAR(column.mean(), expected[j], 5 * error) << j;
    EXPECT_LT(error, 0.1);
  }
}

TEST(Federation, two_owners_sample_the_pooled_posterior) { expect_pooled_posterior(2); }
TEST(Federation, three_owners_sample_the_pooled_posterior) { expect_pooled_posterior(3); }
TEST(Federation, ten_owners_sample_the_pooled_posterior) { expect_pooled_posterior(10); }

TEST(Federation, acceptance_falls_with_the_number_of_owners) {
  const PosteriorOnTheLine posterior(values_on_the_line(20), 1);
  const double two = predicted_acceptance(posterior, 2 * kNoise * kNoise);
  const double ten = predicted_acceptance(posterior, 10 * kNoise * kNoise);
  EXPECT_LT(ten, 0.7 * two);
  EXPECT_GT(two, 0.2);
}

}  // namespace
}  // namespace sotto
