// Every algorithm against the exact posterior over the partitions of three data, quickly: a ratio that is upside down or a weight that
// is off shows. Seeds are fixed; a right chain fails a check with probability below 2e-4 (`algorithm_table.hpp`).
#include "mixture/algorithm_table.hpp"
#include "sotto/mixture/algorithm/split_merge.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{-10, 10};
const NormalKernel kKernel(NormalInverseGamma{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3});
const DirichletProcess kMixing(1);

TEST(Algorithms, find_the_posterior_of_privatised_data) {
  const LocalRelease<LaplaceChannel, double> release{LaplaceChannel(kDomain, Epsilon(20)),
                                                     places(kDomain, 3)};
  Enumeration exact = enumerate_local(
      discretise(kKernel, kDomain), [&](std::size_t i, double y) { return release.log_density(i, y); },
      kMixing, 3);
  check_algorithms("three releases", kKernel, kMixing, release, release.z, exact);
}

TEST(Algorithms, find_the_posterior_of_confidential_data) {
  const std::vector<double> y = places(kDomain, 3);
  Enumeration exact = enumerate_confidential(discretise(kKernel, kDomain), kKernel, y, kMixing);
  check_algorithms("three confidential data", kKernel, kMixing, Confidential<double>{y}, y, exact);
}

TEST(Algorithms, find_the_posterior_given_a_histogram) {
  const PerturbedHistogramChannel channel = perturbed_release(kDomain);
  Enumeration exact = enumerate_global(discretise(kKernel, kDomain), channel, kMixing, 3);
  check_algorithms("three data in a histogram", kKernel, kMixing,
                   GlobalRelease<PerturbedHistogramChannel>{channel, 3}, places(kDomain, 3), exact);
}

}  // namespace
}  // namespace sotto::mixture
