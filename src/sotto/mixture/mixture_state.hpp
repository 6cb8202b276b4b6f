// What every algorithm's state contains: the partition, one atom per cluster, the kernel and the mixing
// prior.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/partition.hpp"
#include "sotto/mixture/prior/mixing.hpp"

namespace sotto::mixture {

template <MixtureKernel KernelType, MixingPrior MixingType>
class MixtureState {
 public:
  using Kernel = KernelType;
  using Mixing = MixingType;
  using Datum = typename Kernel::Datum;
  using Parameter = typename Kernel::Parameter;
  using Statistic = typename Kernel::Statistic;

  MixtureState(Kernel kernel_, Mixing mixing_, std::size_t n)
      : kernel(std::move(kernel_)), mixing(std::move(mixing_)), partition(n), atoms_(1), statistics_(1) {
    if (n == 0) throw Error(ErrorCode::data, "a mixture needs at least one datum");
    mixing.reserve(n);
  }

  [[nodiscard]] std::size_t size() const { return partition.data(); }
  Parameter& atom(int slot) { return atoms_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Parameter& atom(int slot) const { return atoms_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Parameter& atom_of(std::size_t i) const { return atom(partition.slot(i)); }
  Statistic& statistic(int slot) { return statistics_[static_cast<std::size_t>(slot)]; }

  /// Moves datum i to a new cluster with this atom: a copy, as making room may move the atom that is given.
  int open(std::size_t i, Parameter theta) {
    const int slot = partition.next_slot();
    require(slot);
    atom(slot) = theta;
    partition.move(i, slot);
    return slot;
  }
  /// Makes room for what is kept per slot; allocates only when a chain first reaches that many clusters.
  void require(int slot) {
    if (static_cast<std::size_t>(slot) < atoms_.size()) return;
    atoms_.resize(2 * static_cast<std::size_t>(slot) + 1);
    statistics_.resize(atoms_.size());
  }

  /// Recomputes each cluster's statistic; `add_all(i, statistic)` adds what belongs to datum i.
  template <class AddAll>
  void gather(AddAll add_all) {
    for (const int slot : partition.active()) statistic(slot) = empty_statistic(kernel);
    for (std::size_t i = 0; i < size(); ++i) add_all(i, statistic(partition.slot(i)));
  }
  /// One update of every atom given the statistics.
  void update_atoms(ChainRng& rng) {
    for (const int slot : partition.active()) atom(slot) = kernel.update(atom(slot), statistic(slot), rng);
  }
  /// The last step of a sweep: the mixing prior's own parameters, and slots renumbered for `draw`.
  void finish(ChainRng& rng) {
    mixing.update(partition.clusters(), size(), rng);
    partition.compact([&](int from, int to) { atom(to) = atom(from), statistic(to) = statistic(from); });
  }

  [[nodiscard]] MixtureDraw<Parameter> draw() const {
    return {.allocation = partition.allocation(),
            .sizes = partition.sizes(),
            .atoms = {atoms_.data(), partition.clusters()},
            .concentration = mixing.concentration()};
  }
  /// Tunes the kernel's own update from now on, or no more.
  void adapt(bool on) {
    if constexpr (AdaptiveKernel<Kernel>) kernel.adapt(on);
  }

  Kernel kernel;
  Mixing mixing;
  Partition partition;

 private:
  std::vector<Parameter> atoms_;       ///< slot -> theta
  std::vector<Statistic> statistics_;  ///< slot -> statistic
};

}  // namespace sotto::mixture
