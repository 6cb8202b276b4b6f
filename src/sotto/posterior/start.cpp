#include "sotto/posterior/start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sotto/posterior/usable_rows.hpp"

namespace sotto {
namespace {

constexpr double kStartShare = 0.01;
constexpr double kLastPieceShare = 0.005;
constexpr double kHardlyLived = 0.05;
constexpr double kFewestBins = 6;
constexpr double kNearlyAll = 0.97;
constexpr double kFewOthers = 0.25;
constexpr double kClearly = 2;        // standard deviations of the noise
constexpr double kSmallCosts = 1000;  // of responses in steps: the upper bound over what is told apart from 0
constexpr double kAtEnd = 1e-9;       // of a bin

double clamped_place(const Position& edges, double place) {
  const auto last = static_cast<double>(edges.size() - 1);
  place = std::clamp(place, 0.0, last);
  const auto k = std::min(static_cast<Eigen::Index>(place), edges.size() - 2);
  return edges[k] + (place - static_cast<double>(k)) * (edges[k + 1] - edges[k]);
}

std::optional<double> nearly_all(const NoisyVector& part, const NoisyVector& whole) {
  const double all = std::max(whole.value[0], 1.0);
  const double doubt = kClearly * std::sqrt(part.variance + whole.variance);
  if (part.value[0] - doubt < kNearlyAll * all) return std::nullopt;
  return std::min(part.value[0] / all, 1.0);
}

/// `part` over `whole` where noise hides whether anything is left of the one without the other.
std::optional<double> no_other_seen(const NoisyVector& part, const NoisyVector& whole) {
  const double all = std::max(whole.value[0], 1.0);
  const double other = all - part.value[0];
  if (other > kClearly * std::sqrt(part.variance + whole.variance) || other > kFewOthers * all)
    return std::nullopt;
  return std::min(part.value[0] / all, 1.0);
}

/// Both are noisy: that it is a small share is said where it clearly is.
std::optional<double> hardly_lived(const NoisyVector& last, const NoisyVector& times) {
  const double all = std::max(times.value[0], 1.0);
  const double doubt = kClearly * std::sqrt(last.variance + kHardlyLived * kHardlyLived * times.variance);
  if (last.value[0] + doubt >= kHardlyLived * all) return std::nullopt;
  return std::max(last.value[0] / all, 0.0);
}

}  // namespace

double median_place(const Position& counts, double rows) {
  // Pool adjacent violators on the cumulated counts.
  struct Block {
    double sum;
    int size;
  };
  std::vector<Block> blocks;
  double total = 0;
  for (const double count : counts) {
    total += count;
    Block block{total, 1};
    while (!blocks.empty() && blocks.back().sum * block.size > block.sum * blocks.back().size) {
      block = {block.sum + blocks.back().sum, block.size + blocks.back().size};
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  const double half = rows / 2;
  double below = 0;
  double place = 0;
  for (const Block& block : blocks) {
    const double level = block.sum / block.size;
    if (level >= half) return place + std::clamp((half - below) / std::max(level - below, 1e-9), 0.0, 1.0);
    below = level;
    place += block.size;
  }
  return static_cast<double>(counts.size());
}

FirstIntercept first_intercept(const OnceFacts& facts, const NoisyVector& usable_rows,
                               PaidQuestions& questions) {
  const double rows = usable_rows.value[0];
  if (facts.link == Link::logit) {
    const auto ones = questions.ask_of_rows<NoisyVector>(
        TotalQuery{TotalOf::ones, questions.pay(kStartShare)}, facts.mean_unit_rows());
    const double least = std::max(0.2, std::sqrt(ones.variance)) / rows;
    const double share = least < 0.5 ? std::clamp(ones.value[0] / rows, least, 1 - least) : 0.5;
    FirstIntercept first{std::clamp(std::log(share / (1 - share)), -6.0, 6.0)};
    first.nearly_all = nearly_all(ones, usable_rows);
    first.no_zero_seen = no_other_seen(ones, usable_rows);
    return first;
  }
  if (facts.link == Link::log_rate) {
    const auto events =
        questions.ask<NoisyVector>(TotalQuery{TotalOf::events, questions.pay(kStartShare / 2)});
    const auto times = questions.ask<NoisyVector>(TotalQuery{TotalOf::times, questions.pay(kStartShare / 2)});
    const auto last =
        questions.ask<NoisyVector>(TotalQuery{TotalOf::last_piece, questions.pay(kLastPieceShare)});
    FirstIntercept first{std::log(std::max({events.value[0], std::sqrt(events.variance), 0.2}) / rows)};
    first.hardly_lived = hardly_lived(last, times);
    first.nearly_all = nearly_all(events, times);
    if (facts.times) {
      first.few_usable = few_usable(times, *facts.times);
      first.not_all_usable = not_all_usable(times, *facts.times);
    }
    return first;
  }
  const bool counts = facts.link == Link::log;
  const double high = counts ? std::log(facts.response.upper + 0.5) : facts.response.upper;
  const double smallest = facts.steps ? std::max(facts.response.upper / kSmallCosts, 0.5) : 0.5;
  const double low = counts ? std::log(smallest) : facts.response.lower;
  // As many bins as keep the noise of half of them together below an eighth of the rows.
  const double noise = questions.noise_sd(facts.matrix_reach(), kStartShare);
  const double most = 2 * kMedianNoise * kMedianNoise * (rows / noise) * (rows / noise);
  if (most < kFewestBins) return {std::midpoint(low, high), (high - low) / 2};
  const auto bins = static_cast<Eigen::Index>(std::min(most, counts ? 80.0 : 200.0));
  const double width = (high - low) / static_cast<double>(bins);
  Position edges(bins + 3);  // the ends have bins of their own
  edges << low, Position::LinSpaced(bins + 1, low, high), high;
  edges[1] += kAtEnd * width;
  edges[bins + 1] -= kAtEnd * width;
  const auto histogram = questions.ask_of_rows<NoisyVector>(
      {HistogramQuery{counts ? HistogramOf::log_response : HistogramOf::response, Position(), edges,
                      questions.pay(kStartShare)}},
      facts.mean_unit_rows());
  UsableRows usable;
  usable.add(histogram);
  const double counted = usable.of(rows).value[0];
  FirstIntercept first{clamped_place(edges, median_place(histogram.value, counted)), width};
  first.counted = histogram;
  first.at_bounds = responses_at_bounds(histogram, rows, low == 0 || counts);
  // Those below the window stand at its end: nothing is known of where they are.
  if (facts.steps && histogram.value[0] - kClearly * std::sqrt(histogram.variance) > rows / 2)
    first.at_bounds.push_back({.column = AtBound::kResponse,
                               .upper = false,
                               .share = std::min(histogram.value[0] / rows, 1.0),
                               .only_ends = true});
  return first;
}

}  // namespace sotto
