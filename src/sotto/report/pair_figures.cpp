#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

constexpr std::size_t kPairs = 6;
constexpr std::size_t kDots = 200;
constexpr std::size_t kFewest = 20;  // draws
constexpr double kCorrelated = 0.1;  // less is not worth a figure

struct Pair {
  std::size_t across, up;
  double correlation;
};

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const Eigen::Map<const Eigen::ArrayXd> x(a.data(), static_cast<Eigen::Index>(a.size()));
  const Eigen::Map<const Eigen::ArrayXd> y(b.data(), static_cast<Eigen::Index>(b.size()));
  const Eigen::ArrayXd dx = x - x.mean();
  const Eigen::ArrayXd dy = y - y.mean();
  return (dx * dy).sum() / std::sqrt(dx.square().sum() * dy.square().sum());
}

/// Those that go together most, of the parameters that have figures of their own.
std::vector<Pair> most_correlated(const std::vector<std::vector<double>>& draws) {
  std::vector<Pair> pairs;
  for (std::size_t up = 0; up < draws.size(); ++up) {
    for (std::size_t across = 0; across < up; ++across) {
      const double found = correlation(draws[across], draws[up]);
      if (std::abs(found) >= kCorrelated) pairs.push_back({across, up, found});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(),
                           [](const Pair& pair) { return std::abs(pair.correlation); });
  if (pairs.size() > kPairs) pairs.resize(kPairs);
  return pairs;
}

std::string pair_card(const std::string& across, const std::string& up, const std::vector<double>& x,
                      const std::vector<double>& y) {
  const Span width = span_of(x, 0.03);
  const Span height = span_of(y, 0.05);
  Plot plot(width, height);
  const std::size_t dots = std::min(kDots, x.size());
  for (std::size_t k = 0; k < dots; ++k) plot.dot(x[k * x.size() / dots], y[k * x.size() / dots], "pairdot");
  return fmt::format("<div class=\"card\"><h3>{} (up), {} (across)</h3>{}</div>", escape_html(up),
                     escape_html(across),
                     plot.html(fmt::format("Draws of {} against {}", up, across), round_ticks(width, 3),
                               round_ticks(height, 3)));
}

}  // namespace

std::string pair_figures(const RunRecord& record) {
  const std::vector<std::string>& names = record.draws.parameters;
  std::vector<std::vector<double>> draws;
  for (std::size_t j = 0; j < std::min(names.size(), kFigures); ++j)
    draws.push_back(pooled(record.draws, static_cast<Eigen::Index>(j)));
  if (draws.empty() || draws.front().size() < kFewest) return "<p class=\"muted\">too few draws</p>";
  const std::vector<Pair> pairs = most_correlated(draws);
  if (pairs.empty()) return "<p class=\"muted\">No two parameters go together.</p>";
  std::string text = "<div class=\"cards\">";
  std::vector<std::vector<std::string>> numbers;
  for (const Pair& pair : pairs) {
    text += pair_card(names[pair.across], names[pair.up], draws[pair.across], draws[pair.up]);
    numbers.push_back({escape_html(names[pair.up]), escape_html(names[pair.across]),
                       fmt::format("{:.2f}", pair.correlation)});
  }
  return text + "</div>" + figure_table({"parameter", "goes with", "correlation"}, numbers);
}

}  // namespace sotto
