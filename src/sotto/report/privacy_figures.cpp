#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/page.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

constexpr std::size_t kNumbers = 15;  // points of a curve in a table

}  // namespace

std::string privacy_curve_figure(const PrivacyStatement& statement) {
  Curve curve;
  for (const auto& [epsilon, delta] : statement.curve) {
    if (delta > 0) curve.emplace_back(epsilon, std::log10(delta));
  }
  if (curve.empty()) return "";
  const double bottom = std::floor(curve.back().second);
  const Span x{0, std::max(curve.back().first, statement.epsilon) * 1.02};
  Plot plot(x, {bottom, 0});
  plot.line(curve, "postline");
  if (statement.delta > 0) plot.dot(statement.epsilon, std::log10(statement.delta), "npdot");
  Ticks powers;
  const double step = std::max(1.0, std::ceil(-bottom / 4));
  for (double power = 0; power >= bottom; power -= step) {
    powers.emplace_back(power, power == 0 ? "1" : fmt::format("10<sup>{:.0f}</sup>", power));
  }
  std::vector<std::vector<std::string>> numbers;
  const std::size_t stride = (statement.curve.size() + kNumbers - 1) / kNumbers;
  for (std::size_t i = 0; i < statement.curve.size(); i += stride)
    numbers.push_back({format_at_most(statement.curve[i].epsilon), format_at_most(statement.curve[i].delta)});
  return plot.html(
             fmt::format(
                 "The privacy curve: delta against epsilon, and the promised point epsilon {}, delta {}",
                 format_at_most(statement.epsilon), format_at_most(statement.delta)),
             round_ticks(x, 5), powers) +
         figure_table({"epsilon", "delta"}, numbers);
}

std::string tradeoff_figure(const PrivacyStatement& statement) {
  if (statement.curve.empty()) return "";
  Curve curve;
  for (const auto& [wrong, right] : tradeoff_curve(statement.curve)) curve.emplace_back(wrong, right);
  Plot plot({0, 1}, {0, 1});
  plot.line({{0, 0}, {1, 1}}, "zero");
  plot.area(curve, 0, "shade");
  plot.line(curve, "postline");
  const Ticks ticks{{0, "0"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}};
  std::vector<std::vector<std::string>> numbers;
  for (const double wrong : {0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9})
    numbers.push_back(
        {format_percent(wrong), format_percent_at_most(best_true_positive_rate(statement.curve, wrong))});
  return plot.html(
             "The trade-off curve: the greatest true-positive rate of an attacker against the false-positive "
             "rate",
             ticks, ticks) +
         figure_table({"false-positive rate", "greatest true-positive rate"}, numbers);
}

}  // namespace sotto
