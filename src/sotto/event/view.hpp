// How accountants may see one step of an event: plain descriptions that know no accountant.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {

/// Which side of the truth a description must stay on.
enum class Side { lower, upper };

/// Why an accountant gets no view of an event.
struct Refusal {
  std::string why;
};

/// What an accountant may know of an event, or why it may not. What is not there cannot be read: nothing is free by
/// oversight.
template <class T>
class View {
 public:
  View(T value) : held_(std::move(value)) {}
  View(Refusal refusal) : held_(std::move(refusal)) {}
  [[nodiscard]] bool is_known() const { return held_.index() == 0; }
  /// Throws Error(usage) with the reason if there is none.
  [[nodiscard]] const T& value() const {
    if (const auto* refusal = std::get_if<Refusal>(&held_)) throw Error(ErrorCode::usage, refusal->why);
    return std::get<0>(held_);
  }
  /// Empty if there is a value.
  [[nodiscard]] std::string why_not() const {
    const auto* refusal = std::get_if<Refusal>(&held_);
    return refusal ? refusal->why : std::string();
  }

 private:
  std::variant<T, Refusal> held_;
};

/// Outputs do not depend on the row.
struct NoLoss {};

/// The losses of Gaussian noise. Where that stands for discrete noise, the probabilities of the Gaussian outputs, rounded at
/// random, and of the discrete ones have ratios within e^slack of 1, and so have ratios of these ratios.
struct GaussianLoss {
  double ratio = 0;  ///< sensitivity over standard deviation
  double slack = 0;
};

/// Densities f0 that are log-concave and symmetric.
enum class Noise { gaussian, laplace };

/// P = (1 - r) f0 + r f+,  Q = (1 - s) f0 + s f-: noise centred at 0, at +shift, at -shift.
struct PairLoss {
  Noise noise = Noise::gaussian;
  double scale = 1;
  double shift = 1;
  double r = 1;
  double s = 0;
  bool mirrored = false;  ///< below loss 0 the mirror image of what is above it
};

/// P-probabilities of the losses offset + (first + i) step.
struct LatticeLoss {
  double offset = 0;
  double step = 1;
  std::int64_t first = 0;
  std::vector<double> mass;
  double infinite = 0;  ///< probability of an infinite loss
};

using Loss = std::variant<NoLoss, GaussianLoss, PairLoss, LatticeLoss>;

/// A pair of output distributions that dominates the event's (upper side) or that some query attains (lower side).
struct LossView {
  Loss forward;
  std::optional<Loss> reverse;  ///< with the two data sets exchanged, where that is not the same
};

/// The Renyi cost of a step at every order, infinite where nothing is proven. `real` holds at real orders > 1; else `integer` at
/// integers >= 2, between which (order - 1) cost(order), a convex function, lies below its chord; `fractional`, where it is
/// there, at real orders up to `most_fractional`.
struct RenyiCurve {
  std::function<double(double)> real;
  std::function<double(int)> integer;
  std::function<double(double)> fractional;
  double most_fractional = 0;
  double most_order = HUGE_VAL;  ///< infinite beyond

  [[nodiscard]] static RenyiCurve at_real_orders(std::function<double(double)> cost) {
    return {std::move(cost), nullptr, nullptr, 0, HUGE_VAL};
  }
  [[nodiscard]] static RenyiCurve at_integers(std::function<double(int)> cost) {
    return {nullptr, std::move(cost), nullptr, 0, HUGE_VAL};
  }
};

}  // namespace sotto
