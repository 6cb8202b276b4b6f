// Chains side by side, and from what they leave behind to what is reported.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/chain/side_by_side.hpp"
#include "sotto/mixture/fit/chain.hpp"

namespace sotto {
namespace {

constexpr int kLogDensityPoints = 9;
constexpr std::size_t kMostDataForBinder = 2000;  // the loss needs all pairs of data

// Up to nine grid points of a column, evenly spaced; all of them where there are fewer.
std::vector<MonitoredDensity> monitored(const std::vector<Position>& grids) {
  std::vector<MonitoredDensity> all;
  for (std::size_t d = 0; d < grids.size(); ++d) {
    const Eigen::Index size = grids[d].size();
    const bool few = size <= kLogDensityPoints;
    const Eigen::Index points = few ? size : kLogDensityPoints;
    for (Eigen::Index p = 1; p <= points; ++p)
      all.push_back({.parameter = grids.size() == 1 ? fmt::format("log_density.{}", p)
                                                    : fmt::format("log_density.{}.{}", d + 1, p),
                     .column = d,
                     .at = few ? p - 1 : size * p / (kLogDensityPoints + 1)});
  }
  return all;
}

Draws draws_of(const DensityChains& run, const std::vector<Position>& grids,
               const DensitySettings& settings) {
  const std::vector<DensityChain>& chains = run.chains;
  Draws draws;
  draws.parameters = {"clusters"};
  if (settings.concentration_prior) draws.parameters.emplace_back("concentration");
  const auto first_quantity = static_cast<Eigen::Index>(draws.parameters.size());
  for (std::size_t q = 0; q < chains[0].quantities.size(); ++q)
    draws.parameters.push_back(fmt::format("quantity.{}", q + 1));
  const auto first = static_cast<Eigen::Index>(draws.parameters.size());
  const std::vector<MonitoredDensity> points = monitored(grids);
  for (const MonitoredDensity& point : points) draws.parameters.push_back(point.parameter);
  for (const DensityChain& from : chains) {
    Chain chain;
    chain.seed = settings.seed;
    chain.warmup = run.stretch.warmup;
    const auto saved = static_cast<Eigen::Index>(from.clusters.size());
    if (run.ended) chain.stop = StopReason::interrupted;
    chain.draws.resize(saved, static_cast<Eigen::Index>(draws.parameters.size()));
    for (Eigen::Index s = 0; s < saved; ++s) {
      chain.draws(s, 0) = from.clusters[static_cast<std::size_t>(s)];
      if (settings.concentration_prior) chain.draws(s, 1) = from.concentration[static_cast<std::size_t>(s)];
      for (std::size_t q = 0; q < from.quantities.size(); ++q)
        chain.draws(s, first_quantity + static_cast<Eigen::Index>(q)) =
            from.quantities[q][static_cast<std::size_t>(s)];
      Eigen::Index at = first;
      for (const MonitoredDensity& point : points)
        chain.draws(s, at++) = std::log(std::max(1e-300, from.densities[point.column](s, point.at)));
    }
    draws.chains.push_back(std::move(chain));
  }
  return draws;
}

// Values that are equal to a bound are beyond what a density can hold: an interval that ends next to one reaches to it.
void reach_to_bounds(QuantityEstimate& estimate, const Position& grid) {
  const double lower = grid[0];
  const double upper = grid[grid.size() - 1];
  const double near = (upper - lower) / 400;
  if (estimate.upper > upper - near) estimate.upper = upper;
  if (estimate.lower < lower + near) estimate.lower = lower;
}

std::vector<QuantityEstimate> quantity_estimates(const std::vector<DensityChain>& chains,
                                                 const EvaluationGrid& asked, double level) {
  std::vector<QuantityEstimate> estimates;
  for (std::size_t q = 0; q < asked.quantities.size(); ++q) {
    std::vector<double> values;
    for (const DensityChain& chain : chains)
      values.insert(values.end(), chain.quantities[q].begin(), chain.quantities[q].end());
    const Eigen::Map<const Position> all(values.data(), static_cast<Eigen::Index>(values.size()));
    const double mean = all.mean();
    const double sd = std::sqrt((all.array() - mean).square().sum() / static_cast<double>(values.size() - 1));
    const std::vector<double>& prior = asked.prior_quantities[q];
    estimates.push_back({.text = asked.quantities[q].text,
                         .parameter = fmt::format("quantity.{}", q + 1),
                         .mean = mean,
                         .sd = sd,
                         .lower = mixture::quantile_of(values, (1 - level) / 2),
                         .upper = mixture::quantile_of(values, (1 + level) / 2),
                         .prior_lower = mixture::quantile_of(prior, (1 - level) / 2),
                         .prior_upper = mixture::quantile_of(prior, (1 + level) / 2)});
    const Quantity& quantity = asked.quantities[q];
    estimates.back().column = quantity.column;
    if (quantity.kind == Quantity::Kind::above || quantity.kind == Quantity::Kind::below)
      estimates.back().threshold = quantity.at;
    if (quantity.kind == Quantity::Kind::quantile && !asked.discrete)
      reach_to_bounds(estimates.back(), asked.grids[quantity.column]);
  }
  return estimates;
}

/// Cuts chains of different lengths to one: as many of the longest as keep most draws.
void keep_most_draws(std::vector<DensityChain>& chains) {
  const auto length = [](const DensityChain& chain) { return chain.clusters.size(); };
  std::stable_sort(chains.begin(), chains.end(),
                   [&](const DensityChain& a, const DensityChain& b) { return length(a) > length(b); });
  std::size_t kept = 0;
  for (std::size_t k = 1; k <= chains.size(); ++k)
    if (kept == 0 || k * length(chains[k - 1]) > kept * length(chains[kept - 1])) kept = k;
  chains.resize(kept);
  const std::size_t draws = length(chains.back());
  if (kept * draws < 2) throw Error(ErrorCode::interrupted, "stopped before the first draws");
  for (DensityChain& chain : chains) chain.cut(draws);
}

}  // namespace

double worst_rhat(const std::vector<ParameterSummary>& summary) {
  double worst = 0;
  for (const ParameterSummary& line : summary) {
    const bool of_density = line.parameter != "clusters" && line.parameter != "concentration";
    if (of_density && line.rhat > worst) worst = line.rhat;
  }
  return worst;
}

DensityChains run_density_chains(const DensitySettings& settings, const EvaluationGrid& asked,
                                 const SweepProgress& progress,
                                 const std::function<BegunChain(ChainRng&)>& begin) {
  SweepCount sweeps(progress);
  std::vector<BegunChain> begun(settings.chains);
  std::vector<ChainRng> rngs;
  for (std::size_t c = 0; c < settings.chains; ++c) rngs.emplace_back(settings.seed, c);
  DensityChains run;
  Stretch stretch{settings.warmup, settings.thin};
  std::size_t swept = 0;  // of each chain
  for (std::size_t lengthened = 0;; ++lengthened) {
    const bool may_go_on = lengthened < settings.lengthenings;
    const std::size_t length = stretch.warmup + settings.draws * stretch.thin;
    sweeps.expect(settings.chains * length);
    std::vector<DensityChain> chains(settings.chains);
    side_by_side(settings.chains, settings.threads, [&](std::size_t c) {
      if (!begun[c]) begun[c] = begin(rngs[c]);
      chains[c] = begun[c](stretch, sweeps, rngs[c]);
      if (!may_go_on) begun[c] = {};
    });
    run.ended = sweeps.ended();
    if (run.ended && lengthened > 0) return run;
    run.chains = std::move(chains);
    run.stretch = {swept + stretch.warmup, stretch.thin};
    if (run.ended) keep_most_draws(run.chains);
    if (run.ended || !may_go_on) return run;
    if (worst_rhat(summarise(draws_of(run, asked.grids, settings))) <= kMixedRhat) return run;
    swept += length;
    stretch = {0, 2 * stretch.thin};
  }
}

DensityResult summarise_density(const DensityChains& run, const EvaluationGrid& shown,
                                const DensitySettings& settings, bool clusters_mean_something) {
  const std::vector<DensityChain>& chains = run.chains;
  DensityResult result;
  result.warmup = run.stretch.warmup;
  result.thin = run.stretch.thin;
  result.algorithm = settings.algorithm;
  result.kernel = settings.kernel;
  result.synthetic.resize(shown.grids.size());
  for (std::size_t d = 0; d < shown.grids.size(); ++d) {
    const Eigen::Index each = chains[0].densities[d].rows();
    Matrix densities(each * static_cast<Eigen::Index>(chains.size()), shown.grids[d].size());
    for (std::size_t c = 0; c < chains.size(); ++c) {
      densities.middleRows(static_cast<Eigen::Index>(c) * each, each) = chains[c].densities[d];
      result.synthetic[d].insert(result.synthetic[d].end(), chains[c].synthetic[d].begin(),
                                 chains[c].synthetic[d].end());
    }
    ColumnDensity column;
    column.discrete = shown.discrete;
    column.grid = shown.grids[d];
    column.prior = shown.priors[d];
    column.bands = mixture::density_bands(densities, settings.level);
    column.hellinger = shown.discrete
                           ? mixture::hellinger_distance(column.bands.mean, column.prior)
                           : mixture::hellinger_distance(column.grid, column.bands.mean, column.prior);
    column.width =
        mixture::relative_width(column.bands.lower, column.bands.upper, column.grid, shown.discrete);
    column.prior_width = shown.prior_widths[d];
    result.columns.push_back(std::move(column));
  }
  const auto saved = static_cast<double>(chains.size() * chains[0].clusters.size());
  for (const DensityChain& chain : chains) {
    result.proposals += chain.proposals;
    for (const double k : chain.clusters) {
      const auto count = static_cast<std::size_t>(k);
      if (result.cluster_count.size() <= count) result.cluster_count.resize(count + 1, 0.0);
      result.cluster_count[count] += 1 / saved;
    }
    result.partitions.insert(result.partitions.end(), chain.partitions.begin(), chain.partitions.end());
  }
  result.quantities = quantity_estimates(chains, shown, settings.level);
  result.draws = draws_of(run, shown.grids, settings);
  result.log_densities = monitored(shown.grids);
  if (!clusters_mean_something) {
    result.partitions.clear();
    return result;
  }
  ChainRng rng(settings.seed, settings.chains + 1);
  using mixture::PartitionLoss;
  const std::size_t size = result.partitions.size() * result.partitions[0].size();
  const mixture::SearchSettings search{
      .starts = static_cast<int>(std::clamp<std::size_t>(10'000'000 / size, 1, 8))};
  result.by_vi =
      minimise_expected_loss(result.partitions, PartitionLoss::variation_of_information, rng, search);
  if (result.partitions[0].size() <= kMostDataForBinder) {
    result.by_binder = minimise_expected_loss(result.partitions, PartitionLoss::binder, rng, search);
  }
  return result;
}

}  // namespace sotto
