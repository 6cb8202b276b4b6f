#include "sotto/event/event.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace sotto {
namespace {

template <class... Ts>
struct overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
overloaded(Ts...) -> overloaded<Ts...>;

void require(bool holds, const char* message) {
  if (!holds) throw Error(ErrorCode::configuration, message);
}

// Ranges in which every derived quantity is a normal double.
bool positive(double x) { return x >= 1e-100 && x <= 1e100; }
bool sampling_rate(double x) { return x == 0 || (x >= 1e-30 && x <= 1); }

void check_noise(double sensitivity, double scale) {
  require(sensitivity == 0 || positive(sensitivity), "sensitivity must be 0 or lie in [1e-100, 1e100]");
  require(positive(scale), "sigma or scale must lie in [1e-100, 1e100]");
  require(sensitivity == 0 || positive(scale / sensitivity),
          "sigma or scale must lie in [1e-100, 1e100] times the sensitivity");
}

void check(const GaussianEvent& e) { check_noise(e.sensitivity, e.sigma); }
void check(const DiscreteGaussianEvent& e) {
  check_noise(e.sensitivity, e.sigma);
  require(e.sensitivity == std::floor(e.sensitivity) && e.sensitivity <= 0x1p53,
          "a discrete Gaussian's sensitivity must be an integer number of grid steps, at most 2^53");
  require(e.dimension >= 1 && e.dimension <= (1ULL << 40), "dim must lie in [1, 2^40]");
}
void check(const LaplaceEvent& e) { check_noise(e.sensitivity, e.scale); }
void check(const SubsampledGaussianEvent& e) {
  check_noise(e.clip_norm, e.sigma);
  require(sampling_rate(e.rate), "rate must be 0 or lie in [1e-30, 1]");
}
void check(const SubsampledLaplaceEvent& e) {
  check_noise(e.clip_norm, e.scale);
  require(sampling_rate(e.rate), "rate must be 0 or lie in [1e-30, 1]");
}
void check(const RandomizedResponseEvent& e) {
  require(e.probability >= 1e-15 && e.probability <= 1, "probability must lie in [1e-15, 1]");
  require(e.levels >= 2 && e.levels <= (1ULL << 40), "levels must lie in [2, 2^40]");
}
void check(const PureEvent& e) {
  require(e.epsilon == 0 || (e.epsilon >= 1e-100 && e.epsilon <= 700),
          "a pure epsilon must be 0 or lie in [1e-100, 700]");
}
void check(const BarkerEvent& e) {
  require(e.batch >= 1 && e.batch <= e.rows && e.rows <= (1ULL << 53),
          "batch must lie in [1, rows], rows below 2^53");
}
void check(const VarianceCompletedBarkerEvent& e) {
  check(BarkerEvent{e.rows, e.batch});
  const double most = std::sqrt(static_cast<double>(e.batch)) / static_cast<double>(e.rows);
  require(e.bound >= 1e-100 && e.bound <= most, "bound must lie in [1e-100, sqrt(batch) / rows]");
}
void check(const SubsampledPenaltyEvent& e) {
  require(positive(e.tau), "tau must lie in [1e-100, 1e100]");
  require(sampling_rate(e.rate), "rate must be 0 or lie in [1e-30, 1]");
}
void check(const CompositionEvent& e) {
  for (const Event& part : e.parts) validate(part);
}

bool same(const Event& a, const Event& b) {
  return std::visit(overloaded{[](const CompositionEvent&, const CompositionEvent&) { return false; },
                               []<class T>(const T& x, const T& y) { return x == y; },
                               [](const auto&, const auto&) { return false; }},
                    a.mechanism, b.mechanism);
}

void collect(const Event& event, std::uint64_t times, std::vector<Event>& leaves) {
  std::uint64_t count = 0;
  require(!__builtin_mul_overflow(event.count, times, &count) && count < (1ULL << 53),
          "count must stay below 2^53");
  if (const auto* composition = std::get_if<CompositionEvent>(&event.mechanism)) {
    for (const Event& part : composition->parts) collect(part, count, leaves);
    return;
  }
  if (count == 0) return;
  for (Event& leaf : leaves) {
    if (!same(leaf, event)) continue;
    leaf.count += count;
    require(leaf.count < (1ULL << 53), "count must stay below 2^53");
    return;
  }
  leaves.push_back({event.mechanism, count});
}

const char* sampling_name(Sampling sampling) {
  switch (sampling) {
    case Sampling::none:
      return "none";
    case Sampling::poisson:
      return "poisson";
    case Sampling::without_replacement:
      return "without-replacement";
  }
  return "none";
}

Sampling sampling_from(const std::string& name) {
  if (name == "none") return Sampling::none;
  if (name == "poisson") return Sampling::poisson;
  if (name == "without-replacement") return Sampling::without_replacement;
  throw Error(ErrorCode::configuration, "sampling must be none, poisson or without-replacement");
}

using nlohmann::json;

json fields(const GaussianEvent& e) { return {{"sensitivity", e.sensitivity}, {"sigma", e.sigma}}; }
json fields(const DiscreteGaussianEvent& e) {
  return {{"sensitivity", e.sensitivity}, {"sigma", e.sigma}, {"dimension", e.dimension}};
}
json fields(const LaplaceEvent& e) { return {{"sensitivity", e.sensitivity}, {"scale", e.scale}}; }
json fields(const SubsampledGaussianEvent& e) {
  return {{"clip_norm", e.clip_norm},
          {"sigma", e.sigma},
          {"rate", e.rate},
          {"sampling", sampling_name(e.sampling)}};
}
json fields(const SubsampledLaplaceEvent& e) {
  return {{"clip_norm", e.clip_norm},
          {"scale", e.scale},
          {"rate", e.rate},
          {"sampling", sampling_name(e.sampling)}};
}
json fields(const RandomizedResponseEvent& e) {
  return {{"probability", e.probability}, {"levels", e.levels}};
}
json fields(const PureEvent& e) { return {{"epsilon", e.epsilon}}; }
json fields(const BarkerEvent& e) { return {{"rows", e.rows}, {"batch", e.batch}}; }
json fields(const VarianceCompletedBarkerEvent& e) {
  return {{"rows", e.rows}, {"batch", e.batch}, {"bound", e.bound}};
}
json fields(const SubsampledPenaltyEvent& e) { return {{"tau", e.tau}, {"rate", e.rate}}; }
json fields(const CompositionEvent& e) { return {{"parts", e.parts}}; }

Event from_fields(const std::string& name, const json& j) {
  const auto number = [&](const char* key) { return j.at(key).get<double>(); };
  const auto integer = [&](const char* key) {
    require(j.at(key).is_number_unsigned(), "counts must be integers >= 0");
    return j.at(key).get<std::uint64_t>();
  };
  const auto sampling = [&] { return sampling_from(j.at("sampling").get<std::string>()); };
  if (name == "gaussian") return {GaussianEvent{number("sensitivity"), number("sigma")}};
  if (name == "discrete-gaussian") {
    return {DiscreteGaussianEvent{number("sensitivity"), number("sigma"), integer("dimension")}};
  }
  if (name == "laplace") return {LaplaceEvent{number("sensitivity"), number("scale")}};
  if (name == "subsampled-gaussian") {
    return {SubsampledGaussianEvent{number("clip_norm"), number("sigma"), number("rate"), sampling()}};
  }
  if (name == "subsampled-laplace") {
    return {SubsampledLaplaceEvent{number("clip_norm"), number("scale"), number("rate"), sampling()}};
  }
  if (name == "randomized-response")
    return {RandomizedResponseEvent{number("probability"), integer("levels")}};
  if (name == "pure") return {PureEvent{number("epsilon")}};
  if (name == "dp-barker") return {BarkerEvent{integer("rows"), integer("batch")}};
  if (name == "variance-completed-barker")
    return {VarianceCompletedBarkerEvent{integer("rows"), integer("batch"), number("bound")}};
  if (name == "subsampled-penalty") return {SubsampledPenaltyEvent{number("tau"), number("rate")}};
  if (name == "composition") return {CompositionEvent{j.at("parts").get<std::vector<Event>>()}};
  throw Error(ErrorCode::configuration, "unknown mechanism in a privacy event");
}

}  // namespace

void validate(const Event& event) {
  std::visit([](const auto& mechanism) { check(mechanism); }, event.mechanism);
}

std::vector<Event> flatten(const Event& event) {
  validate(event);
  std::vector<Event> leaves;
  collect(event, 1, leaves);
  return leaves;
}

std::string mechanism_name(const Event& event) {
  static constexpr const char* names[] = {"gaussian",
                                          "discrete-gaussian",
                                          "laplace",
                                          "subsampled-gaussian",
                                          "subsampled-laplace",
                                          "randomized-response",
                                          "pure",
                                          "dp-barker",
                                          "variance-completed-barker",
                                          "subsampled-penalty",
                                          "composition"};
  return names[event.mechanism.index()];
}

void to_json(nlohmann::json& json, const Event& event) {
  json = std::visit([](const auto& mechanism) { return fields(mechanism); }, event.mechanism);
  json["mechanism"] = mechanism_name(event);
  json["count"] = event.count;
}

void from_json(const nlohmann::json& json, Event& event) {
  try {
    event = from_fields(json.at("mechanism").get<std::string>(), json);
    require(json.at("count").is_number_unsigned(), "counts must be integers >= 0");
    event.count = json.at("count").get<std::uint64_t>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::configuration, "a privacy event in JSON lacks a key or has one of the wrong type");
  }
  validate(event);
}

}  // namespace sotto
