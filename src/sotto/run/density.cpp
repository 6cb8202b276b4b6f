#include "sotto/run/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>

#include "sotto/mixture/algorithm_choice.hpp"
#include "sotto/mixture/deconvolution.hpp"
#include "sotto/run/density_chain.hpp"

namespace sotto {
namespace {

constexpr int kLogDensityPoints = 9;
constexpr std::size_t kMostDataForBinder = 2000;  // the loss needs all pairs of data

Error configuration(const std::string& message) { return Error(ErrorCode::configuration, message); }

void check(const DensitySettings& s) {
  if (s.kernel != "normal" && s.kernel != "beta") {
    throw configuration(fmt::format("unknown kernel '{}'; use normal or beta", s.kernel));
  }
  const char* const known[] = {"auto", "neal2", "neal3", "neal5", "neal8", "slice", "split-merge"};
  if (std::find(std::begin(known), std::end(known), s.algorithm) == std::end(known)) {
    throw configuration(fmt::format(
        "unknown algorithm '{}'; use auto, neal2, neal3, neal5, neal8, slice or split-merge", s.algorithm));
  }
  if (s.chains < 1 || s.draws < 2 || s.thin < 1)
    throw configuration("at least one chain, two draws and thin 1 are needed");
  if (s.grid_points < 11 || s.grid_points > 100'000)
    throw configuration("the grid needs 11 to 100000 points");
  if (!(s.level > 0 && s.level < 1)) throw configuration("the level of the bands must lie in (0, 1)");
}

bool is_conjugate(const std::string& algorithm) {
  return algorithm == "neal2" || algorithm == "neal3" || algorithm == "split-merge";
}

Draws draws_of(const std::vector<DensityChain>& chains, const Position& grid,
               const DensitySettings& settings) {
  Draws draws;
  draws.parameters = {"clusters"};
  if (settings.concentration_prior) draws.parameters.emplace_back("concentration");
  const auto first = static_cast<Eigen::Index>(draws.parameters.size());
  std::vector<Eigen::Index> points;
  for (int p = 1; p <= kLogDensityPoints; ++p) {
    points.push_back(grid.size() * p / (kLogDensityPoints + 1));
    draws.parameters.push_back(fmt::format("log_density.{}", p));
  }
  for (const DensityChain& from : chains) {
    Chain chain;
    chain.seed = settings.seed;
    chain.warmup = settings.warmup;
    chain.draws.resize(from.densities.rows(), static_cast<Eigen::Index>(draws.parameters.size()));
    for (Eigen::Index s = 0; s < from.densities.rows(); ++s) {
      chain.draws(s, 0) = from.clusters[s];
      if (settings.concentration_prior) chain.draws(s, 1) = from.concentration[s];
      for (int p = 0; p < kLogDensityPoints; ++p) {
        chain.draws(s, first + p) = std::log(std::max(1e-300, from.densities(s, points[p])));
      }
    }
    draws.chains.push_back(std::move(chain));
  }
  return draws;
}

// The same column on [0, 1]: same noise relative to the domain, so the same channel.
std::pair<Column, PrivatisedColumn> on_unit_interval(const Column& column, PrivatisedColumn released,
                                                     std::size_t rows) {
  const double lower = column.settings.lower;
  const double width = column.settings.upper - lower;
  ColumnSettings settings = column.settings;
  settings.lower = 0;
  settings.upper = 1;
  settings.missing = "middle";
  const Guarantee promised = guarantee(column.channel);
  PrivacyTarget target;
  if (std::isfinite(promised.epsilon.value())) {
    target = {promised.epsilon, promised.delta, std::nullopt};
  } else {
    target.rho = promised.rho;
  }
  const bool positions = settings.channel == "laplace" || settings.channel == "gaussian" ||
                         settings.channel == "smoothed-histogram";
  if (positions) {
    for (double& z : released.values) z = (z - lower) / width;
  }
  return {make_column(settings, target, rows), std::move(released)};
}

// Back from the unit interval.
void stretch(DensityResult& result, const Interval& domain) {
  const double width = domain.width();
  result.grid = result.grid * width + Position::Constant(result.grid.size(), domain.lower);
  for (Position* density :
       {&result.bands.mean, &result.bands.lower, &result.bands.upper, &result.bands.simultaneous_lower,
        &result.bands.simultaneous_upper, &result.prior}) {
    *density /= width;
  }
  for (double& y : result.synthetic) y = domain.lower + y * width;
  for (Chain& chain : result.draws.chains) {
    chain.draws.rightCols(kLogDensityPoints).array() -= std::log(width);
  }
}

void add_deconvolution(DensityResult& result, const Column& column, const std::vector<double>& z) {
  const auto add = [&](const auto& channel, mixture::NoiseLaw law) {
    const mixture::Deconvolution estimator(z, {law, channel.scale()}, channel.domain());
    result.bandwidth = estimator.bootstrap_bandwidth();
    result.deconvolution =
        mixture::positive_density(result.grid, estimator.density(result.bandwidth, result.grid));
  };
  if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel))
    add(*laplace, mixture::NoiseLaw::laplace);
  if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel)) {
    add(*gaussian, mixture::NoiseLaw::gaussian);
  }
}

}  // namespace

mixture::DirichletProcess dirichlet_process(const DensitySettings& settings) {
  if (settings.concentration_prior) {
    return mixture::DirichletProcess(settings.concentration, mixture::ConcentrationPrior{});
  }
  return mixture::DirichletProcess(settings.concentration);
}

std::vector<DensityChain> run_density_chains(const DensitySettings& settings,
                                             const std::function<DensityChain(ChainRng&)>& one) {
  std::vector<DensityChain> chains(settings.chains);
  std::vector<std::exception_ptr> failures(settings.chains);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t c = next++; c < settings.chains; c = next++) {
      try {
        ChainRng rng(settings.seed, c);
        chains[c] = one(rng);
      } catch (...) {
        failures[c] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> team;
    for (std::size_t t = 1; t < std::min(settings.threads, settings.chains); ++t) team.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return chains;
}

DensityResult summarise_density(const std::vector<DensityChain>& chains, const Position& grid,
                                const Position& prior, const DensitySettings& settings,
                                bool clusters_mean_something) {
  DensityResult result;
  result.algorithm = settings.algorithm;
  result.grid = grid;
  result.prior = prior;
  const Eigen::Index each = chains[0].densities.rows();
  Matrix densities(each * static_cast<Eigen::Index>(chains.size()), grid.size());
  for (std::size_t c = 0; c < chains.size(); ++c) {
    densities.middleRows(static_cast<Eigen::Index>(c) * each, each) = chains[c].densities;
    result.synthetic.insert(result.synthetic.end(), chains[c].synthetic.begin(), chains[c].synthetic.end());
    result.proposals += chains[c].proposals;
    for (const double k : chains[c].clusters) {
      const auto count = static_cast<std::size_t>(k);
      if (result.cluster_count.size() <= count) result.cluster_count.resize(count + 1, 0.0);
      result.cluster_count[count] += 1 / static_cast<double>(densities.rows());
    }
    result.partitions.insert(result.partitions.end(), chains[c].partitions.begin(),
                             chains[c].partitions.end());
  }
  result.bands = mixture::density_bands(densities, settings.level);
  result.hellinger = mixture::hellinger_distance(grid, result.bands.mean, prior);
  result.verdict = mixture::informativeness(result.hellinger);
  result.draws = draws_of(chains, grid, settings);
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

std::string choose_algorithm(const Column* column, const std::string& kernel) {
  mixture::Situation situation;
  situation.epsilon = HUGE_VAL;
  situation.closed_form = kernel == "normal";
  if (column != nullptr) {
    // On the scale of rho, so that Gaussian and pure channels compare.
    situation.epsilon = pure_epsilon(guarantee(column->channel).rho).value();
    situation.local = !std::holds_alternative<PerturbedHistogramChannel>(column->channel) &&
                      !std::holds_alternative<SmoothedHistogramChannel>(column->channel);
    situation.closed_form =
        situation.closed_form && situation.local && !std::holds_alternative<HaarChannel>(column->channel);
  }
  switch (mixture::choose_algorithm(situation)) {
    case mixture::Algorithm::neal5:
      return "neal5";
    case mixture::Algorithm::neal8:
      return "neal8";
    case mixture::Algorithm::slice:
      break;
  }
  return "slice";
}

DensityResult estimate_density(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                               const DensitySettings& asked) {
  check(asked);
  if (std::holds_alternative<RandomisedResponseChannel>(column.channel)) {
    throw configuration("a column of categories has no density; estimate a numeric column");
  }
  DensitySettings settings = asked;
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm(&column, settings.kernel);
  DensityResult result;
  if (is_conjugate(settings.algorithm)) {
    result = estimate_with_conjugate(column, released, settings);
  } else if (settings.kernel == "beta") {
    const auto [unit, values] = on_unit_interval(column, released, rows);
    result = estimate_with_beta(unit, values, rows, settings);
    stretch(result, {column.settings.lower, column.settings.upper});
  } else {
    result = estimate_with_normal(column, released, rows, settings);
  }
  add_deconvolution(result, column, released.values);
  return result;
}

DensityResult estimate_density_not_private(std::vector<double> data, Interval domain,
                                           const DensitySettings& asked) {
  check(asked);
  DensitySettings settings = asked;
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm(nullptr, settings.kernel);
  if (is_conjugate(settings.algorithm)) throw configuration("without a channel use neal5, neal8 or slice");
  for (double& y : data) y = std::clamp(y, domain.lower, domain.upper);
  if (settings.kernel == "normal") return estimate_confidential_with_normal(data, domain, settings);
  for (double& y : data) y = (y - domain.lower) / domain.width();
  DensityResult result = estimate_confidential_with_beta(data, settings);
  stretch(result, domain);
  return result;
}

}  // namespace sotto
