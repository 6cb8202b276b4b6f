// Neal 3: clusters chosen with all atoms integrated out, on confidential or on imputed data; with split-merge
// moves.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/mixture/algorithm/imputation.hpp"
#include "sotto/mixture/algorithm/sample_categorical.hpp"
#include "sotto/mixture/algorithm/split_merge.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

struct Neal3Settings {
  std::size_t split_merge_moves = 0;  ///< proposed before each scan
};

/// Computes   a chain on (c, Y) with target eppf(c) prod_h m(y_C_h) q(Z | Y), m the marginal likelihood
///            of a cluster: c_i joins cluster h with weight (n_h + shift) m(y_h + y_i) / m(y_h), or
///            opens one with weight new_weight m(y_i). Then theta* ~ p(. | c, Y) is drawn for the
///            output, and, where there is a channel, y_i given (z_i, theta*) by Metropolis-Hastings
///            from its kernel.
/// Source     [Nea00, algorithm 3]. For releases of a Gaussian channel give them as confidential data
///            with InflatedNormalKernel: then nothing is imputed [BFR24, section 3.3]
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: five_to_eight_releases, eight_confidential_data
template <ConjugateKernel Kernel, MixingPrior Mixing, class Data>
class Neal3 {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Datum = typename Kernel::Datum;
  using Statistic = typename Kernel::Statistic;

  /// `start`: first guesses of the confidential data, inside the kernel's support; ignored for confidential
  /// data.
  Neal3(Kernel kernel, Mixing mixing, Data data, std::vector<Datum> start, Neal3Settings settings,
        ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        y_(std::move(data), std::move(start)),
        settings_(settings),
        log_marginal_(1),
        split_merge_(state_.size()) {
    state_.atom(0) = state_.kernel.draw_prior(rng);
    gather();
    state_.update_atoms(rng);
  }

  SweepInfo sweep(ChainRng& rng) {
    SweepInfo info;
    // Statistics are summed afresh in every sweep, so that rounding does not build up.
    gather();
    for (std::size_t move = 0; move < settings_.split_merge_moves; ++move)
      split_merge_.move(state_, y_.values(), rng);
    for (const int slot : state_.partition.active()) remember(slot);
    for (std::size_t i = 0; i < state_.size(); ++i) update_datum(i, rng);
    state_.update_atoms(rng);
    if constexpr (!is_confidential<Data>)
      for (std::size_t i = 0; i < state_.size(); ++i)
        y_.update(i, state_.kernel, state_.atom_of(i), rng, info);
    state_.finish(rng);
    return info;
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }
  [[nodiscard]] const Imputation<Kernel, Data>& imputation() const { return y_; }
  Imputation<Kernel, Data>& imputation() { return y_; }
  [[nodiscard]] const SplitMerge<Kernel, Mixing>& split_merge() const { return split_merge_; }

 private:
  void gather() {
    state_.gather([&](std::size_t i, Statistic& s) { s.add(y_[i]); });
  }
  void remember(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (at >= log_marginal_.size()) log_marginal_.resize(2 * at + 1);
    log_marginal_[at] = state_.kernel.log_marginal(state_.statistic(slot));
  }

  void update_datum(std::size_t i, ChainRng& rng) {
    const Partition& partition = state_.partition;
    const Datum y = y_[i];
    const int own = partition.slot(i);
    const bool alone = partition.size(own) == 1;
    // 1. Datum i leaves its cluster's statistic.
    state_.statistic(own).remove(y);
    if (!alone) remember(own);
    // 2. Weights.
    Statistic single{};
    single.add(y);
    slots_.assign(1, -1);
    weights_.assign(1, std::log(state_.mixing.new_weight(partition.clusters() - (alone ? 1 : 0))) +
                           state_.kernel.log_marginal(single));
    for (const int slot : partition.active()) {
      if (alone && slot == own) continue;
      const double size = partition.size(slot) - (slot == own ? 1 : 0);
      Statistic joined = state_.statistic(slot);
      joined.add(y);
      slots_.push_back(slot);
      weights_.push_back(std::log(size + state_.mixing.size_shift()) + state_.kernel.log_marginal(joined) -
                         log_marginal_[static_cast<std::size_t>(slot)]);
    }
    // 3. One of them.
    int slot = slots_[sample_categorical(weights_, rng)];
    if (slot < 0) {
      if (alone) {
        slot = own;
      } else {
        slot = state_.open(i, state_.atom(own));
      }
      state_.statistic(slot) = single;
    } else {
      state_.partition.move(i, slot);
      state_.statistic(slot).add(y);
    }
    remember(slot);
  }

  State state_;
  Imputation<Kernel, Data> y_;
  Neal3Settings settings_;
  std::vector<double> log_marginal_;  ///< slot -> log m of its data
  SplitMerge<Kernel, Mixing> split_merge_;
  std::vector<int> slots_;       ///< scratch
  std::vector<double> weights_;  ///< scratch
};

}  // namespace sotto::mixture
