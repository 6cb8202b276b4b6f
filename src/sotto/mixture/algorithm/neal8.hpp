// Neal 8 with the exact marginal density of the release: no data are imputed while clusters are chosen.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/marginal_density.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

struct Neal8Settings {
  std::size_t auxiliaries = 2;  ///< atoms from the base measure that stand for the clusters not yet open
};

/// Computes   a chain on (c, theta*) with target eppf(c) prod_h G0(theta*_h) prod_i g(z_i |
///            theta*_{c_i}). Given m auxiliary atoms from G0, c_i joins cluster h with weight (n_h +
///            shift) g(z_i | theta*_h), or takes an auxiliary atom with weight new_weight / m times its
///            g. Then y_i ~ p(y_i | z_i, theta*_{c_i}) exactly, and theta* is updated given y; y is
///            forgotten.
/// Source     [Nea00, algorithm 8] with the exact g (erratum E33); auxiliary atoms are used again until
///            one is taken, and the atom of a cluster that a datum leaves empty replaces one of them
///            [FT13, section 3]
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: five_to_eight_releases
template <MixtureKernel Kernel, MixingPrior Mixing, class Data>
requires HasMarginalDensity<Data, Kernel>
class Neal8 {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Parameter = typename Kernel::Parameter;
  using Density = MarginalDensity<Data, Kernel>;

  Neal8(Kernel kernel, Mixing mixing, Data data, Neal8Settings settings, ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        data_(std::move(data)),
        density_(data_),
        auxiliary_(settings.auxiliaries) {
    if (auxiliary_.empty()) throw Error(ErrorCode::configuration, "Neal 8 needs at least one auxiliary atom");
    state_.atom(0) = state_.kernel.draw_prior(rng);
    for (int step = 0; step < 5; ++step) update_atoms(rng);
  }

  SweepInfo sweep(ChainRng& rng) {
    for (Auxiliary& auxiliary : auxiliary_) auxiliary = draw_auxiliary(rng);
    prepared_.resize(std::max<std::size_t>(prepared_.size(), state_.partition.clusters() + 1),
                     auxiliary_[0].prepared);
    for (const int slot : state_.partition.active()) prepare(slot);
    for (std::size_t i = 0; i < state_.size(); ++i) update_datum(i, rng);
    update_atoms(rng);
    state_.finish(rng);
    return {};
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }
  Data& data() { return data_; }
  /// Takes notice of a change of the data.
  void refresh() { density_ = Density(data_); }

 private:
  using Prepared = typename Density::Prepared;
  struct Auxiliary {
    Parameter theta;
    Prepared prepared;
  };

  Auxiliary draw_auxiliary(ChainRng& rng) const {
    const Parameter theta = state_.kernel.draw_prior(rng);
    return {theta, density_.prepare(state_.kernel, theta)};
  }
  void prepare(int slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (at >= prepared_.size()) prepared_.resize(2 * at + 1, auxiliary_[0].prepared);
    prepared_[at] = density_.prepare(state_.kernel, state_.atom(slot));
  }

  void update_datum(std::size_t i, ChainRng& rng) {
    const Partition& partition = state_.partition;
    const int own = partition.slot(i);
    const bool alone = partition.size(own) == 1;
    const std::size_t k = partition.clusters() - (alone ? 1 : 0);
    // 1. The atom of a cluster that has no other datum becomes one of the auxiliary atoms.
    if (alone) {
      Auxiliary& auxiliary = auxiliary_[auxiliary_.size() == 1 ? 0 : rng.below(auxiliary_.size())];
      auxiliary = {state_.atom(own), prepared_[static_cast<std::size_t>(own)]};
    }
    // 2. Weights of the occupied clusters and of the auxiliary atoms.
    choices_.clear();
    double top = -HUGE_VAL;
    const auto add = [&](int slot, double weight, const Prepared& prepared) {
      const double log_g = density_.log_density(state_.kernel, i, prepared);
      choices_.push_back({slot, weight, log_g});
      top = std::fmax(top, log_g);
    };
    for (const int slot : partition.active()) {
      if (alone && slot == own) continue;
      add(slot, partition.size(slot) - (slot == own ? 1 : 0) + state_.mixing.size_shift(),
          prepared_[static_cast<std::size_t>(slot)]);
    }
    const double weight = state_.mixing.new_weight(k) / static_cast<double>(auxiliary_.size());
    for (std::size_t a = 0; a < auxiliary_.size(); ++a)
      add(-1 - static_cast<int>(a), weight, auxiliary_[a].prepared);
    double total = 0;
    for (Choice& choice : choices_) total += choice.weight *= std::exp(choice.log_g - top);
    // 3. One of them.
    double at = rng.uniform() * total;
    std::size_t chosen = 0;
    while (chosen + 1 < choices_.size() && (at -= choices_[chosen].weight) >= 0) ++chosen;
    const int slot = choices_[chosen].slot;
    if (slot >= 0) {
      state_.partition.move(i, slot);
      return;
    }
    Auxiliary& auxiliary = auxiliary_[static_cast<std::size_t>(-1 - slot)];
    prepare(state_.open(i, auxiliary.theta));
    auxiliary = draw_auxiliary(rng);
  }

  void update_atoms(ChainRng& rng) {
    state_.gather([&](std::size_t i, typename Kernel::Statistic& s) {
      s.add(density_.draw(state_.kernel, i, state_.atom_of(i), rng));
    });
    state_.update_atoms(rng);
  }

  struct Choice {
    int slot;  ///< or -1 - a for auxiliary atom a
    double weight;
    double log_g;
  };
  State state_;
  Data data_;
  Density density_;
  std::vector<Auxiliary> auxiliary_;
  std::vector<Prepared> prepared_;  ///< slot -> what was prepared for its atom
  std::vector<Choice> choices_;     ///< scratch
};

}  // namespace sotto::mixture
