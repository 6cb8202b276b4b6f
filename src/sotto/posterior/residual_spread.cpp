#include "sotto/posterior/residual_spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "sotto/posterior/count_dispersion.hpp"
#include "sotto/posterior/start.hpp"

namespace sotto {
namespace {

constexpr double kLeastCost = 0.008;  // of the cost
constexpr double kLastCostOfCounts =
    0.025;  // likewise, of a later look: a few counts may be far larger than the others
constexpr double kMostShare = 0.03;
constexpr double kMostShareOfCounts = 0.05;
constexpr double kMostOfLeft = 0.125;     // rounds need the rest
constexpr double kShareOfNormal = 0.016;  // likewise; clips are chosen, and skewness found, by the last
constexpr double kShareOfLastNormal = 0.05;
constexpr double kMedianOfNormal = 0.6745;  // of |z|
constexpr int kSteps = 30;                  // of sqrt 2, where nothing is known of the scale
constexpr int kFineSteps = 5;               // of sqrt 2, to 1.4 scales; tails take steps of 2
constexpr double kFirstEdge = 0.25;         // in scales
constexpr double kFirstEdgeOfCounts =
    0.7;  // Poisson counts' residuals are about 1, and smaller ones tell nothing
constexpr double kStepsOfCounts[] = {std::numbers::sqrt2, 2,
                                     4};  // from edge to edge: the finest of which the noise leaves enough
constexpr double kStandClear = 3;         // standard deviations of the noise

/// Absolute residuals: from 0 to the largest there is.
Position edges_of(double largest, const ResidualSpread* before) {
  std::vector<double> edges{0};
  if (before == nullptr || before->hidden) {
    for (int j = 0; j <= kSteps; ++j) edges.push_back(largest * std::exp2((j - kSteps) / 2.0));
  } else {
    double edge = kFirstEdge * before->scale;
    for (int j = 0; edge < largest; ++j) {
      edges.push_back(edge);
      edge *= j < kFineSteps ? std::numbers::sqrt2 : 2;
    }
    edges.push_back(largest);
  }
  return Eigen::Map<const Position>(edges.data(), static_cast<Eigen::Index>(edges.size()));
}

double scale_of(const Position& edges, const Position& counts, double rows) {
  const double place = std::min(median_place(counts, rows), static_cast<double>(counts.size()));
  if (place <= 1) return edges[1] * std::max(place, 0.05) / kMedianOfNormal;
  const Eigen::Index k = std::min(static_cast<Eigen::Index>(place), counts.size() - 1);
  return edges[k] * std::pow(edges[k + 1] / edges[k], place - static_cast<double>(k)) / kMedianOfNormal;
}

struct ShareLimits {
  double least;
  double most;
};

/// The least share at which the noise of all cells together stays below an eighth of the rows, within limits; none where
/// not even twice that noise can be had.
std::optional<double> share_of(double cells, double rows, double sensitivity, ShareLimits limits,
                               const PaidQuestions& questions) {
  const double noise = questions.noise_sd(sensitivity, 1);
  const double wanted = noise / (kMedianNoise * rows);
  const double share = std::clamp(wanted * wanted * cells, limits.least, std::max(limits.least, limits.most));
  if (noise * std::sqrt(cells / share) > 2 * kMedianNoise * rows) return std::nullopt;
  return share;
}

Position edges_of_counts(double largest, double step) {
  const double steps = std::max(std::floor(std::log(largest / kFirstEdgeOfCounts) / std::log(step)), 1.0);
  Position edges(static_cast<Eigen::Index>(steps) + 2);
  edges[0] = 0;
  for (Eigen::Index j = 1; j < edges.size(); ++j)
    edges[j] = largest * std::pow(step, static_cast<double>(j + 1 - edges.size()));
  return edges;
}

ResidualSpread count_spread(const OnceFacts& facts, const StandIn& stand_in, const Position& at, Look look,
                            PaidQuestions& questions) {
  // Of ones and noughts the mean tells how they vary, which no law of counts does.
  if (!facts.steps && facts.response.upper <= 1) return {.effects = {{{}, 1}}};
  const ShareLimits limits{look == Look::first ? kLeastCost : kLastCostOfCounts,
                           std::min(kMostShareOfCounts, kMostOfLeft * questions.left())};
  Position edges;
  std::optional<double> share;
  for (const double step : kStepsOfCounts) {
    edges = edges_of_counts(facts.response.width() * 1.001, step);
    share = share_of(static_cast<double>(edges.size() - 1), stand_in.rows(), facts.matrix_reach(), limits,
                     questions);
    if (share) break;
  }
  if (!share) return {.hidden = true};
  const auto histogram = questions.ask_of_rows<NoisyVector>(
      HistogramQuery{HistogramOf::absolute_residual, at, edges, questions.pay(*share)},
      facts.mean_unit_rows());
  CountFit fit = fit_dispersion(edges, histogram, stand_in.predictors(at), stand_in.rows());
  return {.scale = scale_of(edges, histogram.value, stand_in.rows()),
          .dispersion = fit.dispersion,
          .found_dispersion = fit.found,
          .misfit = fit.misfit,
          .effects = std::move(fit.likely),
          .few_large = fit.few_large,
          .unseen = kStandClear * std::sqrt(histogram.variance) / stand_in.rows()};
}

ResidualSpread normal_spread(const OnceFacts& facts, const StandIn& stand_in, const Position& at, Look look,
                             const ResidualSpread* before, PaidQuestions& questions) {
  const double largest = facts.response.width() * 1.001;
  const Position edges = edges_of(largest, before);
  const Eigen::Index cells = edges.size() - 1;
  // Rows of small and of large linear predictors are counted apart, where there are predictors.
  const NormalPredictor predictor = stand_in.predictor(at);
  const bool halves = predictor.sd > 0;
  const double least = look == Look::first ? kShareOfNormal : kShareOfLastNormal;
  const double together = halves ? 4 : 2;
  const auto share = share_of(together * static_cast<double>(cells), stand_in.rows(), facts.matrix_reach(),
                              {least, kMostShare}, questions);
  if (!share) return {.scale = facts.response.width() / 4, .hidden = true};
  Position asked(2 * cells + 1);
  asked << -edges.tail(cells).reverse(), edges;
  const auto histogram = questions.ask_of_rows<NoisyVector>(
      HistogramQuery{HistogramOf::residual, at, asked, questions.pay(*share),
                     halves ? std::optional(predictor.mean) : std::nullopt},
      facts.mean_unit_rows());

  std::vector<ResidualSides> parts;
  Position sizes = Position::Zero(cells);
  for (Eigen::Index first = 0; first < histogram.value.size(); first += 2 * cells) {
    parts.push_back(
        {histogram.value.segment(first + cells, cells), histogram.value.segment(first, cells).reverse()});
    sizes += parts.back().above + parts.back().below;
  }
  ResidualSpread spread{.scale = scale_of(edges, sizes, stand_in.rows())};
  spread.tails = find_tails(edges, sizes, together * histogram.variance, stand_in.rows(), spread.scale,
                            facts.mean_unit_rows());
  if (before != nullptr && spread.tails.cells.size() < before->tails.cells.size() &&
      spread.scale > before->scale / 2) {
    spread.tails = before->tails;
  }
  const double sd = std::hypot(spread.scale, std::sqrt(spread.tails.square(largest)));
  spread.skewness = Skewness::find(edges, parts, histogram.variance, stand_in.rows(), sd);
  spread.unseen = kStandClear * std::sqrt(together * histogram.variance) / stand_in.rows();
  spread.histogram = {edges, sizes, together * histogram.variance, stand_in.rows(), facts.mean_unit_rows()};
  return spread;
}

}  // namespace

ResidualSpread residual_spread(const OnceFacts& facts, const StandIn& stand_in, const Position& at, Look look,
                               const ResidualSpread* before, PaidQuestions& questions) {
  return facts.link == Link::log ? count_spread(facts, stand_in, at, look, questions)
                                 : normal_spread(facts, stand_in, at, look, before, questions);
}

}  // namespace sotto
