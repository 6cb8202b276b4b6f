// The table of docs/mixtures.md for the beta kernel: every algorithm under every channel, four to six data.
#include "mixture/algorithm_table.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{0, 1};
const BetaBase kBase{.shape_a = 2, .rate_a = 0.2, .shape_b = 2, .rate_b = 0.2};
const BetaKernel kBeta(kBase);

// The channels of real releases; their continuous limits are checked with the normal kernels.
TEST(MixtureTable, beta_after_local_channels) {
  check_local_channels("beta", kBeta, discretise(kBase), kDomain, places(kDomain, 4),
                       LocalChannels::of_real_releases);
}

TEST(MixtureTable, beta_concentrations) {
  check_concentrations("beta", kBeta, discretise(kBase), kDomain, places(kDomain, 6));
}

TEST(MixtureTable, beta_after_histograms) {
  check_histograms("beta", kBeta, discretise(kBase), kDomain, places(kDomain, 4));
}

TEST(MixtureTable, beta_confidential) {
  const std::vector<double> y = places(kDomain, 4);
  const DirichletProcess mixing(1);
  Enumeration exact = enumerate_confidential(discretise(kBase), kBeta, y, mixing);
  check_algorithms("beta, confidential", kBeta, mixing, Confidential<double>{y}, y, exact);
}

}  // namespace
}  // namespace sotto::mixture
