#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "sotto/accountant/cost.hpp"
#include "sotto/report/privacy_statement.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

// Events go in and out as JSON, which the library checks.
std::vector<Event> events_from(const std::vector<std::string>& texts) {
  std::vector<Event> events;
  events.reserve(texts.size());
  for (const std::string& text : texts) events.push_back(event_from_text(text));
  return events;
}

std::string account(const std::vector<std::string>& events, std::optional<double> epsilon,
                    std::optional<double> delta, std::string adjacency, std::string bound, std::int64_t group,
                    double accuracy, std::int64_t trade_off) {
  const nb::gil_scoped_release others_run;
  const CostQuestion question{epsilon,  delta,    std::move(adjacency), std::move(bound), group,
                              accuracy, trade_off};
  Cost cost = cost_of(events_from(events), question);
  for (std::string& sentence : bound_warnings(cost.epsilon.upper, question.delta.value_or(0)))
    cost.warnings.push_back(std::move(sentence));
  return cost_json(cost, question).dump();
}

Target target_from(double epsilon, double delta, std::string adjacency, std::string bound,
                   const std::vector<std::string>& others) {
  return target_of({epsilon, delta, std::move(adjacency), std::move(bound)}, events_from(others));
}

std::string smallest_noise_of(const std::string& event, double epsilon, double delta, std::string adjacency,
                              std::string bound, const std::vector<std::string>& others) {
  const nb::gil_scoped_release others_run;
  const Event mechanism = event_from_text(event);
  const Target target = target_from(epsilon, delta, std::move(adjacency), std::move(bound), others);
  return event_text(with_noise(mechanism, smallest_noise(mechanism, target)));
}

std::string largest_count_of(const std::string& event, double epsilon, double delta, std::string adjacency,
                             std::string bound, const std::vector<std::string>& others) {
  const nb::gil_scoped_release others_run;
  Event mechanism = event_from_text(event);
  mechanism.count =
      largest_count(mechanism, target_from(epsilon, delta, std::move(adjacency), std::move(bound), others));
  return event_text(mechanism);
}

}  // namespace

void add_account(nb::module_& module) {
  module.def("event", [](const std::string& text) { return event_text(event_from_text(text)); });
  module.def("event_of", [](const std::string& spec) { return event_text(parse_event(spec)); });
  module.def("account", &account);
  module.def("smallest_noise", &smallest_noise_of);
  module.def("largest_count", &largest_count_of);
}

}  // namespace sotto::python
