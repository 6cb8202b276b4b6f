// Every algorithm under every mixing prior, and with more data, against the exact posterior over all partitions: the bound on the
// total variation distance is 0.005, or 0.04 in a quick run (`effort.hpp`). Each check runs as many sweeps as bring a right chain's distance, 3.5 standard deviations above
// its mean with its autocorrelation counted, below the bound, and prints their number; the seeds are fixed. A right chain fails with
// probability 0.004 where the posterior is on two partitions, and far less where it is on many.
#include "mixture/algorithm_table.hpp"
#include "sotto/mixture/algorithm/split_merge.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"
#include "sotto/mixture/prior/finite_mixture.hpp"
#include "sotto/mixture/prior/pitman_yor.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{-10, 10};
const NormalInverseGamma kBase{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
const NormalKernel kKernel(kBase);
using Release = LocalRelease<LaplaceChannel, double>;

const Discretised<NormalKernel>& discretised() {
  static const Discretised<NormalKernel> points = discretise(kKernel, kDomain);
  return points;
}

Release laplace(double epsilon, std::size_t n) {
  return {LaplaceChannel(kDomain, Epsilon(epsilon)), places(kDomain, n)};
}

template <class Mixing>
Enumeration exact_posterior(const Release& release, const Mixing& mixing) {
  return enumerate_local(
      discretised(), [&](std::size_t i, double y) { return release.log_density(i, y); }, mixing,
      release.size());
}

template <class Mixing>
void check(const std::string& name, const Mixing& mixing) {
  const Release release = laplace(20, 4);
  Enumeration exact = exact_posterior(release, mixing);
  check_algorithms(name, kKernel, mixing, release, release.z, exact);
}

TEST(MixtureEnumeration, concentrations) {
  check("concentration 0.1", DirichletProcess(0.1));
  check("concentration 1", DirichletProcess(1));
  check("concentration 5", DirichletProcess(5));
}

TEST(MixtureEnumeration, other_mixing_priors) {
  check("Pitman-Yor", PitmanYor(0.2, 0.25));
  check("finite mixture", FiniteMixture(1.0, 2.0));
}

// The prior's own parameter: a concentration with a gamma prior makes the partition's prior a mixture of Dirichlet processes.
TEST(MixtureEnumeration, random_concentration) {
  struct Mixed : DirichletProcess {
    using DirichletProcess::DirichletProcess;
    [[nodiscard]] double log_eppf(std::span<const int> sizes) const {
      double sum = 0;
      for (double u = -12; u < 4; u += 0.02) {
        const double alpha = std::exp(u);
        sum += std::exp(2 * u - 4 * alpha + DirichletProcess(alpha).log_eppf(sizes));
      }
      return std::log(sum);
    }
  };
  const Release release = laplace(20, 4);
  Enumeration exact = exact_posterior(release, Mixed(1));
  check_algorithms("gamma(2, 4) concentration", kKernel, DirichletProcess(1, ConcentrationPrior{2, 4}),
                   release, release.z, exact);
}

TEST(MixtureEnumeration, little_and_much_noise) {
  const DirichletProcess mixing(0.3);
  ChainRng rng(64);
  for (const double epsilon : {1.0, 60.0}) {
    const Release release = laplace(epsilon, 4);
    Enumeration exact = exact_posterior(release, mixing);
    Neal5 neal5(kKernel, mixing, release, release.z, {}, rng);
    check_sampler(neal5, exact, "Neal 5", rng);
    for (const bool joint_moves : {true, false}) {
      Conditional slice(kKernel, mixing, release, release.z, {.joint_moves = joint_moves}, rng);
      check_sampler(slice, exact, "slice", rng);
    }
    Neal8 neal8(kKernel, mixing, release, {}, rng);
    check_sampler(neal8, exact, "Neal 8", rng);
  }
}

// Up to the 4140 partitions of eight data; a small concentration keeps the posterior on few of them.
TEST(MixtureEnumeration, five_to_eight_releases) {
  const DirichletProcess mixing(0.1);
  for (const std::size_t n : {5, 7}) {
    const Release release = laplace(20, n);
    Enumeration exact = exact_posterior(release, mixing);
    ChainRng rng(66);
    Neal5 neal5(kKernel, mixing, release, release.z, {}, rng);
    check_sampler(neal5, exact, std::to_string(n) + " data, Neal 5", rng);
    Conditional slice(kKernel, mixing, release, release.z, {}, rng);
    check_sampler(slice, exact, std::to_string(n) + " data, slice", rng);
  }
  for (const std::size_t n : {6, 8}) {
    const Release release = laplace(20, n);
    Enumeration exact = exact_posterior(release, mixing);
    check_algorithms(std::to_string(n) + " data", kKernel, mixing, release, release.z, exact);
  }
}

TEST(MixtureEnumeration, eight_confidential_data) {
  const std::vector<double> y = places(kDomain, 8);
  const DirichletProcess mixing(0.1);
  Enumeration exact = enumerate_confidential(discretised(), kKernel, y, mixing);
  check_algorithms("eight confidential data", kKernel, mixing, Confidential<double>{y}, y, exact);
}

TEST(MixtureEnumeration, eight_data_in_a_histogram) {
  const DirichletProcess mixing(0.1);
  PerturbedHistogramChannel channel(Bins(kDomain, 4), Epsilon(1));
  channel.observe({4.1, 0.2, -0.3, 3.8});
  Enumeration exact = enumerate_global(discretised(), channel, mixing, 8);
  exact.merge_by_sizes();
  ChainRng rng(65);
  const GlobalRelease<PerturbedHistogramChannel> release{channel, 8};
  Neal5 neal5(kKernel, mixing, release, places(kDomain, 8), {}, rng);
  check_sampler(neal5, exact, "Neal 5, eight data in a histogram", rng);
  Conditional slice(kKernel, mixing, release, places(kDomain, 8), {}, rng);
  check_sampler(slice, exact, "slice, eight data in a histogram", rng);
}

// Split-merge alone moves the partition; a scan would hide a wrong ratio.
TEST(MixtureEnumeration, split_merge_alone) {
  const std::vector<double> y = places(kDomain, 5);
  const DirichletProcess mixing(1);
  Enumeration exact = enumerate_confidential(discretised(), kKernel, y, mixing);
  ChainRng rng(15);
  MixtureState<NormalKernel, DirichletProcess> state(kKernel, mixing, 5);
  SplitMerge<NormalKernel, DirichletProcess> moves(5);
  state.gather([&](std::size_t i, NormalStatistic& s) { s.add(y[i]); });
  if (!next_check_is_ours()) return;
  const std::size_t kMoves = effort().exhaustive() ? 2'000'000 : 50'000;
  exact.expect(kMoves);
  for (std::size_t move = 0; move < kMoves; ++move) {
    moves.move(state, y, rng);
    exact.visit(state.partition.allocation());
  }
  EXPECT_LT(exact.total_variation(), effort().bound());
}

}  // namespace
}  // namespace sotto::mixture
