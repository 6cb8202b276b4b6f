#include "sotto_io/density_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sotto/base/first_names.hpp"
#include "sotto/report/format_number.hpp"

namespace sotto {
namespace {

constexpr std::size_t kNamed = 3;
constexpr double kPile = 0.05;

// What to do, and what it costs in words that fit where the data came from: what was swept as a warmup, and twice as long.
std::string draw_longer(const DensityReport& report) {
  const DensityResult& r = report.result;
  return fmt::format("Draw longer, as with --warmup {} --thin {}{}",
                     r.warmup + report.settings.draws * r.thin, 2 * r.thin,
                     report.channel ? ": it costs no privacy." : ".");
}

// Names by how bad they are: what was asked for first, then the smallest numbers.
using ByBadness = std::map<std::pair<bool, double>, std::vector<std::string>>;
std::vector<std::string> worst_first(const ByBadness& named) {
  std::vector<std::string> all;
  for (const auto& [badness, names] : named) all.insert(all.end(), names.begin(), names.end());
  return all;
}

// What is wrong with the chains, and what to do about it.
std::vector<std::string> chain_warnings(const DensityReport& report) {
  const std::vector<Chain>& chains = report.result.draws.chains;
  const bool far_apart = worst_rhat(report.diagnostics) > kMixedRhat;
  ByBadness by_rhat;
  ByBadness by_ess;
  for (const ParameterSummary& line : report.diagnostics) {
    const std::string name = quantity_name(report, line.parameter);
    const bool unasked = name == line.parameter;
    if (rhat_verdict(line.rhat) == Verdict::poor)
      by_rhat[{unasked, -line.rhat}].push_back(fmt::format("{} ({:.3f})", name, line.rhat));
    const double ess = std::min(line.ess_bulk, line.ess_tail);
    if (ess_verdict(ess, chains.size()) == Verdict::poor)
      by_ess[{unasked, ess}].push_back(fmt::format("{} ({:.0f})", name, ess));
  }
  const std::vector<std::string> apart = worst_first(by_rhat);
  const std::vector<std::string> few = worst_first(by_ess);
  std::vector<std::string> sentences;
  if (ended_early(report))
    sentences.push_back(
        fmt::format("The run was stopped before its end, after {} draws of each of {} chains.",
                    chains[0].draws.rows(), chains.size()));
  if (!apart.empty())
    sentences.push_back(fmt::format("The chains have {}: R-hat is above {} for {}.",
                                    far_apart ? "not mixed" : "not mixed well", kRhatLimit,
                                    first_names(apart, kNamed)));
  if (!few.empty())
    sentences.push_back(fmt::format("Fewer than {:.0f} effective draws for {}: means and bands are rough.",
                                    kEssPerChain * static_cast<double>(chains.size()),
                                    first_names(few, kNamed)));
  if (!apart.empty() || !few.empty()) sentences.back() += " " + draw_longer(report);
  return sentences;
}

// Of the mean density, over the four-hundredth of the domain next to each end: a twentieth of all values stands there, half as dense
// again as a step further in, and a hundredth also by the lower band. Where that is less, the prior may have made it.
void add_piles(const ColumnDensity& column, std::vector<std::string>& sentences) {
  const Position& density = column.bands.mean;
  const Eigen::Index last = density.size() - 1;
  const double next_to_it = (column.grid[last] - column.grid[0]) / 400;
  const auto look = [&](Eigen::Index end, Eigen::Index next, const char* side) {
    const double share = density[end] * next_to_it;
    const double at_least = column.bands.lower[end] * next_to_it;
    if (!(share >= kPile && at_least >= kPile / 5 && density[end] > 1.5 * density[next])) return;
    sentences.push_back(fmt::format(
        "{}: the estimate has {:.0f} % of the probability right at the {} bound {:.10g}. If values are equal "
        "to the "
        "bound, read quantiles and probabilities near it as those of values close to it: a density holds no "
        "single value. Whether a value is at the bound can be a column of its own.",
        column.name, 100 * share, side, column.grid[end]));
  };
  look(0, 1, "lower");
  look(last, last - 1, "upper");
}

// A mixture of Poisson laws varies at least as much as one. Where it varies hardly more than its mean, values may well vary less.
void add_counts_alike(const DensityReport& report, std::vector<std::string>& sentences) {
  constexpr double kHardlyMore = 1.15;
  if (report.result.kernel != "poisson") return;
  for (const ColumnDensity& column : report.result.columns) {
    const Position& shares = column.bands.mean;
    const double total = shares.sum();
    const double mean = shares.dot(column.grid) / total;
    const double variance = shares.dot((column.grid.array() - mean).square().matrix()) / total;
    if (!(variance < kHardlyMore * mean)) continue;
    sentences.push_back(
        fmt::format("{}: the counts vary hardly more than Poisson counts do, and the kernel poisson knows "
                    "none that vary less: if "
                    "they do, as where many people have the same count, its probabilities are off by far "
                    "more than their intervals say. "
                    "Compare with --kernel rounded-normal, which knows them and costs no privacy.",
                    column.name));
  }
}

// An interval hardly shorter than before any data is a statement of the prior's.
void add_prior_alone(const DensityReport& report, std::vector<std::string>& sentences) {
  std::vector<std::string> names;
  for (const QuantityEstimate& q : report.result.quantities) {
    const double before = q.prior_upper - q.prior_lower;
    if (before > 0 && q.upper - q.lower >= kNextToNothing * before) names.push_back(q.text);
  }
  if (names.empty()) return;
  sentences.push_back(
      fmt::format("The {} next to nothing of {}: the interval is hardly shorter than before any data, so "
                  "that the prior made it. Tighter bounds, more rows or more budget would say more.",
                  report.channel ? "release says" : "confidential data say", first_names(names, kNamed)));
}

// A density gives no probability to single values.
void add_single_values(const DensityReport& report, std::vector<std::string>& sentences) {
  if (report.result.columns.front().discrete) return;
  for (const QuantityEstimate& quantity : report.result.quantities) {
    if (quantity.text.find('=') == std::string::npos) continue;
    sentences.push_back(
        fmt::format("{}: of a density >= and > are the same, and <= and <. Where values are whole numbers or "
                    "many are alike, ask between them, as in P(x > 2.5), or take --kernel rounded-normal.",
                    quantity.text));
    return;
  }
}
}  // namespace

Told told(const ColumnDensity& column) {
  if (!(column.width < kNextToNothing * column.prior_width)) return Told::next_to_nothing;
  return column.width < kMuch * column.prior_width && column.width < 1 ? Told::much : Told::little;
}

bool has_verdict(const DensityReport& report) {
  const double worst = worst_rhat(report.diagnostics);
  return worst > 0 && worst <= kMixedRhat;
}

std::string verdict(const DensityReport& report, std::size_t column) {
  const double worst = worst_rhat(report.diagnostics);
  if (!(worst > 0))
    return "No verdict: the draws are too few to tell whether the chains have mixed. " + draw_longer(report);
  if (worst > kMixedRhat)
    return fmt::format("No verdict: the chains have not mixed (R-hat up to {:.2f}). {}", worst,
                       draw_longer(report));
  const ColumnDensity& c = report.result.columns[column];
  const std::string widths =
      fmt::format("the {:g} % bands are {:.0f} % of the {} wide on average, {:.0f} % before any data",
                  100 * report.settings.level, 100 * c.width, c.discrete ? "probability" : "density",
                  100 * c.prior_width);
  const char* source = report.channel ? "release says" : "confidential data say";
  switch (told(c)) {
    case Told::next_to_nothing:
      return fmt::format("The {} next to nothing: {}. Do not read shape into the estimate.", source, widths);
    case Told::little:
      return fmt::format("The {} little: {}. Expect broad location and spread, not details.", source, widths);
    case Told::much:
      break;
  }
  return fmt::format("The {} much: {}.{}", source, widths,
                     c.hellinger < 0.1 ? " The estimate is close to what the prior expected." : "");
}

std::vector<std::string> release_of(const DensityReport& report) {
  std::vector<std::string> fingerprints;
  if (!report.channel) return fingerprints;
  for (const auto& [column, fingerprint] : report.channel->fingerprints) fingerprints.push_back(fingerprint);
  return fingerprints;
}

bool draws_are_private(const DensityReport& report) { return report.channel && report.channel->is_private; }

bool is_private(const DensityReport& report) {
  return draws_are_private(report) && report.agreement_is_private && report.differences_are_private;
}

std::string quantity_name(const DensityReport& report, const std::string& parameter) {
  const auto& all = report.result.quantities;
  const auto found = std::ranges::find(all, parameter, &QuantityEstimate::parameter);
  return found == all.end() ? parameter : found->text;
}

std::string from_to(double lower, double upper) {
  return fmt::format("{} to {}", format_within(lower, upper - lower), format_within(upper, upper - lower));
}

std::string sentence(const QuantityEstimate& q, double level) {
  return fmt::format("{}: {} ({:g} % interval {}; before any data {})", q.text,
                     format_within(q.mean, q.upper - q.lower), 100 * level, from_to(q.lower, q.upper),
                     from_to(q.prior_lower, q.prior_upper));
}

std::string sentence(const QuantityDifference& d, double level) {
  return fmt::format("{}, less the other group's: {} ({:g} % interval {}; above 0 with probability {:.3f})",
                     d.text, format_within(d.mean, d.upper - d.lower), 100 * level, from_to(d.lower, d.upper),
                     d.positive);
}

bool ended_early(const DensityReport& report) {
  const std::vector<Chain>& chains = report.result.draws.chains;
  return std::any_of(chains.begin(), chains.end(),
                     [](const Chain& chain) { return chain.stop == StopReason::interrupted; });
}

std::vector<std::string> warnings(const DensityReport& report) {
  std::vector<std::string> sentences = chain_warnings(report);
  for (const ColumnDensity& column : report.result.columns)
    if (!column.discrete && told(column) != Told::next_to_nothing) add_piles(column, sentences);
  add_counts_alike(report, sentences);
  add_prior_alone(report, sentences);
  add_single_values(report, sentences);
  sentences.insert(sentences.end(), report.of_the_other.begin(), report.of_the_other.end());
  if (report.nothing_to_compare)
    sentences.push_back(
        std::string(report.agreement_is_private ? "" : "NOT PRIVATE: ") +
        "--compare: one of the two partitions has all rows in one cluster, so that there is nothing to "
        "compare, "
        "and no adjusted Rand index.");
  if (!report.same_rows && !report.nothing_to_compare)
    sentences.push_back(
        "The other run is not known to be of the same release. Unless the rows of both stand in one order "
        "(sotto privatize shuffles them, but for --keep-order), the adjusted Rand index compares each person "
        "with another.");
  return sentences;
}

std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x) {
  const std::vector<std::string>& levels = report.levels[column];
  return levels.empty() ? fmt::format("{:.10g}", report.result.columns[column].grid[x])
                        : levels[static_cast<std::size_t>(x)];
}

}  // namespace sotto
