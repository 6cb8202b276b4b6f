// What a fit without privacy says of counts that vary more than Poisson ones, and release-once without noise as its oracle there.
#include "sotto/run/fit_without_privacy.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace fits_without_privacy {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double kMean = 2;
constexpr std::size_t kRows = 4000;

std::size_t poisson(double mean, ChainRng& rng) {
  std::size_t count = 0;
  for (double left = mean + std::log(rng.uniform()); left > 0; left += std::log(rng.uniform())) ++count;
  return count;
}

/// Poisson ones of mean 2, or negative binomial ones of variance m + m^2, three times that of Poisson ones.
Table counts(bool overdispersed) {
  Table table(Schema{{{"y", ColumnKind::count, {0, 60}, {}}, {"x", ColumnKind::real, {-1, 1}, {}}}, {}});
  ChainRng rng(5);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double effect = overdispersed ? -std::log(rng.uniform()) : 1;
    const std::string cells[] = {fmt::format("{}", std::min<std::size_t>(poisson(kMean * effect, rng), 60)),
                                 i % 2 == 0 ? "-1" : "1"};
    const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
    table.append(views, std::nullopt);
  }
  return table;
}

RunRecord fitted(bool overdispersed, const std::string& method) {
  const FitConfig config = parse_fit_config(
      fmt::format("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = \"poisson\"\nformula = "
                  "\"y ~ x\"\n[privacy]\nnot_private = true\n[method]\ndraws = 300\nname = \"{}\"\n",
                  method),
      {});
  TestEntropy entropy(1);
  return fit(config, make_problem(config, counts(overdispersed)), entropy);
}

TEST(FitWithoutPrivacy, of_counts_that_vary_more_than_poisson_ones_says_so) {
  // sqrt(1 + 2 a), with a known to a tenth.
  EXPECT_THAT(fitted(true, "auto").warnings,
              Contains(AnyOf(HasSubstr("1.6 times too narrow"), HasSubstr("1.7 times too narrow"),
                             HasSubstr("1.8 times too narrow"))));
  EXPECT_THAT(fitted(false, "auto").warnings, Not(Contains(HasSubstr("too narrow"))));
}

// Fisher's information of the slope of x in {-1, 1} is rows m / (1 + m), or rows m. What draws tell of it is within 5 % at four of
// their standard errors, and the dispersion that is found is within a tenth.
TEST(FitWithoutPrivacy, by_release_once_allows_for_that) {
  const RunRecord wide = fitted(true, "release-once");
  EXPECT_FALSE(wide.privacy.is_private);
  EXPECT_TRUE(wide.sd_inflation.empty());
  EXPECT_NEAR(summarise(wide.draws)[1].sd * std::sqrt(kRows * kMean / (1 + kMean)), 1, 0.1);
  const RunRecord narrow = fitted(false, "release-once");
  const RunRecord oracle = fitted(false, "auto");
  EXPECT_NEAR(summarise(narrow.draws)[1].sd * std::sqrt(kRows * kMean), 1, 0.1);
  for (std::size_t j = 0; j < 2; ++j) {
    const ParameterSummary expected = summarise(oracle.draws)[j];
    EXPECT_NEAR(summarise(narrow.draws)[j].mean, expected.mean, expected.sd / 4);
  }
}

}  // namespace
}  // namespace fits_without_privacy
}  // namespace sotto
