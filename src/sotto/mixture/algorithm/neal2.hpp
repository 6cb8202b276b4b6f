// Neal 2: clusters chosen by the kernel at present atoms, new ones by the marginal likelihood of one datum.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/mixture/algorithm/sample_categorical.hpp"
#include "sotto/mixture/mixture_state.hpp"
#include "sotto/mixture/released_data.hpp"

namespace sotto::mixture {

/// Computes   a chain on (c, theta*) with target eppf(c) prod_h G0(theta*_h) prod_i f(x_i |
///            theta*_{c_i}): c_i joins cluster h with weight (n_h + shift) f(x_i | theta*_h), or opens
///            one with weight new_weight * m(x_i), its atom drawn from the posterior given x_i alone
/// Source     [Nea00, algorithm 2]. For releases of a Gaussian channel give them as data with
///            InflatedNormalKernel
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: five_to_eight_releases, eight_confidential_data
template <ConjugateKernel Kernel, MixingPrior Mixing>
class Neal2 {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Datum = typename Kernel::Datum;
  using Data = Confidential<Datum>;

  Neal2(Kernel kernel, Mixing mixing, Data data, ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()), data_(std::move(data)) {
    refresh();
    state_.atom(0) = state_.kernel.draw_prior(rng);
    update_atoms(rng);
  }

  SweepInfo sweep(ChainRng& rng) {
    for (std::size_t i = 0; i < state_.size(); ++i) update_datum(i, rng);
    update_atoms(rng);
    state_.finish(rng);
    return {};
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }
  Data& data() { return data_; }
  /// Takes notice of a change of the data.
  void refresh() {
    log_single_.clear();
    for (const Datum& y : data_.y) {
      typename Kernel::Statistic one{};
      one.add(y);
      log_single_.push_back(state_.kernel.log_marginal(one));
    }
  }

 private:
  void update_datum(std::size_t i, ChainRng& rng) {
    const Partition& partition = state_.partition;
    const int own = partition.slot(i);
    const bool alone = partition.size(own) == 1;
    slots_.assign(1, -1);
    weights_.assign(
        1, log_single_[i] + std::log(state_.mixing.new_weight(partition.clusters() - (alone ? 1 : 0))));
    for (const int slot : partition.active()) {
      const double size = partition.size(slot) - (slot == own ? 1 : 0);
      if (size == 0) continue;
      slots_.push_back(slot);
      weights_.push_back(std::log(size + state_.mixing.size_shift()) +
                         state_.kernel.log_density(data_.y[i], state_.atom(slot)));
    }
    const std::size_t chosen = sample_categorical(weights_, rng);
    if (chosen > 0) {
      state_.partition.move(i, slots_[chosen]);
      return;
    }
    typename Kernel::Statistic one{};
    one.add(data_.y[i]);
    state_.open(i, state_.kernel.update(state_.atom(own), one, rng));
  }

  void update_atoms(ChainRng& rng) {
    state_.gather([&](std::size_t i, typename Kernel::Statistic& s) { s.add(data_.y[i]); });
    state_.update_atoms(rng);
  }

  State state_;
  Data data_;
  std::vector<double> log_single_;  ///< log m(x_i)
  std::vector<int> slots_;          ///< scratch
  std::vector<double> weights_;     ///< scratch
};

}  // namespace sotto::mixture
