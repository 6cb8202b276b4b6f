// The table of docs/mixtures.md for counts and categories: every algorithm under every channel that takes such data.
#include "mixture/algorithm_table.hpp"
#include "sotto/channel/randomised_response.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"

namespace sotto::mixture {
namespace {

const Interval kDomain{0, 12};
const PoissonKernel kPoisson(2, 0.5);
const std::vector<double> kCounts = {3, 4, 9, 9};

// The channels of real releases; their continuous limits are checked with the normal kernels.
TEST(MixtureTable, poisson_after_local_channels) {
  check_local_channels("Poisson", kPoisson, discretise(kPoisson, 2, 0.5), kDomain, kCounts,
                       LocalChannels::of_real_releases);
}

TEST(MixtureTable, poisson_concentrations) {
  check_concentrations("Poisson", kPoisson, discretise(kPoisson, 2, 0.5), kDomain, {3, 4, 9, 9, 4, 8});
}

// With so few counts that much of the mass is cut off.
TEST(MixtureTable, truncated_poisson_after_local_channels) {
  const TruncatedPoissonKernel kernel(2, 0.5, 0, 12);
  check_local_channels("truncated Poisson", kernel, discretise(kernel, 2, 0.5, 12), kDomain, kCounts,
                       LocalChannels::of_real_releases);
}

TEST(MixtureTable, truncated_poisson_exact_density) {
  const TruncatedPoissonKernel kernel(2, 0.5, 0, 12);
  check_neal8("truncated Poisson", kernel, discretise(kernel, 2, 0.5, 12), kDomain, 4, DirichletProcess(1),
              2);
}

TEST(MixtureTable, truncated_poisson_after_histograms) {
  const TruncatedPoissonKernel kernel(2, 0.5, 0, 12);
  check_histograms("truncated Poisson", kernel, discretise(kernel, 2, 0.5, 12), kDomain, kCounts);
}

TEST(MixtureTable, poisson_after_histograms) {
  check_histograms("Poisson", kPoisson, discretise(kPoisson, 2, 0.5), kDomain, kCounts);
}

TEST(MixtureTable, poisson_confidential) {
  const DirichletProcess mixing(1);
  Enumeration exact = enumerate_confidential(discretise(kPoisson, 2, 0.5), kPoisson, kCounts, mixing);
  check_algorithms("Poisson, confidential", kPoisson, mixing, Confidential<double>{kCounts}, kCounts, exact);
}

// Sums over all confidential categories of a cluster.
Enumeration enumerate_categories(const CategoricalKernel& kernel,
                                 const std::function<double(int, int)>& log_q, const std::vector<int>& z,
                                 const DirichletProcess& mixing) {
  const int levels = kernel.levels();
  return enumerate_clusters(
      static_cast<int>(z.size()),
      [&](std::span<const int> members) {
        double total = 0;
        const auto codes = static_cast<int>(std::pow(levels, members.size()) + 0.5);
        for (int code = 0; code < codes; ++code) {
          CategoricalKernel::Statistic s;
          double log_product = 0;
          int rest = code;
          for (const int i : members) {
            s.add(rest % levels);
            log_product += log_q(z[static_cast<std::size_t>(i)], rest % levels);
            rest /= levels;
          }
          total += std::exp(log_product + kernel.log_marginal(s));
        }
        return std::log(total);
      },
      [&](std::span<const int> sizes) { return mixing.log_eppf(sizes); });
}

TEST(MixtureTable, categories_after_randomised_response) {
  const RandomisedResponseChannel channel(3, Epsilon(3));
  const CategoricalKernel kernel(3, 0.2);
  for (const auto& [concentration, n] : {std::pair{1.0, 4}, std::pair{0.1, 6}, std::pair{5.0, 4}}) {
    const DirichletProcess mixing(concentration);
    std::vector<int> z = {0, 0, 1, 1, 2, 0};
    z.resize(static_cast<std::size_t>(n));
    Enumeration exact = enumerate_categories(
        kernel, [&](int released, int y) { return channel.log_density(released, y); }, z, mixing);
    check_algorithms(
        fmt::format("categories, randomised response, concentration {}, {} data", concentration, n), kernel,
        mixing, LocalRelease<RandomisedResponseChannel, int>{channel, z}, z, exact);
  }
}

TEST(MixtureTable, categories_confidential) {
  const CategoricalKernel kernel(3, 0.2);
  const DirichletProcess mixing(1);
  const std::vector<int> y = {0, 0, 1, 1};
  Enumeration exact = enumerate_categories(
      kernel, [](int released, int x) { return released == x ? 0 : -HUGE_VAL; }, y, mixing);
  check_algorithms("categories, confidential", kernel, mixing, Confidential<int>{y}, y, exact);
}

}  // namespace
}  // namespace sotto::mixture
