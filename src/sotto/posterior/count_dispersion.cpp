#include "sotto/posterior/count_dispersion.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "sotto/math/clipped_count.hpp"

namespace sotto {
namespace {

constexpr double kCoarse = 0.7;
constexpr int kQuantiles = 24;
constexpr double kFewestQuantiles = 3;  // of a part of the rows
constexpr double kNotNormal = 0.02;
constexpr double kTells = 9;  // of chi-squared: three standard deviations of one parameter
constexpr double kDispersions[] = {0, .05, .1, .18, .3, .5, .75, 1.1, 1.7, 3};
constexpr double kNormalFits = 4;  // misfit that once_checks tells of
constexpr double kPoisson = 0.75;  // probability before
constexpr double kLeastDispersion = 0.02;
constexpr double kLarger = 1.2;
constexpr int kLargerSteps = 29;  // 0.02 * 1.2^29 is 4

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

/// P(|Y - m| < t max(1, sqrt m)).
double within(const CountLaw& law, double t) {
  const double reach = t * std::max(1.0, std::sqrt(law.mean));
  return cumulative_probability(law, std::ceil(law.mean + reach) - 1) -
         cumulative_probability(law, std::floor(law.mean - reach));
}

/// Of a linear predictor of mean 0 and variance 1.
using Quantile = double (*)(double);

double normal_quantile(double p) { return quantile(boost::math::normal(), p); }

/// One column evenly over its bounds has the same moments as a normal one, and not its tails.
double uniform_quantile(double p) { return std::sqrt(3.0) * (2 * p - 1); }

Position shares(const Cells& cells, const std::vector<NormalPredictor>& predictors, Quantile quantile,
                double dispersion) {
  Position below = Position::Zero(cells.edges.size());
  for (const auto& [mean, sd, share] : predictors) {
    const double quantiles = std::max(std::round(kQuantiles * share), kFewestQuantiles);
    for (double q = 0.5; q < quantiles; ++q) {
      const CountLaw law{count_mean(mean + sd * quantile(q / quantiles)), dispersion};
      for (Eigen::Index j = 1; j + 1 < below.size(); ++j) {
        below[j] += share / quantiles * within(law, cells.edges[j]);
      }
    }
  }
  below[below.size() - 1] = 1;
  return (below.tail(cells.counts.size()) - below.head(cells.counts.size())).cwiseMax(0);
}

double chi_squared(const Cells& cells, const std::vector<NormalPredictor>& predictors, Quantile quantile,
                   double rows, double dispersion) {
  const Position p = shares(cells, predictors, quantile, dispersion);
  const Position variance = cells.variance + rows * p + (kNotNormal * rows) * (kNotNormal * rows) * p;
  return (cells.counts - rows * p).cwiseAbs2().cwiseQuotient(variance).sum();
}

std::vector<LikelyDispersion> probabilities(const Cells& cells,
                                            const std::vector<NormalPredictor>& predictors, Quantile quantile,
                                            double rows) {
  std::vector<LikelyDispersion> likely;
  std::vector<double> chi2;
  for (int k = -1; k <= kLargerSteps; ++k) {
    const double dispersion = k < 0 ? 0 : kLeastDispersion * std::pow(kLarger, k);
    likely.push_back({dispersion, k < 0 ? kPoisson : (1 - kPoisson) / (kLargerSteps + 1)});
    chi2.push_back(chi_squared(cells, predictors, quantile, rows, dispersion));
  }
  const double best = *std::ranges::min_element(chi2);
  double total = 0;
  for (std::size_t k = 0; k < likely.size(); ++k)
    total += likely[k].probability *= std::exp((best - chi2[k]) / 2);
  for (LikelyDispersion& one : likely) one.probability /= total;
  return likely;
}

CountFit fit_with(Quantile quantile, const Cells& cells, const std::vector<NormalPredictor>& predictors,
                  double rows) {
  const double freedom = std::max(static_cast<double>(cells.counts.size()) - 2, 1.0);
  CountFit fit{0, HUGE_VAL, probabilities(cells, predictors, quantile, rows)};
  double poisson = 0;
  double best = HUGE_VAL;
  for (const double dispersion : kDispersions) {
    const double chi2 = chi_squared(cells, predictors, quantile, rows, dispersion);
    if (dispersion == 0) poisson = chi2;
    if (chi2 < best) {
      best = chi2;
      fit.dispersion = dispersion;
    }
  }
  if (poisson - best <= kTells) {
    best = poisson;
    fit.dispersion = 0;
  }
  fit.misfit = (best - freedom) / std::sqrt(2 * freedom);
  return fit;
}

}  // namespace

CountFit fit_dispersion(const Position& edges, const NoisyVector& histogram,
                        const std::vector<NormalPredictor>& predictors, double rows) {
  const Cells cells = merged(edges, histogram);
  CountFit fit = fit_with(normal_quantile, cells, predictors, rows);
  if (fit.misfit > kNormalFits)
    fit.misfit = std::min(fit.misfit, fit_with(uniform_quantile, cells, predictors, rows).misfit);
  return fit;
}

}  // namespace sotto
