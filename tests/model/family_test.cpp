// What every family says of itself, against itself: bounds rest on a score that falls in eta and rises in y.
#include "sotto/model/glm/family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sotto/random/chain_rng.hpp"
#include "support/every_family.hpp"

namespace sotto {
namespace {

struct Place {
  double eta, y;
  law::Spread spread;
};

/// Calls check(family, place) for each family whose rows have a likelihood of their own at many places, with responses of its kind.
template <class Check>
void at_many_places(const Check& check) {
  ChainRng rng(3);
  for (const auto& [family, response] : every_family()) {
    const law::Spread spread = law::Spread::of_log_sigma(sigma_of(family) != nullptr ? 0.4 : 0);
    for (int i = 0; i < 500; ++i) {
      const double y = response.lower + rng.uniform() * response.width();
      const double eta = 3 * rng.normal();
      std::visit(
          [&]<class F>(const F& f) {
            if constexpr (RowByRow<F>)
              check(f, Place{eta, f.response == ResponseKind::real ? y : std::round(y), spread});
          },
          family);
    }
  }
}

TEST(GlmFamily, scores_are_slopes_of_the_log_density) {
  at_many_places([]<class F>(const F&, const Place& at) {
    const double h = 1e-5;
    const auto log_density = [&](double by_eta, double by_log_sigma) {
      return law::value(F::log_density, at.eta + by_eta, at.y,
                        law::Spread::of_log_sigma(at.spread.log_sigma + by_log_sigma));
    };
    const double score = law::value(F::score, at.eta, at.y, at.spread);
    EXPECT_NEAR(score, (log_density(h, 0) - log_density(-h, 0)) / (2 * h), 1e-5 * (1 + std::abs(score)))
        << F::name;
    if constexpr (HasSigma<F>) {
      const double sigma_score = law::value(F::sigma_score, at.eta, at.y, at.spread);
      EXPECT_NEAR(sigma_score, (log_density(0, h) - log_density(0, -h)) / (2 * h),
                  1e-5 * (1 + std::abs(sigma_score)))
          << F::name;
    }
  });
}

TEST(GlmFamily, scores_fall_in_eta_and_rise_in_y_or_have_a_range) {
  at_many_places([]<class F>(const F&, const Place& at) {
    const double score = law::value(F::score, at.eta, at.y, at.spread);
    EXPECT_LE(law::value(F::score, at.eta + 0.1, at.y, at.spread), score) << F::name;
    if constexpr (requires { F::score_range(Interval()); }) {
      const Interval range = F::score_range({at.eta - 0.1, at.eta});
      EXPECT_LE(range.lower, score) << F::name;
      EXPECT_GE(range.upper, score) << F::name;
      return;
    }
    EXPECT_GE(law::value(F::score, at.eta, at.y + 0.1, at.spread), score) << F::name;
  });
}

TEST(GlmFamily, information_is_a_positive_number) {
  for (const auto& [family, response] : every_family()) {
    const Interval range = response;
    const double information = std::visit([&](const auto& f) { return f.information(range); }, family);
    EXPECT_GT(information, 0);
    EXPECT_TRUE(std::isfinite(information));
  }
}

TEST(GlmFamily, is_found_by_its_names_alone) {
  std::set<std::string_view> names;
  for (const GlmFamily& family : families()) {
    EXPECT_TRUE(names.insert(family_name(family)).second);
    EXPECT_EQ(find_family(family_name(family))->index(), family.index());
    EXPECT_NE(family_names().find(family_name(family)), std::string::npos);
  }
  EXPECT_EQ(family_name(*find_family("binomial")), "bernoulli");
  EXPECT_EQ(family_name(*find_family("gaussian", 2.0)), "normal");
  EXPECT_EQ(std::get<family::Normal>(*find_family("gaussian", 2.0)).sigma, 2.0);
  EXPECT_FALSE(find_family(""));
  EXPECT_FALSE(find_family("banana"));
}

}  // namespace
}  // namespace sotto
