// Kernels: marginal likelihoods against quadrature or the chain rule, conditioned draws against their laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <functional>

#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/kernel/multivariate_normal_kernel.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/poisson_kernel.hpp"
#include "sotto/mixture/kernel/rounded_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_poisson_kernel.hpp"

namespace sotto::mixture {
namespace {

static_assert(ConjugateKernel<NormalKernel> && ConjugateKernel<InflatedNormalKernel> &&
              ConjugateKernel<PoissonKernel> && ConjugateKernel<CategoricalKernel> &&
              ConjugateKernel<MultivariateNormalKernel<3>>);
static_assert(MixtureKernel<BetaKernel> && AdaptiveKernel<BetaKernel> &&
              MixtureKernel<TruncatedNormalKernel>);

template <class Kernel>
typename Kernel::Statistic statistic(const std::vector<typename Kernel::Datum>& data) {
  typename Kernel::Statistic s{};
  for (const auto& y : data) s.add(y);
  return s;
}

/// m(y_1..y_n) = E[prod f(y_i | theta)] over the base measure, by plain Monte Carlo with `draws` points; the
/// standard error is estimated, and five of them are passed by chance once in 1.7 million comparisons.
template <class Kernel>
void check_marginal(const Kernel& kernel, const std::vector<typename Kernel::Datum>& data, int draws) {
  ChainRng rng(5);
  double sum = 0;
  double squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto theta = kernel.draw_prior(rng);
    double log_f = 0;
    for (const auto& y : data) log_f += kernel.log_density(y, theta);
    sum += std::exp(log_f);
    squares += std::exp(2 * log_f);
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws) / mean;
  EXPECT_LT(error, 0.02);
  EXPECT_NEAR(std::exp(kernel.log_marginal(statistic<Kernel>(data))) / mean, 1, 5 * error);
}

TEST(Kernels, marginal_likelihoods_match_the_base_measure) {
  check_marginal(NormalKernel({.mean = 1, .precision = 0.5, .shape = 3, .rate = 3}), {0.3, 1.9, -0.4},
                 200000);
  check_marginal(NormalKernel({.mean = 1, .precision = 0.5, .shape = 3, .rate = 3}, 3), {0.3, 1.9, -0.4},
                 200000);
  check_marginal(InflatedNormalKernel({.mean = 1, .precision = 0.5, .shape = 3, .rate = 3}, 2.0),
                 {0.3, 1.9, -0.4}, 200000);
  check_marginal(PoissonKernel(2, 0.5), {3, 5, 1}, 200000);
  check_marginal(CategoricalKernel(4, 0.7), {0, 2, 2, 3}, 200000);
  NormalInverseWishart<2> base;
  base.scale << 2, 0.5, 0.5, 1;
  base.degrees = 5;
  base.precision = 0.5;
  check_marginal(MultivariateNormalKernel<2>(base), {{0.3, -0.5}, {1.2, 0.1}, {0.2, 0.9}}, 400000);
}

// The update of a conjugate kernel draws from the posterior: E[f(y* | theta) | data] = m(data, y*) / m(data).
template <class Kernel>
void check_update(Kernel kernel, const std::vector<typename Kernel::Datum>& data,
                  const typename Kernel::Datum& next) {
  ChainRng rng(6);
  const auto s = statistic<Kernel>(data);
  auto joined = s;
  joined.add(next);
  auto theta = kernel.draw_prior(rng);
  double sum = 0;
  double squares = 0;
  const int draws = 100000;
  for (int draw = 0; draw < draws; ++draw) {
    theta = kernel.update(theta, s, rng);
    const double f = std::exp(kernel.log_density(next, theta));
    sum += f;
    squares += f * f;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(mean, std::exp(kernel.log_marginal(joined) - kernel.log_marginal(s)), 5 * error);
}

TEST(Kernels, updates_draw_from_the_posterior) {
  check_update(NormalKernel({}), {0.3, 1.9, -0.4}, 0.8);
  check_update(NormalKernel({}, 3), {0.3, 1.9, -0.4}, 0.8);
  check_update(NormalKernel({}, 3), {0.3, 0.31, 0.29, 0.3}, 0.32);
  check_update(InflatedNormalKernel({}, 0.5), {0.3, 1.9, -0.4}, 0.8);
  check_update(InflatedNormalKernel({}, 5.0), {0.3, 0.31, 0.29, 0.3}, 0.8);
  check_update(PoissonKernel(2, 0.5), {3, 5, 1}, 4);
  check_update(CategoricalKernel(4, 0.7), {0, 2, 2, 3}, 1);
  check_update(MultivariateNormalKernel<2>({}), {{0.3, -0.5}, {1.2, 0.1}, {0.2, 0.9}}, {0.5, 0.5});
}

// Probabilities sum to one and draws have their mean (5 standard errors), also where the rate is far outside the domain.
TEST(Kernels, truncated_counts_stay_in_their_domain) {
  ChainRng rng(11);
  for (const auto& [first, last] : {std::pair{0.0, 12.0}, std::pair{5.0, 9.0}, std::pair{900.0, 1000.0}}) {
    const TruncatedPoissonKernel kernel(1, 0.1, first, last);
    for (const double rate : {0.01, 3.0, 12.0, 60.0, 950.0, 4000.0}) {
      const auto theta = kernel.complete({rate, std::log(rate)});
      double total = 0;
      double mean = 0;
      double square = 0;
      for (double y = first; y <= last; ++y) {
        const double p = std::exp(kernel.log_density(y, theta));
        total += p, mean += p * y, square += p * y * y;
      }
      EXPECT_NEAR(total, 1, 1e-9) << rate << " in " << first << " to " << last;
      EXPECT_EQ(kernel.log_density(last + 1, theta), -HUGE_VAL);
      double drawn = 0;
      constexpr int kDraws = 20'000;
      for (int draw = 0; draw < kDraws; ++draw) {
        const double y = kernel.draw(theta, rng);
        ASSERT_TRUE(y >= first && y <= last && y == std::floor(y)) << y;
        drawn += y / kDraws;
      }
      EXPECT_NEAR(drawn, mean, 5 * std::sqrt(std::fmax(0, square - mean * mean) / kDraws) + 1e-6) << rate;
    }
  }
}

struct Average {
  double mean, error;
};

/// Of f(y* | theta) over a chain of updates; the standard error is that of 50 batches.
template <class Kernel>
Average density_of_updates(const Kernel& kernel, const std::vector<double>& data, double next,
                           std::uint64_t seed) {
  ChainRng rng(seed);
  const auto s = statistic<Kernel>(data);
  auto theta = kernel.draw_prior(rng);
  constexpr int kBatches = 50;
  double mean = 0;
  double square = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    double sum = 0;
    for (int draw = 0; draw < 4000; ++draw) {
      theta = kernel.update(theta, s, rng);
      sum += std::exp(kernel.log_density(next, theta)) / 4000;
    }
    mean += sum / kBatches;
    square += sum * sum / kBatches;
  }
  return {mean, std::sqrt((square - mean * mean) / (kBatches - 1))};
}

// E[f(y* | theta) | data] by quadrature over the log rate against the chain of updates; 5 standard errors from 50 batches.
TEST(Kernels, truncated_updates_leave_the_posterior_invariant) {
  const TruncatedPoissonKernel kernel(2, 0.3, 0, 6);
  const std::vector<double> data = {3, 5, 6, 6};
  double total = 0;
  double expected = 0;
  for (double u = -6; u < 6; u += 0.001) {
    const auto theta = kernel.complete({std::exp(u), u});
    double log_weight = 2 * u - 0.3 * theta.rate;
    for (const double y : data) log_weight += kernel.log_density(y, theta);
    total += std::exp(log_weight);
    expected += std::exp(log_weight + kernel.log_density(2, theta));
  }
  expected /= total;
  const auto [mean, error] = density_of_updates(kernel, data, 2, 12);
  EXPECT_NEAR(mean, expected, 5 * error);
}

// Against the normal's own probabilities, and draws (5 standard errors), also of normals narrow and far outside the domain.
TEST(Kernels, rounded_normals_stay_in_their_domain) {
  ChainRng rng(13);
  const RoundedNormalKernel kernel({.mean = 5, .precision = 0.1, .shape = 3, .rate = 2}, -3, 12);
  for (const double mean : {-50.0, -3.4, 2.0, 4.5, 12.2, 300.0}) {
    for (const double sd : {0.02, 0.6, 9.0}) {
      const auto theta = kernel.complete({.mean = mean, .sd = sd, .log_sd = std::log(sd)});
      double total = 0;
      double expected = 0;
      double square = 0;
      for (double y = -3; y <= 12; ++y) {
        const double p = std::exp(kernel.log_density(y, theta));
        total += p, expected += p * y, square += p * y * y;
        EXPECT_NEAR(kernel.cumulative(y, theta), total, 1e-9) << mean << " " << sd << " " << y;
        EXPECT_EQ(kernel.cumulative(y + 0.9, theta), kernel.cumulative(y, theta));
      }
      EXPECT_NEAR(total, 1, 1e-9) << mean << " " << sd;
      EXPECT_NEAR(kernel.mean(theta), expected, 1e-9);
      EXPECT_EQ(kernel.log_density(13, theta), -HUGE_VAL);
      EXPECT_EQ(kernel.cumulative(-4, theta), 0);
      double drawn = 0;
      constexpr int kDraws = 20'000;
      for (int draw = 0; draw < kDraws; ++draw) {
        const double y = kernel.draw(theta, rng);
        ASSERT_TRUE(y >= -3 && y <= 12 && y == std::floor(y)) << y;
        drawn += y / kDraws;
      }
      const double variance = std::fmax(0, square - expected * expected);
      EXPECT_NEAR(drawn, expected, 5 * std::sqrt(variance / kDraws) + 1e-6) << mean << " " << sd;
    }
  }
  const auto theta = kernel.complete({.mean = 4, .sd = 2, .log_sd = std::log(2.0)});
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  EXPECT_NEAR(std::exp(kernel.log_density(3, theta)),
              (below(-0.25) - below(-0.75)) / (below(4.25) - below(-3.75)), 1e-12);
}

// E[f(2 | theta) | data] by quadrature over mean and log standard deviation against the chain of updates, with one scale and with
// two; 5 standard errors from 50 batches.
TEST(Kernels, rounded_updates_leave_the_posterior_invariant) {
  const std::vector<double> data = {2, 2, 3, 6};
  for (const int scales : {1, 2}) {
    const RoundedNormalKernel kernel({.mean = 3, .precision = 0.4, .shape = 2, .rate = 1.5}, 0, 6, scales);
    double total = 0;
    double expected = 0;
    for (double log_sd = -4; log_sd < 4; log_sd += 0.02) {
      const double sd = std::exp(log_sd);
      for (double t = -8; t < 8; t += 0.02) {
        const auto theta = kernel.complete({.mean = 3 + t * std::fmax(1, sd), .sd = sd, .log_sd = log_sd});
        double log_weight = kernel.untruncated().base().log_density(theta) + std::log(std::fmax(1, sd));
        for (const double y : data) log_weight += kernel.log_density(y, theta);
        total += std::exp(log_weight);
        expected += std::exp(log_weight + kernel.log_density(2, theta));
      }
    }
    expected /= total;
    const auto [mean, error] = density_of_updates(kernel, data, 2, 14);
    EXPECT_LT(error, 0.01 * expected);
    EXPECT_NEAR(mean, expected, 5 * error) << scales;
  }
}

TEST(Kernels, statistics_undo_what_they_added) {
  auto s = statistic<NormalKernel>({1.5, 2.5, -3});
  s.remove(-3);
  EXPECT_NEAR(NormalKernel({}).log_marginal(s),
              NormalKernel({}).log_marginal(statistic<NormalKernel>({1.5, 2.5})), 1e-12);
}

TEST(InflatedNormal, incomplete_sum_matches_the_incomplete_gamma) {
  for (const double a : {0.5, 3.0, 40.0, 900.0})
    for (const double x : {0.01, 2.0, 90.0, 500.0, 1500.0, 5000.0}) {
      const double p = boost::math::gamma_p(a, x);
      if (p < 1e-280) continue;
      const double exact = std::log(p) + std::lgamma(a) - a * std::log(x) + x;
      EXPECT_NEAR(log_incomplete_sum(a, x), exact, 1e-10 * std::fmax(1, std::abs(exact))) << a << " " << x;
    }
}

// A tight cluster far below the noise: differences of regularised incomplete gamma functions would give
// -infinity.
TEST(InflatedNormal, tight_clusters_have_a_finite_marginal) {
  const InflatedNormalKernel kernel({.mean = 0, .precision = 0.1, .shape = 2, .rate = 0.01}, 400.0);
  std::vector<double> data(300, 1.0);
  EXPECT_TRUE(std::isfinite(kernel.log_marginal(statistic<InflatedNormalKernel>(data))));
}

// Kolmogorov-Smirnov distance at 40000 draws: 2.0 / sqrt(n) is passed by chance once in 1500 runs.
TEST(InflatedNormal, conditioned_gamma_follows_its_law) {
  ChainRng rng(4);
  for (const auto& [shape, bound] :
       std::vector<std::pair<double, double>>{{3, 10}, {3, 2.7}, {3, 0.5}, {100, 60}, {5, 1e-9}}) {
    std::vector<double> draws(40000);
    for (double& x : draws) x = draw_gamma_below(shape, bound, rng);
    std::sort(draws.begin(), draws.end());
    double worst = 0;
    for (std::size_t i = 0; i < draws.size(); i += 50) {
      const double exact = std::exp(shape * std::log(draws[i] / bound) + bound - draws[i] +
                                    log_incomplete_sum(shape, draws[i]) - log_incomplete_sum(shape, bound));
      worst = std::fmax(worst, std::abs(exact - static_cast<double>(i) / 40000));
    }
    EXPECT_LT(worst, 2.0 / std::sqrt(40000)) << shape << " " << bound;
  }
}

// Draws of a chain whose steps were adapted before.
void each_adapted_draw(BetaKernel& kernel, const BetaKernel::Statistic& s, int draws,
                       const std::function<void(const BetaParameter&)>& each) {
  ChainRng rng(8);
  BetaParameter theta = kernel.draw_prior(rng);
  kernel.adapt(true);
  for (int step = 0; step < 2000; ++step) theta = kernel.update(theta, s, rng);
  kernel.adapt(false);
  for (int draw = 0; draw < draws; ++draw) {
    theta = kernel.update(theta, s, rng);
    each(theta);
  }
}

// Posterior mean of log(a/b) of the beta kernel against quadrature on a grid of (log a, log b); the chain has
// 200000 correlated draws, the bound is about six of its standard errors.
TEST(Beta, langevin_steps_leave_the_posterior_invariant) {
  BetaKernel kernel({.shape_a = 2, .rate_a = 0.5, .shape_b = 3, .rate_b = 1});
  const auto s = statistic<BetaKernel>({0.2, 0.35, 0.3, 0.8});
  double total = 0;
  double exact = 0;
  double exact_square = 0;
  for (double u = -6; u < 6; u += 0.03)
    for (double v = -6; v < 6; v += 0.03) {
      const double a = std::exp(u);
      const double b = std::exp(v);
      const double weight = std::exp(s.count * (std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) +
                                     a * (s.log_left - 0.5) + b * (s.log_right - 1) + 2 * u + 3 * v);
      total += weight;
      exact += weight * (u - v);
      exact_square += weight * u * u;
    }
  double sum = 0;
  double sum_square = 0;
  const int draws = 200000;
  each_adapted_draw(kernel, s, draws, [&](const BetaParameter& theta) {
    sum += std::log(theta.a / theta.b);
    sum_square += std::log(theta.a) * std::log(theta.a);
  });
  EXPECT_NEAR(sum / draws, exact / total, 0.01);
  EXPECT_NEAR(sum_square / draws, exact_square / total, 0.02);
}

// Of a base of three scales, whose probabilities are 16, 4 and 1 in 21; the data are narrow enough for all of them to count.
TEST(Beta, steps_with_several_scales_leave_the_posterior_invariant) {
  BetaKernel kernel({.shape_a = 2, .rate_a = 0.5, .shape_b = 3, .rate_b = 1, .scales = 3});
  const auto s = statistic<BetaKernel>({0.42, 0.35, 0.3, 0.36});
  double total = 0;
  double exact = 0;
  double exact_square = 0;
  for (double u = -4; u < 11; u += 0.03)
    for (double v = -4; v < 11; v += 0.03) {
      const double a = std::exp(u);
      const double b = std::exp(v);
      double base = 0;
      for (int k = 0; k < 3; ++k) {
        const double narrower = std::pow(16, k);
        base += std::pow(4, 2 - k) / 21 * std::pow(narrower, -5) * std::exp(-(0.5 * a + b) / narrower);
      }
      const double weight = base * std::exp(s.count * (std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) +
                                            a * s.log_left + b * s.log_right + 2 * u + 3 * v);
      total += weight;
      exact += weight * u;
      exact_square += weight * u * u;
    }
  const double sd = std::sqrt(exact_square / total - exact / total * (exact / total));
  EXPECT_GT(sd, 1);  // wider than one law has it
  double sum = 0;
  double sum_square = 0;
  const int draws = 400000;
  each_adapted_draw(kernel, s, draws, [&](const BetaParameter& theta) {
    sum += std::log(theta.a);
    sum_square += std::log(theta.a) * std::log(theta.a);
  });
  EXPECT_NEAR(sum / draws, exact / total, 0.03);
  EXPECT_NEAR(sum_square / draws / (exact_square / total), 1, 0.02);
}

TEST(Beta, a_draw_of_the_base_has_all_scales) {
  const BetaKernel kernel({.shape_a = 2, .rate_a = 0.5, .shape_b = 3, .rate_b = 1, .scales = 3});
  ChainRng rng(9);
  double sum = 0;
  double square = 0;
  const int draws = 200000;
  for (int i = 0; i < draws; ++i) {
    const double a = kernel.draw_prior(rng).a;
    sum += a / draws, square += a * a / draws;
  }
  // 4 (16 + 4 * 16 + 256) / 21 and 24 (16 + 4 * 256 + 65536) / 21.
  EXPECT_NEAR(sum / (4.0 * 336 / 21), 1, 0.05);
  EXPECT_NEAR(square / (24.0 * 66576 / 21), 1, 0.1);
}

// Three scales: probabilities 16, 4 and 1 in 21, standard deviations 1, 1/4, 1/16, and means as far apart in all.
double three_scales(const NormalInverseGamma& widest, double mean, double log_sd) {
  double density = 0;
  for (int k = 0; k < 3; ++k) {
    const double precision = widest.precision / std::pow(16, k);
    const double rate = widest.rate / std::pow(16, k);
    const double variance = std::exp(2 * log_sd);
    density += std::pow(4, 2 - k) / 21 * std::sqrt(precision) * std::pow(rate, widest.shape) *
               std::exp(-(2 * widest.shape + 1) * log_sd -
                        (rate + precision * (mean - widest.mean) * (mean - widest.mean) / 2) / variance);
  }
  return density;
}

TEST(Kernels, an_atom_is_shifted_under_all_scales) {
  const NormalInverseGamma base{.mean = 0.5, .precision = 0.1, .shape = 3, .rate = 3};
  const NormalKernel kernel(base, 3);
  for (const double log_sd : {-3.0, -1.0, 0.5})
    EXPECT_NEAR(kernel.log_shift_ratio({2, std::exp(log_sd), log_sd}, 0.7),
                std::log(three_scales(base, 2.7, log_sd) / three_scales(base, 2, log_sd)), 1e-9);
}

// The same for the truncated normal kernel, with most of the prior's mass far from the domain.
TEST(TruncatedNormal, steps_leave_the_posterior_invariant) {
  const NormalInverseGamma base{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
  const auto one_scale = [&](double mean, double t) {
    return std::exp(-(2 * base.shape + 1) * t -
                    (base.rate + base.precision * mean * mean / 2) * std::exp(-2 * t));
  };
  const auto check = [&](int scales, const std::vector<double>& data, const auto& prior) {
    const TruncatedNormalKernel kernel(base, {-1, 2}, scales);
    double total = 0;
    double exact_mean = 0;
    double exact_log_sd = 0;
    for (double t = -4; t < 5; t += 0.03) {
      const double step = std::fmin(0.5, 0.1 * std::exp(t));
      for (double mean = -60; mean<60; mean += mean> - 3 && mean < 4 ? step : 0.5) {
        double weight = (mean > -3 && mean < 4 ? step : 0.5) * prior(mean, t);
        const auto theta = kernel.complete({mean, std::exp(t), t});
        for (const double y : data) weight *= std::exp(kernel.log_density(y, theta));
        total += weight;
        exact_mean += weight * std::atan(mean);
        exact_log_sd += weight * t;
      }
    }
    ChainRng rng(9);
    const auto s = statistic<TruncatedNormalKernel>(data);
    auto theta = kernel.draw_prior(rng);
    double sum_mean = 0;
    double sum_log_sd = 0;
    const int draws = 400000;
    for (int draw = 0; draw < draws; ++draw) {
      theta = kernel.update(theta, s, rng);
      sum_mean += std::atan(theta.mean);
      sum_log_sd += theta.log_sd;
    }
    EXPECT_NEAR(sum_mean / draws, exact_mean / total, 0.01) << scales;
    EXPECT_NEAR(sum_log_sd / draws, exact_log_sd / total, 0.01) << scales;
  };
  check(1, {1.9, 1.5, 0.1}, one_scale);
  const auto scaled = [&](double mean, double t) { return three_scales(base, mean, t); };
  check(3, {1.9, 1.5, 0.1}, scaled);
  check(3, {1.9, 1.8, 1.85}, scaled);
}

}  // namespace
}  // namespace sotto::mixture
