// Visits the kinds of events: every list of them follows from the one variant.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "sotto/event/event.hpp"

namespace sotto {

/// Calls `visit(E{})` for every kind of event that is no composition, until one answers true.
template <class Visit, std::size_t I = 0>
bool any_kind(const Visit& visit) {
  if constexpr (I == std::variant_size_v<Mechanism>) {
    return false;
  } else {
    using E = std::variant_alternative_t<I, Mechanism>;
    if constexpr (!std::is_same_v<E, CompositionEvent>) {
      static_assert(EventKind<E>);
      if (visit(E{})) return true;
    }
    return any_kind<Visit, I + 1>(visit);
  }
}

/// Calls `visit(field)` for each of the kind's keys, in order.
template <class E, class Visit>
void each_field(const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, E::fields());
}

/// True if calibration can change its noise.
template <class E>
concept HasNoise = requires {
  E::noise();
};

}  // namespace sotto
