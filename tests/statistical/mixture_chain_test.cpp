// Mixture samplers as whole chains: joint distribution tests, the acceptance bound of private channels, and the acceptance
// rates of a published study.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/perturbed_histogram.hpp"
#include "sotto/channel/smoothed_histogram.hpp"
#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/algorithm/neal8.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{-10, 10};
const NormalInverseGamma kBase{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
using Release = LocalRelease<LaplaceChannel, double>;

// ---- Joint distribution test [G04]: parameters and data drawn from the prior, against a chain that alternates a sweep
// and a draw of new data given the state. Bounded summaries are compared; the chain's standard error is from 50 batch
// means. A difference of 5 standard errors has probability 8e-6 (t, 49 degrees); 6 summaries x 10 samplers: 5e-4.

constexpr std::size_t kData = 50;
const DirichletProcess kPrior(1, ConcentrationPrior{2, 2});
using Summary = std::array<double, 6>;

Summary summarise(std::span<const int> sizes, const NormalParameter& first, double concentration,
                  const std::vector<double>& z) {
  const double n = static_cast<double>(z.size());
  const double mean = std::accumulate(z.begin(), z.end(), 0.0) / n;
  double spread = 0;
  for (const double x : z) spread += std::abs(x - mean) / n;
  double squares = 0;
  for (const int size : sizes) squares += size * size / (n * n);
  return {static_cast<double>(sizes.size()),
          squares,
          std::atan(first.mean),
          first.log_sd,
          std::log(concentration),
          std::atan(spread / 5)};
}

/// `release` makes the datum that a sampler sees.
std::vector<Summary> from_prior(const std::function<double(double, ChainRng&)>& release, int draws) {
  ChainRng rng(31);
  const NormalKernel kernel(kBase);
  std::vector<Summary> all;
  for (int draw = 0; draw < draws; ++draw) {
    const double alpha = draw_gamma(2, 2, rng);
    std::vector<int> sizes;
    std::vector<NormalParameter> atoms;
    std::vector<double> z;
    for (std::size_t i = 0; i < kData; ++i) {
      double at = rng.uniform() * (alpha + static_cast<double>(i));
      std::size_t h = 0;
      while (h < sizes.size() && (at -= sizes[h]) >= 0) ++h;
      if (h == sizes.size()) sizes.push_back(0), atoms.push_back(kernel.draw_prior(rng));
      ++sizes[h];
      z.push_back(release(kernel.draw(atoms[h], rng), rng));
    }
    all.push_back(summarise(sizes, atoms[0], alpha, z));
  }
  return all;
}

void compare(const std::vector<Summary>& prior, const std::vector<Summary>& chain, const char* name) {
  for (std::size_t s = 0; s < 6; ++s) {
    double mean = 0;
    double square = 0;
    for (const Summary& x : prior) mean += x[s], square += x[s] * x[s];
    mean /= static_cast<double>(prior.size());
    const double variance =
        (square / static_cast<double>(prior.size()) - mean * mean) / static_cast<double>(prior.size());
    constexpr std::size_t kBatches = 50;
    const std::size_t length = chain.size() / kBatches;
    double chain_mean = 0;
    double chain_square = 0;
    for (std::size_t b = 0; b < kBatches; ++b) {
      double batch = 0;
      for (std::size_t t = b * length; t < (b + 1) * length; ++t)
        batch += chain[t][s] / static_cast<double>(length);
      chain_mean += batch / kBatches;
      chain_square += batch * batch / kBatches;
    }
    const double chain_variance = (chain_square - chain_mean * chain_mean) / (kBatches - 1);
    EXPECT_LT(std::abs(chain_mean - mean), 5 * std::sqrt(variance + chain_variance))
        << name << ", summary " << s;
  }
}

template <class Sampler>
std::vector<Summary> chain(Sampler& sampler, std::vector<double>& z, ChainRng& rng, int sweeps,
                           const std::function<void()>& redraw) {
  std::vector<Summary> all;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    sampler.sweep(rng);
    redraw();
    const auto draw = sampler.state().draw();
    all.push_back(summarise(draw.sizes, sampler.state().atom_of(0), draw.concentration, z));
  }
  return all;
}

TEST(MixtureJoint, samplers_leave_the_joint_distribution_invariant) {
  const LaplaceChannel channel(kDomain, Epsilon(5));
  const NormalKernel kernel(kBase);
  const std::vector<Summary> prior =
      from_prior([&](double y, ChainRng& from) { return channel.simulate(y, from); }, 100'000);
  const Release release{channel, std::vector<double>(kData, 0.0)};
  const std::vector<double> start(kData, 0.0);
  ChainRng rng(32);
  for (const Neal5Settings settings : {Neal5Settings{1, AtomUpdate::all}, Neal5Settings{5, AtomUpdate::all},
                                       Neal5Settings{5, AtomUpdate::selected}}) {
    Neal5 sampler(kernel, kPrior, release, start, settings, rng);
    const auto draws = chain(sampler, sampler.data().z, rng, 150'000, [&] {
      for (std::size_t i = 0; i < kData; ++i)
        sampler.data().z[i] = channel.simulate(sampler.imputed(i)[rng.below(settings.imputations)], rng);
      sampler.refresh();
    });
    compare(prior, draws, "Neal 5");
  }
  for (const Truncation truncation : {Truncation::slice, Truncation::tolerance}) {
    Conditional sampler(kernel, kPrior, release, start, {.truncation = truncation}, rng);
    const auto draws = chain(sampler, sampler.imputation().data().z, rng, 100'000, [&] {
      for (std::size_t i = 0; i < kData; ++i)
        sampler.imputation().data().z[i] = channel.simulate(sampler.imputation()[i], rng);
      sampler.imputation().refresh();
    });
    compare(prior, draws, truncation == Truncation::slice ? "slice" : "blocked Gibbs");
  }
  {
    Neal8 sampler(kernel, kPrior, release, {}, rng);
    const auto draws = chain(sampler, sampler.data().z, rng, 50'000, [&] {
      for (std::size_t i = 0; i < kData; ++i)
        sampler.data().z[i] = channel.simulate(kernel.draw(sampler.state().atom_of(i), rng), rng);
      sampler.refresh();
    });
    compare(prior, draws, "Neal 8");
  }
  for (const std::size_t moves : {0, 1}) {
    Neal3 sampler(kernel, kPrior, release, start, {.split_merge_moves = moves}, rng);
    const auto draws = chain(sampler, sampler.imputation().data().z, rng, 40'000, [&] {
      for (std::size_t i = 0; i < kData; ++i)
        sampler.imputation().data().z[i] = channel.simulate(sampler.imputation()[i], rng);
      sampler.imputation().refresh();
    });
    compare(prior, draws, moves == 0 ? "Neal 3 on imputed data" : "split-merge on imputed data");
  }
}

// Samplers that take releases, or confidential data, as they are.
TEST(MixtureJoint, samplers_without_imputation_leave_the_joint_distribution_invariant) {
  const NormalKernel kernel(kBase);
  const std::vector<Summary> prior = from_prior([](double y, ChainRng&) { return y; }, 100'000);
  const Confidential<double> data{std::vector<double>(kData, 0.0)};
  ChainRng rng(33);
  const auto redraw = [&](auto& sampler, std::vector<double>& y) {
    for (std::size_t i = 0; i < kData; ++i) y[i] = kernel.draw(sampler.state().atom_of(i), rng);
  };
  {
    Neal2 sampler(kernel, kPrior, data, rng);
    const auto draws = chain(sampler, sampler.data().y, rng, 60'000, [&] {
      redraw(sampler, sampler.data().y);
      sampler.refresh();
    });
    compare(prior, draws, "Neal 2");
  }
  {
    Neal5 sampler(kernel, kPrior, data, {}, {}, rng);
    const auto draws = chain(sampler, sampler.data().y, rng, 100'000, [&] {
      redraw(sampler, sampler.data().y);
      sampler.refresh();
    });
    compare(prior, draws, "Neal 5 on confidential data");
  }
}

// ---- Proposition 1 of [BFR24]: with an epsilon-private channel no proposal has a log ratio below -epsilon.

std::vector<double> three_normals(std::size_t n, ChainRng& rng) {
  std::vector<double> y(n);
  for (double& x : y) do
      x = -5.0 + 5.0 * static_cast<double>(rng.below(3)) + rng.normal();
    while (std::abs(x) > 10);
  return y;
}

template <class Sampler>
SweepInfo run(Sampler& sampler, ChainRng& rng, int sweeps) {
  SweepInfo info;
  for (int sweep = 0; sweep < sweeps; ++sweep) info += sampler.sweep(rng);
  return info;
}

/// Every ratio within the bound, and the bound nearly met, so that a smaller one would be seen to fail.
void expect_bound(const SweepInfo& info, double epsilon, double near = 0.9) {
  EXPECT_GT(info.proposed, 100'000U);
  EXPECT_GE(info.worst_log_ratio, -epsilon * (1 + 1e-12));
  EXPECT_LT(info.worst_log_ratio, -near * epsilon);
}

TEST(MixtureProposition1, holds_in_every_proposal) {
  for (const double epsilon : {1.0, 10.0}) {
    ChainRng rng(41);
    const LaplaceChannel channel(kDomain, Epsilon(epsilon));
    Release release{channel, {}};
    std::vector<double> start;
    for (const double y : three_normals(200, rng)) {
      release.z.push_back(channel.simulate(y, rng));
      start.push_back(channel.initial(release.z.back(), rng));
    }
    const DirichletProcess mixing(1);
    Neal5 clamped(NormalKernel(kBase), mixing, release, start, {}, rng);
    expect_bound(run(clamped, rng, 5000), epsilon);
    Neal5 truncated(TruncatedNormalKernel(kBase, kDomain), mixing, release, start, {}, rng);
    expect_bound(run(truncated, rng, 2000), epsilon);
    Neal5 several(NormalKernel(kBase), mixing, release, start, {.imputations = 5}, rng);
    expect_bound(run(several, rng, 2000), epsilon, 0.3);
    Conditional slice(NormalKernel(kBase), mixing, release, start, {}, rng);
    expect_bound(run(slice, rng, 5000), epsilon, 0.5);
    const HaarChannel haar(kDomain, 3, Epsilon(epsilon));
    LocalRelease<HaarChannel, HaarChannel::Observed> wavelets{haar, {}};
    for (std::size_t i = 0; i < 200; ++i) {
      std::vector<double> coefficients(haar.coefficients());
      for (double& x : coefficients) x = haar.scale() * rng.normal();
      wavelets.z.push_back(haar.observed_one(coefficients));
    }
    Neal5 on_wavelets(NormalKernel(kBase), mixing, wavelets, start, {}, rng);
    expect_bound(run(on_wavelets, rng, 2000), epsilon, 0.2);
    PerturbedHistogramChannel perturbed(Bins(kDomain, 10), Epsilon(epsilon));
    perturbed.observe(perturbed.simulate(start, rng));
    Neal5 on_counts(NormalKernel(kBase), mixing, GlobalRelease<PerturbedHistogramChannel>{perturbed, 200},
                    start, {}, rng);
    expect_bound(run(on_counts, rng, 2000), epsilon);
    SmoothedHistogramChannel smoothed(Bins(kDomain, 10), 200, 50, Epsilon(epsilon));
    smoothed.observe(std::span<const double>(start.data(), 50));
    Conditional on_points(NormalKernel(kBase), mixing, GlobalRelease<SmoothedHistogramChannel>{smoothed, 200},
                          start, {}, rng);
    expect_bound(run(on_points, rng, 2000), epsilon, 0.0);
  }
}

/// The density without the clamping that the channel does: what the bound must not be claimed for.
struct UnclampedLaplace {
  double scale;
  [[nodiscard]] double log_density(double z, double y) const { return -std::abs(z - y) / scale; }
};

TEST(MixtureProposition1, fails_where_imputed_data_leave_the_domain) {
  ChainRng rng(42);
  const LaplaceChannel channel(kDomain, Epsilon(1));
  LocalRelease<UnclampedLaplace, double> release{{channel.scale()}, {}};
  std::vector<double> start;
  for (const double y : three_normals(200, rng)) {
    release.z.push_back(channel.simulate(y, rng));
    start.push_back(channel.initial(release.z.back(), rng));
  }
  Neal5 sampler(NormalKernel(kBase), DirichletProcess(1), release, start, {}, rng);
  EXPECT_LT(run(sampler, rng, 5000).worst_log_ratio, -1.2);
}

// ---- Acceptance rates at n = 200 in the setting of [BFR24, section 4.1], read off its figure 2 (median over 50 data
// sets). Here the mean over four data sets; between data sets the rates vary by about 0.01.

TEST(MixtureAcceptance, rates_match_the_published_ones) {
  const std::vector<double> epsilons = {1, 2, 5, 10, 50};
  const std::vector<double> published_neal5 = {0.94, 0.88, 0.61, 0.42, 0.13};
  const std::vector<double> published_slice = {0.97, 0.94, 0.86, 0.72, 0.38};
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    double neal5_rate = 0;
    double slice_rate = 0;
    for (std::uint64_t set = 0; set < 4; ++set) {
      ChainRng rng(51, set);
      const LaplaceChannel channel(kDomain, Epsilon(epsilons[e]));
      Release release{channel, {}};
      std::vector<double> start;
      for (const double y : three_normals(200, rng)) {
        release.z.push_back(channel.simulate(y, rng));
        start.push_back(channel.initial(release.z.back(), rng));
      }
      Neal5 neal5(NormalKernel(kBase), DirichletProcess(1), release, start, {}, rng);
      run(neal5, rng, 2000);
      const SweepInfo five = run(neal5, rng, 6000);
      Conditional slice(NormalKernel(kBase), DirichletProcess(1), release, start, {}, rng);
      run(slice, rng, 2000);
      const SweepInfo conditional = run(slice, rng, 6000);
      neal5_rate += 0.25 * static_cast<double>(five.accepted) / static_cast<double>(five.proposed);
      slice_rate +=
          0.25 * static_cast<double>(conditional.accepted) / static_cast<double>(conditional.proposed);
    }
    EXPECT_NEAR(neal5_rate, published_neal5[e], 0.03) << "Neal 5, epsilon " << epsilons[e];
    EXPECT_NEAR(slice_rate, published_slice[e], 0.03) << "slice, epsilon " << epsilons[e];
  }
}

}  // namespace
}  // namespace sotto::mixture
