// The closed forms of the kernel seen through the channel against quadrature, and their draws against the
// density.
#include "sotto/mixture/marginal_density.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mixture/enumeration.hpp"
#include "sotto/channel/product.hpp"
#include "sotto/mixture/kernel/product_kernel.hpp"

namespace sotto::mixture {
namespace {

const Interval kBounds{-3, 5};
const NormalInverseGamma kBase{};

template <class Channel, class Kernel>
double by_quadrature(const Channel& channel, const Kernel& kernel, const typename Kernel::Parameter& theta,
                     double z) {
  // Corners of the integrand at z and at the ends of the domain fall on cell borders.
  double sum = 0;
  std::vector<double> ends = {theta.mean - 12 * theta.sd, theta.mean + 12 * theta.sd, kBounds.lower,
                              kBounds.upper, std::clamp(z, kBounds.lower, kBounds.upper)};
  std::sort(ends.begin(), ends.end());
  for (std::size_t e = 0; e + 1 < ends.size(); ++e)
    if (ends[e] < ends[e + 1])
      sum += std::exp(integrate_kernel(
          1, ends[e], ends[e + 1], 4000, [&](double y) { return kernel.log_density(y, theta); },
          [&](std::size_t, double y) { return channel.log_density(z, y); })[0]);
  return std::log(sum);
}

template <class Channel, class Kernel>
void check(const Channel& channel, const Kernel& kernel, bool completed_by_z) {
  const std::vector<double> releases = {-40, -4, -2.9, 0.1, 4.9, 6, 30};
  const MarginalDensity<LocalRelease<Channel, double>, Kernel> density({channel, releases});
  for (const double mean : {-2.0, 0.0, 4.5, 7.0})
    for (const double sd : {0.05, 0.4, 2.0, 10.0}) {
      typename Kernel::Parameter theta;
      if constexpr (std::same_as<Kernel, NormalKernel>)
        theta = {mean, sd, std::log(sd)};
      else
        theta = kernel.complete({mean, sd, std::log(sd)});
      if (theta.mean > kBounds.upper && sd < 0.3 && std::same_as<Kernel, TruncatedNormalKernel>) continue;
      for (std::size_t i = 0; i < releases.size(); ++i) {
        const double inside = std::clamp(releases[i], kBounds.lower, kBounds.upper);
        const double factor = completed_by_z ? channel.log_density(releases[i], inside) : 0;
        const double exact = by_quadrature(channel, kernel, theta, releases[i]) - factor;
        EXPECT_NEAR(density.log_density(kernel, i, density.prepare(kernel, theta)), exact, 2e-4)
            << "mean " << mean << " sd " << sd << " z " << releases[i];
        EXPECT_NEAR(density.pieces(i, theta).log_total(),
                    exact + factor +
                        (std::same_as<Kernel, TruncatedNormalKernel>
                             ? log_interval((kBounds.lower - mean) / sd, (kBounds.upper - mean) / sd)
                             : 0),
                    2e-4);
      }
    }
}

TEST(MarginalDensity, laplace) {
  for (const double epsilon : {0.5, 5.0, 50.0}) {
    const LaplaceChannel channel(kBounds, Epsilon(epsilon));
    check(channel, NormalKernel(kBase), true);
    check(channel, TruncatedNormalKernel(kBase, kBounds), true);
  }
}

TEST(MarginalDensity, gaussian) {
  for (const double rho : {0.1, 5.0}) {
    const GaussianChannel channel(kBounds, Rho(rho));
    check(channel, NormalKernel(kBase), false);
    check(channel, TruncatedNormalKernel(kBase, kBounds), false);
  }
}

// Sums over the grid's cells of q times the kernel's probability of the cell.
template <class Channel>
double by_cells(const Channel& channel, const NormalParameter& theta, double z) {
  double sum = 0;
  const long long steps = channel.grid().steps();
  for (long long k = 0; k <= steps; ++k) {
    const auto border = [&](double at) { return (channel.grid().position(at) - theta.mean) / theta.sd; };
    const double lower = k == 0 ? -HUGE_VAL : border(static_cast<double>(k) - 0.5);
    const double upper = k == steps ? HUGE_VAL : border(static_cast<double>(k) + 0.5);
    sum += std::exp(channel.log_density(z, channel.grid().position(static_cast<double>(k))) +
                    log_interval(lower, upper));
  }
  return std::log(sum);
}

// A few rows' releases, with noise of the channel's scale.
std::vector<HaarChannel::Observed> wavelets_of(const HaarChannel& channel, std::size_t rows, ChainRng& rng) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows * channel.coefficients(); ++i)
    values.push_back(2 * rng.normal() * channel.scale());
  return channel.observed(values);
}

// Against quadrature, for kernels of every place and width; draws fall into cells as the posterior says: 4,000 draws, five standard
// errors, of 96 cells: false alarms below 1e-4.
TEST(MarginalDensity, wavelets) {
  ChainRng rng(9);
  const HaarChannel channel(kBounds, 2, Epsilon(6));
  const std::vector<HaarChannel::Observed> z = wavelets_of(channel, 3, rng);
  const auto check_kernel = [&]<class Kernel>(const Kernel& kernel, const auto& complete) {
    const MarginalDensity<LocalRelease<HaarChannel, HaarChannel::Observed>, Kernel> density({channel, z});
    for (const double mean : {-2.0, 0.0, 4.5, 60.0})
      for (const double sd : {0.4, 2.0, 10.0}) {
        const typename Kernel::Parameter theta = complete(NormalParameter{mean, sd, std::log(sd)});
        const Position all = density.densities(kernel, theta);
        for (std::size_t i = 0; i < z.size(); ++i) {
          const double largest = *std::max_element(z[i].cells.begin(), z[i].cells.end());
          std::vector<double> in_cell(channel.cells());
          double sum = 0;
          for (std::size_t cell = 0; cell < channel.cells(); ++cell) {
            Interval bounds = channel.cell_bounds(cell);
            if constexpr (std::same_as<Kernel, NormalKernel>) {
              if (cell == 0) bounds.lower = std::min(bounds.lower, mean - 12 * sd);
              if (cell + 1 == channel.cells()) bounds.upper = std::max(bounds.upper, mean + 12 * sd);
            }
            in_cell[cell] = std::exp(integrate_kernel(
                1, bounds.lower, bounds.upper, 20000, [&](double y) { return kernel.log_density(y, theta); },
                [&](std::size_t, double y) { return channel.log_density(z[i], y) - largest; })[0]);
            sum += in_cell[cell];
          }
          EXPECT_NEAR(density.log_density(kernel, i, density.prepare(kernel, theta)), std::log(sum), 1e-4)
              << "mean " << mean << " sd " << sd;
          EXPECT_NEAR(all[static_cast<Eigen::Index>(i)], sum, 1e-4 * sum);
          if (sd != 2.0 || mean > 5) continue;
          std::vector<int> drawn(channel.cells(), 0);
          for (int k = 0; k < 4000; ++k) ++drawn[channel.cell(density.draw(kernel, i, theta, rng))];
          for (std::size_t cell = 0; cell < channel.cells(); ++cell) {
            const double p = in_cell[cell] / sum;
            EXPECT_NEAR(drawn[cell], 4000 * p, 5 * std::sqrt(4000 * p * (1 - p)) + 1) << "cell " << cell;
          }
        }
      }
  };
  const TruncatedNormalKernel truncated(kBase, kBounds);
  check_kernel(truncated, [&](const NormalParameter& theta) { return truncated.complete(theta); });
  check_kernel(NormalKernel(kBase), [](const NormalParameter& theta) { return theta; });
  const HaarChannel loud(kBounds, 2, Epsilon(700));
  using OfLoud = MarginalDensity<LocalRelease<HaarChannel, HaarChannel::Observed>, TruncatedNormalKernel>;
  EXPECT_THROW(OfLoud({loud, wavelets_of(loud, 1, rng)}), Error);
}

// Of rows a wavelet is one of the factors.
TEST(MarginalDensity, rows_with_a_wavelet) {
  using Part = TruncatedNormalKernel;
  using Rows = LocalRelease<ProductChannel<2>, Eigen::Vector2d>;
  ChainRng rng(10);
  const Part part(kBase, kBounds);
  const ProductKernel<2, Part> kernel({part, part});
  const DiscreteLaplaceChannel laplace(Grid(kBounds), Epsilon(4));
  const HaarChannel haar(kBounds, 1, Epsilon(6));
  std::vector<double> values;
  for (int i = 0; i < 9; ++i) values.push_back(rng.normal());
  const std::vector<Eigen::Vector2d> z = {{-4, 0}, {0.5, 1}, {0.5, 2}};
  const Rows rows{ProductChannel<2>({laplace, HaarReleases(haar, values)}), z};
  const MarginalDensity<Rows, ProductKernel<2, Part>> density(rows);
  const MarginalDensity<LocalRelease<DiscreteLaplaceChannel, double>, Part> first({laplace, {-4, 0.5, 0.5}});
  const MarginalDensity<LocalRelease<HaarChannel, HaarChannel::Observed>, Part> second(
      {haar, haar.observed(values)});
  const ProductKernel<2, Part>::Parameter theta{part.complete({0.7, 0.6, std::log(0.6)}),
                                                part.complete({-0.4, 1.5, std::log(1.5)})};
  const Position all = density.densities(kernel, theta);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double product = first.log_density(part, i, first.prepare(part, theta[0])) +
                           second.log_density(part, i, second.prepare(part, theta[1]));
    EXPECT_NEAR(density.log_density(kernel, i, density.prepare(kernel, theta)), product, 1e-12);
    EXPECT_NEAR(std::log(all[static_cast<Eigen::Index>(i)]), product, 1e-12);
  }
}

// The finest grid that is refused is off by less than 1e-6 per datum; a coarse one by 0.01 and more.
TEST(MarginalDensity, rows) {
  using Part = TruncatedNormalKernel;
  using Rows = LocalRelease<ProductChannel<2>, Eigen::Vector2d>;
  const Part wide(kBase, kBounds);
  const Part narrow({.mean = 0, .precision = 0.2, .shape = 3, .rate = 2}, {-1, 1});
  const ProductKernel<2, Part> kernel({wide, narrow});
  const DiscreteLaplaceChannel laplace(Grid(kBounds), Epsilon(4));
  const DiscreteGaussianChannel gaussian(Grid({-1, 1}), Rho(3));
  const std::vector<Eigen::Vector2d> z = {{-4, 0.2}, {0.5, 0.2}, {9, -3}, {0.5, 1.4}, {-4, -3}};
  const MarginalDensity<Rows, ProductKernel<2, Part>> density(
      Rows{ProductChannel<2>({laplace, gaussian}), z});
  const ProductKernel<2, Part>::Parameter theta{wide.complete({0.7, 0.6, std::log(0.6)}),
                                                narrow.complete({-0.4, 1.5, std::log(1.5)})};
  const Position all = density.densities(kernel, theta);
  ChainRng rng(8);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const MarginalDensity<LocalRelease<DiscreteLaplaceChannel, double>, Part> first({laplace, {z[i][0]}});
    const MarginalDensity<LocalRelease<DiscreteGaussianChannel, double>, Part> second({gaussian, {z[i][1]}});
    const double product = first.log_density(wide, 0, first.prepare(wide, theta[0])) +
                           second.log_density(narrow, 0, second.prepare(narrow, theta[1]));
    EXPECT_NEAR(density.log_density(kernel, i, density.prepare(kernel, theta)), product, 1e-12);
    EXPECT_NEAR(std::log(all[static_cast<Eigen::Index>(i)]), product, 1e-12);
    // Far releases pull the confidential values towards them: means of 2,000 draws, four standard errors of at most .07 and .013.
    Eigen::Vector2d mean = Eigen::Vector2d::Zero(), alone = Eigen::Vector2d::Zero();
    for (int k = 0; k < 2000; ++k) {
      mean += density.draw(kernel, i, theta, rng) / 2000;
      alone +=
          Eigen::Vector2d(first.draw(wide, 0, theta[0], rng), second.draw(narrow, 0, theta[1], rng)) / 2000;
    }
    EXPECT_NEAR(mean[0], alone[0], 0.1);
    EXPECT_NEAR(mean[1], alone[1], 0.08);
  }
}

TEST(MarginalDensity, leaves_out_the_rounding_of_fine_grids_only) {
  const NormalParameter theta{0.3, 0.5, std::log(0.5)};
  const double places[] = {-2.0, 0.25, 1.0};
  const auto worst = [&](long long steps) {
    const DiscreteLaplaceChannel grid(Grid(kBounds, steps), Epsilon(20));
    const LaplaceChannel line(kBounds, Epsilon(20));
    const MarginalDensity<LocalRelease<LaplaceChannel, double>, NormalKernel> density(
        {line, {std::begin(places), std::end(places)}});
    double apart = 0;
    for (std::size_t i = 0; i < 3; ++i)
      apart =
          std::fmax(apart, std::abs(by_cells(grid, theta, places[i]) - density.pieces(i, theta).log_total()));
    return apart;
  };
  EXPECT_LT(worst(1 << 16), 1e-6);
  EXPECT_GT(worst(16), 0.01);
  const NormalKernel kernel(kBase);
  using Laplace = MarginalDensity<LocalRelease<DiscreteLaplaceChannel, double>, NormalKernel>;
  using Gaussian = MarginalDensity<LocalRelease<DiscreteGaussianChannel, double>, NormalKernel>;
  EXPECT_THROW(Laplace({DiscreteLaplaceChannel(Grid(kBounds, 1 << 15), Epsilon(1)), {0.0}}), Error);
  EXPECT_THROW(Gaussian({DiscreteGaussianChannel(Grid(kBounds, 1 << 15), Rho(1)), {0.0}}), Error);
  EXPECT_NO_THROW(Laplace({DiscreteLaplaceChannel(Grid(kBounds), Epsilon(100)), {0.0}}));
  EXPECT_NO_THROW(Gaussian({DiscreteGaussianChannel(Grid(kBounds), Rho(100)), {0.0}}));
}

TEST(NormalInterval, matches_reference_values) {
  // log of the normal probability, from 40-digit arithmetic.
  EXPECT_NEAR(log_upper_tail(5), -15.064998393988726, 1e-12);
  EXPECT_NEAR(log_upper_tail(30), -454.3212439563431, 1e-9);
  EXPECT_NEAR(log_interval(-1, 1), std::log(0.6826894921370859), 1e-13);
  EXPECT_NEAR(log_interval(10, 10.001), log_interval(-10.001, -10), 1e-9);
  EXPECT_EQ(log_interval(1, 1), -HUGE_VAL);
}

// Kolmogorov-Smirnov distance at 40000 draws: 2.0 / sqrt(n) is passed by chance once in 1500 runs.
TEST(NormalInterval, draws_follow_the_law) {
  ChainRng rng(3);
  const std::vector<std::pair<double, double>> intervals = {{-1, 1},   {-0.2, 0.3}, {0.2, 5}, {0.6, 0.9},
                                                            {3, 3.05}, {4, 9},      {-6, -2}, {2, HUGE_VAL}};
  for (const auto& [a, b] : intervals) {
    std::vector<double> draws(40000);
    for (double& x : draws) x = draw_standard_in(a, b, rng);
    std::sort(draws.begin(), draws.end());
    double worst = 0;
    for (std::size_t i = 0; i < draws.size(); i += 50) {
      const double exact = std::exp(log_interval(a, draws[i]) - log_interval(a, b));
      worst = std::fmax(worst, std::abs(exact - static_cast<double>(i) / 40000));
    }
    EXPECT_LT(worst, 2.0 / std::sqrt(40000)) << a << " " << b;
  }
}

}  // namespace
}  // namespace sotto::mixture
