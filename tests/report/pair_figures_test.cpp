// Pairs of parameters: those that go together most, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/random/chain_rng.hpp"
#include "sotto/report/figures.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 400 draws of two independent numbers, and of one that is nearly minus the first.
RunRecord run_of_three() {
  ChainRng rng(7);
  RunRecord record;
  record.draws.parameters = {"a", "b<1>", "like_a"};
  Chain chain;
  chain.draws.resize(400, 3);
  for (auto row : chain.draws.rowwise()) {
    row[0] = rng.normal();
    row[1] = rng.normal();
    row[2] = -row[0] + 0.3 * rng.normal();
  }
  record.draws.chains = {chain};
  return record;
}

TEST(PairFigures, are_of_parameters_that_go_together) {
  RunRecord record = run_of_three();
  const std::string all = pair_figures(record);
  EXPECT_THAT(all, HasSubstr("like_a (up), a (across)"));
  EXPECT_THAT(all, HasSubstr("-0.9"));
  EXPECT_LT(all.find("like_a (up), a (across)"), all.find("b&lt;1&gt;"));
  record.draws.chains[0].draws.col(2) = Eigen::VectorXd::LinSpaced(400, 0, 1);
  record.draws.chains[0].draws.col(1).setConstant(2);
  record.draws.parameters[1] = "constant";
  EXPECT_THAT(pair_figures(record), Not(HasSubstr("constant (up)")));
}

TEST(PairFigures, of_too_few_draws_there_are_none) {
  RunRecord record = run_of_three();
  record.draws.chains[0].draws.conservativeResize(1, 3);
  EXPECT_THAT(pair_figures(record), HasSubstr("too few draws"));
}

}  // namespace
}  // namespace sotto
