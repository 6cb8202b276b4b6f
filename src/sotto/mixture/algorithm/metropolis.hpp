// Metropolis-Hastings on the mixing measure itself: the data and their clusters are integrated out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/binned_release.hpp"
#include "sotto/mixture/distinct_releases.hpp"
#include "sotto/mixture/kernel/kernel_parts.hpp"
#include "sotto/mixture/marginal_density.hpp"
#include "sotto/mixture/mixture_state.hpp"
#include "sotto/mixture/multinomial.hpp"

namespace sotto::mixture {

/// Kernels whose base measure has a conjugate model: their own, or that of the kernel without its truncation.
template <class Kernel>
concept ConjugatePart = ConjugateKernel<Kernel> || requires(const Kernel& kernel) {
  kernel.untruncated();
};
template <class Kernel>
concept ConjugateBase = ConjugatePart<typename KernelParts<Kernel>::Part>;

/// Kernels whose atoms have a mean: the base measure tells what moving it costs.
template <class Kernel>
concept MovesMeans = requires(const Kernel& kernel, const typename Kernel::Parameter& theta) {
  kernel.log_shift_ratio(theta, 0.5);
}
|| requires(const Kernel& kernel, const typename Kernel::Parameter& theta) {
  kernel.untruncated().log_shift_ratio(theta, 0.5);
};

/// Kernels whose conjugate model draws the statistic of many data at once, as far as its update reads it.
template <class Kernel>
concept DrawsStatistic = requires(const Kernel& kernel, const typename Kernel::Parameter& theta,
                                  ChainRng& rng) {
  kernel.draw_statistic(theta, std::size_t{}, rng);
}
|| requires(const Kernel& kernel, const typename Kernel::Parameter& theta, ChainRng& rng) {
  kernel.untruncated().draw_statistic(theta, std::size_t{}, rng);
};

/// Computes   a chain on P = sum_h w_h delta(theta_h) and the allocations c, with target p(P) prod_i w_{c_i} g(z_i | theta_{c_i}).
///            A sweep: P given the sizes of c's clusters and the occupied atoms; for each atom above `heavy_` a step of theta_h, and one that shares the
///            weight of two of them anew, both given P alone, accepted by prod_i sum_h w_h g(z_i | theta_h); then c given P, of
///            equal releases only how many are in which cluster, until `allocate_rows` says who. After a histogram the bins of
///            the data take the place of releases, and are themselves moved given P (`move_between_bins`).
///            theta' is drawn from the posterior given m data that are drawn from theta's kernel: reversible with respect to
///            G0, so that the ratio is that of the likelihoods; m is drawn first, 0 is the prior itself.
///            Kernels with a mean: two atoms are also moved against each other, and the two that share their weight are moved
///            together, so that the mean of P stays, which many noisy releases know better than any atom.
///            Given all other weights two of them have density proportional to (w_h w_k)^(shift - 1).
/// Source     [IJ01] for P given c; the steps given P alone are Metropolis-Hastings for their conditionals, as P's atoms are
///            independent of its weights; [Pit96] for the weights
/// Differs    where the noise is strong, data and clusters that are imputed hold the atoms fast: a chain of them needs as many
///            sweeps as a release knows less than its datum. Weights below `kTolerance` in total are left out: a sweep is off by
///            at most n kTolerance in total variation
/// Checked by tests/mixture/algorithms_test.cpp: find_the_posterior_of_privatised_data
/// Checked by tests/statistical/mixture_table/normal_test.cpp: normal_after_local_channels
template <MixtureKernel Kernel, MixingPrior Mixing, class Data>
requires(is_local<Data>&& HasMarginalDensity<Data, Kernel>&& ConjugateBase<Kernel>) class Metropolis {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Parameter = typename Kernel::Parameter;
  using Parts = KernelParts<Kernel>;
  using Part = typename Parts::Part;

  /// `rows_each_sweep`: whether the state's partition says after each sweep which datum is where, or only its sizes.
  Metropolis(Kernel kernel, Mixing mixing, const Data& data, ChainRng& rng, bool rows_each_sweep = true)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        releases_(distinct(data)),
        density_(Data{data.channel, releases_.values}),
        counts_(static_cast<Eigen::Index>(releases_.values.size())),
        allocation_(data.size(), 0),
        heavy_(1 / static_cast<double>(data.size() + 1)),
        rows_each_sweep_(rows_each_sweep) {
    if (!state_.mixing.light_tail())
      throw Error(ErrorCode::configuration,
                  "the algorithm metropolis needs light tails; use neal8 for Pitman-Yor");
    if constexpr (is_binned<Data>) histogram_.emplace(data.channel);
    count();
    if constexpr (DrawsStatistic<Part>)
      while (std::size_t{1} << doublings_ < data.size()) ++doublings_;
    finest_ = std::fmax(4, std::log(static_cast<double>(data.size())) / 2);
    state_.atom(0) = state_.kernel.draw_prior(rng);
    atoms_.push_back(make_atom(state_.atom(0)));
  }

  SweepInfo sweep(ChainRng& rng) {
    draw_measure(rng);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::size_t h = 0; h < atoms_.size(); ++h)
        if (atoms_[h].weight > heavy_) move_atom(h, rng);
      if (atoms_.size() < 2) continue;
      for (std::size_t h = 0; h < atoms_.size(); ++h) share_weights(h, rng);
      if constexpr (MovesMeans<Part>)
        for (std::size_t h = 0; h < atoms_.size(); ++h) {
          share_weights_about_mean(h, rng);
          move_apart(h, rng);
        }
    }
    if constexpr (is_binned<Data>) {
      move_between_bins(*histogram_, mix_, releases_.rows, rng);
      count();
    }
    allocate(rng);
    if (rows_each_sweep_) allocate_rows(rng);
    state_.finish(rng);
    return {};
  }

  /// Draws who of the last sweep's equal releases is in which cluster.
  void allocate_rows(ChainRng& rng) {
    std::vector<int> labels;
    for (std::size_t j = 0; j < releases_.rows.size(); ++j) {
      const std::vector<std::size_t>& rows = releases_.rows[j];
      if (rows.size() <= kOneByOne) continue;
      labels.clear();
      for (std::size_t h = 0; h < label_.size(); ++h)
        labels.insert(labels.end(), cells_[j * label_.size() + h], static_cast<int>(h));
      for (std::size_t i = rows.size(); i-- > 0;) {
        std::swap(labels[i], labels[rng.below(i + 1)]);
        allocation_[rows[i]] = labels[i];
      }
    }
    labels.resize(allocation_.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = label_[static_cast<std::size_t>(allocation_[i])];
    state_.partition.assign(labels, atoms_.size());
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }

 private:
  static constexpr double kTolerance = 1e-9;
  static constexpr int kPasses = 2;  ///< the allocations are the dearer part of a sweep where rows are many
  static constexpr std::size_t kOneByOne = 256;  ///< equal releases whose clusters are drawn one by one
  struct Atom {
    double weight = 0;
    Parameter theta;
    Position g;  ///< shape (distinct releases): up to a factor that depends on the release alone
  };

  [[nodiscard]] Atom make_atom(const Parameter& theta, double weight = 0) const {
    return {weight, theta, densities(theta)};
  }
  [[nodiscard]] Position densities(const Parameter& theta) const {
    if constexpr (requires { density_.densities(state_.kernel, theta); }) {
      return density_.densities(state_.kernel, theta);
    } else {
      Position g(counts_.size());
      const auto prepared = density_.prepare(state_.kernel, theta);
      for (Eigen::Index j = 0; j < g.size(); ++j) {
        const auto one = static_cast<std::size_t>(j);
        if constexpr (requires { density_.density(state_.kernel, one, prepared); })
          g[j] = density_.density(state_.kernel, one, prepared);
        else
          g[j] = std::exp(density_.log_density(state_.kernel, one, prepared));
      }
      return g;
    }
  }
  void count() {
    for (Eigen::Index j = 0; j < counts_.size(); ++j)
      counts_[j] = static_cast<double>(releases_.rows[static_cast<std::size_t>(j)].size());
  }
  [[nodiscard]] double log_likelihood(const Position& mix) const {
    return (counts_.array() * mix.array().log()).sum();
  }

  /// P given the allocations: the occupied atoms stand first, in the order of the clusters.
  void draw_measure(ChainRng& rng) {
    const std::size_t k = state_.partition.clusters();
    weights_.resize(k);
    UnoccupiedMass rest = state_.mixing.draw_weights(state_.partition.sizes(), weights_, rng);
    for (std::size_t h = 0; h < k; ++h) atoms_[h].weight = weights_[h];
    for (std::size_t j = 0; rest.atoms > 0 && rest.mass > kTolerance; ++j) {
      const double share = state_.mixing.draw_stick(k, j, rest.atoms, rng);
      atoms_.push_back(make_atom(state_.kernel.draw_prior(rng)));
      atoms_.back().weight = rest.mass * share;
      rest.mass *= 1 - share;
      if (rest.atoms != UnoccupiedMass::kInfinite) --rest.atoms;
    }
    mix_.setZero(counts_.size());
    for (const Atom& atom : atoms_) mix_ += atom.weight * atom.g;
    log_likelihood_ = log_likelihood(mix_);
  }

  /// Takes the new mixture of densities, or not. NaN is refused.
  bool accept(const Position& mix, double log_prior_ratio, ChainRng& rng) {
    const double proposed = log_likelihood(mix);
    if (!(std::log(positive_uniform(rng)) < proposed - log_likelihood_ + log_prior_ratio)) return false;
    mix_ = mix;
    log_likelihood_ = proposed;
    return true;
  }

  void move_atom(std::size_t h, ChainRng& rng) {
    const std::size_t doublings = rng.below(doublings_);
    const std::size_t m = doublings == 0 ? 0 : std::size_t{1} << (doublings - 1);
    Atom moved = make_atom(reversible_step(atoms_[h].theta, m, rng), atoms_[h].weight);
    if (accept(mix_ + moved.weight * (moved.g - atoms_[h].g), 0, rng)) atoms_[h] = std::move(moved);
  }

  /// Of one of several parts, or of all alike.
  Parameter reversible_step(const Parameter& theta, std::size_t m, ChainRng& rng) const {
    Parameter moved = theta;
    const std::size_t only = Parts::kCount == 1 ? 0 : rng.below(2 * Parts::kCount);
    for (std::size_t d = 0; d < Parts::kCount; ++d)
      if (only == d || only >= Parts::kCount)
        Parts::of(moved, d) = part_step(Parts::kernel(state_.kernel, d), Parts::of(theta, d), m, rng);
    return moved;
  }
  static typename Part::Parameter part_step(const Part& kernel, const typename Part::Parameter& theta,
                                            std::size_t m, ChainRng& rng) {
    const auto step = [&](const auto& conjugate) {
      auto statistic = empty_statistic(conjugate);
      if constexpr (requires { conjugate.draw_statistic(theta, m, rng); })
        if (m > 1024) return conjugate.update(theta, conjugate.draw_statistic(theta, m, rng), rng);
      for (std::size_t i = 0; i < m; ++i) statistic.add(conjugate.draw(theta, rng));
      return conjugate.update(theta, statistic, rng);
    };
    if constexpr (ConjugateKernel<Part>) {
      return step(kernel);
    } else {
      return kernel.complete(step(kernel.untruncated()));
    }
  }

  /// Any other atom.
  std::size_t partner(std::size_t h, ChainRng& rng) const {
    const std::size_t k = rng.below(atoms_.size() - 1);
    return k >= h ? k + 1 : k;
  }
  /// Steps of all sizes, from a few times the unit to what many data tell.
  double step_of_any_size(ChainRng& rng) const {
    return std::exp(-finest_ * rng.uniform()) * 4 * rng.normal();
  }

  /// Two weights that share their sum anew: the first's part of it, and the prior's ratio; none if they are not to be moved.
  struct Shares {
    double first = 0, second = 0, log_prior_ratio = 0;
  };
  std::optional<Shares> propose_shares(const Atom& a, const Atom& b, ChainRng& rng) const {
    const double both = a.weight + b.weight;
    if (!(a.weight > heavy_ || b.weight > heavy_) || !(a.weight > 0 && b.weight > 0)) return std::nullopt;
    const double proposed = std::log(a.weight / b.weight) + step_of_any_size(rng);
    const double share = 1 / (1 + std::exp(-proposed));
    const double other = 1 / (1 + std::exp(proposed));
    // Still one of the pairs that are moved, and neither weight lost to rounding.
    if (!(both * share > heavy_ || both * other > heavy_) || !(share > 0 && other > 0)) return std::nullopt;
    // In the log odds the Jacobian makes the exponent the shift.
    return Shares{both * share, both * other,
                  state_.mixing.size_shift() *
                      (std::log(share * other) - std::log(a.weight / both * (b.weight / both)))};
  }

  void share_weights(std::size_t h, ChainRng& rng) {
    Atom& a = atoms_[h];
    Atom& b = atoms_[partner(h, rng)];
    const std::optional<Shares> to = propose_shares(a, b, rng);
    if (!to) return;
    const Position mix = mix_ + (to->first - a.weight) * a.g + (to->second - b.weight) * b.g;
    if (accept(mix, to->log_prior_ratio, rng)) a.weight = to->first, b.weight = to->second;
  }

  /// The same, both atoms moved alike so that the mean of P stays: their distance does, so the Jacobian is 1.
  void share_weights_about_mean(std::size_t h, ChainRng& rng) {
    Atom& a = atoms_[h];
    Atom& b = atoms_[partner(h, rng)];
    const std::optional<Shares> to = propose_shares(a, b, rng);
    if (!to) return;
    Parameter of_a = a.theta;
    Parameter of_b = b.theta;
    double log_prior_ratio = to->log_prior_ratio;
    for (std::size_t d = 0; d < Parts::kCount; ++d) {
      const double by = (a.weight - to->first) * (Parts::of(a.theta, d).mean - Parts::of(b.theta, d).mean) /
                        (a.weight + b.weight);
      log_prior_ratio += shift(of_a, d, by) + shift(of_b, d, by);
    }
    replace_both(a, b, make_atom(of_a, to->first), make_atom(of_b, to->second), log_prior_ratio, rng);
  }

  /// Moves a part of two atoms against each other, in inverse proportion to their weights.
  void move_apart(std::size_t h, ChainRng& rng) {
    Atom& a = atoms_[h];
    Atom& b = atoms_[partner(h, rng)];
    if (!(a.weight > heavy_ && b.weight > heavy_)) return;
    const std::size_t d = Parts::kCount == 1 ? 0 : rng.below(Parts::kCount);
    const double step = Parts::of(a.theta, d).sd * step_of_any_size(rng) / (a.weight + b.weight);
    Parameter of_a = a.theta;
    Parameter of_b = b.theta;
    const double log_prior_ratio = shift(of_a, d, step * b.weight) + shift(of_b, d, -step * a.weight);
    replace_both(a, b, make_atom(of_a, a.weight), make_atom(of_b, b.weight), log_prior_ratio, rng);
  }

  void replace_both(Atom& a, Atom& b, Atom next_a, Atom next_b, double log_prior_ratio, ChainRng& rng) {
    const Position mix =
        mix_ + next_a.weight * next_a.g - a.weight * a.g + next_b.weight * next_b.g - b.weight * b.g;
    if (accept(mix, log_prior_ratio, rng)) a = std::move(next_a), b = std::move(next_b);
  }
  /// Moves the mean of a part; returns the logarithm of the base measure's ratio.
  double shift(Parameter& theta, std::size_t d, double by) const {
    const Part& kernel = Parts::kernel(state_.kernel, d);
    auto& part = Parts::of(theta, d);
    const auto move = [&](const auto& conjugate) {
      const double log_ratio = conjugate.log_shift_ratio(part, by);
      const auto moved = conjugate.shifted(part, by);
      if constexpr (requires { kernel.untruncated(); })
        part = kernel.complete(moved);
      else
        part = moved;
      return log_ratio;
    };
    if constexpr (requires { kernel.untruncated(); })
      return move(kernel.untruncated());
    else
      return move(kernel);
  }

  /// Draws how many of each release are in which cluster given P; the occupied atoms move to the front.
  void allocate(ChainRng& rng) {
    const std::size_t k = atoms_.size();
    cells_.assign(releases_.rows.size() * k, 0);
    std::vector<double> cumulated(k);
    for (std::size_t j = 0; j < releases_.rows.size(); ++j) {
      double total = 0;
      for (std::size_t h = 0; h < k; ++h)
        cumulated[h] = total += atoms_[h].weight * atoms_[h].g[static_cast<Eigen::Index>(j)];
      const std::vector<std::size_t>& rows = releases_.rows[j];
      const std::span<std::size_t> cells(cells_.data() + j * k, k);
      if (rows.size() > kOneByOne) {
        draw_multinomial(rows.size(), cumulated, cells, rng);
        continue;
      }
      for (const std::size_t i : rows) {
        const auto at = std::upper_bound(cumulated.begin(), cumulated.end() - 1, rng.uniform() * total);
        const auto h = static_cast<std::size_t>(at - cumulated.begin());
        allocation_[i] = static_cast<int>(h);
        ++cells[h];
      }
    }
    std::vector<int> sizes(k, 0);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      sizes[cell % k] += static_cast<int>(cells_[cell]);
    label_.assign(k, -1);
    std::size_t clusters = 0;
    for (std::size_t h = 0; h < k; ++h) {
      if (sizes[h] == 0) continue;
      label_[h] = static_cast<int>(clusters);
      if (h != clusters) atoms_[clusters] = std::move(atoms_[h]), sizes[clusters] = sizes[h];
      ++clusters;
    }
    atoms_.resize(clusters);
    sizes.resize(clusters);
    state_.partition.assign_sizes(sizes);
    state_.require(static_cast<int>(clusters));
    for (std::size_t h = 0; h < clusters; ++h) state_.atom(static_cast<int>(h)) = atoms_[h].theta;
  }

  State state_;
  DistinctReleases<typename decltype(Data::z)::value_type> releases_;
  MarginalDensity<Data, Kernel> density_;
  std::optional<decltype(Data::channel)>
      histogram_;    ///< where bins take the place of releases: with the release, and their counts
  Position counts_;  ///< shape (distinct releases)
  std::vector<Atom> atoms_;
  std::vector<double> weights_;
  Position mix_;  ///< sum_h w_h g_h
  double log_likelihood_ = 0;
  std::vector<int> allocation_;  ///< datum -> atom of the last sweep, of releases that are few
  std::vector<std::size_t>
      cells_;                   ///< shape (distinct releases, atoms): how many of a release are of an atom
  std::vector<int> label_;      ///< atom of the last sweep -> cluster
  std::size_t doublings_ = 12;  ///< m is 0, 1, 2, 4, ... 1024, or half the number of data
  double finest_ = 4;           ///< log of the range of sizes of steps
  double
      heavy_;  ///< atoms above this weight are moved; lighter ones hardly matter, and are drawn afresh in each sweep
  bool rows_each_sweep_;
};

}  // namespace sotto::mixture
