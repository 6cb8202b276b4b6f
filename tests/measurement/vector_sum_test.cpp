// What a released vector or matrix says of its own noise.
#include "sotto/measurement/vector_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr int kReleases = 4000;

/// How the noise of rows that add nothing is spread, over the variance that is stated: `value` of one release, `stated` with it.
template <class Noisy, class Value>
double spread_over_stated(const Query& query, const Value& value) {
  const Glm model(family::Bernoulli(), Domain({{{0}, Matrix::Ones(1, 1)}, {{1}, Matrix{{-1.0}, {1.0}}}}),
                  {0, 1});
  Budget budget{Epsilon(1e6), Delta(1e-6)};
  TestEntropy entropy(8);
  DataOwner owner(Rows(0, 3), model, {.adjacency = Adjacency::add_remove}, {}, budget, entropy);
  double squares = 0;
  for (int i = 0; i < kReleases; ++i) {
    const Noisy noisy = std::get<Released<Noisy>>(owner.answer({&query, 1}).front()).value();
    squares += value(noisy) * value(noisy) / noisy.variance;
  }
  return squares / kReleases;
}

// 4.5 standard errors: a false alarm in 1.5e5 runs of each, were the entropy not fixed.
constexpr double kBand = 4.5;

TEST(VectorSum, noise_is_as_large_as_is_said) {
  const Query rows = TotalQuery{TotalOf::rows, Rho(0.01)};
  const double spread =
      spread_over_stated<NoisyVector>(rows, [](const NoisyVector& of) { return of.value[0]; });
  EXPECT_LT(std::abs(spread - 1), kBand * std::sqrt(2.0 / kReleases));
}

TEST(VectorSum, noise_of_matrices_is_as_large_as_is_said) {
  const Query information = BoundedInformationQuery{{.at = Position::Zero(2),
                                                     .frame = Matrix::Identity(2, 2),
                                                     .score_bound = 1,
                                                     .information_bound = 1,
                                                     .clip = 1},
                                                    Rho(0.01)};
  for (const auto& [column, share] : {std::pair(0, 1.0), std::pair(1, 0.5)}) {
    const double spread = spread_over_stated<NoisyMatrix>(
        information, [c = column](const NoisyMatrix& of) { return of.value(0, c); });
    EXPECT_LT(std::abs(spread / share - 1), kBand * std::sqrt(2.0 / kReleases)) << column;
  }
}

// Their rows are added one by one, so that no price for one vector of a unit holds.
TEST(VectorSum, pieces_do_not_stand_side_by_side) {
  const Glm model(family::CumulativeLogit(),
                  Domain({{{0}, Matrix::Ones(1, 1)}, {{1}, Matrix{{-1.0}, {1.0}}}}), {0, 1});
  const PrivacyUnit unit{.rows_per_unit = 2, .is_row = false, .side_by_side = true};
  EXPECT_THROW((void)asked_regression({model, unit}), Error);
  EXPECT_NO_THROW((void)asked_regression({model, {}}));
}

}  // namespace
}  // namespace sotto
