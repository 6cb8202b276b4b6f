#include "sotto/mixture/fit/density.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>

#include "sotto/mixture/algorithm/algorithm_choice.hpp"
#include "sotto/mixture/deconvolution.hpp"
#include "sotto/mixture/fit/density_chain.hpp"
#include "sotto/mixture/marginal_density.hpp"

namespace sotto {
namespace {

constexpr int kLogDensityPoints = 9;
constexpr std::size_t kMostDataForBinder = 2000;  // the loss needs all pairs of data

Error configuration(const std::string& message) { return Error(ErrorCode::configuration, message); }

void check_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw configuration(fmt::format("unknown {} '{}'; use {}", what, name, fmt::join(known, ", ")));
}

void check(const DensitySettings& s) {
  check_name("kernel", s.kernel, {"auto", "normal", "beta", "poisson", "categorical"});
  check_name("algorithm", s.algorithm,
             {"auto", "neal2", "neal3", "neal5", "neal8", "slice", "blocked-gibbs", "split-merge"});
  check_name("mixing prior", s.mixing, {"dirichlet-process", "pitman-yor", "finite"});
  if (s.concentration_prior && s.mixing != "dirichlet-process")
    throw configuration("a prior on the concentration needs the Dirichlet process");
  (void)mixing_prior(s);
  if (s.chains < 1 || s.draws < 2 || s.thin < 1)
    throw configuration("at least one chain, two draws and thin 1 are needed");
  if (s.grid_points < 11 || s.grid_points > 100'000)
    throw configuration("the grid needs 11 to 100000 points");
  if (!(s.level > 0 && s.level < 1)) throw configuration("the level of the bands must lie in (0, 1)");
}

// Neal 2, Neal 3 and split-merge on normal data need the noise to be part of the kernel.
bool is_conjugate(const std::string& algorithm) {
  return algorithm == "neal2" || algorithm == "neal3" || algorithm == "split-merge";
}

bool is_local(const Column& column) {
  return !std::holds_alternative<PerturbedHistogramChannel>(column.channel) &&
         !std::holds_alternative<SmoothedHistogramChannel>(column.channel);
}

// Up to nine grid points of a column, evenly spaced; all of them where there are fewer.
std::vector<Eigen::Index> monitored(const ColumnDensity& column) {
  std::vector<Eigen::Index> points;
  const Eigen::Index size = column.grid.size();
  if (size <= kLogDensityPoints) {
    for (Eigen::Index x = 0; x < size; ++x) points.push_back(x);
  } else {
    for (int p = 1; p <= kLogDensityPoints; ++p) points.push_back(size * p / (kLogDensityPoints + 1));
  }
  return points;
}

Draws draws_of(const std::vector<DensityChain>& chains, const std::vector<ColumnDensity>& columns,
               const DensitySettings& settings) {
  Draws draws;
  draws.parameters = {"clusters"};
  if (settings.concentration_prior) draws.parameters.emplace_back("concentration");
  const auto first = static_cast<Eigen::Index>(draws.parameters.size());
  std::vector<std::pair<std::size_t, Eigen::Index>> points;  // column, grid point
  for (std::size_t d = 0; d < columns.size(); ++d) {
    int p = 0;
    for (const Eigen::Index x : monitored(columns[d])) {
      points.emplace_back(d, x);
      draws.parameters.push_back(columns.size() == 1 ? fmt::format("log_density.{}", ++p)
                                                     : fmt::format("log_density.{}.{}", d + 1, ++p));
    }
  }
  for (const DensityChain& from : chains) {
    Chain chain;
    chain.seed = settings.seed;
    chain.warmup = settings.warmup;
    const auto saved = static_cast<Eigen::Index>(from.clusters.size());
    chain.draws.resize(saved, static_cast<Eigen::Index>(draws.parameters.size()));
    for (Eigen::Index s = 0; s < saved; ++s) {
      chain.draws(s, 0) = from.clusters[static_cast<std::size_t>(s)];
      if (settings.concentration_prior) chain.draws(s, 1) = from.concentration[static_cast<std::size_t>(s)];
      Eigen::Index at = first;
      for (const auto& [d, x] : points)
        chain.draws(s, at++) = std::log(std::max(1e-300, from.densities[d](s, x)));
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
void stretch(ColumnDensity& column, const Interval& domain) {
  const double width = domain.width();
  column.grid = column.grid * width + Position::Constant(column.grid.size(), domain.lower);
  for (Position* density :
       {&column.bands.mean, &column.bands.lower, &column.bands.upper, &column.bands.simultaneous_lower,
        &column.bands.simultaneous_upper, &column.prior}) {
    *density /= width;
  }
}

// All columns of a result, which lived on unit intervals.
void stretch(DensityResult& result, const std::vector<Interval>& domains) {
  std::vector<double> log_widths;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const double width = domains[d].width();
    log_widths.insert(log_widths.end(), monitored(result.columns[d]).size(), std::log(width));
    stretch(result.columns[d], domains[d]);
    for (double& y : result.synthetic[d]) y = domains[d].lower + y * width;
  }
  const Eigen::Map<const Eigen::RowVectorXd> shift(log_widths.data(),
                                                   static_cast<Eigen::Index>(log_widths.size()));
  for (Chain& chain : result.draws.chains) chain.draws.rightCols(shift.size()).rowwise() -= shift;
}

void add_deconvolution(ColumnDensity& result, const Column& column, const std::vector<double>& z) {
  if (result.discrete) return;
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

mixture::AnyMixing mixing_prior(const DensitySettings& s) {
  if (s.mixing == "pitman-yor") return mixture::AnyMixing(mixture::PitmanYor(s.concentration, s.discount));
  if (s.mixing == "finite")
    return mixture::AnyMixing(mixture::FiniteMixture(s.concentration, s.components - 1));
  std::optional<mixture::ConcentrationPrior> prior;
  if (s.concentration_prior) prior = mixture::ConcentrationPrior{};
  return mixture::AnyMixing(mixture::DirichletProcess(s.concentration, prior));
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

DensityResult summarise_density(const std::vector<DensityChain>& chains, const EvaluationGrid& shown,
                                const DensitySettings& settings, bool clusters_mean_something) {
  DensityResult result;
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
    column.verdict = mixture::informativeness(column.hellinger, shown.discrete);
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
  result.draws = draws_of(chains, result.columns, settings);
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

std::string choose_algorithm(std::span<const Column> columns, const DensitySettings& settings) {
  mixture::Situation situation;
  situation.epsilon = HUGE_VAL;
  situation.closed_form = settings.kernel == "normal" && columns.size() < 2;
  situation.light_tail = mixing_prior(settings).light_tail();
  if (!columns.empty()) {
    // On the scale of rho, so that Gaussian and pure channels compare; the columns of a row together.
    double rho = 0;
    for (const Column& column : columns) {
      rho += guarantee(column.channel).rho.value();
      situation.local = situation.local && is_local(column);
    }
    situation.epsilon = pure_epsilon(Rho(rho)).value();
    const bool fine =
        std::visit([](const auto& channel) { return mixture::has_fine_grid(channel); }, columns[0].channel);
    situation.closed_form = situation.closed_form && situation.local && fine &&
                            !std::holds_alternative<HaarChannel>(columns[0].channel);
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

namespace {

DensityResult estimate_column(const Column& column, const PrivatisedColumn& released, std::size_t rows,
                              const DensitySettings& settings) {
  const bool categories = std::holds_alternative<RandomisedResponseChannel>(column.channel);
  if (categories != (settings.kernel == "categorical"))
    throw configuration("the categorical kernel and randomised response need each other");
  if (categories) return estimate_categories(column, released, settings);
  if (settings.kernel == "poisson") return estimate_with_poisson(column, released, rows, settings);
  if (settings.kernel == "beta") {
    const auto [unit, values] = on_unit_interval(column, released, rows);
    DensityResult result = estimate_with_beta(unit, values, rows, settings);
    stretch(result, {{column.settings.lower, column.settings.upper}});
    return result;
  }
  if (is_conjugate(settings.algorithm)) return estimate_with_conjugate(column, released, settings);
  return estimate_with_normal(column, released, rows, settings);
}

}  // namespace

DensityResult estimate_density(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                               std::size_t rows, const DensitySettings& asked) {
  check(asked);
  if (columns.empty() || columns.size() != released.size())
    throw configuration("one release for each of one or more columns is needed");
  DensitySettings settings = asked;
  if (settings.kernel == "auto") {
    const bool categories = std::holds_alternative<RandomisedResponseChannel>(columns[0].channel);
    settings.kernel = categories && columns.size() == 1 ? "categorical" : "normal";
  }
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm(columns, settings);
  DensityResult result;
  if (columns.size() == 1) {
    result = estimate_column(columns[0], released[0], rows, settings);
  } else {
    if (settings.kernel != "normal") throw configuration("several columns together need the normal kernel");
    result = estimate_rows(columns, released, rows, settings);
    std::vector<Interval> domains;
    for (const Column& column : columns) domains.push_back({column.settings.lower, column.settings.upper});
    stretch(result, domains);
  }
  for (std::size_t d = 0; d < columns.size(); ++d) {
    result.columns[d].name = columns[d].settings.name;
    add_deconvolution(result.columns[d], columns[d], released[d].values);
  }
  return result;
}

DensityResult estimate_density_not_private(std::vector<double> data, Interval domain,
                                           const DensitySettings& asked) {
  check(asked);
  DensitySettings settings = asked;
  if (settings.kernel == "auto") settings.kernel = "normal";
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm({}, settings);
  for (double& y : data) y = std::clamp(y, domain.lower, domain.upper);
  if (settings.kernel == "normal") return estimate_confidential_with_normal(data, domain, settings);
  if (settings.kernel == "poisson") return estimate_confidential_with_poisson(data, domain, settings);
  if (settings.kernel == "categorical")
    throw configuration("confidential categories need no mixture: count them");
  for (double& y : data) y = (y - domain.lower) / domain.width();
  DensityResult result = estimate_confidential_with_beta(data, settings);
  stretch(result, {domain});
  return result;
}

}  // namespace sotto
