// Split-merge moves on the partition, with all atoms integrated out and the split allocated datum by datum.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

/// Computes   two data i, j are picked. In one cluster: propose to split it; in two: to merge these. A
///            split lets the other members, in random order, join the side of i or of j with
///            probability proportional to (size + shift) times the marginal likelihood ratio; q is the
///            product of these probabilities. Accepted with min{1, eppf' m(A) m(B) / (eppf m(A u B) q)}
///            for a split, the inverse for a merge. Leaves eppf(c) prod_h m(y_C_h) invariant.
/// Source     [Dah05], a variant of [JN04]
/// Checked by tests/statistical/mixture_table/enumeration_test.cpp: split_merge_alone
template <ConjugateKernel Kernel, MixingPrior Mixing>
class SplitMerge {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Datum = typename Kernel::Datum;
  using Statistic = typename Kernel::Statistic;

  explicit SplitMerge(std::size_t n) { members_.reserve(n), side_.reserve(n), sizes_.reserve(n + 1); }

  /// One proposal. The state's statistics must be those of `y` and stay so.
  void move(State& state, std::span<const Datum> y, ChainRng& rng) {
    const Partition& partition = state.partition;
    if (partition.data() < 2) return;
    const std::size_t i = rng.below(partition.data());
    std::size_t j = rng.below(partition.data() - 1);
    if (j >= i) ++j;
    const int first = partition.slot(i);
    const int second = partition.slot(j);
    const bool split = first == second;
    // 1. The other members of both clusters, in random order.
    members_.clear();
    for (std::size_t k = 0; k < partition.data(); ++k)
      if (k != i && k != j && (partition.slot(k) == first || partition.slot(k) == second))
        members_.push_back(k);
    for (std::size_t k = members_.size(); k > 1; --k) std::swap(members_[k - 1], members_[rng.below(k)]);
    // 2. Their sides, drawn (split) or as they are (merge), and the probability of these.
    Statistic a{};
    Statistic b{};
    a.add(y[i]);
    b.add(y[j]);
    int size_a = 1;
    int size_b = 1;
    double log_a = state.kernel.log_marginal(a);
    double log_b = state.kernel.log_marginal(b);
    double log_q = 0;
    side_.clear();
    const double shift = state.mixing.size_shift();
    for (const std::size_t k : members_) {
      Statistic with_a = a;
      Statistic with_b = b;
      with_a.add(y[k]);
      with_b.add(y[k]);
      const double next_a = state.kernel.log_marginal(with_a);
      const double next_b = state.kernel.log_marginal(with_b);
      const double log_odds =
          std::log((size_a + shift) / (size_b + shift)) + (next_a - log_a) - (next_b - log_b);
      const double log_to_a = -std::log1p(std::exp(-log_odds));
      const double log_to_b = -std::log1p(std::exp(log_odds));
      const bool to_a = split ? std::log(1 - rng.uniform()) < log_to_a : partition.slot(k) == first;
      side_.push_back(to_a);
      log_q += to_a ? log_to_a : log_to_b;
      if (to_a)
        a = with_a, log_a = next_a, ++size_a;
      else
        b = with_b, log_b = next_b, ++size_b;
    }
    // 3. The ratio for the split; its inverse for the merge.
    Statistic both = state.statistic(first);
    if (!split)
      for (std::size_t k = 0; k < partition.data(); ++k)
        if (partition.slot(k) == second) both.add(y[k]);
    const double log_ratio = log_prior_ratio(state, first, second, size_a, size_b) + log_a + log_b -
                             state.kernel.log_marginal(both) - log_q;
    ++proposed_;
    if (!(std::log(1 - rng.uniform()) < (split ? log_ratio : -log_ratio))) return;
    ++accepted_;
    // 4. Take it.
    if (split) {
      const int opened = state.open(j, state.atom(first));
      for (std::size_t k = 0; k < members_.size(); ++k)
        if (!side_[k]) state.partition.move(members_[k], opened);
      state.statistic(first) = a;
      state.statistic(opened) = b;
    } else {
      state.partition.move(j, first);
      for (std::size_t k = 0; k < members_.size(); ++k)
        if (!side_[k]) state.partition.move(members_[k], first);
      state.statistic(first) = both;
    }
  }

  [[nodiscard]] std::size_t proposed() const { return proposed_; }
  [[nodiscard]] std::size_t accepted() const { return accepted_; }

 private:
  /// log eppf(with the two clusters) - log eppf(with their union)
  double log_prior_ratio(const State& state, int first, int second, int size_a, int size_b) {
    sizes_.clear();
    for (const int slot : state.partition.active())
      if (slot != first && slot != second) sizes_.push_back(state.partition.size(slot));
    sizes_.push_back(size_a + size_b);
    const double merged = state.mixing.log_eppf(sizes_);
    sizes_.back() = size_a;
    sizes_.push_back(size_b);
    return state.mixing.log_eppf(sizes_) - merged;
  }

  std::vector<std::size_t> members_;  ///< scratch
  std::vector<char> side_;            ///< scratch
  std::vector<int> sizes_;            ///< scratch
  std::size_t proposed_ = 0;
  std::size_t accepted_ = 0;
};

}  // namespace sotto::mixture
