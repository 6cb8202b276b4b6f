#include "sotto_io/density_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sotto/base/first_names.hpp"

namespace sotto {
namespace {

constexpr std::size_t kNamed = 3;
constexpr double kPile = 0.05;

// Names by how bad they are: what was asked for first, then the smallest numbers.
using ByBadness = std::map<std::pair<bool, double>, std::vector<std::string>>;
std::vector<std::string> worst_first(const ByBadness& named) {
  std::vector<std::string> all;
  for (const auto& [badness, names] : named) all.insert(all.end(), names.begin(), names.end());
  return all;
}

// The tenth and the ninetieth percentile of the mean density.
std::pair<double, double> central_four_fifths(const ColumnDensity& column) {
  const Eigen::Index last = column.grid.size() - 1;
  Position mass = column.bands.mean;
  mass[0] /= 2, mass[last] /= 2;
  const double total = mass.sum();
  double lower = column.grid[0];
  double sum = 0;
  for (Eigen::Index i = 0; i <= last; ++i) {
    if (sum < 0.1 * total) lower = column.grid[i];
    sum += mass[i];
    if (sum >= 0.9 * total) return {lower, column.grid[i]};
  }
  return {lower, column.grid[last]};
}

// What is wrong with the chains, and what to do about it.
std::vector<std::string> chain_warnings(const DensityReport& report) {
  const std::vector<Chain>& chains = report.result.draws.chains;
  const bool far_apart = worst_rhat(report.diagnostics) > kMixedRhat;
  ByBadness by_rhat;
  ByBadness by_ess;
  bool slow_clusters = false;  // more slowly than the density, which is the same for many numbers of them
  for (const ParameterSummary& line : report.diagnostics) {
    const std::string name = quantity_name(report, line.parameter);
    if (name == "clusters" || name == "concentration") {
      slow_clusters = slow_clusters || rhat_verdict(line.rhat) == Verdict::poor ||
                      ess_verdict(std::min(line.ess_bulk, line.ess_tail), chains.size()) == Verdict::poor;
      continue;
    }
    const bool unasked = std::ranges::find(report.result.quantities, line.parameter,
                                           &QuantityEstimate::parameter) == report.result.quantities.end();
    if (rhat_verdict(line.rhat) == Verdict::poor)
      by_rhat[{unasked, -line.rhat}].push_back(
          fmt::format("{} ({:.3f})", name, std::ceil(1000 * line.rhat - 1e-6) / 1000));
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
  if (slow_clusters && apart.empty() && few.empty())
    sentences.emplace_back(
        "Note: the number of clusters is known more roughly than the density, whose chains have mixed.");
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
        "{}: the estimate has {:.0f} % of the probability right at the {} bound {:.10g}. Tighter bounds "
        "tell values near it apart. If values are equal to the bound, or beyond it and counted as the "
        "bound, read quantiles and probabilities near it as those of values close to it: a density holds "
        "no single value. Whether a value is at the bound can be a column of its own.",
        column.name, 100 * share, side, column.grid[end]));
  };
  look(0, 1, "lower");
  look(last, last - 1, "upper");
}

bool sees_bins(const DensityReport& report) {
  return !report.channels.empty() && report.channels[0] != "none" && channel_row(report.channels[0]).global;
}

// No release shows it: noise hides in how few points counts stand, and the prior decides.
void add_poisson(const DensityReport& report, std::vector<std::string>& sentences) {
  if (report.result.kernel != "poisson") return;
  sentences.push_back(
      "The kernel poisson takes it that within every group counts vary as Poisson counts do. Where many "
      "people have the same count, or nearly (5 days a week, shifts of 8 hours), its probabilities and "
      "quantiles are off by far more than their intervals say. Compare with --kernel rounded-normal, "
      "which knows such counts and costs no privacy.");
}

// What fills little of its bounds. Noise is in proportion to these, and groups much narrower than it are not seen as narrow.
void add_wide_bounds(const DensityReport& report, std::vector<std::string>& sentences) {
  constexpr double kFilled = 0.125;  // of the domain, by the tenth to the ninetieth percentile
  if (!report.channel) return;
  for (std::size_t d = 0; d < report.result.columns.size(); ++d) {
    const ColumnDensity& column = report.result.columns[d];
    if (column.discrete || column.grid.size() == 0 || channel_row(report.channels[d]).global) continue;
    const auto [lower, upper] = central_four_fifths(column);
    const double domain = column.grid[column.grid.size() - 1] - column.grid[0];
    if (!(upper - lower < kFilled * domain)) continue;
    sentences.push_back(fmt::format(
        "{}: four fifths of the values seem to lie within {:.0f} % of the declared bounds, so that most "
        "of the noise was spent on bounds that are too wide. Intervals of means, quantiles and small "
        "probabilities may then be too far out; tighter bounds, from what is known beforehand, would say far "
        "more at the same epsilon.",
        column.name, std::ceil(100 * (upper - lower) / domain)));
  }
}

// How a column was released.
const Column* released(const DensityReport& report, const ColumnDensity& column) {
  if (!report.channel) return nullptr;
  const auto found = std::ranges::find(report.channel->columns, column.name,
                                       [](const Column& of) { return of.settings.name; });
  return found == report.channel->columns.end() ? nullptr : &*found;
}

double bin_width(const Column& of) { return (of.settings.upper - of.settings.lower) / of.settings.bins; }

bool begins_half_way(const Column& of) {
  const double lower = of.settings.lower - 0.5;
  return lower == std::floor(lower);
}

// Of neighbouring whole numbers the kernel knows no difference, and neither noise nor a bin of several tells one.
void add_skipped_numbers(const DensityReport& report, std::vector<std::string>& sentences) {
  if (report.result.kernel != "rounded-normal") return;
  for (const ColumnDensity& column : report.result.columns) {
    const Column* of = released(report, column);
    if (!of) continue;
    if (!sees_bins(report)) {
      sentences.push_back(fmt::format(
          "Note: the kernel rounded-normal takes neighbouring whole numbers to be about as common, "
          "and the noise hides which of them {} has. If values skip numbers (even ones, heaps at "
          "multiples of 5 or 10), probabilities and quantiles may be off by more than their "
          "intervals say.",
          column.name));
      continue;
    }
    const double width = bin_width(*of);
    if (width == 1 && begins_half_way(*of)) continue;
    sentences.push_back(fmt::format(
        "Bins of {0} are {1:.3g} wide: which of a bin's whole numbers values are no release tells, and the "
        "kernel rounded-normal takes neighbours to be about as common. If values skip numbers (even ones, "
        "multiples of 5 or 10), mean, quantiles and probabilities are off by more than their intervals say, "
        "by up to a bin's width. A bin for every number tells them: bounds from half below the first number "
        "to half above the last, and as many --bins as there are numbers.",
        column.name, width));
  }
}

// To a density a bin's values lie all over it. Whole numbers lie where a bin begins, or, in bins of a whole width from half a number on,
// about its middle; and a narrow group anywhere.
void add_within_bins(const DensityReport& report, std::vector<std::string>& sentences) {
  constexpr double kFewBins = 2.2;  // from the tenth to the ninetieth percentile
  if (!sees_bins(report)) return;
  for (const ColumnDensity& column : report.result.columns) {
    const Column* of = released(report, column);
    if (column.discrete || !of) continue;
    const double width = bin_width(*of);
    const auto [lower, upper] = central_four_fifths(column);
    if (upper - lower <= kFewBins * width) {
      sentences.push_back(fmt::format(
          "{0}: four fifths of the values seem to lie within {1:.3g} to {2:.3g}, hardly more than a bin or "
          "two of width {3:.3g}. Where within a bin values lie no release tells, and the estimate spreads "
          "them: mean, quantiles and probabilities may be off by up to a bin's width, whatever their "
          "intervals say, and drawing longer does not help. Bounds nearer to where values can be, or more "
          "--bins, tell more.",
          column.name, lower, upper, width));
      continue;
    }
    if (begins_half_way(*of) && width == std::round(width)) continue;
    sentences.push_back(fmt::format(
        "Note: where within a bin of width {1:.3g} values of {0} lie no release tells, and the "
        "estimate spreads them. Whole numbers, values rounded to steps, and narrow groups need "
        "not lie so: mean, quantiles and probabilities may then be off by up to a bin's width, and "
        "more than their intervals say. Of whole numbers take a bin for every number and --kernel "
        "rounded-normal; of steps, bins with a step in the middle of each.",
        column.name, width));
  }
}

double noise_scale(const AnyChannel& channel) {
  return std::visit(
      [](const auto& law) {
        if constexpr (requires { law.noise_scale(); })
          return law.noise_scale();
        else
          return 0.0;
      },
      channel);
}

// A pile of equal values at a bound is smeared by noise that is wider than the way to the threshold.
void add_hidden_piles(const DensityReport& report, std::vector<std::string>& sentences) {
  for (const QuantityEstimate& quantity : report.result.quantities) {
    const ColumnDensity& column = report.result.columns[quantity.column];
    const Column* of = released(report, column);
    if (!quantity.threshold || column.discrete || !of) continue;
    const double scale = noise_scale(of->channel);
    for (const double bound : {of->settings.lower, of->settings.upper}) {
      if (!(std::abs(*quantity.threshold - bound) < scale)) continue;
      sentences.push_back(fmt::format(
          "{}: the noise, of scale {:.3g}, hides how many values are equal to the bound {:.10g}, "
          "and the estimate takes them to lie about it. If many are (zeros, a top code), this "
          "probability is off by more than its interval says; whether a value is at the bound can "
          "be a column of its own.",
          quantity.text, scale, bound));
    }
  }
}

// A strict ">" at a value that many have is half of it to a density.
void add_whole_numbers(const DensityReport& report, std::vector<std::string>& sentences) {
  constexpr double kMostCounts = 200;
  const auto whole = [](double x) { return x == std::floor(x); };
  for (std::size_t q = 0; q < report.result.quantities.size(); ++q) {
    const QuantityEstimate& quantity = report.result.quantities[q];
    if (!quantity.threshold) continue;
    const ColumnDensity& column = report.result.columns[quantity.column];
    const double lower = column.grid[0];
    const double upper = column.grid[column.grid.size() - 1];
    if (column.discrete || !whole(lower) || !whole(upper) || upper - lower > kMostCounts ||
        !whole(*quantity.threshold))
      continue;
    sentences.push_back(fmt::format(
        "Note: if {} is of whole numbers, or rounded to steps of 5 or 10, ask between the steps, as of "
        "whole numbers with {:g} in the place of {:g}, or take for these --kernel rounded-normal: to a "
        "density half of those who have {:g} lie above it.",
        column.name, *quantity.threshold + 0.5, *quantity.threshold, *quantity.threshold));
    return;
  }
}

bool lies_where_the_prior_expected(const QuantityEstimate& q) {
  return q.mean >= q.prior_lower && q.mean <= q.prior_upper;
}

// An interval hardly shorter than before any data, and in the same place, is a statement of the prior's.
void add_prior_alone(const DensityReport& report, std::vector<std::string>& sentences) {
  std::vector<std::string> names;
  for (const QuantityEstimate& q : report.result.quantities) {
    const double before = q.prior_upper - q.prior_lower;
    if (before > 0 && q.upper - q.lower >= kNextToNothing * before && lies_where_the_prior_expected(q))
      names.push_back(q.text);
  }
  if (names.empty()) return;
  sentences.push_back(
      fmt::format("The {} next to nothing of {}: the interval is hardly shorter than before any data, so "
                  "that the prior made it. Tighter bounds, more rows or more budget{} would say more.",
                  report.channel ? "release says" : "confidential data say", first_names(names, kNamed),
                  sees_bins(report) ? ", and of what lies within a bin alone more --bins," : ""));
}

// Of a base measure of the user's own: the usual one expects values anywhere.
void add_contradicted_base(const DensityReport& report, std::vector<std::string>& sentences) {
  if (report.settings.base.empty()) return;
  std::vector<std::string> names;
  for (const QuantityEstimate& q : report.result.quantities)
    if (!lies_where_the_prior_expected(q)) names.push_back(q.text);
  if (names.empty()) return;
  sentences.push_back(fmt::format(
      "The data contradict what --base expected of {}: bands and intervals are a compromise between the "
      "two and may hold neither. Leave --base out, or let it expect more.",
      first_names(names, kNamed)));
}

// A density gives no probability to single values.
void add_single_values(const DensityReport& report, std::vector<std::string>& sentences) {
  if (report.result.columns.front().discrete) return;
  for (const QuantityEstimate& quantity : report.result.quantities) {
    if (quantity.text.find('=') == std::string::npos) continue;
    sentences.push_back(
        fmt::format("{}: of a density >= and > are the same, and <= and <. Where values are whole numbers "
                    "or many are alike, ask between them, as in P(x > 2.5), or take --kernel "
                    "rounded-normal.",
                    quantity.text));
    return;
  }
}
}  // namespace

std::vector<std::string> warnings(const DensityReport& report) {
  std::vector<std::string> sentences = chain_warnings(report);
  for (const ColumnDensity& column : report.result.columns)
    if (!column.discrete && learned(column) != Learned::next_to_nothing) add_piles(column, sentences);
  add_poisson(report, sentences);
  add_wide_bounds(report, sentences);
  add_prior_alone(report, sentences);
  add_contradicted_base(report, sentences);
  add_single_values(report, sentences);
  add_skipped_numbers(report, sentences);
  add_within_bins(report, sentences);
  if (!sees_bins(report)) add_whole_numbers(report, sentences);
  add_hidden_piles(report, sentences);
  sentences.insert(sentences.end(), report.of_the_other.begin(), report.of_the_other.end());
  if (report.nothing_to_compare)
    sentences.push_back(
        std::string(report.agreement_is_private ? "" : "NOT PRIVATE: ") +
        "--compare: one of the two partitions has all rows in one cluster, so that there is nothing to "
        "compare, and no adjusted Rand index.");
  if (!report.same_rows && !report.nothing_to_compare)
    sentences.push_back(
        "The other run is not known to be of the same release. Unless the rows of both stand in one order "
        "(sotto privatize shuffles them, but for --keep-order), the adjusted Rand index compares each "
        "person with another.");
  return sentences;
}

}  // namespace sotto
