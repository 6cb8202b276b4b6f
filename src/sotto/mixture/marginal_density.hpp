// The kernel seen through the channel, g(z_i | theta) = integral of q(z_i | y) f(y | theta) dy, where it has
// a closed form, and exact draws of y given z_i and theta.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/product.hpp"
#include "sotto/channel/randomised_response.hpp"
#include "sotto/mixture/cell_density.hpp"
#include "sotto/mixture/continuous_channel.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/product_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/normal_pieces.hpp"
#include "sotto/mixture/released_data.hpp"
#include "sotto/mixture/summed_density.hpp"

namespace sotto::mixture {

/// Specialised for pairs of data and kernel that have a closed form (see `HasMarginalDensity`):
///   MarginalDensity(data)
///   Prepared prepare(kernel, theta)             what is computed once per atom
///   log_density(kernel, i, prepared)            log g(z_i | theta), up to a term that depends on i alone
///   draw(kernel, i, theta, rng)                 y ~ p(y | z_i, theta)
template <class Data, class Kernel>
struct MarginalDensity;

template <class Data, class Kernel>
concept HasMarginalDensity = requires {
  sizeof(MarginalDensity<Data, Kernel>);
};

/// Confidential data: g is the kernel itself.
template <class Y, class Kernel>
struct MarginalDensity<Confidential<Y>, Kernel> {
  explicit MarginalDensity(const Confidential<Y>& data) : y(data.y) {}
  using Prepared = typename Kernel::Parameter;
  const Prepared& prepare(const Kernel&, const typename Kernel::Parameter& theta) const { return theta; }
  double log_density(const Kernel& kernel, std::size_t i, const Prepared& theta) const {
    return kernel.log_density(y[i], theta);
  }
  Y draw(const Kernel&, std::size_t i, const typename Kernel::Parameter&, ChainRng&) const { return y[i]; }
  std::vector<Y> y;
};

template <class Kernel>
concept NormalLike = std::same_as<Kernel, NormalKernel> || std::same_as<Kernel, TruncatedNormalKernel>;

/// Data beyond the domain are released as its ends are: two more pieces, for a kernel on the whole line.
template <class Kernel, class Channel>
void add_outside(NormalPieces& pieces, const Channel& channel, double z, const NormalParameter& theta) {
  if constexpr (std::same_as<Kernel, NormalKernel>) {
    const Interval domain = channel.domain();
    pieces.add(-HUGE_VAL, domain.lower, theta.mean, theta.sd, channel.log_density(z, domain.lower));
    pieces.add(domain.upper, HUGE_VAL, theta.mean, theta.sd, channel.log_density(z, domain.upper));
  }
}

/// Normal kernel (whole line or truncated) with Laplace noise on data clamped to [L, U].
/// Computes   g / q(z | clamp z) = J(a, s) - e^{-(z'-L)/b} J(l, s) + J(-a, s) - e^{-(U-z')/b} J(-u, s),
///            z' = clamp z, a, l, u = (z', L, U - mean) / sd, s = sd / b; over P(domain) for the
///            truncated kernel; for the kernel on the whole line plus P(y < L) e^{-(z'-L)/b} + P(y > U)
///            e^{-(U-z')/b}
/// Differs    from [BFR24], which imputes y: here g is exact (erratum E33); see `has_fine_grid`
/// Holds when epsilon < 600, so that nothing underflows
/// Checked by tests/mixture/marginal_density_test.cpp: laplace
template <ContinuousLaplace Channel, NormalLike Kernel>
struct MarginalDensity<LocalRelease<Channel, double>, Kernel> {
  explicit MarginalDensity(const LocalRelease<Channel, double>& data)
      : channel(data.channel), z(data.z), scale(data.channel.scale()), domain(data.channel.domain()) {
    require_fine_grid(channel);
    if (!(domain.width() / scale < 600))
      throw Error(ErrorCode::configuration,
                  "the exact marginal density needs epsilon < 600; use Neal 5 or the slice sampler");
    for (const double x : z) {
      const double inside = std::clamp(x, domain.lower, domain.upper);
      places.push_back(
          {inside, std::exp(-(inside - domain.lower) / scale), std::exp(-(domain.upper - inside) / scale)});
    }
  }

  struct Prepared {
    double mean, inverse_sd, tilt;  ///< s
    double at_lower, at_upper;      ///< J(l, s), J(-u, s); less the tails' probabilities on the whole line
    double log_inside;              ///< truncated kernel: log P(domain)
    double inverse_inside;          ///< 1 / P(domain)
    bool slow;                      ///< the difference would cancel
    typename Kernel::Parameter theta;
  };
  Prepared prepare(const Kernel&, const typename Kernel::Parameter& theta) const {
    const double s = theta.sd / scale;
    const double l = (domain.lower - theta.mean) / theta.sd;
    const double u = (domain.upper - theta.mean) / theta.sd;
    Prepared p{theta.mean, 1 / theta.sd, s, tilted_tail(l, s), tilted_tail(-u, s), 0, 1, false, theta};
    if constexpr (std::same_as<Kernel, NormalKernel>) {
      p.at_lower -= 0.5 * std::erfc(-l / std::numbers::sqrt2);
      p.at_upper -= 0.5 * std::erfc(u / std::numbers::sqrt2);
    } else {
      p.log_inside = theta.log_inside;
      p.inverse_inside = std::exp(-theta.log_inside);
      p.slow = l > 3 || u < -3;
    }
    return p;
  }
  double log_density(const Kernel&, std::size_t i, const Prepared& p) const {
    if (p.slow)
      return pieces(i, p.theta).log_total() - p.log_inside + std::abs(z[i] - places[i].inside) / scale;
    return std::log(inside_mass(i, p)) - p.log_inside;
  }
  /// exp(log_density)
  double density(const Kernel& kernel, std::size_t i, const Prepared& p) const {
    return p.slow ? std::exp(log_density(kernel, i, p)) : std::fmax(0, inside_mass(i, p) * p.inverse_inside);
  }
  double draw(const Kernel&, std::size_t i, const typename Kernel::Parameter& theta, ChainRng& rng) const {
    return pieces(i, theta).draw(rng);
  }

  [[nodiscard]] NormalPieces pieces(std::size_t i, const NormalParameter& theta) const {
    NormalPieces all;
    add_inside(all, z[i], scale, domain, theta);
    add_outside<Kernel>(all, channel, z[i], theta);
    return all;
  }

  /// g / q(z | clamp z) before the truncation.
  [[nodiscard]] double inside_mass(std::size_t i, const Prepared& p) const {
    const Place& place = places[i];
    const double a = (place.inside - p.mean) * p.inverse_sd;
    return tilted_tail(a, p.tilt) + tilted_tail(-a, p.tilt) - place.from_lower * p.at_lower -
           place.from_upper * p.at_upper;
  }

  struct Place {
    double inside, from_lower, from_upper;
  };
  Channel channel;
  std::vector<double> z;
  double scale;
  Interval domain;
  std::vector<Place> places;
};

/// Normal kernel (whole line or truncated) with Gaussian noise of standard deviation e on data clamped
/// to [L, U].
/// Computes   in the domain: N(z | y, e^2) N(y | m, s^2) = N(z | m, s^2 + e^2) N(y | (m e^2 + z
///            s^2)/(s^2 + e^2), s^2 e^2 / (s^2 + e^2))
/// Differs    see `has_fine_grid`
/// Checked by tests/mixture/marginal_density_test.cpp: gaussian
template <ContinuousGaussian Channel, NormalLike Kernel>
struct MarginalDensity<LocalRelease<Channel, double>, Kernel> {
  explicit MarginalDensity(const LocalRelease<Channel, double>& data) : channel(data.channel), z(data.z) {
    require_fine_grid(channel);
  }

  using Prepared = typename Kernel::Parameter;
  const Prepared& prepare(const Kernel&, const Prepared& theta) const { return theta; }
  double log_density(const Kernel&, std::size_t i, const Prepared& theta) const {
    double log_inside = 0;
    if constexpr (std::same_as<Kernel, TruncatedNormalKernel>) log_inside = theta.log_inside;
    return pieces(i, theta).log_total() - log_inside;
  }
  double draw(const Kernel&, std::size_t i, const Prepared& theta, ChainRng& rng) const {
    return pieces(i, theta).draw(rng);
  }

  [[nodiscard]] NormalPieces pieces(std::size_t i, const NormalParameter& theta) const {
    const double noise = channel.scale() * channel.scale();
    const double variance = theta.sd * theta.sd;
    const double total = noise + variance;
    const double apart = z[i] - theta.mean;
    NormalPieces all;
    all.add(channel.domain().lower, channel.domain().upper, (theta.mean * noise + z[i] * variance) / total,
            std::sqrt(noise * variance / total),
            -apart * apart / (2 * total) + 0.5 * std::log(noise / total));
    add_outside<Kernel>(all, channel, z[i], theta);
    return all;
  }

  Channel channel;
  std::vector<double> z;
};

/// Checked by tests/mixture/marginal_density_test.cpp: wavelets
template <NormalLike Kernel>
struct MarginalDensity<LocalRelease<HaarChannel, HaarChannel::Observed>, Kernel> : CellDensity<Kernel> {
  explicit MarginalDensity(const LocalRelease<HaarChannel, HaarChannel::Observed>& data)
      : CellDensity<Kernel>(data, data.channel) {}
};
template <NormalLike Kernel>
struct MarginalDensity<LocalRelease<HaarReleases, double>, Kernel> : CellDensity<Kernel> {
  explicit MarginalDensity(const LocalRelease<HaarReleases, double>& data)
      : CellDensity<Kernel>(data, data.channel.law()) {}
};

/// Rows whose columns have noise and kernels of their own: g is the product of theirs. Columns have few distinct values where they
/// were rounded; each is looked at once.
/// Checked by tests/mixture/marginal_density_test.cpp: rows
template <int Dim, class Part>
struct MarginalDensity<LocalRelease<ProductChannel<Dim>, typename ProductChannel<Dim>::Vector>,
                       ProductKernel<Dim, Part>> {
  using Row = typename ProductChannel<Dim>::Vector;
  using Kernel = ProductKernel<Dim, Part>;
  template <class Channel>
  using OfColumn = MarginalDensity<LocalRelease<Channel, double>, Part>;
  using Column = std::variant<OfColumn<DiscreteLaplaceChannel>, OfColumn<DiscreteGaussianChannel>,
                              OfColumn<HaarReleases>>;

  explicit MarginalDensity(const LocalRelease<ProductChannel<Dim>, Row>& data) {
    for (int d = 0; d < Dim; ++d) {
      std::vector<double> values;
      for (const Row& row : data.z) values.push_back(row[d]);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      std::vector<Eigen::Index>& place = place_.emplace_back();
      for (const Row& row : data.z)
        place.push_back(std::lower_bound(values.begin(), values.end(), row[d]) - values.begin());
      size_.push_back(values.size());
      columns_.push_back(std::visit(
          [&]<class Channel>(const Channel& channel) -> Column {
            return OfColumn<Channel>(LocalRelease<Channel, double>{channel, values});
          },
          data.channel.part(d)));
    }
  }

  using Prepared = std::vector<Position>;  ///< per column, shape (distinct values): log g
  [[nodiscard]] Prepared prepare(const Kernel& kernel, const typename Kernel::Parameter& theta) const {
    Prepared all;
    for (std::size_t d = 0; d < columns_.size(); ++d)
      all.push_back(std::visit(
          [&](const auto& column) -> Position {
            if constexpr (requires { column.densities(kernel.part(d), theta[d]); })
              return column.densities(kernel.part(d), theta[d]).array().log();
            const auto prepared = column.prepare(kernel.part(d), theta[d]);
            Position log_g(static_cast<Eigen::Index>(size_[d]));
            for (std::size_t j = 0; j < size_[d]; ++j)
              log_g[static_cast<Eigen::Index>(j)] = column.log_density(kernel.part(d), j, prepared);
            return log_g;
          },
          columns_[d]));
    return all;
  }
  double log_density(const Kernel&, std::size_t i, const Prepared& log_g) const {
    double sum = 0;
    for (std::size_t d = 0; d < log_g.size(); ++d) sum += log_g[d][place_[d][i]];
    return sum;
  }
  /// exp(log_density) of all rows.
  [[nodiscard]] Position densities(const Kernel& kernel, const typename Kernel::Parameter& theta) const {
    Prepared g = prepare(kernel, theta);
    for (Position& column : g) column = column.array().exp();
    Position all = g[0](place_[0]);
    for (std::size_t d = 1; d < g.size(); ++d)
      for (Eigen::Index i = 0; i < all.size(); ++i) all[i] *= g[d][place_[d][static_cast<std::size_t>(i)]];
    return all;
  }
  Row draw(const Kernel& kernel, std::size_t i, const typename Kernel::Parameter& theta,
           ChainRng& rng) const {
    Row y;
    for (std::size_t d = 0; d < columns_.size(); ++d)
      y[static_cast<Eigen::Index>(d)] = std::visit(
          [&](const auto& column) {
            return column.draw(kernel.part(d), static_cast<std::size_t>(place_[d][i]), theta[d], rng);
          },
          columns_[d]);
    return y;
  }

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> size_;                 ///< distinct values of each column
  std::vector<std::vector<Eigen::Index>> place_;  ///< per column, shape (rows): which of them
};

/// Checked by tests/statistical/mixture_table/discrete_test.cpp: categories_after_randomised_response
template <>
struct MarginalDensity<LocalRelease<RandomisedResponseChannel, int>, CategoricalKernel>
    : SummedDensity<CategoricalKernel> {
  explicit MarginalDensity(const LocalRelease<RandomisedResponseChannel, int>& data)
      : SummedDensity(data, 0, data.channel.levels() - 1) {}
};
template <CountKernel Kernel>
struct MarginalDensity<LocalRelease<HaarChannel, HaarChannel::Observed>, Kernel> : SummedDensity<Kernel> {
  explicit MarginalDensity(const LocalRelease<HaarChannel, HaarChannel::Observed>& data)
      : SummedDensity<Kernel>(data, std::ceil(data.channel.domain().lower),
                              std::floor(data.channel.domain().upper)) {}
};
template <class Channel, CountKernel Kernel>
requires(ContinuousLaplace<Channel> ||
         ContinuousGaussian<Channel>) struct MarginalDensity<LocalRelease<Channel, double>, Kernel>
    : SummedDensity<Kernel> {
  explicit MarginalDensity(const LocalRelease<Channel, double>& data)
      : SummedDensity<Kernel>(data, std::ceil(data.channel.domain().lower),
                              std::floor(data.channel.domain().upper)) {}
};

}  // namespace sotto::mixture
