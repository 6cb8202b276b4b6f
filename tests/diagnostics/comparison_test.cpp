#include "sotto/diagnostics/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/mmd.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

/// Two chains of independent normal draws.
Draws independent(const std::vector<std::string>& names, const Position& mean, const Position& sd,
                  Eigen::Index length, std::uint64_t seed) {
  Draws draws{names, {}};
  for (std::uint64_t c = 0; c < 2; ++c) {
    ChainRng rng(seed, c);
    Chain chain;
    chain.draws.resize(length, mean.size());
    for (Eigen::Index i = 0; i < length; ++i)
      chain.draws.row(i) = mean + sd.cwiseProduct(rng.normals(mean.size()));
    draws.chains.push_back(std::move(chain));
  }
  return draws;
}

TEST(Comparison, is_in_the_units_of_the_reference) {
  Draws reference{{"a", "b"}, {Chain{}, Chain{}}};
  reference.chains[0].draws = Matrix{{1, 10}, {3, 14}};
  reference.chains[1].draws = Matrix{{2, 12}};
  Draws draws{{"b", "a"}, {Chain{}}};  // by name, in another order
  draws.chains[0].draws = Matrix{{13, 2}, {17, 4}};
  const DrawsComparison result = compare(draws, reference);
  ASSERT_EQ(result.parameters.size(), 2u);
  EXPECT_EQ(result.parameters[0].parameter, "b");
  EXPECT_NEAR(result.parameters[0].mean_error, 1.5, 1e-12);  // 15 - 12 over 2
  EXPECT_NEAR(result.parameters[0].sd_ratio, std::sqrt(8) / 2, 1e-12);
  EXPECT_NEAR(result.parameters[1].mean_error, 1, 1e-12);
  EXPECT_NEAR(result.parameters[1].sd_ratio, std::sqrt(2), 1e-12);
  const Matrix x{{6.5, 2}, {8.5, 4}};
  const Matrix y{{5, 1}, {7, 3}, {6, 2}};
  EXPECT_NEAR(result.mmd, std::sqrt(std::abs(mmd_squared(x, y, median_distance(x, y)))), 1e-12);
  EXPECT_EQ(result.draws, 2u);
  EXPECT_EQ(result.reference, 3u);
}

// Of one law: the squared discrepancy has a standard deviation below 2e-4 at these sizes; five of them. Of laws half a standard
// deviation apart it is far larger, and units of parameters do not matter. Seeds are fixed; false alarm below 1e-5.
TEST(Comparison, tells_one_law_from_another) {
  const std::vector<std::string> names{"a", "b"};
  const Position sd{{1, 1000}};
  const Draws reference = independent(names, Position::Zero(2), sd, 2000, 1);
  EXPECT_LT(compare(independent(names, Position::Zero(2), sd, 2000, 2), reference).mmd, 0.032);
  const double moved = compare(independent(names, Position{{0.5, 0}}, sd, 2000, 3), reference).mmd;
  const double other = compare(independent(names, Position{{0, 500}}, sd, 2000, 3), reference).mmd;
  EXPECT_GT(moved, 0.15);
  EXPECT_NEAR(moved, other, 0.02);
  EXPECT_GT(compare(independent(names, Position::Zero(2), 2 * sd, 2000, 4), reference).mmd, 0.1);
}

TEST(Comparison, thins_what_is_long) {
  const std::vector<std::string> names{"a"};
  const DrawsComparison result = compare(independent(names, Position::Zero(1), Position::Ones(1), 30, 1),
                                         independent(names, Position::Zero(1), Position::Ones(1), 2500, 2));
  EXPECT_EQ(result.draws, 60u);
  EXPECT_EQ(result.reference, 4000u);
}

TEST(Comparison, refuses_what_cannot_be_compared) {
  const Draws good = independent({"a"}, Position::Zero(1), Position::Ones(1), 10, 1);
  const auto why = [](const Draws& draws, const Draws& reference) {
    try {
      static_cast<void>(compare(draws, reference));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(why(good, good), "none");
  Draws wrong = good;
  wrong.parameters = {"b"};
  EXPECT_EQ(why(good, wrong), "the reference's draws have no parameter a");
  wrong = good;
  wrong.chains[0].draws(3, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(why(wrong, good), "some of the draws are no finite numbers");
  EXPECT_EQ(why(good, wrong), "some of the reference's draws are no finite numbers");
  wrong = good;
  for (Chain& chain : wrong.chains) chain.draws.setConstant(2);
  EXPECT_EQ(why(good, wrong), "the reference's draws of a do not vary");
  EXPECT_EQ(why(wrong, good), "none");
  wrong.chains.clear();
  EXPECT_EQ(why(wrong, good), "the draws are fewer than two");
}

}  // namespace
}  // namespace sotto
