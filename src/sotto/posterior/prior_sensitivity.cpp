#include "sotto/posterior/prior_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace sotto {
namespace {

/// `sorted`: pairs of a draw and its log prior less the mean, whose variance is `variance`, by draw.
double one_sided_sensitivity(const std::vector<std::pair<double, double>>& sorted, double variance) {
  const auto count = static_cast<double>(sorted.size());
  double below = 0;
  double slope = 0;
  double moved = 0;
  double area = 0;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const double width = sorted[i + 1].first - sorted[i].first;
    below += 1 / count;
    slope += sorted[i].second / count;
    moved += width * (slope * slope / below - variance * (1 - below) / count);
    area += width * below;
  }
  return area > 0 ? std::sqrt(std::numbers::ln2 / 8 * std::max(moved, 0.0) / area) : 0;
}

}  // namespace

double prior_sensitivity(const std::vector<double>& draws, const std::vector<double>& log_prior) {
  const auto count = static_cast<double>(draws.size());
  const double mean = std::accumulate(log_prior.begin(), log_prior.end(), 0.0) / count;
  std::vector<std::pair<double, double>> sorted;
  double variance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double off = log_prior[i] - mean;
    sorted.emplace_back(draws[i], off);
    variance += off * off / count;
  }
  std::sort(sorted.begin(), sorted.end());
  const double below = one_sided_sensitivity(sorted, variance);
  std::reverse(sorted.begin(), sorted.end());
  for (auto& [draw, off] : sorted) draw = -draw;
  return std::max(below, one_sided_sensitivity(sorted, variance));
}

}  // namespace sotto
