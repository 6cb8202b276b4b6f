// The table of docs/mixtures.md for the normal kernels: every algorithm under every channel, four to six data.
#include "mixture/algorithm_table.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{-10, 10};
const NormalInverseGamma kBase{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
const NormalKernel kNormal(kBase);
const TruncatedNormalKernel kTruncated(kBase, kDomain);

TEST(MixtureTable, normal_after_local_channels) {
  check_local_channels("normal", kNormal, discretise(kNormal, kDomain), kDomain, places(kDomain, 4));
}

TEST(MixtureTable, normal_after_histograms) {
  check_histograms("normal", kNormal, discretise(kNormal, kDomain), kDomain, places(kDomain, 4));
}

TEST(MixtureTable, normal_confidential) {
  const std::vector<double> y = places(kDomain, 5);
  const DirichletProcess mixing(1);
  Enumeration exact = enumerate_confidential(discretise(kNormal, kDomain), kNormal, y, mixing);
  check_algorithms("normal, confidential", kNormal, mixing, Confidential<double>{y}, y, exact);
}

TEST(MixtureTable, normal_exact_density) {
  const Discretised<NormalKernel> exact = discretise(kNormal, kDomain);
  check_neal8("normal", kNormal, exact, kDomain, 4, DirichletProcess(0.1), 2);
  check_neal8("normal", kNormal, exact, kDomain, 4, DirichletProcess(1), 1);
  check_neal8("normal", kNormal, exact, kDomain, 4, DirichletProcess(5), 5);
}

TEST(MixtureTable, truncated_normal_after_local_channels) {
  check_local_channels("truncated normal", kTruncated, discretise(kTruncated, kDomain), kDomain,
                       places(kDomain, 4));
}

TEST(MixtureTable, truncated_normal_concentrations) {
  check_concentrations("truncated normal", kTruncated, discretise(kTruncated, kDomain), kDomain,
                       places(kDomain, 6));
}

TEST(MixtureTable, truncated_normal_after_histograms) {
  check_histograms("truncated normal", kTruncated, discretise(kTruncated, kDomain), kDomain,
                   places(kDomain, 4));
}

TEST(MixtureTable, truncated_normal_confidential) {
  const std::vector<double> y = places(kDomain, 4);
  const DirichletProcess mixing(1);
  Enumeration exact = enumerate_confidential(discretise(kTruncated, kDomain), kTruncated, y, mixing);
  check_algorithms("truncated normal, confidential", kTruncated, mixing, Confidential<double>{y}, y, exact);
}

TEST(MixtureTable, truncated_normal_exact_density) {
  check_neal8("truncated normal", kTruncated, discretise(kTruncated, kDomain), kDomain, 4,
              DirichletProcess(0.3), 2);
}

}  // namespace
}  // namespace sotto::mixture
