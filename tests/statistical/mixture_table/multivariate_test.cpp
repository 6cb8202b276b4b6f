// The table of docs/mixtures.md for several columns, and for the releases of Gaussian noise as data of their own.
#include "mixture/algorithm_table.hpp"
#include "sotto/channel/product.hpp"
#include "sotto/mixture/kernel/inflated_normal_kernel.hpp"
#include "sotto/mixture/kernel/multivariate_normal_kernel.hpp"
#include "sotto/mixture/kernel/product_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/prior/finite_mixture.hpp"
#include "sotto/mixture/prior/pitman_yor.hpp"

namespace sotto::mixture {
namespace {

using Kernel = MultivariateNormalKernel<2>;
using Vector = Kernel::Vector;
const Kernel kKernel(
    {.mean = Vector::Zero(), .precision = 0.2, .degrees = 8, .scale = 4 * Kernel::Square::Identity()});
const std::vector<Vector> kRows = {{-3, -2}, {-2.5, -2.5}, {3, 2}, {2, 3}};
const DirichletProcess kMixing(1);

/// The integral over the base measure of prod_{i in C} g(z_i | theta), for all sets C at once, by simple draws: given theta the
/// mean of q over a few values from the kernel is an unbiased g, independent from datum to datum.
template <class Channel, class RowKernel = Kernel>
Enumeration enumerate_rows(const Channel& channel, const std::vector<Vector>& z,
                           const DirichletProcess& mixing = kMixing, const RowKernel& kernel = kKernel) {
  const int draws = effort().exhaustive() ? 1'500'000 : 200'000;
  constexpr int kValues = 2;
  std::vector<double> sum(std::size_t{1} << z.size(), 0);
  ChainRng rng(71);
  for (int draw = 0; draw < draws; ++draw) {
    const typename RowKernel::Parameter theta = kernel.draw_prior(rng);
    std::vector<double> product(sum.size(), 1);
    for (std::size_t i = 0; i < z.size(); ++i) {
      double g = 0;
      for (int value = 0; value < kValues; ++value)
        g += std::exp(channel.log_density(z[i], kernel.draw(theta, rng)));
      for (std::size_t mask = std::size_t{1} << i; mask < std::size_t{2} << i; ++mask)
        product[mask] = product[mask - (std::size_t{1} << i)] * g;
    }
    for (std::size_t mask = 0; mask < sum.size(); ++mask) sum[mask] += product[mask];
  }
  return enumerate_clusters(
      static_cast<int>(z.size()),
      [&](std::span<const int> members) {
        std::size_t mask = 0;
        for (const int i : members) mask |= std::size_t{1} << i;
        return std::log(sum[mask] / draws) - static_cast<double>(members.size()) * std::log(kValues);
      },
      [&](std::span<const int> sizes) { return mixing.log_eppf(sizes); });
}

TEST(MixtureTable, rows_after_laplace_noise) {
  const ProductChannel<2> channel({DiscreteLaplaceChannel(Grid({-5, 5}, 20), Epsilon(10)),
                                   DiscreteLaplaceChannel(Grid({-5, 5}, 40), Epsilon(14))});
  Enumeration exact = enumerate_rows(channel, kRows);
  check_algorithms("rows, Laplace", kKernel, kMixing, LocalRelease<ProductChannel<2>, Vector>{channel, kRows},
                   kRows, exact);
}

TEST(MixtureTable, rows_concentrations) {
  for (const double concentration : {0.1, 5.0}) {
    const ProductChannel<2> channel(
        {DiscreteLaplaceChannel(Grid({-5, 5}), Epsilon(5)), DiscreteGaussianChannel(Grid({-5, 5}), Rho(10))});
    const DirichletProcess mixing(concentration);
    Enumeration exact = enumerate_rows(channel, kRows, mixing);
    check_algorithms(fmt::format("rows, concentration {}", concentration), kKernel, mixing,
                     LocalRelease<ProductChannel<2>, Vector>{channel, kRows}, kRows, exact);
  }
}

TEST(MixtureTable, rows_after_mixed_noise) {
  const ProductChannel<2> channel(
      {DiscreteLaplaceChannel(Grid({-5, 5}), Epsilon(10)), DiscreteGaussianChannel(Grid({-5, 5}), Rho(40))});
  Enumeration exact = enumerate_rows(channel, kRows);
  check_algorithms("rows, Laplace and Gaussian", kKernel, kMixing,
                   LocalRelease<ProductChannel<2>, Vector>{channel, kRows}, kRows, exact);
}

TEST(MixtureTable, rows_with_independent_truncated_columns) {
  using Part = TruncatedNormalKernel;
  const Part part({.mean = 0, .precision = 0.2, .shape = 3, .rate = 2}, {-5, 5});
  const ProductKernel<2, Part> kernel({part, part});
  const ProductChannel<2> channel(
      {DiscreteLaplaceChannel(Grid({-5, 5}), Epsilon(10)), DiscreteGaussianChannel(Grid({-5, 5}), Rho(40))});
  Enumeration exact = enumerate_rows(channel, kRows, kMixing, kernel);
  check_algorithms("rows, truncated columns", kernel, kMixing,
                   LocalRelease<ProductChannel<2>, Vector>{channel, kRows}, kRows, exact);
}

// Few cells, and releases without noise but for a shift: the middle of the clusters' cells are the data's.
TEST(MixtureTable, rows_with_a_wavelet) {
  using Part = TruncatedNormalKernel;
  const Part part({.mean = 0, .precision = 0.2, .shape = 3, .rate = 2}, {-5, 5});
  const ProductKernel<2, Part> kernel({part, part});
  const HaarChannel haar({-5, 5}, 1, Epsilon(6));
  std::vector<double> coefficients;
  std::vector<Vector> z;
  for (const Vector& row : kRows) {
    for (int j = 0; j <= 1; ++j)
      for (std::size_t k = 0; k < std::size_t{1} << j; ++k)
        coefficients.push_back(static_cast<double>(haar.coefficient(haar.cell(row[1]), j, k)) *
                                   HaarChannel::kStep +
                               0.2 * haar.scale());
    z.emplace_back(row[0], static_cast<double>(z.size()));
  }
  const ProductChannel<2> channel(
      {DiscreteLaplaceChannel(Grid({-5, 5}), Epsilon(10)), HaarReleases(haar, coefficients)});
  Enumeration exact = enumerate_rows(channel, z, kMixing, kernel);
  check_algorithms("rows, Laplace and wavelet", kernel, kMixing,
                   LocalRelease<ProductChannel<2>, Vector>{channel, z}, kRows, exact);
}

TEST(MixtureTable, rows_confidential) {
  Enumeration exact = enumerate_clusters(
      4,
      [&](std::span<const int> members) {
        Kernel::Statistic s;
        for (const int i : members) s.add(kRows[static_cast<std::size_t>(i)]);
        return kKernel.log_marginal(s);
      },
      [&](std::span<const int> sizes) { return kMixing.log_eppf(sizes); });
  check_algorithms("rows, confidential", kKernel, kMixing, Confidential<Vector>{kRows}, kRows, exact);
}

/// Gaussian noise of variance 2 is part of the kernel: the base measure above that variance.
template <class Mixing>
void check_inflated(const std::string& name, const Mixing& mixing, std::size_t n) {
  const NormalInverseGamma base{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
  const InflatedNormalKernel kernel(base, 2);
  const std::vector<double> z = places({-10, 10}, n);
  std::vector<BasePoint> points;
  const double step = 0.02;
  for (double log_variance = std::log(2.0) + step / 2; log_variance < 7; log_variance += step) {
    const double sd = std::exp(log_variance / 2);
    for (double x = -6; x <= 6.001; x += 0.1) {
      const NormalParameter theta{base.mean + x * sd / std::sqrt(base.precision), sd, log_variance / 2};
      BasePoint point{-base.shape * log_variance - base.rate / (sd * sd) - x * x / 2, {}};
      for (const double release : z) point.log_g.push_back(kernel.log_density(release, theta));
      points.push_back(point);
    }
  }
  Enumeration exact = enumerate_points(std::move(points), mixing, n);
  check_algorithms(name, kernel, mixing, Confidential<double>{z}, z, exact);
}

TEST(MixtureTable, gaussian_releases_with_the_inflated_kernel) {
  for (const double concentration : {0.1, 1.0, 5.0})
    check_inflated(fmt::format("inflated normal, concentration {}", concentration),
                   DirichletProcess(concentration), 4);
  check_inflated("inflated normal, concentration 0.1, six data", DirichletProcess(0.1), 6);
  check_inflated("inflated normal, finite mixture", FiniteMixture(1.0, 2.0), 4);
  check_inflated("inflated normal, Pitman-Yor", PitmanYor(0.5, 0.25), 4);
}

}  // namespace
}  // namespace sotto::mixture
