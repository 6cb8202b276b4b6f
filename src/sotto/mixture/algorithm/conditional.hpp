// Conditional algorithms: the private slice sampler and blocked Gibbs. The random measure P is drawn, then
// every datum is allocated by itself, in parallel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/algorithm/imputation.hpp"
#include "sotto/mixture/algorithm/sample_categorical.hpp"
#include "sotto/mixture/algorithm/thread_pool.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

enum class Truncation {
  slice,      ///< exact: a uniform slice variable per datum bounds the atoms that it may join
  tolerance,  ///< blocked Gibbs: atoms are drawn until their total weight is above 1 - tolerance
};

struct ConditionalSettings {
  Truncation truncation = Truncation::slice;
  double tolerance = 1e-12;  ///< blocked Gibbs only. A sweep is off by at most n * tolerance in total
                             ///< variation; exact for a finite mixture, all of whose components are drawn
  std::size_t threads = 1;   ///< the chain is the same for any number
  bool joint_moves = true;   ///< see `move_jointly`; for comparisons
};

/// Computes   a chain on (c, theta*, Y) with target eppf(c) prod_h G0(theta*_h) prod_i q(z_i | y_i)
///            f(y_i | theta*_{c_i}) by drawing P given (c, theta*), slices u_i ~ uniform(0, w_{c_i}),
///            y_i by Metropolis-Hastings from its kernel, atoms given y, c_i with probability
///            proportional to 1(w_h > u_i) f(y_i | theta_h), and c_i with y_i given P alone.
/// Source     [BFR24, section 3.2], [KGW11], [IJ01]
/// Differs    P is drawn from its posterior given the partition: Dirichlet weights for the occupied
///            atoms [FB14], sticks for the others. The sticks run until what is left is below the
///            present smallest slice (E34). The joint step is added: where the noise is strong, c_i
///            given y_i hardly moves
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: concentrations, other_mixing_priors
template <MixtureKernel Kernel, MixingPrior Mixing, class Data>
class Conditional {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Datum = typename Kernel::Datum;
  using Parameter = typename Kernel::Parameter;

  /// `start`: first guesses of the confidential data, inside the kernel's support.
  Conditional(Kernel kernel, Mixing mixing, Data data, std::vector<Datum> start, ConditionalSettings settings,
              ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        y_(std::move(data), std::move(start)),
        settings_(settings),
        pool_(std::make_unique<ThreadPool>(std::max<std::size_t>(1, settings.threads))),
        slice_(state_.size(), 0),
        allocation_(state_.size(), 0),
        heavy_(1 / static_cast<double>(state_.size() + 1)) {
    if (settings.truncation == Truncation::tolerance &&
        !(settings.tolerance > 0 && settings.tolerance < 0.01))
      throw Error(ErrorCode::configuration, "the truncation tolerance must lie in (0, 0.01)");
    if (settings.truncation == Truncation::tolerance && !state_.mixing.light_tail())
      throw Error(ErrorCode::configuration,
                  "blocked Gibbs needs light tails; use the slice sampler for Pitman-Yor");
    const std::uint64_t seed = rng();
    for (std::size_t block = 0; block < (state_.size() + kBlock - 1) / kBlock; ++block)
      blocks_.push_back({ChainRng(seed, block), {}, {}, {}, 1});
    state_.atom(0) = state_.kernel.draw_prior(rng);
    update_atoms(rng);
  }

  SweepInfo sweep(ChainRng& rng) {
    // 1. The weights of the occupied atoms given the partition.
    const std::size_t k = state_.partition.clusters();
    reserve_components(k);
    UnoccupiedMass rest = state_.mixing.draw_weights(state_.partition.sizes(), {weights_.data(), k}, rng);
    // 2. Slices given the weights; confidential data given their atoms.
    SweepInfo info;
    const double threshold = draw_slices_and_data(rng, info);
    // 3. Occupied atoms given the data; other atoms from the prior, until none above a slice can be missing.
    update_atoms(rng);
    const std::size_t components =
        draw_other_atoms(k, rest, moves_jointly() ? std::fmin(threshold, heavy_) : threshold, rng);
    order_by_weight(components);
    // 4. Allocations given all; then allocations and confidential data given P alone.
    pool_->run(blocks_.size(), [&](std::size_t block) {
      allocate(block, components);
      if constexpr (is_local<Data>)
        if (moves_jointly()) move_jointly(block, blocks_[block].rng);
    });
    if constexpr (is_global<Data>)
      if (moves_jointly())
        for (std::size_t block = 0; block < blocks_.size(); ++block) move_jointly(block, rng);
    for (const Block& block : blocks_)
      info.worst_log_ratio = std::fmin(info.worst_log_ratio, block.joint.worst_log_ratio);
    keep_occupied(components);
    state_.finish(rng);
    return info;
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }
  [[nodiscard]] const Imputation<Kernel, Data>& imputation() const { return y_; }
  Imputation<Kernel, Data>& imputation() { return y_; }

 private:
  static constexpr std::size_t kBlock = 512;  ///< data that share a random stream
  struct Block {
    ChainRng rng;
    SweepInfo info;
    SweepInfo joint;                  ///< of the joint moves
    std::vector<double> log_density;  ///< scratch, shape (components)
    double smallest_slice;
  };

  /// Makes room for what is kept per component, with some to spare: later sweeps seldom allocate.
  void reserve_components(std::size_t count) {
    if (count <= weights_.size()) return;
    const std::size_t room = std::max<std::size_t>(64, 2 * count);
    weights_.resize(room);
    order_.resize(room);
    log_weights_.resize(room);
    cumulated_.resize(room);
    label_.reserve(room);
    for (Block& block : blocks_) block.log_density.resize(room);
  }
  void update_atoms(ChainRng& rng) {
    state_.gather([&](std::size_t i, typename Kernel::Statistic& s) { s.add(y_[i]); });
    state_.update_atoms(rng);
  }

  /// Returns the weight below which no atom is needed.
  double draw_slices_and_data(ChainRng& rng, SweepInfo& info) {
    const bool slices = settings_.truncation == Truncation::slice;
    pool_->run(blocks_.size(), [&](std::size_t b) {
      Block& block = blocks_[b];
      block.info = {};
      block.smallest_slice = 1;
      for (std::size_t i = b * kBlock; i < std::min(state_.size(), (b + 1) * kBlock); ++i) {
        if (slices) {
          slice_[i] =
              positive_uniform(block.rng) * weights_[static_cast<std::size_t>(state_.partition.slot(i))];
          block.smallest_slice = std::fmin(block.smallest_slice, slice_[i]);
        }
        if constexpr (is_local<Data>) y_.update(i, state_.kernel, state_.atom_of(i), block.rng, block.info);
      }
    });
    if constexpr (is_global<Data>)
      for (std::size_t i = 0; i < state_.size(); ++i)
        y_.update(i, state_.kernel, state_.atom_of(i), rng, info);
    double smallest = 1;
    for (const Block& block : blocks_)
      info += block.info, smallest = std::fmin(smallest, block.smallest_slice);
    return slices ? smallest : settings_.tolerance;
  }

  std::size_t draw_other_atoms(std::size_t k, UnoccupiedMass rest, double threshold, ChainRng& rng) {
    std::size_t components = k;
    while (rest.mass > threshold && rest.atoms > 0) {
      const double share = state_.mixing.draw_stick(k, components - k, rest.atoms, rng);
      reserve_components(components + 1);
      state_.require(static_cast<int>(components));
      weights_[components] = rest.mass * share;
      state_.atom(static_cast<int>(components)) = state_.kernel.draw_prior(rng);
      ++components;
      rest.mass *= 1 - share;
      if (rest.atoms != UnoccupiedMass::kInfinite) --rest.atoms;
    }
    return components;
  }

  void order_by_weight(std::size_t components) {
    std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(components), 0);
    std::sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(components), [&](int a, int b) {
      return weights_[static_cast<std::size_t>(a)] > weights_[static_cast<std::size_t>(b)];
    });
    double sum = 0;
    heavies_ = 0;
    for (std::size_t j = 0; j < components; ++j) {
      const double weight = weights_[static_cast<std::size_t>(order_[j])];
      log_weights_[j] = std::log(weight);
      cumulated_[j] = sum += weight;
      heavies_ += weight > heavy_ ? 1 : 0;
    }
  }

  void allocate(std::size_t b, std::size_t components) {
    Block& block = blocks_[b];
    const bool slices = settings_.truncation == Truncation::slice;
    for (std::size_t i = b * kBlock; i < std::min(state_.size(), (b + 1) * kBlock); ++i) {
      std::size_t count = 0;
      for (; count < components; ++count) {
        const int h = order_[count];
        if (slices && weights_[static_cast<std::size_t>(h)] < slice_[i]) break;
        block.log_density[count] =
            state_.kernel.log_density(y_[i], state_.atom(h)) + (slices ? 0 : log_weights_[count]);
      }
      allocation_[i] = order_[sample_categorical({block.log_density.data(), count}, block.rng)];
    }
  }

  [[nodiscard]] bool moves_jointly() const { return settings_.joint_moves && !is_confidential<Data>; }

  /// Given P, (c_i, y_i) has density proportional to w_c f(y | theta_c) q(z_i | y). Metropolis-Hastings among
  /// the atoms of weight above `heavy_`: an atom by its weight, then a value from its kernel, accepted by the
  /// channel's ratio alone. That set depends on P alone, and all of it is drawn, as the sticks run until less
  /// than `heavy_` is left; a datum at a lighter atom stays.
  void move_jointly(std::size_t b, ChainRng& rng) {
    SweepInfo& info = blocks_[b].joint;
    info = {};
    if (heavies_ < 2) return;
    const auto first = cumulated_.begin();
    const auto last = first + static_cast<std::ptrdiff_t>(heavies_) - 1;
    for (std::size_t i = b * kBlock; i < std::min(state_.size(), (b + 1) * kBlock); ++i) {
      if (!(weights_[static_cast<std::size_t>(allocation_[i])] > heavy_)) continue;
      const int h =
          order_[static_cast<std::size_t>(std::upper_bound(first, last, rng.uniform() * *last) - first)];
      if (y_.metropolis_update(i, state_.kernel.draw(state_.atom(h), rng), rng, info)) allocation_[i] = h;
    }
  }

  /// Forgets the atoms that no datum joined; labels become 0..clusters-1.
  void keep_occupied(std::size_t components) {
    label_.assign(components, -1);
    for (const int h : allocation_) label_[static_cast<std::size_t>(h)] = 0;
    std::size_t clusters = 0;
    for (std::size_t h = 0; h < components; ++h) {
      if (label_[h] < 0) continue;
      state_.atom(static_cast<int>(clusters)) = state_.atom(static_cast<int>(h));
      label_[h] = static_cast<int>(clusters++);
    }
    for (int& h : allocation_) h = label_[static_cast<std::size_t>(h)];
    state_.partition.assign(allocation_, clusters);
  }

  State state_;
  Imputation<Kernel, Data> y_;
  ConditionalSettings settings_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<Block> blocks_;
  std::vector<double> slice_;  ///< u_i
  std::vector<int> allocation_;
  std::vector<double> weights_;      ///< occupied atoms first
  std::vector<int> order_;           ///< components by falling weight
  std::vector<double> log_weights_;  ///< in that order
  std::vector<double> cumulated_;    ///< sums of weights, in that order
  double heavy_;                     ///< atoms above this weight take part in joint moves
  std::size_t heavies_ = 0;          ///< their number: the first in that order
  std::vector<int> label_;
};

}  // namespace sotto::mixture
