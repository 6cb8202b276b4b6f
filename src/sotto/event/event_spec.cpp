// Reads one event from its command line form, NAME:key=value,...
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "sotto/base/one_line.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/event/event.hpp"
#include "sotto/event/kinds.hpp"

namespace sotto {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

// What a message may repeat of the input: short and printable.
std::string shown(const std::string& text) { return "'" + one_line(text, 40) + "'"; }

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

  std::vector<double> list(const char* key) {
    const auto text = take(key, false);
    std::vector<double> values;
    std::size_t start = 0;
    while (start <= text->size()) {
      const std::size_t end = std::min(text->find('/', start), text->size());
      const std::string item = text->substr(start, end - start);
      double value = 0;
      const auto [last, error] = std::from_chars(item.data(), item.data() + item.size(), value);
      if (error != std::errc() || last != item.data() + item.size() || !std::isfinite(value))
        fail(std::string(key) + " must be numbers like 2/4/8, not " + shown(*text));
      values.push_back(value);
      start = end + 1;
    }
    return values;
  }

  Sampling sampling() {
    const auto text = take("sampling", true);
    if (!text || *text == "poisson") return Sampling::poisson;
    if (*text == "without-replacement") return Sampling::without_replacement;
    fail("sampling must be poisson or without-replacement, not " + shown(*text));
  }

  void finish() const {
    if (values_.empty()) return;
    const std::string& key = values_.begin()->first;
    fail(name_ + " has no key " + shown(key) + suggestion(key, known_));
  }

 private:
  static double number_from(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
  }

  /// The key that was probably meant to be this one.
  [[nodiscard]] std::string misspelt(const std::string& key) const {
    for (const auto& [given, value] : values_) {
      if (!suggestion(given, std::vector{key}).empty()) return ", not " + shown(given);
    }
    const bool alone = values_.size() == 1 && values_.begin()->first != "count";
    return alone ? ", not " + shown(values_.begin()->first) : std::string();
  }

  std::optional<std::string> take(const char* key, bool optional) {
    known_.emplace_back(key);
    const auto found = values_.find(key);
    if (found == values_.end()) {
      if (!optional) fail(name_ + " needs " + key + "=..." + misspelt(key));
      return std::nullopt;
    }
    std::string text = std::move(found->second);
    values_.erase(found);
    return text;
  }

  std::string name_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> known_;
};

template <class T>
std::optional<T> fallback(bool needed, T value) {
  return needed ? std::nullopt : std::optional<T>(value);
}

void read_value(Keys& keys, const char* key, bool needed, double& x) {
  x = keys.number(key, fallback(needed, x));
}
void read_value(Keys& keys, const char* key, bool needed, std::uint64_t& n) {
  n = keys.integer(key, fallback(needed, n));
}
void read_value(Keys& keys, const char* key, bool, std::vector<double>& list) { list = keys.list(key); }
void read_value(Keys& keys, const char*, bool, Sampling& sampling) { sampling = keys.sampling(); }

template <class E>
E read_kind(Keys& keys, bool needs_noise) {
  E event;
  each_field<E>([&]<class T>(const Field<E, T>& field) {
    if (!field.spec) return;
    bool needed = field.is_needed;
    if constexpr (HasNoise<E>) {
      if constexpr (std::is_same_v<T, double>)
        needed = needed && (needs_noise || field.member != E::noise().noise);
    }
    read_value(keys, field.spec, needed, event.*field.member);
  });
  // Noise is given in units of the sensitivity or clip norm.
  if constexpr (HasNoise<E>) {
    const auto field = E::noise();
    if (field.unit) event.*field.noise *= event.*field.unit;
  }
  return event;
}

// Names for what consists of other events. Each reads its keys and tells one repetition.

// Stochastic gradient descent with clipped gradients on Poisson batches of `batch` rows on average. Source [ACGMMTZ16]
Event dp_sgd(Keys& keys, bool needs_noise) {
  const double noise = keys.number("noise", fallback(needs_noise, 1.0));
  const auto rows = static_cast<double>(keys.integer("rows"));
  const auto batch = static_cast<double>(keys.integer("batch"));
  const double epochs = keys.number("epochs");
  if (!(batch >= 1 && batch <= rows)) fail("dp-sgd: batch must lie in [1, rows]");
  const double steps = std::ceil(epochs * rows / batch);
  if (!(epochs > 0 && steps < 0x1p53)) fail("dp-sgd: epochs must be positive, and steps fewer than 2^53");
  return {SubsampledGaussianEvent{1, noise, batch / rows, Sampling::poisson},
          static_cast<std::uint64_t>(steps)};
}

struct Derived {
  const char* name;
  const char* keys;
  Event (*make)(Keys& keys, bool needs_noise);
};
constexpr Derived kDerived[] = {{"dp-sgd", "noise, rows, batch, epochs", dp_sgd}};

Event parse(const std::string& spec, bool needs_noise) {
  const std::size_t colon = spec.find(':');
  const std::string name = spec.substr(0, colon);
  Keys keys(name, colon == std::string::npos ? "" : spec.substr(colon + 1));
  Event event;
  std::vector<std::string> names;
  std::uint64_t each = 1;
  bool known = any_kind([&]<class E>(const E&) {
    names.emplace_back(E::name);
    if (name != E::name) return false;
    event.mechanism = read_kind<E>(keys, needs_noise);
    return true;
  });
  for (const Derived& derived : kDerived) {
    names.emplace_back(derived.name);
    if (known || name != derived.name) continue;
    const Event made = derived.make(keys, needs_noise);
    event.mechanism = made.mechanism;
    each = made.count;
    known = true;
  }
  if (!known) {
    const std::string near = suggestion(name, names);
    fail(fmt::format("unknown mechanism {}{}", shown(name.substr(0, 24)),
                     near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
  }
  if (__builtin_mul_overflow(keys.integer("count", 1), each, &event.count)) fail("count is too large");
  if (event.count == 0) fail(name + ": a count of 0 releases nothing: count must be at least 1");
  keys.finish();
  try {
    (void)flatten(event);
  } catch (const Error& error) {
    fail(name + ": " + error.what());
  }
  return event;
}

}  // namespace

Event parse_event(const std::string& spec) { return parse(spec, true); }
Event parse_event_without_noise(const std::string& spec) { return parse(spec, false); }

std::string event_grammar() {
  std::string text;
  (void)any_kind([&]<class E>(const E&) {
    text += std::string(E::name) + ":";
    const char* separator = " ";
    each_field<E>([&](const auto& field) {
      if (!field.spec) return;
      text += separator + std::string(field.spec);
      separator = ", ";
    });
    text += "\n";
    return false;
  });
  for (const Derived& derived : kDerived) text += std::string(derived.name) + ": " + derived.keys + "\n";
  return text;
}

}  // namespace sotto
