// Metropolis-Hastings on the mixing measure itself: the data and their clusters are integrated out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/marginal_density.hpp"
#include "sotto/mixture/mixture_state.hpp"

namespace sotto::mixture {

/// Equal releases have equal densities: each is looked at once, with its number.
template <class Z>
struct DistinctReleases {
  std::vector<Z> values;
  std::vector<std::vector<std::size_t>> rows;  ///< shape (values): who released it

  explicit DistinctReleases(const std::vector<Z>& z) {
    std::vector<std::size_t> order(z.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return z[a] < z[b]; });
    for (const std::size_t i : order) {
      if (values.empty() || z[i] != values.back()) values.push_back(z[i]), rows.emplace_back();
      rows.back().push_back(i);
    }
  }
};

/// Kernels whose base measure has a conjugate model: their own, or that of the kernel without its truncation.
template <class Kernel>
concept ConjugateBase = ConjugateKernel<Kernel> || requires(const Kernel& kernel) {
  kernel.untruncated();
};

/// The releases rounded to a sixtyfourth of their noise's standard deviation, so that few are distinct. Laplace noise tells no more
/// of a release beyond the domain than its end does.
///
/// Computes   the variance of the noise grows by 1 / (12 * 64^2), 2e-5 of it: for n data that moves the estimate of the data's
///            variance by 2e-5 sqrt(n / 5) of its standard error at most. Coarser grids stay as they are
template <class Channel>
LocalRelease<Channel, double> rounded(const LocalRelease<Channel, double>& data) {
  const double sd = data.channel.scale() * (ContinuousLaplace<Channel> ? std::numbers::sqrt2 : 1);
  const double step = sd / 64;
  const Interval domain = data.channel.domain();
  if constexpr (requires { data.channel.grid(); })
    if (data.channel.grid().step() > step) return data;
  LocalRelease<Channel, double> result = data;
  for (double& z : result.z) {
    if (ContinuousLaplace<Channel>) z = std::clamp(z, domain.lower, domain.upper);
    const double to = domain.lower + step * std::nearbyint((z - domain.lower) / step);
    z = ContinuousLaplace<Channel> ? std::clamp(to, domain.lower, domain.upper) : to;
  }
  return result;
}

/// Categories are few already.
template <class Channel>
LocalRelease<Channel, int> rounded(const LocalRelease<Channel, int>& data) {
  return data;
}

/// Computes   a chain on P = sum_h w_h delta(theta_h) and the allocations c, with target p(P) prod_i w_{c_i} g(z_i | theta_{c_i}).
///            A sweep: P given c and the occupied atoms; for each atom above `heavy_` a step of theta_h, and one that shares the
///            weight of two of them anew, both given P alone, accepted by prod_i sum_h w_h g(z_i | theta_h); then c given P.
///            theta' is drawn from the posterior given m data that are drawn from theta's kernel: reversible with respect to
///            G0, so that the ratio is that of the likelihoods; m is drawn first, 0 is the prior itself.
///            Given all other weights two of them have density proportional to (w_h w_k)^(shift - 1).
/// Source     [IJ01] for P given c; the steps given P alone are Metropolis-Hastings for their conditionals, as P's atoms are
///            independent of its weights; [Pit96] for the weights
/// Differs    where the noise is strong, data and clusters that are imputed hold the atoms fast: a chain of them needs as many
///            sweeps as a release knows less than its datum. Weights below `kTolerance` in total are left out: a sweep is off by
///            at most n kTolerance in total variation
/// Checked by tests/mixture/algorithms_test.cpp, tests/statistical/mixture_table/normal_test.cpp
template <MixtureKernel Kernel, MixingPrior Mixing, class Data>
requires(is_local<Data>&& HasMarginalDensity<Data, Kernel>&& ConjugateBase<Kernel>) class Metropolis {
 public:
  using State = MixtureState<Kernel, Mixing>;
  using Parameter = typename Kernel::Parameter;

  Metropolis(Kernel kernel, Mixing mixing, const Data& data, ChainRng& rng)
      : state_(std::move(kernel), std::move(mixing), data.size()),
        releases_(data.z),
        density_(Data{data.channel, releases_.values}),
        counts_(static_cast<Eigen::Index>(releases_.values.size())),
        allocation_(data.size(), 0),
        heavy_(1 / static_cast<double>(data.size() + 1)) {
    if (!state_.mixing.light_tail())
      throw Error(ErrorCode::configuration,
                  "the algorithm metropolis needs light tails; use neal8 for Pitman-Yor");
    for (Eigen::Index j = 0; j < counts_.size(); ++j)
      counts_[j] = static_cast<double>(releases_.rows[static_cast<std::size_t>(j)].size());
    state_.atom(0) = state_.kernel.draw_prior(rng);
    atoms_.push_back(make_atom(state_.atom(0)));
  }

  SweepInfo sweep(ChainRng& rng) {
    draw_measure(rng);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::size_t h = 0; h < atoms_.size(); ++h)
        if (atoms_[h].weight > heavy_) move_atom(h, rng);
      if (atoms_.size() > 1)
        for (std::size_t h = 0; h < atoms_.size(); ++h) share_weights(h, rng);
    }
    allocate(rng);
    state_.finish(rng);
    return {};
  }

  [[nodiscard]] const State& state() const { return state_; }
  State& state() { return state_; }

 private:
  static constexpr double kTolerance = 1e-9;
  static constexpr int kPasses = 3;  ///< the allocations are the dearer part of a sweep where rows are many
  static constexpr std::size_t kDoublings = 12;  ///< m is 0, 1, 2, 4, ... 1024
  struct Atom {
    double weight = 0;
    Parameter theta;
    Position g;  ///< shape (distinct releases): up to a factor that depends on the release alone
  };

  [[nodiscard]] Atom make_atom(const Parameter& theta) const {
    Atom atom{0, theta, Position(counts_.size())};
    const auto prepared = density_.prepare(state_.kernel, theta);
    for (Eigen::Index j = 0; j < counts_.size(); ++j)
      atom.g[j] = std::exp(density_.log_density(state_.kernel, static_cast<std::size_t>(j), prepared));
    return atom;
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
    const std::size_t doublings = rng.below(kDoublings);
    const std::size_t m = doublings == 0 ? 0 : std::size_t{1} << (doublings - 1);
    Atom moved = make_atom(reversible_step(atoms_[h].theta, m, rng));
    moved.weight = atoms_[h].weight;
    if (accept(mix_ + moved.weight * (moved.g - atoms_[h].g), 0, rng)) atoms_[h] = std::move(moved);
  }

  Parameter reversible_step(const Parameter& theta, std::size_t m, ChainRng& rng) const {
    const auto step = [&](const auto& conjugate) {
      auto statistic = empty_statistic(conjugate);
      for (std::size_t i = 0; i < m; ++i) statistic.add(conjugate.draw(theta, rng));
      return conjugate.update(theta, statistic, rng);
    };
    if constexpr (ConjugateKernel<Kernel>) {
      return step(state_.kernel);
    } else {
      return state_.kernel.complete(step(state_.kernel.untruncated()));
    }
  }

  void share_weights(std::size_t h, ChainRng& rng) {
    std::size_t k = rng.below(atoms_.size() - 1);
    if (k >= h) ++k;
    Atom& a = atoms_[h];
    Atom& b = atoms_[k];
    const double both = a.weight + b.weight;
    if (!(a.weight > heavy_ || b.weight > heavy_) || !(a.weight > 0 && b.weight > 0)) return;
    const double log_odds = std::log(a.weight / b.weight);
    const double proposed = log_odds + std::exp(-4 * rng.uniform()) * 4 * rng.normal();
    const double share = 1 / (1 + std::exp(-proposed));
    const double other = 1 / (1 + std::exp(proposed));
    // Still one of the pairs that are moved, and neither weight lost to rounding.
    if (!(both * share > heavy_ || both * other > heavy_) || !(share > 0 && other > 0)) return;
    // In the log odds the Jacobian makes the exponent the shift.
    const double log_prior_ratio = state_.mixing.size_shift() *
                                   (std::log(share * other) - std::log(a.weight / both * (b.weight / both)));
    const Position mix = mix_ + (both * share - a.weight) * a.g + (both * other - b.weight) * b.g;
    if (accept(mix, log_prior_ratio, rng)) a.weight = both * share, b.weight = both * other;
  }

  /// Draws c given P; the occupied atoms move to the front.
  void allocate(ChainRng& rng) {
    std::vector<double> cumulated(atoms_.size());
    std::vector<int> label(atoms_.size(), -1);
    for (std::size_t j = 0; j < releases_.rows.size(); ++j) {
      double total = 0;
      for (std::size_t h = 0; h < atoms_.size(); ++h)
        cumulated[h] = total += atoms_[h].weight * atoms_[h].g[static_cast<Eigen::Index>(j)];
      for (const std::size_t i : releases_.rows[j]) {
        const auto at = std::upper_bound(cumulated.begin(), cumulated.end() - 1, rng.uniform() * total);
        const auto h = static_cast<std::size_t>(at - cumulated.begin());
        allocation_[i] = static_cast<int>(h);
        label[h] = 0;
      }
    }
    std::size_t clusters = 0;
    for (std::size_t h = 0; h < atoms_.size(); ++h) {
      if (label[h] < 0) continue;
      label[h] = static_cast<int>(clusters);
      if (h != clusters) atoms_[clusters] = std::move(atoms_[h]);
      ++clusters;
    }
    atoms_.resize(clusters);
    for (int& h : allocation_) h = label[static_cast<std::size_t>(h)];
    state_.partition.assign(allocation_, clusters);
    state_.require(static_cast<int>(clusters));
    for (std::size_t h = 0; h < clusters; ++h) state_.atom(static_cast<int>(h)) = atoms_[h].theta;
  }

  State state_;
  DistinctReleases<typename decltype(Data::z)::value_type> releases_;
  MarginalDensity<Data, Kernel> density_;
  Position counts_;  ///< shape (distinct releases)
  std::vector<Atom> atoms_;
  std::vector<double> weights_;
  Position mix_;  ///< sum_h w_h g_h
  double log_likelihood_ = 0;
  std::vector<int> allocation_;
  double
      heavy_;  ///< atoms above this weight are moved; lighter ones hardly matter, and are drawn afresh in each sweep
};

}  // namespace sotto::mixture
