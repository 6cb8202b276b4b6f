#include "sotto/posterior/unit_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto {
namespace {

constexpr double kClearSizes = 2.5;  // standard deviations of the noise
constexpr double kKept = 0.99;       // of the weight

/// One, two, three and four rows, then bins that grow by half; each begins at its edge.
std::vector<double> edges_to(std::size_t most) {
  std::vector<double> edges;
  for (double edge = 1; edge <= static_cast<double>(most);
       edge = std::max(edge + 1, std::floor(1.5 * edge - 0.5)))
    edges.push_back(edge);
  edges.push_back(static_cast<double>(most) + 1);
  return edges;
}

}  // namespace

UnitSizes find_unit_sizes(std::size_t most, double share, PaidQuestions& questions) {
  const std::vector<double> edges = edges_to(most);
  const auto bins = static_cast<Eigen::Index>(edges.size()) - 1;
  const auto histogram = questions.ask<NoisyVector>(
      HistogramQuery{HistogramOf::unit_rows, Position(), Eigen::Map<const Position>(edges.data(), bins + 1),
                     questions.pay(share)});
  const double noise = std::sqrt(histogram.variance);
  UnitSizes found;
  std::vector<double> sizes, tops, counts;
  for (Eigen::Index k = 0; k < bins; ++k) {
    if (histogram.value[k] <= kClearSizes * noise) continue;
    const double first = edges[static_cast<std::size_t>(k)];
    const double top = edges[static_cast<std::size_t>(k) + 1] - 1;
    sizes.push_back((first + top) / 2);
    tops.push_back(top);
    counts.push_back(histogram.value[k]);
  }
  found.seen = !sizes.empty();
  if (!found.seen) {  // as few as the noise can hide
    sizes.push_back(1);
    tops.push_back(1);
    counts.push_back(std::max(noise, 1.0));
  }
  found.sizes = Eigen::Map<const Position>(sizes.data(), static_cast<Eigen::Index>(sizes.size()));
  found.tops = Eigen::Map<const Position>(tops.data(), static_cast<Eigen::Index>(tops.size()));
  found.hidden = kClearSizes * noise;
  found.counts = Eigen::Map<const Position>(counts.data(), static_cast<Eigen::Index>(counts.size()));
  found.units = found.counts.sum();
  found.units_variance = histogram.variance * static_cast<double>(counts.size());
  return found;
}

double most_unit_rows(const UnitSizes& sizes) {
  Eigen::Index k = 0;
  while (k + 1 < sizes.tops.size() && sizes.kept(sizes.tops[k]) < kKept) ++k;
  return sizes.tops[k];
}

}  // namespace sotto
