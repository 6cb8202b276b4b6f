// Exact posteriors over partitions for scalar kernels under any channel: the base measure by quadrature, the data by cells.
#pragma once

#include <boost/math/special_functions/beta.hpp>
#include <functional>
#include <map>

#include "mixture/enumeration.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"
#include "sotto/mixture/kernel/poisson_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_poisson_kernel.hpp"

namespace sotto::mixture {

/// A kernel and its base measure, made finite: P(y in cell | theta) at points theta of a quadrature. Every channel clamps, so
/// what lies beyond the domain counts to its end cells. 400 cells: the borders of all channels below are borders of cells.
template <class Kernel>
struct Discretised {
  std::vector<double> nodes;  ///< the cells' midpoints
  std::vector<typename Kernel::Parameter> points;
  std::vector<double> log_weight;  ///< of the points
  Matrix mass;                     ///< shape (points, cells)
};

constexpr int kCells = 400;

inline std::vector<double> midpoints(const Interval& domain) {
  std::vector<double> nodes;
  for (int cell = 0; cell < kCells; ++cell)
    nodes.push_back(domain.lower + domain.width() * (cell + 0.5) / kCells);
  return nodes;
}

/// Points of a normal-inverse-gamma base; `complete` turns mean and variance into the kernel's parameter.
template <class Kernel, class Complete>
Discretised<Kernel> on_normal_base(const NormalInverseGamma& base, const Interval& domain,
                                   Complete complete) {
  Discretised<Kernel> d{midpoints(domain), {}, {}, {}};
  for (double log_variance = std::log(base.rate) - 5; log_variance < std::log(base.rate) + 7;
       log_variance += 0.15) {
    const double sd = std::exp(log_variance / 2);
    for (double x = -6; x <= 6.001; x += 0.1) {
      d.points.push_back(
          complete(NormalParameter{base.mean + x * sd / std::sqrt(base.precision), sd, log_variance / 2}));
      d.log_weight.push_back(-base.shape * log_variance - base.rate / (sd * sd) - x * x / 2);
    }
  }
  d.mass = Matrix(static_cast<Eigen::Index>(d.points.size()), kCells);
  return d;
}

inline Discretised<NormalKernel> discretise(const NormalKernel& kernel, const Interval& domain) {
  auto d = on_normal_base<NormalKernel>(kernel.prior(), domain,
                                        [](const NormalParameter& theta) { return theta; });
  for (std::size_t p = 0; p < d.points.size(); ++p) {
    const auto below = [&](int border) {
      if (border == 0) return 0.0;
      if (border == kCells) return 1.0;
      const double y = domain.lower + domain.width() * border / kCells;
      return 0.5 * std::erfc((d.points[p].mean - y) / (d.points[p].sd * std::numbers::sqrt2));
    };
    double last = 0;
    for (int cell = 0; cell < kCells; ++cell) {
      const double next = below(cell + 1);
      d.mass(static_cast<Eigen::Index>(p), cell) = next - last;
      last = next;
    }
  }
  return d;
}

inline Discretised<TruncatedNormalKernel> discretise(const TruncatedNormalKernel& kernel,
                                                     const Interval& domain) {
  auto d = on_normal_base<TruncatedNormalKernel>(
      kernel.prior(), domain, [&](const NormalParameter& theta) { return kernel.complete(theta); });
  const double step = domain.width() / kCells;
  for (std::size_t p = 0; p < d.points.size(); ++p) {
    const auto& theta = d.points[p];
    for (int cell = 0; cell < kCells; ++cell) {
      const double a = (domain.lower + step * cell - theta.mean) / theta.sd;
      d.mass(static_cast<Eigen::Index>(p), cell) =
          std::exp(log_interval(a, a + step / theta.sd) - theta.log_inside);
    }
  }
  return d;
}

inline Discretised<BetaKernel> discretise(const BetaBase& base) {
  using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  Discretised<BetaKernel> d{midpoints({0, 1}), {}, {}, {}};
  for (double u = -6; u < 4; u += 0.2)
    for (double v = -6; v < 4; v += 0.2) {
      const double a = std::exp(u);
      const double b = std::exp(v);
      d.points.push_back({a, b, std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)});
      d.log_weight.push_back(base.shape_a * u - base.rate_a * a + base.shape_b * v - base.rate_b * b);
    }
  d.mass = Matrix(static_cast<Eigen::Index>(d.points.size()), kCells);
  for (std::size_t p = 0; p < d.points.size(); ++p) {
    double last = 0;
    for (int cell = 0; cell < kCells; ++cell) {
      const double next = cell + 1 == kCells ? 1
                                             : boost::math::ibeta(d.points[p].a, d.points[p].b,
                                                                  (cell + 1.0) / kCells, Doubles());
      d.mass(static_cast<Eigen::Index>(p), cell) = next - last;
      last = next;
    }
  }
  return d;
}

/// Counts are their own cells.
inline Discretised<PoissonKernel> discretise(const PoissonKernel&, double shape, double rate) {
  constexpr int kMost = 150;
  Discretised<PoissonKernel> d;
  for (int y = 0; y < kMost; ++y) d.nodes.push_back(y);
  for (double u = -8; u < 5; u += 0.04) {
    d.points.push_back({std::exp(u), u});
    d.log_weight.push_back(shape * u - rate * std::exp(u));
  }
  d.mass = Matrix(static_cast<Eigen::Index>(d.points.size()), kMost);
  for (std::size_t p = 0; p < d.points.size(); ++p)
    for (int y = 0; y < kMost; ++y)
      d.mass(static_cast<Eigen::Index>(p), y) =
          std::exp(y * d.points[p].log_rate - d.points[p].rate - std::lgamma(y + 1.0));
  return d;
}

/// The counts 0 .. last of a domain that begins at 0.
inline Discretised<TruncatedPoissonKernel> discretise(const TruncatedPoissonKernel&, double shape,
                                                      double rate, int last) {
  const Discretised<PoissonKernel> whole = discretise(PoissonKernel(shape, rate), shape, rate);
  Discretised<TruncatedPoissonKernel> d{{whole.nodes.begin(), whole.nodes.begin() + last + 1},
                                        {},
                                        whole.log_weight,
                                        whole.mass.leftCols(last + 1)};
  for (const PoissonParameter& theta : whole.points) d.points.push_back({theta, 0});
  for (Eigen::Index p = 0; p < d.mass.rows(); ++p) d.mass.row(p) /= d.mass.row(p).sum();
  return d;
}

template <class Mixing>
Enumeration enumerate_points(std::vector<BasePoint> points, Mixing mixing, std::size_t n) {
  mixing.reserve(n);
  normalise(points);
  return enumerate_clusters(
      static_cast<int>(n), [&](std::span<const int> members) { return log_cluster(points, members); },
      [&](std::span<const int> sizes) { return mixing.log_eppf(sizes); });
}

/// `log_q(i, y)`: log density of release i given y.
template <class Kernel, class Mixing>
Enumeration enumerate_local(const Discretised<Kernel>& d,
                            const std::function<double(std::size_t, double)>& log_q, const Mixing& mixing,
                            std::size_t n) {
  Matrix q(static_cast<Eigen::Index>(d.nodes.size()), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t y = 0; y < d.nodes.size(); ++y)
      q(static_cast<Eigen::Index>(y), static_cast<Eigen::Index>(i)) = std::exp(log_q(i, d.nodes[y]));
  const Matrix g = (d.mass * q).array().log().matrix();
  std::vector<BasePoint> points;
  for (std::size_t p = 0; p < d.points.size(); ++p) {
    BasePoint point{d.log_weight[p], std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i)
      point.log_g[i] = g(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(i));
    points.push_back(std::move(point));
  }
  return enumerate_points(std::move(points), mixing, n);
}

/// The data themselves.
template <class Kernel, class Mixing>
Enumeration enumerate_confidential(const Discretised<Kernel>& d, const Kernel& kernel,
                                   const std::vector<double>& y, const Mixing& mixing) {
  std::vector<BasePoint> points;
  for (std::size_t p = 0; p < d.points.size(); ++p) {
    BasePoint point{d.log_weight[p], {}};
    for (const double x : y) point.log_g.push_back(kernel.log_density(x, d.points[p]));
    points.push_back(std::move(point));
  }
  return enumerate_points(std::move(points), mixing, y.size());
}

/// A global channel that sees the data through their bins. Given a partition, the counts of each cluster in the bins are
/// exchangeable, so their joint law is a product of polynomials in the bins; `log_q` is log Q(W | data in these bins).
template <class Kernel, class Channel, class Mixing>
Enumeration enumerate_global(const Discretised<Kernel>& d, const Channel& channel, Mixing mixing,
                             std::size_t n) {
  using Counts = std::vector<int>;
  const auto bins = static_cast<std::size_t>(channel.bins().count());
  mixing.reserve(n);
  Matrix p = Matrix::Zero(d.mass.rows(), static_cast<Eigen::Index>(bins));
  for (std::size_t y = 0; y < d.nodes.size(); ++y)
    p.col(channel.bins()(d.nodes[y])) += d.mass.col(static_cast<Eigen::Index>(y));
  Position weight(d.mass.rows());
  for (Eigen::Index k = 0; k < weight.size(); ++k)
    weight[k] = std::exp(d.log_weight[static_cast<std::size_t>(k)]);
  weight /= weight.sum();
  // law[s]: the probability of every count vector of a cluster of s data, atoms integrated out.
  std::vector<std::map<Counts, double>> law(n + 1);
  for (std::size_t size = 1; size <= n; ++size) {
    Counts counts(bins, 0);
    const std::function<void(std::size_t, int)> fill = [&](std::size_t bin, int left) {
      if (bin + 1 < bins) {
        for (counts[bin] = 0; counts[bin] <= left; ++counts[bin]) fill(bin + 1, left - counts[bin]);
        return;
      }
      counts[bin] = left;
      double ways = std::lgamma(static_cast<double>(size) + 1);
      Position product = weight;
      for (std::size_t b = 0; b < bins; ++b) {
        ways -= std::lgamma(counts[b] + 1.0);
        for (int k = 0; k < counts[b]; ++k) product.array() *= p.col(static_cast<Eigen::Index>(b)).array();
      }
      law[size][counts] = std::exp(ways) * product.sum();
    };
    fill(0, static_cast<int>(size));
  }
  std::map<Counts, double> known;  // sizes in falling order -> log probability of W
  return Enumeration(static_cast<int>(n), [&](std::span<const int> labels, int clusters) {
    Counts sizes = sizes_of(labels, clusters);
    const double prior = mixing.log_eppf(sizes);
    std::sort(sizes.begin(), sizes.end());
    const auto [found, fresh] = known.try_emplace(sizes, 0.0);
    if (!fresh) return prior + found->second;
    std::map<Counts, double> joint{{Counts(bins, 0), 1.0}};
    for (const int size : sizes) {
      std::map<Counts, double> next;
      for (const auto& [a, x] : joint)
        for (const auto& [b, y] : law[static_cast<std::size_t>(size)]) {
          Counts sum = a;
          for (std::size_t j = 0; j < bins; ++j) sum[j] += b[j];
          next[sum] += x * y;
        }
      joint = std::move(next);
    }
    double total = 0;
    for (const auto& [counts, x] : joint) {
      std::vector<double> data;
      for (std::size_t b = 0; b < bins; ++b) {
        const Interval bounds = channel.bins().bounds(static_cast<int>(b));
        data.insert(data.end(), static_cast<std::size_t>(counts[b]), (bounds.lower + bounds.upper) / 2);
      }
      total += x * std::exp(channel.log_density(data));
    }
    found->second = std::log(total);
    return prior + found->second;
  });
}

}  // namespace sotto::mixture
