// One step of DP Barker on a batch of fixed size.
#pragma once

#include <cmath>
#include <limits>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// Noise of total variance 2, |log ratio| <= sqrt(batch) / rows.
struct BarkerEvent {
  std::uint64_t rows = 1;
  std::uint64_t batch = 1;

  bool operator==(const BarkerEvent&) const = default;
  static constexpr const char* name = "dp-barker";
  static auto fields() {
    using E = BarkerEvent;
    return std::tuple(Field<E, std::uint64_t>{"rows", &E::rows, "rows"},
                      Field<E, std::uint64_t>{"batch", &E::batch, "batch"});
  }
  void check() const {
    require(batch >= 1 && batch <= rows && is_exact(rows), "batch must lie in [1, rows], rows below 2^53");
  }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const { return only_renyi(); }
  /// Source [HJDH19] = thesis theorem 8 (E10); order < batch / 5
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute)
      return Refusal{"dp-barker is accounted under --adjacency substitute only"};
    const auto b = static_cast<double>(batch);
    const double rate = b / static_cast<double>(rows);
    return RenyiCurve{nullptr, [=](int a) {
                        if (!(a < b / 5)) return std::numeric_limits<double>::infinity();
                        return fixed_batch_renyi(rate, a, [=](int j) {
                          const double rest = b - 5.0 * j;
                          return 5 / (2 * b) + std::log(2 * b / rest) / (2 * (j - 1.0)) + 2 * j / rest;
                        });
                      }};
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return only_renyi(); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return only_renyi(); }

 private:
  static Refusal only_renyi() { return {"dp-barker has no proven loss distribution: use --bound rdp"}; }
};

}  // namespace sotto
