// What every kernel must do. A new kernel joins by a struct with a name, its interface and its settings.
//
// The posterior is one-dimensional, known to quadrature; the noise is large enough to matter (a penalty variance of
// about 1). Kernels whose target is approximate, and those that answer to no budget, join what holds for them. Reversibility by enumeration on a lattice is in tests/kernel, for the kernels that can live on one.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "sotto/chain/lockstep.hpp"
#include "sotto/kernel/barker.hpp"
#include "sotto/kernel/coordinate_walk.hpp"
#include "sotto/kernel/hmc.hpp"
#include "sotto/kernel/langevin.hpp"
#include "sotto/kernel/penalty.hpp"
#include "sotto/kernel/penalty_exponential_family.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/batch_gradient.hpp"
#include "sotto/measurement/batch_ratio.hpp"
#include "sotto/measurement/statistic.hpp"
#include "sotto/model/families.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/federation.hpp"
#include "sotto/owner/non_private_oracle.hpp"
#include "sotto/proposal/independence.hpp"
#include "sotto/proposal/truncated_walk.hpp"
#include "support/one_dimension.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr double kScale = 0.8;  // of a random walk; the posterior's sd is about 0.35

/// One owner with its books and its noise.
struct OwnerSide {
  OwnerSide(const std::vector<double>& values, ExecutionOptions options, Epsilon epsilon, std::uint64_t seed)
      : budget(epsilon, Delta(1e-6)),
        entropy(seed),
        owner(rows_of(values), model_on_the_line(), PrivacyUnit{}, options, budget, entropy) {}
  Budget budget;
  TestEntropy entropy;
  DataOwner owner;
  QueryInterface& interface() { return owner; }
  double limit() { return budget.left().value(); }
  double spent() { return budget.spent().value(); }
};

struct RatioCase {
  using Side = OwnerSide;
  static double likelihood_power() { return 1; }
};

struct PenaltyCase : RatioCase {
  static auto kernel() {
    return PenaltyMetropolis({.cost = Rho(10), .proposal = Matrix::Identity(1, 1), .step_size = kScale},
                             prior_on_the_line());
  }
};
struct TemperedPenaltyCase : PenaltyCase {
  static double likelihood_power() { return 0.5; }
};
struct FixedNoiseCase : RatioCase {
  static auto kernel() {
    return PenaltyMetropolis({.proposal = Matrix::Identity(1, 1), .step_size = kScale, .noise_sd = 1.2},
                             prior_on_the_line());
  }
};
struct TruncatedCase : RatioCase {
  static auto kernel() {
    return Penalty<TruncatedWalk>({.cost = Rho(10),
                                   .proposal = TruncatedWalk(Position::Ones(1), Position::Constant(1, 0.7)),
                                   .step_size = kScale},
                                  prior_on_the_line());
  }
};
struct IndependenceCase : RatioCase {
  static auto kernel() {
    return Penalty<Independence>(
        {.cost = Rho(10), .proposal = Independence(Position::Constant(1, 0.3), 0.4 * Matrix::Identity(1, 1))},
        prior_on_the_line());
  }
};
struct OneAtATimeCase : RatioCase {
  static auto kernel() {
    return PenaltyOneAtATime({.cost = Rho(10), .axes = Matrix::Constant(1, 1, kScale)}, prior_on_the_line());
  }
};
struct GuidedCase : RatioCase {
  static auto kernel() {
    return GuidedWalk({.cost = Rho(10), .axes = Matrix::Constant(1, 1, kScale)}, prior_on_the_line());
  }
};
struct BarkerCase : RatioCase {
  static auto kernel() {
    return Barker<>({.noise_variance = 1, .proposal = Matrix::Identity(1, 1), .step_size = kScale},
                    prior_on_the_line());
  }
};
struct HmcCase : RatioCase {
  static auto kernel() {
    return Hmc({.ratio_cost = Rho(10),
                .gradient_cost = Rho(3),
                .steps = 2,
                .step_size = 0.9,
                .inverse_mass = Matrix::Constant(1, 1, 0.12)},
               prior_on_the_line());
  }
};
struct FrictionCase : RatioCase {
  static auto kernel() {
    return Hmc({.ratio_cost = Rho(10),
                .gradient_cost = Rho(3),
                .steps = 2,
                .step_size = 0.9,
                .inverse_mass = Matrix::Constant(1, 1, 0.12),
                .friction = 1},
               prior_on_the_line());
  }
};

/// Three owners of unequal shares, budgets and noises.
struct ThreeOwners {
  ThreeOwners(const std::vector<double>& values, ExecutionOptions options, Epsilon epsilon,
              std::uint64_t seed)
      : first({values.begin(), values.begin() + 1}, options, epsilon, 3 * seed),
        second({values.begin() + 1, values.begin() + 3}, options, epsilon, 3 * seed + 1),
        third({values.begin() + 3, values.end()}, options, epsilon, 3 * seed + 2),
        all({&first.owner, &second.owner, &third.owner}) {}
  OwnerSide first, second, third;
  Federation all;
  QueryInterface& interface() { return all; }
  double limit() { return all.left().value(); }
  double spent() { return std::max({first.spent(), second.spent(), third.spent()}); }
};
struct ThreeOwnersCase : PenaltyCase {
  using Side = ThreeOwners;
  static auto kernel() {
    return PenaltyMetropolis({.cost = Rho(20), .proposal = Matrix::Identity(1, 1), .step_size = kScale},
                             prior_on_the_line());
  }
};

/// A unit normal with unknown mean as a user's own exponential family.
struct UnitNormalFamily {
  static Eigen::Index dim() { return 1; }
  static std::size_t columns() { return 1; }
  static std::vector<Interval> range() { return {{-3, 3}}; }
  static void statistic(std::span<const double> row, std::span<double> out) { out[0] = row[0]; }
  static Position natural(const Position& at) { return at; }
  static double log_normaliser(const Position& at) { return at[0] * at[0] / 2; }
};
UnitNormalFamily unit_normal() { return {}; }
/// The family of the banana and the multivariate normal mean: it is made from the model.
LocationFamily location_family() { return LocationFamily(model_on_the_line()); }

template <auto GlmFamily>
struct StatisticSide {
  StatisticSide(const std::vector<double>& values, ExecutionOptions options, Epsilon epsilon,
                std::uint64_t seed)
      : budget(epsilon, Delta(1e-6)),
        entropy(seed),
        owner(measure_statistic(rows_of(values), StandardStatistic(GlmFamily()), PrivacyUnit{},
                                options.threads),
              budget, entropy) {}
  Budget budget;
  TestEntropy entropy;
  DataOwner owner;
  QueryInterface& interface() { return owner; }
  double limit() { return budget.left().value(); }
  double spent() { return budget.spent().value(); }
};
template <auto GlmFamily>
struct FamilyCase {
  using Side = StatisticSide<GlmFamily>;
  static double likelihood_power() { return 1; }
  static auto kernel() {
    const StandardStatistic statistic(GlmFamily());
    return PenaltyExponentialFamily<>(
        {.cost = Rho(10),
         .proposal = Matrix::Identity(1, 1),
         .coefficients = [=](const Position& x) { return statistic.coefficients(x); },
         .step_size = kScale},
        prior_on_the_line());
  }
};
struct ExponentialFamilyCase : FamilyCase<unit_normal> {};
struct LocationFamilyCase : FamilyCase<location_family> {};

/// Batches of `Share` percent of the rows. A batch of all rows does not vary: then the target is exact.
template <std::size_t Share>
struct BatchSide {
  BatchSide(const std::vector<double>& values, ExecutionOptions options, Epsilon epsilon, std::uint64_t seed)
      : budget(epsilon, Delta(1e-6)),
        entropy(seed),
        owner(measure_batch_ratios(rows_of(values), {model_on_the_line(), {}, options.likelihood_power},
                                   values.size() * Share / 100),
              budget, entropy) {}
  Budget budget;
  TestEntropy entropy;
  DataOwner owner;
  QueryInterface& interface() { return owner; }
  double limit() { return budget.left().value(); }
  double spent() { return budget.spent().value(); }
};
struct FullBatchCase : PenaltyCase {
  using Side = BatchSide<100>;
};
struct HalfBatchCase : PenaltyCase {
  using Side = BatchSide<50>;
};

/// Batch gradients, paid for before the first.
struct BatchGradientSide {
  static constexpr double kRate = 0.5;
  static constexpr double kMultiplier = 2;
  BatchGradientSide(const std::vector<double>& values, ExecutionOptions options, Epsilon epsilon,
                    std::uint64_t seed)
      : budget(epsilon, Delta(1e-6)),
        entropy(seed),
        owner(rows_of(values),
              measure_batches({model_on_the_line(), {}, options.likelihood_power}, {kRate, kMultiplier, 400},
                              budget, Epsilon(0.9 * epsilon.value())),
              options.threads, budget, entropy, std::make_unique<DiscreteGaussianMechanism>(entropy)) {}
  Budget budget;
  TestEntropy entropy;
  DataOwner owner;
  QueryInterface& interface() { return owner; }
  double limit() { return budget.epsilon().value(); }
  double spent() { return budget.spent_epsilon(Delta(1e-6)).value(); }
};
struct LangevinCase {
  using Side = BatchGradientSide;
  static double likelihood_power() { return 1; }
  template <class K>
  static K kernel_of() {
    return K({.rate = BatchGradientSide::kRate,
              .noise_multiplier = BatchGradientSide::kMultiplier,
              .scale = Position::Constant(1, 0.35),
              .step_size = 0.1},
             prior_on_the_line());
  }
};
struct SgldCase : LangevinCase {
  static Sgld kernel() { return kernel_of<Sgld>(); }
};
struct SgnhtCase : LangevinCase {
  static Sgnht kernel() { return kernel_of<Sgnht>(); }
};

/// No noise and no budget.
struct ExactSide {
  ExactSide(const std::vector<double>& values, ExecutionOptions options, Epsilon, std::uint64_t)
      : owner(rows_of(values), model_on_the_line(), options) {}
  NonPrivateOracle owner;
  QueryInterface& interface() { return owner; }
};
struct MetropolisCase : PenaltyCase {
  using Side = ExactSide;
};
struct OpenHmcCase : HmcCase {
  using Side = ExactSide;
};
struct OpenBarkerCase : RatioCase {
  using Side = ExactSide;
  static auto kernel() {
    return Barker<>({.noise_variance = 0, .proposal = Matrix::Identity(1, 1), .step_size = kScale},
                    prior_on_the_line());
  }
};

/// What holds for every kernel.
template <class Case>
class KernelContract : public testing::Test {};
/// What holds for kernels whose target is the posterior.
template <class Case>
class ExactKernel : public testing::Test {};
/// What holds for kernels that spend.
template <class Case>
class BudgetedKernel : public testing::Test {};

template <class... Cases>
using WithExact =
    testing::Types<PenaltyCase, TemperedPenaltyCase, FixedNoiseCase, TruncatedCase, IndependenceCase,
                   OneAtATimeCase, GuidedCase, BarkerCase, HmcCase, FrictionCase, ThreeOwnersCase,
                   ExponentialFamilyCase, LocationFamilyCase, FullBatchCase, Cases...>;
using All = WithExact<MetropolisCase, OpenHmcCase, OpenBarkerCase, HalfBatchCase, SgldCase, SgnhtCase>;
using Exact = WithExact<MetropolisCase, OpenHmcCase, OpenBarkerCase>;
using Budgeted = WithExact<HalfBatchCase, SgldCase, SgnhtCase>;
TYPED_TEST_SUITE(KernelContract, All);
TYPED_TEST_SUITE(ExactKernel, Exact);
TYPED_TEST_SUITE(BudgetedKernel, Budgeted);

Position same(const Position& x) { return x; }

// 100 chains from exact draws, 10,000 steps each. The chains are independent, so the spread of their averages gives the
// standard error. Three moments within 5 standard errors (of 99 degrees of freedom): false alarm below 1e-5 a kernel.
TYPED_TEST(ExactKernel, leaves_the_quadrature_posterior_invariant) {
  const auto values = values_on_the_line(8);
  const PosteriorOnTheLine posterior(values, TypeParam::likelihood_power());
  const auto kernel = TypeParam::kernel();
  constexpr std::size_t kGroups = 20;
  constexpr std::size_t kChains = 5;
  Matrix averages(kGroups * kChains, 3);
  ChainRng rng(4);
  double accepted = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    typename TypeParam::Side side(values, ExecutionOptions{.likelihood_power = TypeParam::likelihood_power()},
                                  Epsilon(1e9), group);
    std::vector<Position> starts;
    for (std::size_t c = 0; c < kChains; ++c) starts.push_back(Position::Constant(1, posterior.draw(rng)));
    const auto chains = run_chains(kernel, std::span<const Position>(starts), side.interface(),
                                   {.warmup = 0, .draws = 10000, .thin = 1, .seed = group}, same);
    for (std::size_t c = 0; c < kChains; ++c) {
      ASSERT_EQ(chains[c].draws.rows(), 10000);
      const Eigen::ArrayXd z = (chains[c].draws.col(0).array() - posterior.mean()) / posterior.sd();
      averages.row(static_cast<Eigen::Index>(group * kChains + c)) << z.mean(), z.square().mean(),
          z.cube().mean();
      for (const double a : chains[c].steps.at("accept_stat")) accepted += a / 1e6;
    }
  }
  EXPECT_GT(accepted, 0.05);
  for (int power = 1; power <= 3; ++power) {
    const Eigen::VectorXd column = averages.col(power - 1);
    const double error = std::sqrt((column.array() - column.mean()).square().sum() / 99 / 100);
    EXPECT_LT(std::abs(column.mean() - posterior.moment(power)), 5 * error) << "moment " << power;
    EXPECT_LT(error, 0.03) << "moment " << power;  // the chains do move
  }
}

TYPED_TEST(KernelContract, has_the_same_bits_for_any_number_of_threads) {
  const auto values = values_on_the_line(70000);  // several pieces for the scheduler
  const auto kernel = TypeParam::kernel();
  const std::vector<Position> starts(2, Position::Constant(1, 0.4));
  std::vector<std::vector<Chain>> runs;
  for (const int threads : {1, 2, 5}) {
    typename TypeParam::Side side(values, ExecutionOptions{.likelihood_power = 1e-4, .threads = threads},
                                  Epsilon(1e9), 6);
    runs.push_back(run_chains(kernel, std::span<const Position>(starts), side.interface(),
                              {.warmup = 4, .draws = 15, .thin = 1, .seed = 8}, same));
  }
  for (const auto& run : runs) {
    for (std::size_t c = 0; c < starts.size(); ++c) {
      EXPECT_EQ(run[c].draws, runs[0][c].draws);
      EXPECT_EQ(run[c].steps, runs[0][c].steps);
    }
  }
}

TYPED_TEST(BudgetedKernel, ends_as_data_when_the_budget_ends) {
  const auto values = values_on_the_line(8);
  const auto kernel = TypeParam::kernel();
  typename TypeParam::Side side(values, ExecutionOptions{}, Epsilon(1000), 7);
  const double limit = side.limit();
  const std::vector<Position> starts(2, Position::Constant(1, 0.4));
  const auto chains = run_chains(kernel, std::span<const Position>(starts), side.interface(),
                                 {.warmup = 0, .draws = 100000, .thin = 1, .seed = 8}, same);
  EXPECT_LE(side.spent(), limit);
  EXPECT_GT(side.spent(), 0.7 * limit);
  for (const Chain& chain : chains) {
    EXPECT_EQ(chain.stop, StopReason::budget_spent);
    EXPECT_GT(chain.draws.rows(), 3);
    EXPECT_LT(chain.draws.rows(), 100000);
  }
  EXPECT_EQ(chains[0].draws.rows(), chains[1].draws.rows());
}

}  // namespace
}  // namespace sotto
