#include "sotto/mixture/fit/density.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/suggestion.hpp"
#include "sotto/mixture/algorithm/algorithm_choice.hpp"
#include "sotto/mixture/binned_release.hpp"
#include "sotto/mixture/fit/chain.hpp"
#include "sotto/mixture/fit/kernel_table.hpp"
#include "sotto/mixture/fit/without_prior.hpp"
#include "sotto/mixture/marginal_density.hpp"

namespace sotto {
namespace {

Error configuration(const std::string& message) { return Error(ErrorCode::configuration, message); }

constexpr double kMostDensityDraws = 1e9;

[[noreturn]] void refuse_name(const std::string& what, std::string_view name,
                              const std::vector<std::string>& known) {
  throw configuration(
      fmt::format("unknown {} '{}'{}; use {}", what, name, suggestion(name, known), fmt::join(known, ", ")));
}

void check_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) == known.end()) refuse_name(what, name, known);
}

void check(const DensitySettings& s) {
  check_name("algorithm", s.algorithm, algorithm_names());
  check_name("mixing prior", s.mixing, mixing_names());
  if (s.concentration_prior && s.mixing != "dirichlet-process")
    throw configuration("a prior on the concentration needs the Dirichlet process");
  (void)mixing_prior(s);
  if (s.chains < 1 || s.draws < 2 || s.thin < 1)
    throw configuration("chains must be at least 1, draws at least 2 and thin at least 1");
  if (static_cast<double>(s.chains) * static_cast<double>(s.draws) > kMostDensityDraws)
    throw configuration(fmt::format("draws: at most {} of all chains together", kMostDensityDraws));
  if (s.imputations < 1 || s.imputations > 1000) throw configuration("imputations: 1 to 1000 per datum");
  if (s.grid_points < 11 || s.grid_points > 100'000)
    throw configuration("the grid needs 11 to 100000 points");
  if (!(s.level > 0 && s.level < 1)) throw configuration("the level of the bands must lie in (0, 1)");
}

std::vector<KernelRow> made_kernel_table() {
  std::vector<KernelRow> table;
  KernelShare<0>::add(table);
  KernelShare<1>::add(table);
  KernelShare<2>::add(table);
  KernelShare<3>::add(table);
  static_assert(kKernelShares == 4);
  return table;
}

const std::vector<KernelRow>& kernel_table() {
  static const std::vector<KernelRow> table = made_kernel_table();
  return table;
}

template <class Channel>
concept HasAdditiveForm = requires {
  requires mixture::HasMarginalDensity<mixture::LocalRelease<Channel, double>, mixture::NormalKernel>;
};

// g(z | theta) is known for the truncated normal kernel after additive noise on a fine grid, and where it is a sum over few values.
// After wavelets it is a sum over cells or counts, but all releases differ: only so many rows are cheap.
bool has_closed_form(const std::string& kernel, const Column& column, std::size_t rows) {
  if (kernel == "categorical") return column.settings.channel == RandomisedResponseChannel::kName;
  const bool counts = kernel_row(kernel).counts;
  if (kernel != "normal" && !counts) return false;
  constexpr double kFewCounts = 1000;
  constexpr double kMostTerms = 0x1p19;  // 16,384 rows in the usual 32 cells
  const double width = column.settings.upper - column.settings.lower;
  if (counts && !(width <= kFewCounts)) return false;
  return std::visit(
      [&]<class Channel>(const Channel& channel) {
        if constexpr (HasAdditiveForm<Channel>)
          return counts || mixture::has_fine_grid(channel);
        else if constexpr (mixture::SeesBins<Channel>)
          return true;
        else if constexpr (std::same_as<Channel, HaarChannel>)
          return static_cast<double>(rows) * (counts ? width + 1 : static_cast<double>(channel.cells())) <=
                 kMostTerms;
        else
          return false;
      },
      column.channel);
}

}  // namespace

std::vector<std::string> kernel_names() {
  std::vector<std::string> names{"auto"};
  for (const KernelRow& row : kernel_table()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> algorithm_names() {
  return {"auto", "metropolis", "neal2", "neal3", "neal5", "neal8", "slice", "blocked-gibbs", "split-merge"};
}

std::vector<std::string> mixing_names() { return {"dirichlet-process", "pitman-yor", "finite"}; }

const KernelRow& kernel_row(std::string_view name) {
  for (const KernelRow& row : kernel_table()) {
    if (row.name == name) return row;
  }
  refuse_name("kernel", name, kernel_names());
}

mixture::AnyMixing mixing_prior(const DensitySettings& s) {
  if (s.mixing == "pitman-yor") return mixture::AnyMixing(mixture::PitmanYor(s.concentration, s.discount));
  if (s.mixing == "finite")
    return mixture::AnyMixing(mixture::FiniteMixture(s.concentration, s.components - 1));
  return mixture::AnyMixing(mixture::DirichletProcess(s.concentration, s.concentration_prior));
}

std::string choose_algorithm(std::span<const Column> columns, std::size_t rows,
                             const DensitySettings& settings) {
  mixture::Situation situation;
  situation.epsilon = HUGE_VAL;
  situation.closed_form = !columns.empty() || settings.kernel == "normal";
  situation.light_tail = mixing_prior(settings).light_tail();
  if (!columns.empty()) {
    // On the scale of rho, so that Gaussian and pure channels compare; the columns of a row together.
    double rho = 0;
    for (const Column& column : columns) {
      rho += guarantee(column.channel).rho.value();
      situation.local = situation.local && !channel_row(column.settings.channel).global;
    }
    situation.epsilon = pure_epsilon(Rho(rho)).value();
    situation.closed_form = std::ranges::all_of(
        columns, [&](const Column& column) { return has_closed_form(settings.kernel, column, rows); });
    situation.few_values = situation.closed_form && settings.kernel != "normal";
  }
  switch (mixture::choose_algorithm(situation)) {
    case mixture::Algorithm::neal5:
      return "neal5";
    case mixture::Algorithm::neal8:
      return "neal8";
    case mixture::Algorithm::metropolis:
      return "metropolis";
    case mixture::Algorithm::slice:
      break;
  }
  return "slice";
}

DensityResult estimate_density(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                               std::size_t rows, const DensitySettings& asked,
                               const SweepProgress& progress) {
  check(asked);
  if (columns.empty() || columns.size() != released.size())
    throw configuration("one release for each of one or more columns is needed");
  DensitySettings settings = asked;
  if (settings.kernel == "auto") {
    const bool categories = columns.size() == 1 && channel_row(columns[0].settings.channel).categories;
    settings.kernel = categories ? "categorical" : "normal";
  }
  const KernelRow& kernel = kernel_row(settings.kernel);
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm(columns, rows, settings);
  if (settings.imputations != 1 && settings.algorithm != "neal5")
    throw configuration(fmt::format("several imputations per datum are of the algorithm neal5, not of {}",
                                    settings.algorithm));
  if (columns.size() > 1 && !settings.base.empty())
    throw configuration("a base measure of your own (--base) is of one column");
  if (columns.size() > 1 && settings.kernel != "normal")
    throw configuration("several columns together need the normal kernel");
  DensityResult result = columns.size() == 1
                             ? kernel.estimate(columns[0], released[0], rows, settings, progress)
                             : estimate_rows(columns, released, rows, settings, progress);
  for (std::size_t d = 0; d < columns.size(); ++d) {
    result.columns[d].name = columns[d].settings.name;
    add_estimate_without_prior(result.columns[d], columns[d], released[d]);
  }
  return result;
}

DensityResult estimate_density_not_private(const ColumnSettings& column, std::vector<double> data,
                                           const DensitySettings& asked, const SweepProgress& progress) {
  check(asked);
  DensitySettings settings = asked;
  if (settings.kernel == "auto") settings.kernel = "normal";
  const KernelRow& kernel = kernel_row(settings.kernel);
  if (settings.algorithm == "auto") settings.algorithm = choose_algorithm({}, data.size(), settings);
  if (settings.imputations != 1)
    throw configuration("nothing is imputed of confidential data: leave several imputations out");
  for (double& y : data) y = std::clamp(y, column.lower, column.upper);
  DensityResult result = kernel.estimate_confidential(column, std::move(data), settings, progress);
  result.columns[0].name = column.name;
  return result;
}

}  // namespace sotto
