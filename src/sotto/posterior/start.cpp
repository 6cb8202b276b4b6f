#include "sotto/posterior/start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sotto/posterior/count_dispersion.hpp"

namespace sotto {
namespace {

constexpr double kStartShare = 0.01;
constexpr double kLeastScaleShare = 0.008;
constexpr double kMostScaleShare = 0.03;
constexpr double kCumulatedNoise =
    0.125;  // of the rows: a median is then between the 37th and 63rd hundredth
constexpr double kFewestBins = 6;
constexpr double kMedianOfNormal = 0.6745;  // of |z|
constexpr int kScaleSteps = 30;

double clamped_place(const Position& edges, double place) {
  const auto last = static_cast<double>(edges.size() - 1);
  place = std::clamp(place, 0.0, last);
  const auto k = std::min(static_cast<Eigen::Index>(place), edges.size() - 2);
  return edges[k] + (place - static_cast<double>(k)) * (edges[k + 1] - edges[k]);
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

FirstIntercept first_intercept(const OnceFacts& facts, double rows, PaidQuestions& questions) {
  if (facts.link == Link::logit) {
    const auto ones = questions.ask<NoisyVector>(TotalQuery{TotalOf::response, questions.pay(kStartShare)});
    const double least = std::max(0.2, std::sqrt(ones.variance)) / rows;
    const double share = least < 0.5 ? std::clamp(ones.value[0] / rows, least, 1 - least) : 0.5;
    return {std::clamp(std::log(share / (1 - share)), -6.0, 6.0), 0};
  }
  const bool counts = facts.link == Link::log;
  const double low = counts ? std::log(0.5) - 5 : facts.response.lower;
  const double high = counts ? std::log(facts.response.upper + 0.5) + 5 : facts.response.upper;
  // As many bins as keep the noise of half of them together below an eighth of the rows.
  const double noise = questions.noise_sd(facts.matrix_reach(), kStartShare);
  const double most = 2 * kCumulatedNoise * kCumulatedNoise * (rows / noise) * (rows / noise);
  if (most < kFewestBins) return {std::midpoint(low, high), (high - low) / 2};
  const auto bins = static_cast<Eigen::Index>(std::min(most, counts ? 80.0 : 200.0));
  const Position edges = Position::LinSpaced(bins + 1, low, high);
  const auto histogram =
      questions.ask<NoisyVector>(HistogramQuery{counts ? HistogramOf::log_response : HistogramOf::response,
                                                Position(), edges, questions.pay(kStartShare)});
  return {clamped_place(edges, median_place(histogram.value, rows)), edges[1] - edges[0]};
}

ResidualSpread residual_spread(const OnceFacts& facts, const StandIn& stand_in, const Position& at,
                               PaidQuestions& questions, const ResidualSpread& before) {
  const double largest = facts.response.width() * 1.001;
  Position edges(kScaleSteps + 2);
  edges[0] = 0;
  for (int j = 0; j <= kScaleSteps; ++j) edges[j + 1] = largest * std::exp2((j - kScaleSteps) / 2.0);
  const bool counts = facts.link == Link::log;
  ResidualSpread spread;
  // The noise of all cells together stays below an eighth of the rows, if a little of the cost can do it.
  const double noise = questions.noise_sd(facts.matrix_reach(), 1);
  const double cells_in_all = (counts ? 1 : 2) * static_cast<double>(edges.size() - 1);
  const double wanted = noise / (kCumulatedNoise * stand_in.rows());
  const double share = std::clamp(wanted * wanted * cells_in_all,
                                  counts ? kLeastScaleShare : 2 * kLeastScaleShare, kMostScaleShare);
  if (noise * std::sqrt(cells_in_all / share) > 2 * kCumulatedNoise * stand_in.rows()) {
    spread.scale = counts ? 1 : facts.response.width() / 4;
    spread.hidden = true;
    return spread;
  }
  Position asked = edges;
  if (!counts) {
    asked.resize(2 * edges.size() - 1);
    asked << -edges.tail(edges.size() - 1).reverse(), edges;
  }
  const auto histogram = questions.ask<NoisyVector>(HistogramQuery{
      counts ? HistogramOf::absolute_residual : HistogramOf::residual, at, asked, questions.pay(share)});
  const Eigen::Index cells = edges.size() - 1;
  const Position above = histogram.value.tail(cells);
  const Position below = counts ? Position::Zero(cells) : Position(histogram.value.head(cells).reverse());
  const double place = median_place(above + below, stand_in.rows());
  spread.scale = (place <= 1 ? edges[1] * std::max(place, 0.05)
                             : edges[1] * std::exp2((std::min(place, kScaleSteps + 1.0) - 1) / 2)) /
                 kMedianOfNormal;
  if (!counts) {
    spread.tails = find_tails(edges, above, below, histogram.variance, stand_in.rows(), spread.scale);
    const bool fewer = spread.tails.cells.size() < before.tails.cells.size();
    if (fewer && spread.scale > before.scale / 2) spread.tails = before.tails;
  } else {
    const CountFit fit = fit_dispersion(edges, histogram, stand_in.predictor(at), stand_in.rows());
    spread.dispersion = fit.dispersion;
    spread.misfit = fit.misfit;
  }
  return spread;
}

}  // namespace sotto
