#include "sotto/accountant/cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

constexpr std::pair<const char*, BoundKind> kBounds[] = {{"tight", BoundKind::tight},
                                                         {"rdp", BoundKind::rdp},
                                                         {"zcdp", BoundKind::zcdp},
                                                         {"advanced", BoundKind::advanced}};

constexpr std::int64_t kLargestGroup = 1 << 20;
constexpr std::int64_t kMostTradeOffPoints = 10000;

void demand(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::usage, message);
}

BoundKind bound_of(const CostQuestion& question) {
  for (const auto& [known, kind] : kBounds) {
    if (question.bound == known) return kind;
  }
  throw Error(ErrorCode::usage, "bound must be tight, rdp, zcdp or advanced");
}

Adjacency adjacency_of(const CostQuestion& question) {
  if (question.adjacency == "substitute") return Adjacency::substitute;
  if (question.adjacency == "add-remove") return Adjacency::add_remove;
  throw Error(ErrorCode::usage, "adjacency must be substitute or add-remove");
}

void check(const CostQuestion& question) {
  demand(!question.delta || (*question.delta >= 0 && *question.delta <= 1), "delta must lie in [0, 1]");
  demand(!question.epsilon || (*question.epsilon >= 0 && std::isfinite(*question.epsilon)),
         "epsilon must be a finite number >= 0");
  demand(question.group >= 1 && question.group <= kLargestGroup,
         fmt::format("group must lie in [1, {}]", kLargestGroup));
  demand(question.accuracy >= kLeastWidth && question.accuracy <= 1,
         fmt::format("accuracy must lie in [{}, 1]", kLeastWidth));
  demand(question.trade_off == 0 || (question.trade_off >= 2 && question.trade_off <= kMostTradeOffPoints),
         fmt::format("points of the trade-off function must be 2 to {}", kMostTradeOffPoints));
}

// JSON has no infinity; null stands for it.
nlohmann::json number(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); }
nlohmann::json number(const std::optional<double>& x) { return x ? number(*x) : nlohmann::json(nullptr); }

}  // namespace

Cost cost_of(const std::vector<Event>& events, const CostQuestion& question) {
  check(question);
  demand(!events.empty(), "say what is released: at least one event");
  demand(
      std::none_of(events.begin(), events.end(), [](const Event& event) { return flatten(event).empty(); }),
      "a count of 0 releases nothing: count must be at least 1");
  demand(question.epsilon.has_value() != question.delta.has_value(),
         "give either delta or epsilon, or both to solve for a sigma or a count (sotto account --solve)");
  const BoundKind kind = bound_of(question);
  const Adjacency adjacency = adjacency_of(question);
  demand(question.trade_off == 0 || kind == BoundKind::tight,
         "the trade-off function is told by the tight bound only");
  Cost cost;
  cost.event = group_event({CompositionEvent{events}, 1}, static_cast<std::uint64_t>(question.group));
  if (question.delta) {
    cost.delta = {*question.delta, *question.delta};
    cost.epsilon = account_epsilon(cost.event, adjacency, Delta(*question.delta), kind, question.accuracy);
  } else {
    cost.epsilon = {*question.epsilon, *question.epsilon};
    cost.delta = account_delta(cost.event, adjacency, Epsilon(*question.epsilon), kind, question.accuracy);
  }
  const Bounds& found = question.delta ? cost.epsilon : cost.delta;
  cost.by = found.by;
  if (kind == BoundKind::tight && found.lower < found.upper &&
      !(found.upper - found.lower <= question.accuracy * found.upper)) {
    cost.warnings.push_back(found.lower > 0
                                ? fmt::format("the truth lies between {:.6g} and this bound, {:.1e} apart, "
                                              "relatively: nothing finer is known here",
                                              found.lower, (found.upper - found.lower) / found.upper)
                                : "nothing is known of how far the truth lies below this bound");
  }
  cost.rho = concentrated_rho(cost.event, adjacency);
  cost.gdp_mu = gaussian_mu(cost.event, adjacency);
  if (question.trade_off > 0)
    cost.trade_off = trade_off(event_curve(cost.event, adjacency), static_cast<int>(question.trade_off));
  return cost;
}

nlohmann::json cost_json(const Cost& cost, const CostQuestion& question) {
  nlohmann::json json{{"epsilon", number(cost.epsilon.upper)},
                      {"epsilon_lower", number(cost.epsilon.lower)},
                      {"epsilon_upper", number(cost.epsilon.upper)},
                      {"delta", cost.delta.upper},
                      {"delta_lower", cost.delta.lower},
                      {"delta_upper", cost.delta.upper},
                      {"rho", number(cost.rho)},
                      {"gdp_mu", number(cost.gdp_mu)},
                      {"bound", question.bound},
                      {"bound_by", name_of(cost.by)},
                      {"adjacency", question.adjacency},
                      {"event", cost.event},
                      {"warnings", cost.warnings}};
  if (question.group > 1) json["group"] = question.group;
  for (const ErrorTradeoff& point : cost.trade_off) json["trade_off"].push_back({point.alpha, point.beta});
  return json;
}

Target target_of(const CostQuestion& question, std::vector<Event> others) {
  check(question);
  demand(question.epsilon && question.delta, "solve needs both epsilon and delta");
  return {Epsilon(*question.epsilon), Delta(*question.delta), adjacency_of(question), bound_of(question),
          Event{CompositionEvent{std::move(others)}, 1}};
}

const char* name_of(BoundKind kind) {
  for (const auto& [name, known] : kBounds) {
    if (kind == known) return name;
  }
  return "";
}

}  // namespace sotto
