// Every algorithm, kernel and mixing prior, under local and global channels, against the exact posterior over all
// partitions of four or five data. The number of draws stands at each check, the seeds are fixed, the bound on the total
// variation distance is 0.005. Independent draws would be at about 0.4 sqrt(partitions / draws); with the chains'
// autocorrelation right samplers are found at 0.001 to 0.004.
#include <gtest/gtest.h>

#include "mixture/enumeration.hpp"
#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/randomised_response.hpp"
#include "sotto/mixture/beta_kernel.hpp"
#include "sotto/mixture/categorical_kernel.hpp"
#include "sotto/mixture/conditional.hpp"
#include "sotto/mixture/dirichlet_process.hpp"
#include "sotto/mixture/finite_mixture.hpp"
#include "sotto/mixture/inflated_normal_kernel.hpp"
#include "sotto/mixture/multivariate_normal_kernel.hpp"
#include "sotto/mixture/neal2.hpp"
#include "sotto/mixture/neal3.hpp"
#include "sotto/mixture/neal5.hpp"
#include "sotto/mixture/neal8.hpp"
#include "sotto/mixture/normal_kernel.hpp"
#include "sotto/mixture/pitman_yor.hpp"
#include "sotto/mixture/poisson_kernel.hpp"
#include "sotto/mixture/truncated_normal_kernel.hpp"

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
  return enumerate_clusters(
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
    check_neal5(10, DirichletProcess(alpha), {5, AtomUpdate::all}, 4, 700'000);
    check_neal5(10, DirichletProcess(alpha), {5, AtomUpdate::selected}, 4, 700'000);
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
  check_conditional(50, DirichletProcess(1), {}, 4, 700'000);
  check_conditional(10, PitmanYor(0.5, 0.25), {}, 4, 700'000);
  check_conditional(10, FiniteMixture(1.0, 2.0), {}, 4, 700'000);
}

TEST(MixtureEnumeration, blocked_gibbs) {
  const ConditionalSettings blocked{.truncation = Truncation::tolerance};
  check_conditional(10, DirichletProcess(1), blocked, 4, 1'000'000);
  check_conditional(10, FiniteMixture(1.0, 2.0), blocked, 4, 1'000'000);
}

template <class Channel, class Mixing>
void check_neal8(const Channel& channel, const Mixing& mixing, Neal8Settings settings, std::size_t n,
                 int draws) {
  Enumeration exact = enumerate(normal_points(channel, n), mixing, static_cast<int>(n));
  ChainRng rng(13);
  Neal8 sampler(NormalKernel(kBase), mixing, LocalRelease<Channel, double>{channel, first(n)}, settings, rng);
  EXPECT_LT(distance(sampler, exact, rng, draws), 0.005);
}

TEST(MixtureEnumeration, neal8) {
  for (const double alpha : {0.1, 1.0, 5.0})
    check_neal8(laplace(10), DirichletProcess(alpha), {}, 4, 300'000);
  check_neal8(laplace(50), DirichletProcess(1), {5}, 4, 300'000);
  check_neal8(laplace(10), PitmanYor(0.5, 0.25), {1}, 4, 300'000);
  check_neal8(laplace(10), FiniteMixture(1.0, 2.0), {}, 4, 300'000);
  check_neal8(GaussianChannel(kDomain, Rho(20)), DirichletProcess(1), {}, 4, 300'000);
}

/// Releases of a Gaussian channel with noise variance 2 as data of the inflated normal kernel: quadrature
/// over the part of the base measure with variance at or above the noise.
std::vector<BasePoint> inflated_base() {
  const InflatedNormalKernel kernel(kBase, 2);
  std::vector<BasePoint> points;
  const double step = 0.02;
  for (double log_variance = std::log(2.0) + step / 2; log_variance < 7; log_variance += step) {
    const double sd = std::exp(log_variance / 2);
    for (double x = -6; x <= 6.001; x += 0.1) {
      const NormalParameter theta{kBase.mean + x * sd / std::sqrt(kBase.precision), sd, log_variance / 2};
      BasePoint point{-kBase.shape * log_variance - kBase.rate / (sd * sd) - x * x / 2, {}};
      for (const double z : kReleases) point.log_g.push_back(kernel.log_density(z, theta));
      points.push_back(point);
    }
  }
  normalise(points);
  return points;
}

template <class Mixing>
void check_inflated(const Mixing& mixing, int draws) {
  const std::vector<BasePoint> points = inflated_base();
  const InflatedNormalKernel kernel(kBase, 2);
  ChainRng rng(14);
  {
    Enumeration exact = enumerate(points, mixing, 5);
    Neal2 sampler(kernel, mixing, Confidential<double>{kReleases}, rng);
    EXPECT_LT(distance(sampler, exact, rng, draws), 0.005) << "Neal 2";
  }
  for (const std::size_t moves : {0, 1}) {
    Enumeration exact = enumerate(points, mixing, 5);
    Neal3 sampler(kernel, mixing, Confidential<double>{kReleases}, {}, {.split_merge_moves = moves}, rng);
    EXPECT_LT(distance(sampler, exact, rng, draws), 0.005) << "Neal 3, split-merge moves " << moves;
    EXPECT_GE(sampler.split_merge().accepted(), sampler.split_merge().proposed() / 100);
  }
}

TEST(MixtureEnumeration, truncated_base) {
  for (const double alpha : {0.1, 1.0, 5.0}) check_inflated(DirichletProcess(alpha), 300'000);
  check_inflated(PitmanYor(0.5, 0.25), 300'000);
  check_inflated(FiniteMixture(1.0, 2.0), 300'000);
}

// Split-merge alone moves the partition; a scan would hide a wrong ratio.
TEST(MixtureEnumeration, split_merge_alone) {
  const NormalKernel kernel(kBase);
  Enumeration exact = enumerate_clusters(
      5,
      [&](std::span<const int> members) {
        NormalStatistic s;
        for (const int i : members) s.add(kReleases[static_cast<std::size_t>(i)]);
        return kernel.log_marginal(s);
      },
      [&](std::span<const int> sizes) { return DirichletProcess(1).log_eppf(sizes); });
  ChainRng rng(15);
  MixtureState<NormalKernel, DirichletProcess> state(kernel, DirichletProcess(1), 5);
  SplitMerge<NormalKernel, DirichletProcess> moves(5);
  state.gather([&](std::size_t i, NormalStatistic& s) { s.add(kReleases[i]); });
  for (int draw = 0; draw < 1'500'000; ++draw) {
    moves.move(state, kReleases, rng);
    exact.visit(state.partition.allocation());
  }
  EXPECT_LT(exact.total_variation(), 0.005);
}

TEST(MixtureEnumeration, neal3_on_imputed_data) {
  const LaplaceChannel channel = laplace(10);
  Enumeration exact = enumerate(normal_points(channel, 4), DirichletProcess(1), 4);
  ChainRng rng(16);
  Neal3 sampler(NormalKernel(kBase), DirichletProcess(1),
                LocalRelease<LaplaceChannel, double>{channel, first(4)}, first(4), {.split_merge_moves = 1},
                rng);
  EXPECT_LT(distance(sampler, exact, rng, 800'000), 0.005);
}

TEST(MixtureEnumeration, confidential_data) {
  const NormalKernel kernel(kBase);
  const DirichletProcess mixing(1);
  const auto exact = [&] {
    return enumerate_clusters(
        5,
        [&](std::span<const int> members) {
          NormalStatistic s;
          for (const int i : members) s.add(kReleases[static_cast<std::size_t>(i)]);
          return kernel.log_marginal(s);
        },
        [&](std::span<const int> sizes) { return mixing.log_eppf(sizes); });
  };
  const Confidential<double> data{kReleases};
  ChainRng rng(17);
  Enumeration for5 = exact();
  Neal5 neal5(kernel, mixing, data, {}, {}, rng);
  EXPECT_LT(distance(neal5, for5, rng, 3'000'000), 0.005);
  Enumeration for8 = exact();
  Neal8 neal8(kernel, mixing, data, {}, rng);
  EXPECT_LT(distance(neal8, for8, rng, 500'000), 0.005);
  Enumeration for_slice = exact();
  Conditional slice(kernel, mixing, data, {}, {}, rng);
  EXPECT_LT(distance(slice, for_slice, rng, 800'000), 0.005);
}

TEST(MixtureEnumeration, truncated_kernel) {
  const LaplaceChannel channel = laplace(10);
  const TruncatedNormalKernel kernel(kBase, kDomain);
  const auto points = normal_base([&](const NormalParameter& theta) {
    const auto complete = kernel.complete(theta);
    return integrate_kernel(
        4, kDomain.lower, kDomain.upper, 300, [&](double y) { return kernel.log_density(y, complete); },
        [&](std::size_t i, double y) { return channel.log_density(kReleases[i], y); });
  });
  const LocalRelease<LaplaceChannel, double> release{channel, first(4)};
  ChainRng rng(18);
  Enumeration for5 = enumerate(points, DirichletProcess(1), 4);
  Neal5 neal5(kernel, DirichletProcess(1), release, first(4), {}, rng);
  EXPECT_LT(distance(neal5, for5, rng, 1'500'000), 0.005);
  Enumeration for8 = enumerate(points, DirichletProcess(1), 4);
  Neal8 neal8(kernel, DirichletProcess(1), release, {}, rng);
  EXPECT_LT(distance(neal8, for8, rng, 400'000), 0.005);
}

TEST(MixtureEnumeration, beta_kernel) {
  const LaplaceChannel channel(Interval{0, 1}, Epsilon(20));
  const std::vector<double> z = {0.05, 0.2, 0.7, 1.02};
  const BetaBase base;
  std::vector<BasePoint> points;
  for (double u = -5; u < 3; u += 0.2)
    for (double v = -5; v < 3; v += 0.2) {
      const double a = std::exp(u);
      const double b = std::exp(v);
      const double log_constant = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
      // y = 1 / (1 + e^{-t}), dy = y (1 - y) dt.
      points.push_back(
          {base.shape_a * u - base.rate_a * a + base.shape_b * v - base.rate_b * b,
           integrate_kernel(
               4, -60, 60, 2000,
               [&](double t) {
                 return log_constant - a * std::log1p(std::exp(-t)) - b * std::log1p(std::exp(t));
               },
               [&](std::size_t i, double t) { return channel.log_density(z[i], 1 / (1 + std::exp(-t))); })});
    }
  normalise(points);
  Enumeration exact = enumerate(points, DirichletProcess(1), 4);
  ChainRng rng(19);
  Neal5 sampler(BetaKernel(base), DirichletProcess(1), LocalRelease<LaplaceChannel, double>{channel, z},
                {0.05, 0.2, 0.7, 0.99}, {}, rng);
  sampler.state().adapt(true);
  for (int s = 0; s < 1000; ++s) sampler.sweep(rng);
  sampler.state().adapt(false);
  EXPECT_LT(distance(sampler, exact, rng, 700'000), 0.005);
}

TEST(MixtureEnumeration, haar_channel) {
  const HaarChannel channel(kDomain, 2, Epsilon(10));
  ChainRng rng(20);
  std::vector<HaarChannel::Datum> z;
  for (const double y : first(4)) {
    HaarChannel::Datum datum{std::vector<double>(channel.cells())};
    for (std::size_t cell = 0; cell < channel.cells(); ++cell)
      datum.cells[cell] = -0.7 * std::abs(static_cast<double>(cell) - static_cast<double>(channel.cell(y)));
    z.push_back(datum);
  }
  const double width = kDomain.width() / static_cast<double>(channel.cells());
  const auto points = normal_base([&](const NormalParameter& theta) {
    std::vector<double> g(4, 0);
    for (std::size_t cell = 0; cell < channel.cells(); ++cell) {
      const double lower = cell == 0 ? -HUGE_VAL : kDomain.lower + width * static_cast<double>(cell);
      const double upper =
          cell + 1 == channel.cells() ? HUGE_VAL : kDomain.lower + width * static_cast<double>(cell + 1);
      const double mass = 0.5 * (std::erf((upper - theta.mean) / theta.sd / std::numbers::sqrt2) -
                                 std::erf((lower - theta.mean) / theta.sd / std::numbers::sqrt2));
      for (std::size_t i = 0; i < 4; ++i) g[i] += mass * std::exp(z[i].cells[cell]);
    }
    for (double& x : g) x = std::log(x);
    return g;
  });
  Enumeration exact = enumerate(points, DirichletProcess(1), 4);
  Neal5 sampler(NormalKernel(kBase), DirichletProcess(1),
                LocalRelease<HaarChannel, HaarChannel::Datum>{channel, z}, first(4), {}, rng);
  EXPECT_LT(distance(sampler, exact, rng, 1'500'000), 0.005);
}

TEST(MixtureEnumeration, poisson_kernel) {
  const LaplaceChannel channel(Interval{0, 12}, Epsilon(10));
  const std::vector<double> z = {0.4, 1.9, 6.2, 9.0};
  std::vector<BasePoint> points;
  for (double u = -7; u < 5; u += 0.02) {
    std::vector<double> g(4, 0);
    for (int y = 0; y < 120; ++y)
      for (std::size_t i = 0; i < 4; ++i)
        g[i] += std::exp(y * u - std::exp(u) - std::lgamma(y + 1) + channel.log_density(z[i], y));
    for (double& x : g) x = std::log(x);
    points.push_back({2 * u - 0.5 * std::exp(u), g});
  }
  normalise(points);
  Enumeration exact = enumerate(points, DirichletProcess(1), 4);
  ChainRng rng(21);
  Neal5 sampler(PoissonKernel(2, 0.5), DirichletProcess(1), LocalRelease<LaplaceChannel, double>{channel, z},
                {0, 2, 6, 9}, {}, rng);
  EXPECT_LT(distance(sampler, exact, rng, 1'500'000), 0.005);
}

TEST(MixtureEnumeration, categories_with_randomised_response) {
  const RandomisedResponseChannel channel(3, Epsilon(2));
  const std::vector<int> z = {0, 0, 1, 2, 0};
  const CategoricalKernel kernel(3, 0.4);
  // Sum over all confidential categories of the cluster.
  Enumeration exact = enumerate_clusters(
      5,
      [&](std::span<const int> members) {
        double total = 0;
        const int count = static_cast<int>(members.size());
        for (int code = 0; code < static_cast<int>(std::pow(3, count) + 0.5); ++code) {
          CategoricalKernel::Statistic s;
          double log_q = 0;
          int rest = code;
          for (const int i : members) {
            s.add(rest % 3);
            log_q += channel.log_density(z[static_cast<std::size_t>(i)], rest % 3);
            rest /= 3;
          }
          total += std::exp(log_q + kernel.log_marginal(s));
        }
        return std::log(total);
      },
      [&](std::span<const int> sizes) { return DirichletProcess(1).log_eppf(sizes); });
  ChainRng rng(22);
  Neal5 sampler(kernel, DirichletProcess(1), LocalRelease<RandomisedResponseChannel, int>{channel, z}, z, {},
                rng);
  EXPECT_LT(distance(sampler, exact, rng, 1'000'000), 0.005);
}

TEST(MixtureEnumeration, multivariate_normal_kernel) {
  using Vector = Eigen::Vector2d;
  const std::vector<Vector> y = {{-2, -1}, {-1.5, -1.2}, {1, 2}, {1.4, 1.2}, {0, 0.3}};
  const MultivariateNormalKernel<2> kernel({});
  const auto exact = [&] {
    return enumerate_clusters(
        5,
        [&](std::span<const int> members) {
          MultivariateNormalKernel<2>::Statistic s;
          for (const int i : members) s.add(y[static_cast<std::size_t>(i)]);
          return kernel.log_marginal(s);
        },
        [&](std::span<const int> sizes) { return DirichletProcess(1).log_eppf(sizes); });
  };
  ChainRng rng(23);
  Enumeration for3 = exact();
  Neal3 neal3(kernel, DirichletProcess(1), Confidential<Vector>{y}, {}, {.split_merge_moves = 1}, rng);
  EXPECT_LT(distance(neal3, for3, rng, 300'000), 0.005);
  Enumeration for_slice = exact();
  Conditional slice(kernel, DirichletProcess(1), Confidential<Vector>{y}, {}, {}, rng);
  EXPECT_LT(distance(slice, for_slice, rng, 800'000), 0.005);
}

// A global channel: counts of a Poisson mixture in four bins. Q(W | Y) does not factorise over data, so the
// exact posterior sums over all confidential counts below 16.
TEST(MixtureEnumeration, perturbed_histogram) {
  PerturbedHistogramChannel channel(Bins({0, 8}, 4), Epsilon(3));
  channel.observe({2.6, 0.2, -0.4, 1.3});
  const PoissonKernel kernel(2, 0.7);
  constexpr int kMost = 16;
  Enumeration exact(4, [&](std::span<const int> labels, int clusters) {
    double total = 0;
    for (int code = 0; code < kMost * kMost * kMost * kMost; ++code) {
      std::vector<double> y(4);
      std::vector<PoissonKernel::Statistic> statistics(static_cast<std::size_t>(clusters));
      for (std::size_t i = 0, rest = static_cast<std::size_t>(code); i < 4; ++i, rest /= kMost) {
        y[i] = static_cast<double>(rest % kMost);
        statistics[static_cast<std::size_t>(labels[i])].add(y[i]);
      }
      double log_p = channel.log_density(y);
      for (const auto& s : statistics) log_p += kernel.log_marginal(s);
      total += std::exp(log_p);
    }
    return std::log(total) + DirichletProcess(1).log_eppf(sizes_of(labels, clusters));
  });
  const GlobalRelease<PerturbedHistogramChannel> release{channel, 4};
  ChainRng rng(24);
  Neal5 neal5(kernel, DirichletProcess(1), release, {0, 1, 2, 7}, {}, rng);
  EXPECT_LT(distance(neal5, exact, rng, 1'500'000), 0.005);
  Enumeration again = exact;
  again.forget();
  Conditional slice(kernel, DirichletProcess(1), release, {0, 1, 2, 7}, {}, rng);
  EXPECT_LT(distance(slice, again, rng, 800'000), 0.005);
}

}  // namespace
}  // namespace sotto::mixture
