// Every algorithm, channel, kernel and mixing prior against the exact posterior over all partitions of four
// or five data. Draws per check are stated; the total variation distance of a correct chain is below 0.003 in
// at least 999 of 1000 runs (independent draws would give about 0.4 sqrt(partitions / draws)), the bound is
// 0.005.
#include <gtest/gtest.h>

#include "mixture/enumeration.hpp"
#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/mixture/conditional.hpp"
#include "sotto/mixture/dirichlet_process.hpp"
#include "sotto/mixture/finite_mixture.hpp"
#include "sotto/mixture/neal5.hpp"
#include "sotto/mixture/normal_kernel.hpp"
#include "sotto/mixture/pitman_yor.hpp"

namespace sotto::mixture {
namespace {

const std::vector<double> kReleases = {-5.3, -3.9, 0.4, 4.2, 5.1};
const Interval kDomain{-10, 10};
const NormalInverseGamma kBase{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};

LaplaceChannel laplace(double epsilon) { return {kDomain, Epsilon(epsilon)}; }

/// Quadrature over the normal-inverse-gamma base: trapezoid in log variance and in the standardised mean.
template <class LogG>
std::vector<BasePoint> normal_base(LogG log_g) {
  std::vector<BasePoint> points;
  for (double log_variance = -4; log_variance < 8; log_variance += 0.15) {
    const double variance = std::exp(log_variance);
    const double log_prior = -kBase.shape * log_variance - kBase.rate / variance;
    for (double x = -6; x <= 6.001; x += 0.1) {
      const double sd = std::sqrt(variance);
      const NormalParameter theta{kBase.mean + x * sd / std::sqrt(kBase.precision), sd, log_variance / 2};
      points.push_back({log_prior - x * x / 2, log_g(theta)});
    }
  }
  normalise(points);
  return points;
}

template <class Channel>
std::vector<BasePoint> normal_points(const Channel& channel, std::size_t n) {
  const NormalKernel kernel(kBase);
  return normal_base([&](const NormalParameter& theta) {
    return integrate_kernel(
        n, theta.mean - 8 * theta.sd, theta.mean + 8 * theta.sd, 160,
        [&](double y) { return kernel.log_density(y, theta); },
        [&](std::size_t i, double y) { return channel.log_density(kReleases[i], y); });
  });
}

template <class Mixing>
Enumeration enumerate(const std::vector<BasePoint>& points, Mixing mixing, int n) {
  mixing.reserve(static_cast<std::size_t>(n));
  return Enumeration(
      n, [&](std::span<const int> members) { return log_cluster(points, members); },
      [&](std::span<const int> sizes) { return mixing.log_eppf(sizes); });
}

/// Runs `draws` sweeps and returns the distance from the enumeration.
template <class Sampler>
double distance(Sampler& sampler, Enumeration& exact, ChainRng& rng, int draws) {
  for (int s = 0; s < 1000; ++s) sampler.sweep(rng);
  for (int s = 0; s < draws; ++s) {
    sampler.sweep(rng);
    exact.visit(sampler.state().partition.allocation());
  }
  return exact.total_variation();
}

std::vector<double> first(std::size_t n) {
  return {kReleases.begin(), kReleases.begin() + static_cast<std::ptrdiff_t>(n)};
}

template <class Mixing>
void check_neal5(double epsilon, const Mixing& mixing, Neal5Settings settings, std::size_t n, int draws) {
  const LaplaceChannel channel = laplace(epsilon);
  Enumeration exact = enumerate(normal_points(channel, n), mixing, static_cast<int>(n));
  ChainRng rng(11);
  Neal5 sampler(NormalKernel(kBase), mixing, LocalRelease<LaplaceChannel, double>{channel, first(n)},
                first(n), settings, rng);
  EXPECT_LT(distance(sampler, exact, rng, draws), 0.005) << "epsilon " << epsilon;
}

TEST(MixtureEnumeration, neal5_concentrations) {
  for (const double alpha : {0.1, 1.0, 5.0}) check_neal5(10, DirichletProcess(alpha), {}, 5, 2'000'000);
}

TEST(MixtureEnumeration, neal5_epsilons) {
  check_neal5(1, DirichletProcess(1), {}, 5, 2'000'000);
  check_neal5(50, DirichletProcess(1), {}, 4, 5'000'000);
}

TEST(MixtureEnumeration, neal5_several_imputations) {
  for (const double alpha : {0.1, 1.0, 5.0}) {
    check_neal5(10, DirichletProcess(alpha), {5, AtomUpdate::all}, 4, 1'000'000);
    check_neal5(10, DirichletProcess(alpha), {5, AtomUpdate::selected}, 4, 1'000'000);
  }
}

TEST(MixtureEnumeration, neal5_other_mixing_priors) {
  check_neal5(10, PitmanYor(0.5, 0.4), {}, 5, 2'000'000);
  check_neal5(10, FiniteMixture(1.0, 2.0), {}, 5, 2'000'000);
}

template <class Mixing>
void check_conditional(double epsilon, const Mixing& mixing, ConditionalSettings settings, std::size_t n,
                       int draws) {
  const LaplaceChannel channel = laplace(epsilon);
  Enumeration exact = enumerate(normal_points(channel, n), mixing, static_cast<int>(n));
  ChainRng rng(12);
  Conditional sampler(NormalKernel(kBase), mixing, LocalRelease<LaplaceChannel, double>{channel, first(n)},
                      first(n), settings, rng);
  EXPECT_LT(distance(sampler, exact, rng, draws), 0.005) << "epsilon " << epsilon;
}

TEST(MixtureEnumeration, slice) {
  check_conditional(10, DirichletProcess(0.1), {}, 4, 2'500'000);
  for (const double alpha : {1.0, 5.0}) check_conditional(10, DirichletProcess(alpha), {}, 4, 1'200'000);
  check_conditional(50, DirichletProcess(1), {}, 4, 1'000'000);
  check_conditional(10, PitmanYor(0.5, 0.25), {}, 4, 1'000'000);
  check_conditional(10, FiniteMixture(1.0, 2.0), {}, 4, 1'000'000);
}

TEST(MixtureEnumeration, blocked_gibbs) {
  const ConditionalSettings blocked{.truncation = Truncation::tolerance};
  check_conditional(10, DirichletProcess(1), blocked, 4, 1'000'000);
  check_conditional(10, FiniteMixture(1.0, 2.0), blocked, 4, 1'000'000);
}

}  // namespace
}  // namespace sotto::mixture
