#include "sotto/diagnostics/sequences.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace sotto {

Matrix sequences(const Draws& draws, Eigen::Index parameter) {
  if (draws.chains.empty()) return Matrix(0, 0);
  Eigen::Index length = draws.chains.front().draws.rows();
  for (const Chain& chain : draws.chains) length = std::min(length, chain.draws.rows());
  Matrix x(length, static_cast<Eigen::Index>(draws.chains.size()));
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    x.col(c) = draws.chains[static_cast<std::size_t>(c)].draws.col(parameter).tail(length);
  }
  return x;
}

std::vector<double> pooled(const Draws& draws, Eigen::Index parameter) {
  std::vector<double> all;
  for (const Chain& chain : draws.chains) {
    for (Eigen::Index i = 0; i < chain.draws.rows(); ++i) all.push_back(chain.draws(i, parameter));
  }
  return all;
}

bool can_be_diagnosed(const Matrix& x) {
  return x.rows() >= 4 && x.cols() >= 1 && x.allFinite() && x.maxCoeff() > x.minCoeff();
}

Matrix split_chains(const Matrix& x) {
  const Eigen::Index half = x.rows() / 2;
  Matrix halves(half, 2 * x.cols());
  halves << x.topRows(half), x.bottomRows(half);
  return halves;
}

Matrix average_ranks(const Matrix& x) {
  std::vector<std::pair<double, Eigen::Index>> order;  // values, and where they stand
  order.reserve(static_cast<std::size_t>(x.size()));
  for (Eigen::Index i = 0; i < x.size(); ++i) order.emplace_back(x.data()[i], i);
  std::ranges::sort(order, {}, &std::pair<double, Eigen::Index>::first);
  Matrix ranks(x.rows(), x.cols());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && order[end].first == order[first].first) ++end;
    const double rank = (static_cast<double>(first) + 1 + static_cast<double>(end)) / 2;
    for (std::size_t k = first; k < end; ++k) ranks.data()[order[k].second] = rank;
    first = end;
  }
  return ranks;
}

Matrix rank_normalise(const Matrix& x) {
  const auto count = static_cast<double>(x.size());
  using boost::math::policies::promote_double;  // not to long double, which takes several times as long
  const boost::math::normal_distribution<double, boost::math::policies::policy<promote_double<false>>>
      standard;
  return average_ranks(x).unaryExpr(
      [&](double rank) { return boost::math::quantile(standard, (rank - 0.375) / (count + 0.25)); });
}

Matrix fold(const Matrix& x) {
  const double median = quantile(std::vector<double>(x.data(), x.data() + x.size()), 0.5);
  return (x.array() - median).abs();
}

double quantile(std::vector<double> sample, double probability) {
  if (!sample.empty()) {  // only the two values that are asked for need to be in their places
    const double h = static_cast<double>(sample.size() - 1) * probability;
    const auto below = sample.begin() + static_cast<std::ptrdiff_t>(std::floor(h));
    std::nth_element(sample.begin(), below, sample.end());
    if (below + 1 != sample.end()) std::iter_swap(below + 1, std::min_element(below + 1, sample.end()));
  }
  return quantile_of_sorted(sample, probability);
}

double quantile_of_sorted(const std::vector<double>& sorted, double probability) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double h = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<std::size_t>(std::floor(h));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = h - static_cast<double>(below);
  return weight == 0 ? sorted[below] : sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace sotto
