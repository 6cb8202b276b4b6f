#include "sotto/posterior/at_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kClearEnd = 4;       // standard deviations of the noise
constexpr double kMore = 2;           // likewise, of a difference: there is something at the end for certain
constexpr double kLeastAtEnd = 0.01;  // of the rows
constexpr double kMost = 0.3;         // likewise: at one end and none at the other, whatever is next to it
constexpr double kBesides =
    0.03;  // of what lies at an end: in the bins next to it, or it is a value of its own
constexpr double kLeastResponses = 0.01;
constexpr double kBeyond = 0.05;   // of the rows: at one end, whatever is next to it
constexpr double kBoth = 0.5;      // of the rows: at the two ends together
constexpr double kBetween = 0.02;  // likewise: between them, beside the fullest bin

}  // namespace

std::vector<AtBound> at_bounds(Eigen::Index column, const Position& counts, double noise_sd, double rows,
                               const DeclaredEnds& declared) {
  const Eigen::Index bins = counts.size() - 2;
  if (bins < 4) return {};
  // Most rows at the two ends, of a column that is no code of few numbers: there is more between the ends than one of them.
  const auto between = counts.segment(1, bins);
  const bool spread =
      !declared.codes || between.sum() - between.maxCoeff() >
                             kBetween * rows + kClearEnd * std::sqrt(static_cast<double>(bins)) * noise_sd;
  const bool at_ends = counts[0] + counts[bins + 1] > kBoth * rows + kClearEnd * std::sqrt(2.0) * noise_sd;
  const bool both = spread && at_ends;
  std::vector<AtBound> found;
  for (const bool upper : {false, true}) {
    if (upper ? !declared.upper : !declared.lower) continue;
    const double end = counts[upper ? bins + 1 : 0];
    const auto besides = counts.segment(upper ? bins - 1 : 1, 2);
    const double other = counts[upper ? 0 : bins + 1];
    const bool none_at_other = other < kBesides * end + kClearEnd * noise_sd;
    const bool most = none_at_other && end > kMost * rows + kClearEnd * noise_sd;
    const bool single = besides.sum() < std::max(kClearEnd * std::sqrt(2.0) * noise_sd, kBesides * end);
    const bool more = end - besides.maxCoeff() > kMore * std::sqrt(2.0) * noise_sd;
    const bool beyond = !single && end > kBeyond * rows + kClearEnd * noise_sd;
    const Eigen::Index half = bins / 2;
    const auto near = counts.segment(upper ? bins + 1 - half : 1, half);
    const auto far = counts.segment(upper ? 1 : bins + 1 - half, half);
    const double clear_half = kClearEnd * std::sqrt(static_cast<double>(half)) * noise_sd;
    const bool clear_end = end > kLeastAtEnd * rows + kClearEnd * noise_sd;
    const bool alone = !declared.codes && clear_end && near.maxCoeff() <= kClearEnd * noise_sd &&
                       near.sum() < kBesides * end + clear_half && far.sum() > kBeyond * rows + clear_half;
    // Rows lead towards the end, and noise hides whether they reach it.
    const bool hidden = kBesides * end < kClearEnd * std::sqrt(2.0) * noise_sd;
    const bool led_to = !declared.codes && clear_end && hidden && more && near.sum() > clear_half;
    if (alone || beyond || led_to || ((most || both || !single) && more && end > kLeastAtEnd * rows))
      found.push_back({column, upper, std::min(end / rows, 1.0), alone});
  }
  const bool nothing_between = between.maxCoeff() <= kClearEnd * noise_sd;
  if (found.empty() && at_ends && nothing_between &&
      std::min(counts[0], counts[bins + 1]) > kLeastAtEnd * rows + kClearEnd * noise_sd) {
    const double share = std::min((counts[0] + counts[bins + 1]) / rows, 1.0);
    found.push_back({.column = column, .upper = true, .share = share, .only_ends = true});
  }
  return found;
}

std::vector<AtBound> responses_at_bounds(const NoisyVector& counts, double rows, bool from_zero) {
  const double least = kClearEnd * std::sqrt(counts.variance) + kLeastResponses * rows;
  std::vector<AtBound> found;
  for (const bool upper : {false, true}) {
    if (!upper && from_zero) continue;
    const double end = counts.value[upper ? counts.value.size() - 1 : 0];
    if (end > least) found.push_back({AtBound::kResponse, upper, std::min(end / rows, 1.0)});
  }
  return found;
}

}  // namespace sotto
