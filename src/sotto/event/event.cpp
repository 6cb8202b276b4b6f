#include "sotto/event/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sotto/base/suggestion.hpp"
#include "sotto/event/kinds.hpp"
#include "sotto/math/binomial_tail.hpp"

namespace sotto {
namespace {

template <class T>
constexpr bool kIsComposition = std::is_same_v<T, CompositionEvent>;

void collect(const Event& event, std::uint64_t times, std::vector<Event>& leaves) {
  std::uint64_t count = 0;
  require(!__builtin_mul_overflow(event.count, times, &count) && count < (1ULL << 53),
          "count must stay below 2^53");
  if (const auto* composition = std::get_if<CompositionEvent>(&event.mechanism)) {
    for (const Event& part : composition->parts) collect(part, count, leaves);
    return;
  }
  if (count == 0) return;
  const auto same = [&]<class T>(const T& mechanism) {
    if constexpr (kIsComposition<T>)
      return false;
    else
      return mechanism == std::get<T>(event.mechanism);
  };
  for (Event& leaf : leaves) {
    if (leaf.mechanism.index() != event.mechanism.index() || !std::visit(same, leaf.mechanism)) continue;
    leaf.count += count;
    require(leaf.count < (1ULL << 53), "count must stay below 2^53");
    return;
  }
  leaves.push_back({event.mechanism, count});
}

// Asks the kind; a composition has no view as one step.
template <class T, class Ask>
View<T> view_of(const Event& step, const Ask& ask) {
  return std::visit(
      [&]<class E>(const E& mechanism) -> View<T> {
        if constexpr (kIsComposition<E>)
          return Refusal{"a composition is no single step: flatten it first"};
        else
          return ask(mechanism);
      },
      step.mechanism);
}

constexpr std::pair<const char*, Sampling> kSamplings[] = {
    {"none", Sampling::none},
    {"poisson", Sampling::poisson},
    {"without-replacement", Sampling::without_replacement}};

nlohmann::json value_of(double x) { return x; }
nlohmann::json value_of(const std::vector<double>& list) { return list; }
nlohmann::json value_of(std::uint64_t n) { return n; }
nlohmann::json value_of(Sampling sampling) {
  for (const auto& [name, value] : kSamplings) {
    if (value == sampling) return name;
  }
  throw Error(ErrorCode::internal, "unknown sampling");
}

void read_value(const nlohmann::json& json, double& x) { x = json.get<double>(); }
void read_value(const nlohmann::json& json, std::vector<double>& list) {
  list = json.get<std::vector<double>>();
}
void read_value(const nlohmann::json& json, std::uint64_t& n) {
  require(json.is_number_unsigned(), "counts must be integers >= 0");
  n = json.get<std::uint64_t>();
}
void read_value(const nlohmann::json& json, Sampling& sampling) {
  const auto text = json.get<std::string>();
  for (const auto& [name, value] : kSamplings) {
    if (text != name) continue;
    sampling = value;
    return;
  }
  throw Error(ErrorCode::configuration, "sampling must be none, poisson or without-replacement");
}

const nlohmann::json& value_at(const nlohmann::json& json, const char* key) {
  if (json.is_object() && json.contains(key)) return json[key];
  throw Error(ErrorCode::configuration,
              fmt::format("a privacy event in JSON lacks \"{}\"; write every key of its kind", key));
}

void allow_keys(const nlohmann::json& json, std::vector<std::string> known) {
  known.insert(known.end(), {"mechanism", "count"});
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::count(known, key) == 1) continue;
    throw Error(ErrorCode::configuration,
                fmt::format("a privacy event in JSON has \"{}\", which its kind does not{}",
                            key.substr(0, 24), suggestion(key, known)));
  }
}

Mechanism mechanism_from(const nlohmann::json& json) {
  const auto name = value_at(json, "mechanism").get<std::string>();
  if (name == "composition") {
    allow_keys(json, {"parts"});
    return CompositionEvent{value_at(json, "parts").get<std::vector<Event>>()};
  }
  Mechanism found;
  std::vector<std::string> names = {"composition"};
  const bool known = any_kind([&]<class E>(E event) {
    names.emplace_back(E::name);
    if (name != E::name) return false;
    std::vector<std::string> keys;
    each_field<E>([&](const auto& field) {
      keys.emplace_back(field.json);
      read_value(value_at(json, field.json), event.*field.member);
    });
    allow_keys(json, keys);
    found = event;
    return true;
  });
  if (!known)
    throw Error(ErrorCode::configuration, fmt::format("unknown mechanism '{}' in a privacy event{}",
                                                      name.substr(0, 24), suggestion(name, names)));
  return found;
}

}  // namespace

void validate(const Event& event) {
  std::visit(
      []<class E>(const E& mechanism) {
        if constexpr (kIsComposition<E>)
          for (const Event& part : mechanism.parts) validate(part);
        else
          mechanism.check();
      },
      event.mechanism);
}

std::vector<Event> flatten(const Event& event) {
  validate(event);
  std::vector<Event> leaves;
  collect(event, 1, leaves);
  return leaves;
}

View<LossView> loss_view(const Event& step, Adjacency adjacency, Side side) {
  return view_of<LossView>(step, [&](const auto& e) { return e.loss(adjacency, side); });
}
View<RenyiCurve> renyi_view(const Event& step, Adjacency adjacency) {
  return view_of<RenyiCurve>(step, [&](const auto& e) { return e.renyi(adjacency); });
}
View<double> rho_view(const Event& step, Adjacency adjacency) {
  return view_of<double>(step, [&](const auto& e) { return e.rho(adjacency); });
}
View<double> pure_epsilon_view(const Event& step, Adjacency adjacency) {
  return view_of<double>(step, [&](const auto& e) { return e.pure_epsilon(adjacency); });
}

Event gaussian_releases(Rho total) {
  return {GaussianEvent{.sensitivity = 1, .sigma = 1 / std::sqrt(2 * total.value())}, 1};
}

Event beside(Event event, Rho others) {
  if (others.value() == 0) return event;
  return {CompositionEvent{{std::move(event), gaussian_releases(others)}}, 1};
}

Event with_noise(const Event& event, double noise) {
  Event changed = event;
  std::visit(
      [&]<class E>(E& e) {
        if constexpr (HasNoise<E>) {
          const auto field = E::noise();
          e.*field.noise = field.unit ? noise * e.*field.unit : noise;
        } else {
          throw Error(ErrorCode::usage, mechanism_name(event) + " has no noise to solve for");
        }
      },
      changed.mechanism);
  return changed;
}

Event group_event(const Event& event, std::uint64_t rows) {
  require(rows >= 1 && is_exact(rows), "a group must have at least one row");
  Event changed = event;
  std::visit(
      [&]<class E>(E& e) {
        if constexpr (kIsComposition<E>) {
          for (Event& part : e.parts) part = group_event(part, rows);
        } else if constexpr (requires { e.group(1.0); }) {
          if (rows > 1) e = e.group(static_cast<double>(rows));
        } else if (rows > 1) {
          throw Error(ErrorCode::usage, mechanism_name(event) + " has no proven cost for groups of rows");
        }
      },
      changed.mechanism);
  validate(changed);
  return changed;
}

namespace {

// The fewest steps but for which so many, of those that overflow with this probability, overflow at most with probability `share`.
std::uint64_t paid_for(std::uint64_t count, double overflow, double share) {
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (binomial_tail(count, overflow, middle + 1) <= share)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

KeptBack kept_back(const std::vector<Event>& leaves, double share) {
  CompositionEvent above;
  CompositionEvent below;
  bool is_bracket = false;
  double log_kept = 0;
  double log_surely = 0;
  double sum = 0;  // no less than what is given away [union bound], and exact of one step of one event
  const auto give = [&sum](double away, double count) {
    const double all = count == 1 ? away : away * count * (1 + 0x1p-51);
    sum = sum == 0 ? all : (sum + all) * (1 + 0x1p-51);
  };
  for (const Event& leaf : leaves) {
    const auto count = static_cast<double>(leaf.count);
    std::visit(
        [&]<class E>(const E& e) {
          if constexpr (requires { e.overflow(); }) {
            const std::uint64_t paid = paid_for(leaf.count, e.overflow(), share);
            const double unpaid = binomial_tail(leaf.count, e.overflow(), paid + 1);
            log_kept += std::log1p(-unpaid);
            give(unpaid, 1);
            is_bracket = is_bracket || paid > 0;
            if (paid < leaf.count) above.parts.push_back({e.otherwise(), leaf.count - paid});
            if (paid > 0) above.parts.push_back({e.at_most(), paid});
            below.parts.push_back({e.otherwise(), leaf.count});
          } else if constexpr (requires { e.surely_given(); }) {
            log_kept += std::log1p(-e.delta) * count;
            give(e.delta, count);
            log_surely += std::log1p(-e.surely_given()) * count;
            above.parts.push_back({e.otherwise(), leaf.count});
            below.parts.push_back(above.parts.back());
          } else {
            above.parts.push_back(leaf);
            below.parts.push_back(leaf);
          }
        },
        leaf.mechanism);
  }
  return {{std::move(above), 1},
          {std::move(below), 1},
          is_bracket,
          std::min({-std::expm1(log_kept) * (1 + 1e-12), sum, 1.0}),
          -std::expm1(log_surely) * (1 - 1e-12)};
}

}  // namespace

std::vector<KeptBack> kept_back(const Event& event) {
  const std::vector<Event> leaves = flatten(event);
  std::vector<KeptBack> ways;
  for (const double share : {1.0, 1e-6, 1e-12, 0.0}) {
    KeptBack way = kept_back(leaves, share);
    if (ways.empty() || way.given_away < ways.back().given_away) ways.push_back(std::move(way));
  }
  return ways;
}

/// What stands beside the event of one row in what `sotto account --json` prints.
const std::set<std::string> kPrinted = {
    "epsilon", "epsilon_lower", "epsilon_upper", "delta",     "delta_lower", "delta_upper", "rho",
    "gdp_mu",  "bound",         "bound_by",      "adjacency", "event",       "warnings",    "trade_off"};

std::string event_text(const Event& event) { return nlohmann::json(event).dump(); }

Event event_from_text(const std::string& text) {
  constexpr int kDeepest = 100;  // what reads and prices a tree recurses
  using Parsed = nlohmann::json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto json = nlohmann::json::parse(
      text,
      [&keys](int depth, Parsed what, const nlohmann::json& value) {
        require(depth <= kDeepest, "a privacy event is nested too deeply");
        if (what == Parsed::object_start) keys.emplace_back();
        if (what == Parsed::object_end) keys.pop_back();
        if (what == Parsed::key)
          require(keys.back().insert(value.get<std::string>()).second, "a privacy event has a key twice");
        return true;
      },
      false);
  require(!json.is_discarded(), "this is no JSON of a privacy event");
  // Or all that `sotto account --json` prints, of which it is a part.
  const bool whole = json.is_object() && json.contains("event") && !json.contains("mechanism");
  if (whole)
    for (const auto& [key, value] : json.items())
      require(kPrinted.contains(key),
              "what stands beside `event` would change its price: write the event alone");
  Event event;
  from_json(whole ? json["event"] : json, event);
  return event;
}

std::string mechanism_name(const Event& event) {
  return std::visit(
      []<class E>(const E&) -> std::string {
        if constexpr (kIsComposition<E>)
          return "composition";
        else
          return E::name;
      },
      event.mechanism);
}

void to_json(nlohmann::json& json, const Event& event) {
  json = nlohmann::json::object();
  std::visit(
      [&]<class E>(const E& mechanism) {
        if constexpr (kIsComposition<E>)
          json["parts"] = mechanism.parts;
        else
          each_field<E>([&](const auto& field) { json[field.json] = value_of(mechanism.*field.member); });
      },
      event.mechanism);
  json["mechanism"] = mechanism_name(event);
  json["count"] = event.count;
}

void from_json(const nlohmann::json& json, Event& event) {
  try {
    event.mechanism = mechanism_from(json);
    read_value(value_at(json, "count"), event.count);
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::configuration, "a privacy event in JSON has a value of the wrong type");
  }
  validate(event);
}

}  // namespace sotto
