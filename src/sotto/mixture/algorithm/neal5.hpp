// Private Neal 5: cluster and imputed data of one datum proposed together from the prior, accepted by the
// channel.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/algorithm/imputation.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

/// How the atoms are updated when several values are imputed per datum. Both leave the target exact (erratum
/// E30).
enum class AtomUpdate {
  all,       ///< given every imputed value
  selected,  ///< given one value per datum, picked by its channel density; the others are then drawn afresh
};

struct Neal5Settings {
  std::size_t imputations =
      1;  ///< m: imputed values per datum. Local channels take any m >= 1; others only 1
  AtomUpdate atom_update = AtomUpdate::all;
};

/// Computes   a chain on (c, theta*, Y) with target eppf(c) prod_h G0(theta*_h) prod_i [ (1/m) sum_j
///            q(z_i | Y_ij) ] prod_j f(Y_ij | theta*_{c_i}) Each datum's (c_i, Y_i) is proposed from
///            its prior given the rest and accepted with min{1, ghat'_i / ghat_i}, ghat_i = (1/m) sum_j
///            q(z_i | Y_ij) With a global channel (m = 1) the ratio is that of q(W | Y); for
///            confidential data Y is the datum itself and the ratio is f(y_i | theta') / f(y_i |
///            theta): Algorithm 5 of [Nea00].
/// Source     [BFR24, algorithm 1]
/// Differs    the ratio is not upside down (E23); the extended target is written out (E30); global
///            needs m = 1 (E32)
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: five_to_eight_releases, eight_confidential_data
template <MixtureKernel Kernel, MixingPrior Mixing, class Data>
class Neal5 {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Datum = typename Kernel::Datum;
  using Parameter = typename Kernel::Parameter;

  /// `start`: first guesses of the confidential data, inside the kernel's support.
  Neal5(Kernel kernel, Mixing mixing, Data data, std::vector<Datum> start, Neal5Settings settings,
        ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        data_(std::move(data)),
        settings_(settings) {
    if constexpr (is_confidential<Data>) start = data_.y;
    const std::size_t m = settings_.imputations;
    if (m == 0 || (m > 1 && !is_local<Data>))
      throw Error(ErrorCode::configuration, "several imputations per datum need a local channel");
    if (start.size() != data_.size())
      throw Error(ErrorCode::configuration, "one starting value per datum is needed");
    for (const Datum& y : start) imputed_.insert(imputed_.end(), m, y);
    candidate_.resize(m, start.front());
    log_q_.resize(m);
    log_estimate_.resize(data_.size());
    refresh();
    state_.atom(0) = state_.kernel.draw_prior(rng);
    update_atoms(rng);
  }

  SweepInfo sweep(ChainRng& rng) {
    SweepInfo info;
    for (std::size_t i = 0; i < state_.size(); ++i) update_datum(i, rng, info);
    bool done = false;
    if constexpr (is_local<Data>)
      if (settings_.atom_update == AtomUpdate::selected && settings_.imputations > 1) {
        update_atoms_from_selected(rng);
        done = true;
      }
    if (!done) update_atoms(rng);
    state_.finish(rng);
    return info;
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }
  Data& data() { return data_; }
  /// The imputed values of datum i, shape (m).
  [[nodiscard]] std::span<const Datum> imputed(std::size_t i) const {
    return {imputed_.data() + i * settings_.imputations, settings_.imputations};
  }

  /// Takes notice of a change of the data.
  void refresh() {
    if constexpr (is_confidential<Data>) imputed_ = data_.y;
    if constexpr (is_global<Data>) data_.channel.start(std::span<const Datum>(imputed_));
    if constexpr (is_local<Data>)
      for (std::size_t i = 0; i < data_.size(); ++i) log_estimate_[i] = log_estimate(i, imputed(i));
  }

 private:
  /// log((1/m) sum_j q(z_i | y_j))
  double log_estimate(std::size_t i, std::span<const Datum> y) requires is_local<Data> {
    if (y.size() == 1) return data_.log_density(i, y[0]);
    double top = -HUGE_VAL;
    for (std::size_t j = 0; j < y.size(); ++j) top = std::fmax(top, log_q_[j] = data_.log_density(i, y[j]));
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) sum += std::exp(log_q_[j] - top);
    return top + std::log(sum / static_cast<double>(y.size()));
  }

  void update_datum(std::size_t i, ChainRng& rng, SweepInfo& info) {
    // 1. A cluster from the prior given the others; a new one comes with an atom from the base measure.
    const int slot = propose_cluster(state_.mixing, state_.partition, i, rng);
    const Parameter theta = slot < 0 ? state_.kernel.draw_prior(rng) : state_.atom(slot);
    // 2. Confidential values from its kernel, and the ratio.
    double log_ratio = 0;
    double estimate = 0;
    if constexpr (is_confidential<Data>) {
      log_ratio = state_.kernel.log_density(data_.y[i], theta) -
                  state_.kernel.log_density(data_.y[i], state_.atom_of(i));
    } else {
      for (Datum& y : candidate_) y = state_.kernel.draw(theta, rng);
      if constexpr (is_local<Data>) {
        estimate = log_estimate(i, candidate_);
        log_ratio = estimate - log_estimate_[i];
      } else {
        log_ratio = data_.channel.log_ratio(imputed_[i], candidate_[0]);
      }
    }
    // 3. Accept or keep all.
    const bool accepted = accept(log_ratio, rng);
    record(info, log_ratio, accepted);
    if (!accepted) return;
    if constexpr (is_global<Data>) data_.channel.replace(imputed_[i], candidate_[0]);
    if constexpr (!is_confidential<Data>) {
      for (std::size_t j = 0; j < candidate_.size(); ++j) imputed_[i * candidate_.size() + j] = candidate_[j];
      log_estimate_[i] = estimate;
    }
    if (slot < 0)
      state_.open(i, theta);
    else
      state_.partition.move(i, slot);
  }

  void update_atoms(ChainRng& rng) {
    state_.gather([&](std::size_t i, typename Kernel::Statistic& s) {
      for (const Datum& y : imputed(i)) s.add(y);
    });
    state_.update_atoms(rng);
  }

  /// Draws J_i with probability proportional to q(z_i | Y_ij), updates the atoms given Y_iJ alone, and draws
  /// the other values from their kernels: a Gibbs step on the target extended by J.
  void update_atoms_from_selected(ChainRng& rng) requires is_local<Data> {
    const std::size_t m = settings_.imputations;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      Datum* y = imputed_.data() + i * m;
      const double total = log_estimate(i, {y, m}) + std::log(static_cast<double>(m));
      double at = rng.uniform();
      std::size_t chosen = 0;
      while (chosen + 1 < m && (at -= std::exp(log_q_[chosen] - total)) >= 0) ++chosen;
      std::swap(y[0], y[chosen]);
    }
    state_.gather([&](std::size_t i, typename Kernel::Statistic& s) { s.add(imputed_[i * m]); });
    state_.update_atoms(rng);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      Datum* y = imputed_.data() + i * m;
      for (std::size_t j = 1; j < m; ++j) y[j] = state_.kernel.draw(state_.atom_of(i), rng);
      log_estimate_[i] = log_estimate(i, {y, m});
    }
  }

  State state_;
  Data data_;
  Neal5Settings settings_;
  std::vector<Datum> imputed_;        ///< shape (n, m)
  std::vector<double> log_estimate_;  ///< log ghat_i, local channels only
  std::vector<Datum> candidate_;      ///< shape (m): scratch
  std::vector<double> log_q_;         ///< shape (m): scratch
};

}  // namespace sotto::mixture
