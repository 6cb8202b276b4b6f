// Gamma and beta variates follow their laws.
#include "sotto/mixture/gamma_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <vector>

namespace sotto::mixture {
namespace {

constexpr std::size_t kDraws = 100'000;

/// Kolmogorov's distance of the draws passes 2.23 / sqrt(draws) with probability 1e-4; fixed seeds.
template <class Draw, class Law>
double distance(Draw draw, Law law) {
  ChainRng rng(81);
  std::vector<double> x(kDraws);
  for (double& entry : x) entry = draw(rng);
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < kDraws; ++i)
    worst = std::max(worst, std::abs(law(x[i]) - (static_cast<double>(i) + 0.5) / kDraws));
  return worst * std::sqrt(static_cast<double>(kDraws));
}

TEST(GammaDraws, follow_the_gamma_law) {
  for (const double shape : {0.05, 0.5, 0.999, 1.0, 1.7, 30.0, 1e4}) {
    const auto law = [&](double x) { return boost::math::gamma_p(shape, 3 * x); };
    EXPECT_LT(distance([&](ChainRng& rng) { return draw_gamma(shape, 3, rng); }, law), 2.23) << shape;
    const auto law_of_log = [&](double x) { return boost::math::gamma_p(shape, std::exp(x)); };
    EXPECT_LT(distance([&](ChainRng& rng) { return draw_log_gamma(shape, rng); }, law_of_log), 2.23) << shape;
  }
}

TEST(GammaDraws, follow_the_beta_law) {
  const std::pair<double, double> shapes[] = {{0.1, 0.3}, {1, 5}, {2.5, 2.5}, {0.4, 8}, {40, 3}};
  for (const auto& [a, b] : shapes) {
    const auto law = [a = a, b = b](double x) { return boost::math::ibeta(a, b, x); };
    EXPECT_LT(distance([a = a, b = b](ChainRng& rng) { return draw_beta(a, b, rng); }, law), 2.23)
        << a << " " << b;
  }
}

}  // namespace
}  // namespace sotto::mixture
