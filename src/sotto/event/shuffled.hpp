// Answers of many users, each randomised by its user, in random order.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>

#include "sotto/base/numbers.hpp"
#include "sotto/event/field.hpp"
#include "sotto/event/pure.hpp"
#include "sotto/event/view.hpp"

namespace sotto {

/// Every user is one row, and uses the same randomiser, epsilon-private by itself.
struct ShuffledEvent {
  double epsilon = 1;
  std::uint64_t users = 2;

  bool operator==(const ShuffledEvent&) const = default;
  static constexpr const char* name = "shuffled";
  static auto fields() {
    using E = ShuffledEvent;
    return std::tuple(Field<E, double>{"epsilon", &E::epsilon, "epsilon"},
                      Field<E, std::uint64_t>{"users", &E::users, "users"});
  }
  void check() const {
    require(epsilon == 0 || (epsilon >= 1e-6 && epsilon <= 30), "epsilon must be 0 or lie in [1e-6, 30]");
    require(users >= 1 && users <= 1'000'000'000, "users must lie in [1, 1e9]");
  }

  /// Above: the other users as clones of the one whose value is exchanged. Below: binary randomised response, of which is told
  /// whether more answers are 1 than is most probable.
  /// Source [FMT21]; docs/accounting.md, "Shuffled answers"
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (adjacency != Adjacency::substitute) return no_user_left_out();
    if (epsilon == 0) return LossView{NoLoss{}, {}};
    if (side == Side::upper) return LossView{among_clones(), {}};
    return one_bit();
  }
  /// The losses of the upper side; what these count as given away loses epsilon at most.
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_user_left_out();
    if (epsilon == 0) return guarantee().renyi(adjacency);
    const auto losses = std::make_shared<const LatticeLoss>(among_clones());
    return RenyiCurve::at_real_orders([losses, e = epsilon](double a) { return renyi_of(*losses, e, a); });
  }
  /// Of the answers in order: shuffling only helps.
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_user_left_out();
    return guarantee().rho(adjacency);
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    if (adjacency != Adjacency::substitute) return no_user_left_out();
    return guarantee().pure_epsilon(adjacency);
  }

 private:
  [[nodiscard]] LatticeLoss among_clones() const;
  [[nodiscard]] LossView one_bit() const;
  [[nodiscard]] static double renyi_of(const LatticeLoss& losses, double epsilon, double a);
  [[nodiscard]] PureEvent guarantee() const { return {epsilon}; }
  static Refusal no_user_left_out() {
    return {"shuffled answers tell how many users there are: use --adjacency substitute"};
  }
};

}  // namespace sotto
