#include "sotto/posterior/zoom.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace sotto {
namespace {

constexpr int kLooks = 3;
constexpr Eigen::Index kBins = 16;
constexpr double kClearBin = 4;      // standard deviations of the noise: 200 bins are looked at
constexpr double kLeastBin = 0.01;   // of the rows in a bin, so that a few far rows do not count
constexpr double kWantedBin = 0.04;  // of the rows: so many standard deviations of the noise
constexpr double kHidden = 0.13;     // likewise: more hides the bins
constexpr double kNarrower = 0.4;    // of the window, or the guess stays
constexpr double kAgain = 0.3;       // likewise, or another look is not worth it

/// Bins that stand clear and one more on each side; the whole window if none does. `counts`: between those of its ends, which belong to
/// the hull where they stand clear, but make none: a value that most rows have says nothing of the others.
Interval hull(const Interval& window, const Position& counts, double least) {
  Eigen::Index first = 0;
  Eigen::Index last = kBins + 1;
  while (first <= last && counts[first] <= least) ++first;
  while (last >= first && counts[last] <= least) --last;
  if (first > last || counts.segment(1, kBins).maxCoeff() <= least) return window;
  const double width = window.width() / kBins;
  return {window.lower + width * static_cast<double>(std::max<Eigen::Index>(first - 2, 0)),
          window.lower + width * static_cast<double>(std::min(last + 1, kBins))};
}

/// Bins that stand clear of the noise, and the window's ends.
ColumnSpread spread_of(const Interval& window, const Position& counts, double least) {
  ColumnSpread spread{Position(kBins + 2), Position(kBins + 2)};
  const double width = window.width() / kBins;
  const auto put = [&](Eigen::Index k, double value, double count) {
    spread.values[k] = value;
    spread.shares[k] = count > least ? count : 0;
  };
  put(0, window.lower, counts[0]);
  put(1, window.upper, counts[kBins + 1]);
  for (Eigen::Index k = 0; k < kBins; ++k) {
    put(k + 2, window.lower + (static_cast<double>(k) + 0.5) * width, counts[k + 1]);
  }
  const double all = spread.shares.sum();
  if (!(all > 0)) return {};
  spread.shares /= all;
  return spread;
}

/// Slopes that vary: each level's column is the slope's own where the level is, and zero elsewhere.
void spread_slopes(OnceFacts& facts) {
  for (const VaryingColumns& group : facts.groups) {
    if (group.mean == 0) continue;
    const double mean = facts.column_mean[group.mean];
    const double sd = facts.column_sd[group.mean];
    for (const Eigen::Index j : group.columns) {
      facts.column_mean[j] = mean / group.levels();
      facts.column_sd[j] = std::sqrt((mean * mean + sd * sd) / group.levels());
    }
  }
}

}  // namespace

Zoomed zoom(OnceFacts facts, double rows, PaidQuestions& questions) {
  std::vector<AtBound> piled;
  UsableRows usable;
  ColumnSpread offsets;
  std::vector<Eigen::Index> columns;
  std::vector<Interval> windows;
  for (std::size_t j = 0; j < facts.range.size(); ++j) {
    if (facts.indicator[j] || facts.in_group(static_cast<Eigen::Index>(j)) || !(facts.range[j].width() > 0))
      continue;
    columns.push_back(static_cast<Eigen::Index>(j));
    windows.push_back(facts.range[j]);
  }
  for (int look = 0; look < kLooks && !columns.empty(); ++look) {
    const double sensitivity = std::sqrt(static_cast<double>(columns.size())) * facts.matrix_reach();
    const double wanted = kClearBin * sensitivity / (kWantedBin * rows);
    const double share = std::clamp(wanted * wanted / (2 * questions.rho()), 0.003, 0.03);
    const double noise = questions.noise_sd(sensitivity, share);
    if (kClearBin * noise > kHidden * rows) break;
    const auto counts = questions.ask_of_rows<NoisyVector>(
        ColumnHistogramsQuery{columns, windows, static_cast<std::size_t>(kBins), questions.pay(share)},
        facts.mean_unit_rows());
    const double least = std::max(kClearBin * noise, kLeastBin * rows);
    std::vector<Eigen::Index> narrowed;
    std::vector<Interval> narrower;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Position of_column = counts.value.segment(static_cast<Eigen::Index>(k) * (kBins + 2), kBins + 2);
      if (look == 0) usable.add({of_column, counts.variance});
      const auto j = static_cast<std::size_t>(columns[k]);
      const DeclaredEnds declared{windows[k].lower == facts.range[j].lower && !facts.from_zero[j],
                                  windows[k].upper == facts.range[j].upper,
                                  facts.codes.empty() || facts.codes[j]};
      std::erase_if(piled, [&](const AtBound& seen) { return seen.column == columns[k]; });  // less closely
      // Where rows are counted by the time lived, a histogram tells how many there are.
      const double counted = facts.link == Link::log_rate ? std::max(of_column.sum(), 1.0) : rows;
      const auto found_ends = at_bounds(columns[k], of_column, noise, counted, declared);
      piled.insert(piled.end(), found_ends.begin(), found_ends.end());
      if (facts.offset && columns[k] == facts.dim() - 1)
        offsets = spread_of(windows[k], of_column, 2 * noise);
      const Interval found = hull(windows[k], of_column, least);
      const double kept = found.width() / windows[k].width();
      if (kept >= kNarrower) continue;
      facts.column_mean[columns[k]] = (found.lower + found.upper) / 2;
      facts.column_sd[columns[k]] = found.width() / std::sqrt(12.0);
      if (kept >= kAgain) continue;
      narrowed.push_back(columns[k]);
      narrower.push_back(found);
    }
    columns = std::move(narrowed);
    windows = std::move(narrower);
  }
  spread_slopes(facts);
  return {std::move(facts), std::move(piled), usable, std::move(offsets)};
}

}  // namespace sotto
