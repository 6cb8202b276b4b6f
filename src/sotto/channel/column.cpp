#include "sotto/channel/column.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/math/round_up.hpp"

namespace sotto {
namespace {

Error configuration(const std::string& message) { return Error(ErrorCode::configuration, message); }

template <class Channel>
constexpr ChannelRow row_of() {
  static_assert(ChannelLaw<Channel>);
  return {Channel::kName,
          Channel::kKeys,
          std::same_as<typename Channel::Datum, int>,
          GlobalChannel<Channel, typename Channel::Datum>,
          Channel::kNeedsDelta,
          [](const ColumnSettings& s, const PrivacyTarget& target, std::size_t rows) -> AnyChannel {
            return Channel::make(s, target, rows);
          }};
}

template <class... Channels>
constexpr std::array<ChannelRow, sizeof...(Channels)> rows_of(std::type_identity<std::variant<Channels...>>) {
  return {row_of<Channels>()...};
}
constexpr auto kTable = rows_of(std::type_identity<AnyChannel>());

void check(const std::vector<ColumnSettings>& settings, const PrivacyTarget& target) {
  if (settings.empty()) throw configuration("declare at least one column to privatise");
  if (target.rho.has_value() == target.epsilon.has_value() || (target.rho && target.delta)) {
    throw configuration("give the privacy budget either as epsilon (and delta for Gaussian noise) or as rho");
  }
  const double budget = target.rho ? target.rho->value() : target.epsilon->value();
  if (!(budget > 0) || !std::isfinite(budget))
    throw configuration(fmt::format("{0} (--{0}) must be a number > 0", target.rho ? "rho" : "epsilon"));
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!(settings[i].weight > 0) || !std::isfinite(settings[i].weight)) {
      throw configuration("the weight of a column must be a finite number > 0");
    }
    if (channel_row(settings[i].channel).global && settings.size() > 1) {
      throw configuration(
          "a histogram describes all rows together and does not say which values of two columns belong to "
          "one "
          "person: privatise it in a run of its own, or each row's columns by laplace, gaussian or wavelet");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (settings[i].name == settings[j].name) throw configuration("a column is declared twice");
    }
  }
}

constexpr double kLeastBudget = 1e-18;

// The target of each column.
std::vector<PrivacyTarget> split(const std::vector<ColumnSettings>& settings, const PrivacyTarget& target) {
  double all = 0;
  double gaussian = 0;
  std::size_t gaussians = 0;
  long long fewest_steps = 1LL << 30;
  for (const ColumnSettings& s : settings) {
    all = add_exactly_up(all, s.weight);
    if (!channel_row(s.channel).needs_delta) continue;
    gaussian = add_exactly_up(gaussian, s.weight);
    ++gaussians;
    fewest_steps = std::min(fewest_steps, s.steps);
  }
  if (gaussians > 0 && !target.rho && !target.delta) {
    throw configuration("Gaussian noise needs --delta > 0 beside --epsilon, or --rho alone");
  }
  std::optional<Rho> rho = target.rho;
  if (gaussians == settings.size() && settings.size() > 1 && !rho) {
    // Every column's slack is steps / variance <= 2 rho / steps.
    const double slack =
        2 * gaussian_rho(*target.epsilon, *target.delta).value() / static_cast<double>(fewest_steps);
    if (slack >= target.epsilon->value())
      throw configuration("the grid is too coarse for this budget; use more steps");
    rho = gaussian_rho(Epsilon(target.epsilon->value() - slack * (1 + 1e-12)), *target.delta);
  }
  std::vector<PrivacyTarget> parts;
  for (const ColumnSettings& s : settings) {
    // One column keeps the whole; of several, the shares add up to less than the whole in spite of rounding.
    const double share = settings.size() == 1 ? 1 : s.weight / all * (1 - 1e-12);
    PrivacyTarget part;
    if (!((rho ? rho->value() : target.epsilon->value()) * share >= kLeastBudget))
      throw configuration(
          fmt::format("the budget of the column '{}' is so small that nothing but noise would be "
                      "released: give it a larger one, or more weight",
                      s.name));
    if (rho) {
      part.rho = Rho(rho->value() * share);
    } else {
      part.epsilon = Epsilon(target.epsilon->value() * share);
      if (channel_row(s.channel).needs_delta) {
        const double delta_share = gaussians == 1 ? 1 : s.weight / gaussian * (1 - 1e-12);
        part.delta = Delta(target.delta->value() * delta_share);
      }
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::span<const ChannelRow> channel_table() { return kTable; }

const ChannelRow& channel_row(std::string_view name) {
  for (const ChannelRow& row : kTable)
    if (row.name == name) return row;
  std::vector<std::string> names;
  names.reserve(std::size(kTable));
  for (const ChannelRow& row : kTable) names.emplace_back(row.name);
  throw configuration(
      fmt::format("unknown channel '{}'{}; use {}", name, suggestion(name, names), fmt::join(names, ", ")));
}

Guarantee guarantee(const AnyChannel& channel) {
  return std::visit([](const auto& c) { return c.guarantee(); }, channel);
}

std::vector<std::string> stored_names(const Column& column) {
  return std::visit([&](const auto& channel) { return channel.stored_names(column.settings.name); },
                    column.channel);
}

double missing_value(const ColumnSettings& s) {
  if (s.missing == "lower") return s.lower;
  if (s.missing == "upper") return s.upper;
  if (s.missing == "middle") return s.lower + (s.upper - s.lower) / 2;
  double value = 0;
  const char* end = s.missing.data() + s.missing.size();
  const auto [stop, error] = std::from_chars(s.missing.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    throw configuration(
        "missing, what a cell without a number counts as, must be lower, middle, upper or a number");
  }
  if (s.lower < s.upper && (value < s.lower || value > s.upper))
    throw configuration(
        fmt::format("missing: a cell without a number cannot count as {:.12g}, outside the "
                    "bounds {:.12g} and {:.12g}",
                    value, s.lower, s.upper));
  return value;
}

namespace {

/// As of a schema's columns: squares of bounds, and shares of their distance, must stay numbers.
void check_bounds(const ColumnSettings& s) {
  constexpr double kLargestBound = 1e100;
  constexpr double kLeastWidth = 1e-100;
  if (std::ranges::find(channel_row(s.channel).keys, "lower") == channel_row(s.channel).keys.end()) return;
  if (!(s.lower < s.upper)) return;  // which the channel says
  if (std::max(std::abs(s.lower), std::abs(s.upper)) > kLargestBound || s.upper - s.lower < kLeastWidth)
    throw configuration("bounds lie within 1e100 of zero, and 1e-100 apart or more: take other units");
}

}  // namespace

Column make_column(ColumnSettings settings, const PrivacyTarget& target, std::size_t rows) {
  if (rows < 1) throw Error(ErrorCode::data, "there are no rows to privatise");
  const auto n = static_cast<double>(rows);
  if (settings.bins == 0) settings.bins = 4 * static_cast<int>(std::pow(n, 0.2) + 1);
  if (settings.draws == 0) settings.draws = static_cast<std::size_t>(std::pow(n, 0.6) + 1);
  (void)missing_value(settings);
  check_bounds(settings);
  AnyChannel channel = channel_row(settings.channel).make(settings, target, rows);
  const Interval reach = std::visit([&](const auto& c) { return c.reach(rows); }, channel);
  if (!std::isfinite(reach.lower) || !std::isfinite(reach.upper))
    throw configuration(
        "noise for bounds so far apart may be too large for a number: take other units, or a larger budget");
  return {std::move(settings), std::move(channel)};
}

ColumnPlan plan_columns(const std::vector<ColumnSettings>& settings, const PrivacyTarget& target,
                        std::size_t rows) {
  check(settings, target);
  const std::vector<PrivacyTarget> parts = split(settings, target);
  ColumnPlan plan;
  double rho = 0;
  bool uses_delta = false;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    plan.columns.push_back(make_column(settings[i], parts[i], rows));
    rho = add_exactly_up(rho, guarantee(plan.columns.back().channel).rho.value());
    uses_delta = uses_delta || channel_row(settings[i].channel).needs_delta;
  }
  plan.total.rho = target.rho.value_or(Rho(rho * (1 + 1e-12)));
  if (target.epsilon) plan.total.epsilon = *target.epsilon;
  if (target.epsilon && uses_delta) plan.total.delta = *target.delta;
  return plan;
}

}  // namespace sotto
