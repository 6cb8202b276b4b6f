// Any mechanism whose Renyi costs are given at some orders.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

struct RenyiGivenEvent {
  std::vector<double> orders = {2};
  std::vector<double> costs = {1};

  bool operator==(const RenyiGivenEvent&) const = default;
  static constexpr const char* name = "renyi";
  static auto fields() {
    using E = RenyiGivenEvent;
    return std::tuple(Field<E, std::vector<double>>{"orders", &E::orders, "orders"},
                      Field<E, std::vector<double>>{"costs", &E::costs, "costs"});
  }
  void check() const {
    require(!orders.empty() && orders.size() == costs.size() && orders.size() <= 10000,
            "orders and costs must be as many, at least one");
    for (std::size_t i = 0; i < orders.size(); ++i) {
      require(orders[i] >= 1 + 1e-6 && orders[i] <= 1e12, "orders must lie in [1.000001, 1e12]");
      require(i == 0 || orders[i] > orders[i - 1], "orders must increase");
      require(costs[i] == 0 || is_positive(costs[i]), "costs must be 0 or lie in [1e-100, 1e100]");
    }
  }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const {
    return Refusal{"Renyi costs say too little of the loss distribution: use --bound rdp"};
  }
  /// Between two orders on the chord of (order - 1) cost, which is convex and 0 at 1, and not above the next one: costs
  /// increase. Nothing is known beyond the last.
  /// Source docs/accounting.md, "Guarantees as given"
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency) const {
    RenyiCurve curve = RenyiCurve::at_real_orders([o = orders, c = costs](double a) {
      const auto next = std::lower_bound(o.begin(), o.end(), a);
      if (next == o.end()) return HUGE_VAL;
      const auto i = static_cast<std::size_t>(next - o.begin());
      const double low = i == 0 ? 1 : o[i - 1];
      const double at_low = i == 0 ? 0 : (low - 1) * c[i - 1];
      const double chord = at_low + (a - low) / (o[i] - low) * ((o[i] - 1) * c[i] - at_low);
      return std::min(chord / (a - 1) * (1 + 1e-12),
                      *std::min_element(c.begin() + static_cast<std::ptrdiff_t>(i), c.end()));
    });
    curve.most_order = orders.back();
    return curve;
  }
  [[nodiscard]] View<double> rho(Adjacency) const {
    return Refusal{"Renyi costs at some orders do not bound those at all orders: use --bound rdp"};
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const {
    return Refusal{"Renyi costs at some orders are no epsilon: use --bound rdp"};
  }
};

}  // namespace sotto
