// One step of Barker's test on a batch of fixed size, its noise completed by the batch's own variance.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/view.hpp"
#include "sotto/math/renyi_divergence.hpp"

namespace sotto {

/// Noise that completes, batch by batch, the batch's own variance to a total of 2; log ratios of single rows within
/// `bound`, in the log density's unit, bound <= sqrt(batch) / rows.
struct VarianceCompletedBarkerEvent {
  std::uint64_t rows = 1;
  std::uint64_t batch = 1;
  double bound = 0;

  bool operator==(const VarianceCompletedBarkerEvent&) const = default;
  static constexpr const char* name = "variance-completed-barker";
  static auto fields() {
    using E = VarianceCompletedBarkerEvent;
    return std::tuple(Field<E, std::uint64_t>{"rows", &E::rows, "rows"},
                      Field<E, std::uint64_t>{"batch", &E::batch, "batch"},
                      Field<E, double>{"bound", &E::bound, "bound"});
  }
  void check() const {
    require(batch >= 1 && batch <= rows && is_exact(rows), "batch must lie in [1, rows], rows below 2^53");
    const double most = std::sqrt(static_cast<double>(batch)) / static_cast<double>(rows);
    require(bound >= 1e-100 && bound <= most, "bound must lie in [1e-100, sqrt(batch) / rows]");
  }

  [[nodiscard]] View<LossView> loss(Adjacency, Side) const { return only_renyi(); }
  /// Source docs/barker.md. One exchanged row moves the centre by at most 2 s and the variance, at least `least`, by 4 s^2;
  /// centres and variances are rounded down to whole steps of at most 2^-39.
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute)
      return Refusal{"variance-completed-barker is accounted under --adjacency substitute only"};
    const auto b = static_cast<double>(batch);
    const double rate = b / static_cast<double>(rows);
    const double s = static_cast<double>(rows) / b * bound;
    const double least = 2 - s * s * b;
    const auto known = [=](int j) {
      const double change = 2 * s + 0x1p-39;
      const double share = change * change / least;  // of a variance: 4 s^2 / least
      if (!(j * share < 0.999)) return std::numeric_limits<double>::infinity();
      const double shape = j * std::log1p(-share) - std::log1p(-j * share);
      return (j * change * change / (2 * least * (1 - j * share)) + shape / (2 * (j - 1.0))) * (1 + 1e-9) +
             1e-15;
    };
    return RenyiCurve::at_integers([=](int a) {
      const double whole = known(a);
      return std::isinf(whole) ? whole : std::min(whole, fixed_batch_renyi(rate, a, known));
    });
  }
  [[nodiscard]] View<double> rho(Adjacency) const { return only_renyi(); }
  [[nodiscard]] View<double> pure_epsilon(Adjacency) const { return only_renyi(); }

 private:
  static Refusal only_renyi() {
    return {"variance-completed-barker has no proven loss distribution: use --bound rdp"};
  }
};

}  // namespace sotto
