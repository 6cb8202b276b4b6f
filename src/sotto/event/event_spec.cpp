// Reads one event from its command line form, NAME:key=value,...
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "sotto/event/event.hpp"

namespace sotto {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

// What a message may repeat of the input: short and printable.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += (c >= 0x20 && c < 0x7f) ? c : '?';
  return "'" + out + "'";
}

class Keys {
 public:
  Keys(std::string name, const std::string& text) : name_(std::move(name)) {
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find(',', start), text.size());
      const std::string item = text.substr(start, end - start);
      const std::size_t equal = item.find('=');
      if (equal == std::string::npos || equal == 0) fail("write " + shown(item) + " as key=value");
      if (!values_.emplace(item.substr(0, equal), item.substr(equal + 1)).second) {
        fail("key " + shown(item.substr(0, equal)) + " is given twice");
      }
      start = end + 1;
    }
  }

  double number(const char* key, std::optional<double> fallback = std::nullopt) {
    const auto text = take(key, fallback.has_value());
    if (!text) return *fallback;
    double value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value)) {
      fail(std::string(key) + " must be a finite number, not " + shown(*text));
    }
    return value;
  }

  std::uint64_t integer(const char* key, std::optional<std::uint64_t> fallback = std::nullopt) {
    const auto text = take(key, fallback.has_value());
    if (!text) return *fallback;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) {
      const double wide = number_from(*text);  // 1e6 is an integer too
      if (!(wide >= 0) || wide > 0x1p53 || wide != std::floor(wide)) {
        fail(std::string(key) + " must be an integer >= 0, not " + shown(*text));
      }
      return static_cast<std::uint64_t>(wide);
    }
    return value;
  }

  Sampling sampling() {
    const auto text = take("sampling", true);
    if (!text || *text == "poisson") return Sampling::poisson;
    if (*text == "without-replacement") return Sampling::without_replacement;
    fail("sampling must be poisson or without-replacement, not " + shown(*text));
  }

  void finish() const {
    if (!values_.empty()) fail(name_ + " has no key " + shown(values_.begin()->first));
  }

 private:
  static double number_from(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
  }

  std::optional<std::string> take(const char* key, bool optional) {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      if (!optional) fail(name_ + " needs " + key + "=...");
      return std::nullopt;
    }
    std::string text = std::move(found->second);
    values_.erase(found);
    return text;
  }

  std::string name_;
  std::map<std::string, std::string> values_;
};

Event read_mechanism(const std::string& name, Keys& keys) {
  if (name == "gaussian") return {GaussianEvent{1, keys.number("sigma")}};
  if (name == "discrete-gaussian") {
    const double sigma = keys.number("sigma");
    const auto grid = static_cast<double>(keys.integer("grid", 1));
    return {DiscreteGaussianEvent{grid, sigma * grid, keys.integer("dim", 1)}};
  }
  if (name == "subsampled-gaussian") {
    const double sigma = keys.number("sigma");
    const double rate = keys.number("rate");
    return {SubsampledGaussianEvent{1, sigma, rate, keys.sampling()}};
  }
  if (name == "laplace") return {LaplaceEvent{1, keys.number("scale")}};
  if (name == "subsampled-laplace") {
    const double scale = keys.number("scale");
    const double rate = keys.number("rate");
    return {SubsampledLaplaceEvent{1, scale, rate, keys.sampling()}};
  }
  if (name == "randomized-response") {
    const double probability = keys.number("probability");
    return {RandomizedResponseEvent{probability, keys.integer("levels", 2)}};
  }
  if (name == "dp-barker") {
    const std::uint64_t rows = keys.integer("rows");
    return {BarkerEvent{rows, keys.integer("batch")}};
  }
  if (name == "variance-completed-barker") {
    const std::uint64_t rows = keys.integer("rows");
    const std::uint64_t batch = keys.integer("batch");
    return {VarianceCompletedBarkerEvent{rows, batch, keys.number("bound")}};
  }
  if (name == "subsampled-penalty") {
    const double tau = keys.number("tau");
    return {SubsampledPenaltyEvent{tau, keys.number("rate")}};
  }
  if (name == "pure") return {PureEvent{keys.number("epsilon")}};
  fail("unknown mechanism " + shown(name) +
       "; known: gaussian, discrete-gaussian, subsampled-gaussian, laplace, subsampled-laplace, "
       "randomized-response, "
       "dp-barker, variance-completed-barker, subsampled-penalty, pure");
}

}  // namespace

Event parse_event(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  Keys keys(name, colon == std::string::npos ? "" : spec.substr(colon + 1));
  Event event = read_mechanism(name, keys);
  event.count = keys.integer("count", 1);
  keys.finish();
  try {
    (void)flatten(event);
  } catch (const Error& error) {
    fail(name + ": " + error.what());
  }
  return event;
}

}  // namespace sotto
