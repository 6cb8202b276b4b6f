#include "sotto/posterior/count_dispersion.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "sotto/math/count_effect.hpp"

namespace sotto {
namespace {

constexpr double kCoarse = 0.7;

/// Quantiles of the linear predictors: of all rows, and at least of a part of them.
struct Fineness {
  double quantiles, fewest;
};
constexpr Fineness kShares{24, 9};
constexpr Fineness kSlopes{6, 3};

constexpr double kNearPredictors = 0.2;  // of linear predictors: that lie so near are taken for one
constexpr double kMostOfQuantile = 1.5;  // of the share of a quantile

constexpr double kNotNormal = 0.02;
constexpr double kLevelStep = 0.05;  // of the linear predictor, for slopes
constexpr double kLevelSd = 0.15;    // of its level, about where the last score puts it
constexpr double kTells = 9;         // of chi-squared: three standard deviations of one parameter
constexpr double kDispersions[] = {0, .05, .1, .18, .3, .5, .75, 1.1, 1.7, 3, 5, 8};
constexpr double kAlmostNone = 0.004;
constexpr double kMostDispersion = 12;
constexpr int kDispersionBits = 8;  // of its logarithm: to a percent or two
constexpr double kNormalFits = 4;   // misfit that once_checks tells of
constexpr double kPoisson = 0.65;   // probabilities before
constexpr double kLogNormal = 0.09;
constexpr double kWeibull = 0.06;
constexpr double kFew = 0.02;
constexpr double kSurely = 0.95;       // and after
constexpr double kClearOfLaw = 4;      // standard deviations of noise and sampling
constexpr double kFarCells = 8.01;     // cells from a size to so many times that
constexpr double kFewExpected = 0.01;  // of the rows: beyond where the law expects so many
constexpr double kLeastDispersion = 0.02;
constexpr double kLarger = 1.2;
constexpr int kLargerSteps = 34;  // 0.02 * 1.2^34 is 10
constexpr double kFewShares[] = {.01, .03, .1};
constexpr double kFewTimes[] = {5, 11, 25};
constexpr double kFewDispersions[] = {0, .3, 1};
constexpr double kLeastLogSd = 0.4;
constexpr double kLongerTail = 1.07;
constexpr int kLongerTailSteps = 28;  // 0.4 * 1.07^28 is 2.7
constexpr double kLeastShape = 0.4;
constexpr double kLargerShape = 1.1;
constexpr int kShapeSteps = 9;  // 0.4 * 1.1^9 is 0.94

struct Cells {
  Position edges;  ///< the first is 0
  Position counts;
  Position variance;  ///< of the noise
};

Cells merged(const Position& edges, const NoisyVector& histogram) {
  Eigen::Index first = 1;
  while (first < edges.size() - 1 && edges[first] < kCoarse) ++first;
  const Eigen::Index cells = edges.size() - first;
  Cells result{Position(cells + 1), Position(cells), Position::Constant(cells, histogram.variance)};
  result.edges << 0, edges.tail(cells);
  result.counts << histogram.value.head(first).sum(), histogram.value.tail(cells - 1);
  result.variance[0] *= static_cast<double>(first);
  return result;
}

/// P(|Y - m| < t max(1, sqrt m)), Y of this mean and m the one that is thought.
double within(const std::vector<CountPart>& parts, double mean, double thought, double t) {
  const double reach = t * std::max(1.0, std::sqrt(thought));
  return cumulative_probability(parts, mean, std::ceil(thought + reach) - 1) -
         cumulative_probability(parts, mean, std::floor(thought - reach));
}

/// Of a linear predictor of mean 0 and variance 1.
using Quantile = double (*)(double);

double normal_quantile(double p) { return quantile(boost::math::normal(), p); }

/// One column evenly over its bounds has the same moments as a normal one, and not its tails.
double uniform_quantile(double p) { return std::sqrt(3.0) * (2 * p - 1); }

/// A normal column's square; columns with a long tail are near it.
double right_skewed_quantile(double p) {
  return (std::pow(normal_quantile((1 + p) / 2), 2) - 1) / std::sqrt(2.0);
}
double left_skewed_quantile(double p) { return -right_skewed_quantile(1 - p); }

/// A linear predictor, of a share of the rows.
struct RowsAt {
  double predictor, share;
};

/// Quantiles of each part's linear predictors. Of many parts those near one another are taken together, for so many at most as a
/// quantile has of all rows.
std::vector<RowsAt> rows_at(const std::vector<NormalPredictor>& predictors, Quantile quantile,
                            const Fineness& fineness) {
  std::vector<RowsAt> rows;
  for (const auto& [mean, sd, share] : predictors) {
    const double quantiles = std::max(std::round(fineness.quantiles * share), fineness.fewest);
    for (double q = 0.5; q < quantiles; ++q)
      rows.push_back({mean + sd * quantile(q / quantiles), share / quantiles});
  }
  if (predictors.size() == 1) return rows;
  std::ranges::sort(rows, {}, &RowsAt::predictor);
  std::vector<RowsAt> together;
  double first = 0;
  for (const auto& [predictor, share] : rows) {
    const bool near = !together.empty() && predictor - first < kNearPredictors &&
                      together.back().share + share < kMostOfQuantile / fineness.quantiles;
    if (!near) {
      together.push_back({predictor, share});
      first = predictor;
      continue;
    }
    RowsAt& last = together.back();
    last.predictor += (predictor - last.predictor) * share / (last.share + share);
    last.share += share;
  }
  return together;
}

/// Of all rows, whose linear predictors are `shift` larger than is thought.
Position shares(const Cells& cells, const std::vector<NormalPredictor>& predictors, Quantile quantile,
                const CountEffect& effect, const Fineness& fineness, double shift = 0) {
  const std::vector<CountPart> parts = parts_of(effect);
  Position below = Position::Zero(cells.edges.size());
  for (const auto& [predictor, share] : rows_at(predictors, quantile, fineness)) {
    const double count = count_mean(predictor);
    for (Eigen::Index j = 1; j + 1 < below.size(); ++j)
      below[j] += share * within(parts, count * std::exp(shift), count, cells.edges[j]);
  }
  below[below.size() - 1] = 1;
  return (below.tail(cells.counts.size()) - below.head(cells.counts.size())).cwiseMax(0);
}

/// Least over the level of the linear predictors, which is itself what laws are wanted for: a level too low and a tail too short look
/// alike in the bulk of the counts.
double chi_squared(const Cells& cells, const std::vector<NormalPredictor>& predictors, Quantile quantile,
                   double rows, const CountEffect& effect) {
  const Position p = shares(cells, predictors, quantile, effect, kShares);
  const Position variance = cells.variance + rows * p + (kNotNormal * rows) * (kNotNormal * rows) * p;
  const Position more = shares(cells, predictors, quantile, effect, kSlopes, kLevelStep) -
                        shares(cells, predictors, quantile, effect, kSlopes);
  const Position slope = rows * more / kLevelStep;
  const Position apart = cells.counts - rows * p;
  const double along = slope.dot(apart.cwiseQuotient(variance));
  const double information = slope.cwiseAbs2().cwiseQuotient(variance).sum() + 1 / (kLevelSd * kLevelSd);
  return apart.cwiseAbs2().cwiseQuotient(variance).sum() - along * along / information;
}

/// With their probabilities before.
std::vector<LikelyEffect> effects() {
  std::vector<LikelyEffect> all{{{}, kPoisson}};
  const double gamma = (1 - kPoisson - kLogNormal - kWeibull - kFew) / (kLargerSteps + 1);
  for (int k = 0; k <= kLargerSteps; ++k)
    all.push_back({{.dispersion = kLeastDispersion * std::pow(kLarger, k)}, gamma});
  for (int k = 0; k <= kLongerTailSteps; ++k)
    all.push_back({{.log_sd = kLeastLogSd * std::pow(kLongerTail, k)}, kLogNormal / (kLongerTailSteps + 1)});
  for (int k = 0; k <= kShapeSteps; ++k)
    all.push_back({{.weibull_shape = kLeastShape * std::pow(kLargerShape, k)}, kWeibull / (kShapeSteps + 1)});
  const double few = kFew / (std::size(kFewShares) * std::size(kFewTimes) * std::size(kFewDispersions));
  for (const double share : kFewShares) {
    for (const double times : kFewTimes) {
      for (const double dispersion : kFewDispersions)
        all.push_back({{.dispersion = dispersion, .few = share, .times = times}, few});
    }
  }
  return all;
}

struct Effects {
  std::vector<LikelyEffect> likely;
  double least;  ///< chi-squared
  std::optional<CountEffect> few;
};

Effects find_effects(const Cells& cells, const std::vector<NormalPredictor>& predictors, Quantile quantile,
                     double rows) {
  std::vector<LikelyEffect> likely = effects();
  std::vector<double> chi2;
  chi2.reserve(likely.size());
  for (const LikelyEffect& one : likely)
    chi2.push_back(chi_squared(cells, predictors, quantile, rows, one.effect));
  const double best = *std::ranges::min_element(chi2);
  double best_of_others =
      std::numeric_limits<double>::infinity();  // where a few are far larger, others may all be out of reach
  for (std::size_t k = 0; k < likely.size(); ++k)
    if (likely[k].effect.few == 0) best_of_others = std::min(best_of_others, chi2[k]);
  Effects effects{{}, best, {}};
  double all_others = 0;
  double few = 0;
  double most = 0;
  for (std::size_t k = 0; k < likely.size(); ++k) {
    const auto& [effect, before] = likely[k];
    if (effect.few == 0) {
      effects.likely.push_back({effect, before * std::exp((best_of_others - chi2[k]) / 2)});
      all_others += effects.likely.back().probability;
      continue;
    }
    const double after = before * std::exp((best - chi2[k]) / 2);
    few += after;
    if (after > most) {
      most = after;
      effects.few = effect;
    }
  }
  if (few <= kSurely * (few + all_others * std::exp((best - best_of_others) / 2))) effects.few.reset();
  for (LikelyEffect& one : effects.likely) one.probability /= all_others;
  return effects;
}

/// Rows far out of which the likeliest law knows nothing: a few cells together stand clear of noise in which each alone is lost.
std::optional<CountEffect> unexplained_tail(const Cells& cells,
                                            const std::vector<NormalPredictor>& predictors, Quantile quantile,
                                            double rows, const std::vector<LikelyEffect>& likely) {
  const CountEffect& law = std::ranges::max_element(likely, {}, &LikelyEffect::probability)->effect;
  const Position expected = rows * shares(cells, predictors, quantile, law, kShares);
  double mean = 0;
  for (const auto& [centre, sd, share] : predictors) mean += share * count_mean(centre + sd * sd / 2);
  double clearest = kClearOfLaw;
  std::optional<CountEffect> tail;
  for (Eigen::Index j = 1; j < cells.counts.size(); ++j) {
    if (expected.tail(expected.size() - j).sum() > kFewExpected * rows) continue;
    Eigen::Index n = 1;
    while (j + n < cells.counts.size() && cells.edges[j + n + 1] <= kFarCells * cells.edges[j]) ++n;
    const Position excess = (cells.counts - expected).segment(j, n);
    const double variance = cells.variance.segment(j, n).sum() + expected.segment(j, n).sum();
    const double clear = excess.sum() / std::sqrt(variance);
    if (clear < clearest) continue;
    clearest = clear;
    const Position sizes = (cells.edges.segment(j, n) + cells.edges.segment(j + 1, n)) / 2;
    const double size = std::clamp(excess.dot(sizes) / excess.sum(), sizes[0], sizes[n - 1]);
    tail = {.dispersion = law.dispersion,
            .log_sd = law.log_sd,
            .weibull_shape = law.weibull_shape,
            .few = excess.sum() / rows,
            .times = 1 + size * std::max(1.0, std::sqrt(mean)) / mean};
  }
  return tail;
}

CountFit fit_with(Quantile quantile, const Cells& cells, const std::vector<NormalPredictor>& predictors,
                  double rows) {
  const double freedom = std::max(static_cast<double>(cells.counts.size()) - 2, 1.0);
  Effects effects = find_effects(cells, predictors, quantile, rows);
  if (!effects.few) effects.few = unexplained_tail(cells, predictors, quantile, rows, effects.likely);
  CountFit fit{0, 0, HUGE_VAL, std::move(effects.likely), effects.few};
  double poisson = 0;
  double best = HUGE_VAL;
  for (const double dispersion : kDispersions) {
    const double chi2 = chi_squared(cells, predictors, quantile, rows, {.dispersion = dispersion});
    if (dispersion == 0) poisson = chi2;
    if (chi2 < best) {
      best = chi2;
      fit.dispersion = dispersion;
    }
  }
  fit.found = fit.dispersion;
  const double* const next = std::ranges::upper_bound(kDispersions, fit.dispersion);
  if (fit.dispersion > 0) {  // between its neighbours
    const double below = std::max(*(next - 2), kAlmostNone);
    const double above = next == std::end(kDispersions) ? kMostDispersion : *next;
    const auto misfit = [&](double logarithm) {
      return chi_squared(cells, predictors, quantile, rows, {.dispersion = std::exp(logarithm)});
    };
    const auto [logarithm, least] =
        boost::math::tools::brent_find_minima(misfit, std::log(below), std::log(above), kDispersionBits);
    if (least < best) {
      fit.found = std::exp(logarithm);
    }
  }
  if (poisson - best <= kTells) {
    best = poisson;
    fit.dispersion = fit.found = 0;
  }
  fit.misfit = (std::min(best, effects.least) - freedom) / std::sqrt(2 * freedom);
  return fit;
}

}  // namespace

CountFit fit_dispersion(const Position& edges, const NoisyVector& histogram,
                        const std::vector<NormalPredictor>& predictors, double rows) {
  const Cells cells = merged(edges, histogram);
  CountFit fit = fit_with(normal_quantile, cells, predictors, rows);
  for (const Quantile other : {uniform_quantile, right_skewed_quantile, left_skewed_quantile}) {
    if (fit.misfit > kNormalFits)
      fit.misfit = std::min(fit.misfit, fit_with(other, cells, predictors, rows).misfit);
  }
  return fit;
}

}  // namespace sotto
