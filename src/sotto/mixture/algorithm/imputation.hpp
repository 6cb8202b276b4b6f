// The confidential data as part of the chain's state, and their update given each datum's kernel parameter.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/draw.hpp"
#include "sotto/mixture/kernel/kernel.hpp"
#include "sotto/mixture/released_data.hpp"

namespace sotto::mixture {

/// log u <= log_ratio for a uniform u, without a draw when the answer is certain.
inline bool accept(double log_ratio, ChainRng& rng) {
  return log_ratio >= 0 || rng.uniform() < std::exp(log_ratio);
}

/// Counts one proposal.
inline void record(SweepInfo& info, double log_ratio, bool accepted) {
  ++info.proposed;
  info.accepted += accepted ? 1 : 0;
  info.worst_log_ratio = std::fmin(info.worst_log_ratio, log_ratio);
}

/// y_1..y_n given the releases. `propose` asks for the log ratio of the releases' density when y_i becomes
/// `candidate`.
template <MixtureKernel Kernel, class Data>
class Imputation {
 public:
  using Datum = typename Kernel::Datum;

  /// `start`: first guesses of y_1..y_n, inside the kernel's support. Ignored for confidential data.
  Imputation(Data data, std::vector<Datum> start) : data_(std::move(data)), y_(std::move(start)) {
    if constexpr (is_confidential<Data>) y_ = data_.y;
    if (y_.size() != data_.size())
      throw Error(ErrorCode::configuration, "one starting value per datum is needed");
    refresh();
  }

  [[nodiscard]] std::size_t size() const { return y_.size(); }
  [[nodiscard]] const Datum& operator[](std::size_t i) const { return y_[i]; }
  [[nodiscard]] std::span<const Datum> values() const { return y_; }
  [[nodiscard]] const Data& data() const { return data_; }
  Data& data() { return data_; }

  /// Takes notice of a change of the data (a new release, say).
  void refresh() {
    if constexpr (is_global<Data>) data_.channel.start(std::span<const Datum>(y_));
    if constexpr (is_local<Data>) {
      log_density_.resize(y_.size());
      for (std::size_t i = 0; i < y_.size(); ++i) log_density_[i] = data_.log_density(i, y_[i]);
    }
  }

  /// Metropolis-Hastings with the kernel as proposal: y ~ f(. | theta), accepted by the ratio of the
  /// channel's density. Leaves q(z_i | y_i) f(y_i | theta) invariant in y_i. Does nothing for
  /// confidential data.
  /// Source     [JAGR22, algorithm 1]
  void update(std::size_t i, const Kernel& kernel, const typename Kernel::Parameter& theta, ChainRng& rng,
              SweepInfo& info) {
    if constexpr (!is_confidential<Data>) metropolis_update(i, kernel.draw(theta, rng), rng, info);
  }

  /// Takes `candidate` for y_i with probability min{1, ratio of the channel's density}; says whether.
  bool metropolis_update(std::size_t i, const Datum& candidate, ChainRng& rng, SweepInfo& info) {
    double log_ratio = 0;
    double log_density = 0;
    if constexpr (is_local<Data>) {
      log_density = data_.log_density(i, candidate);
      log_ratio = log_density - log_density_[i];
    } else if constexpr (is_global<Data>) {
      log_ratio = data_.channel.log_ratio(y_[i], candidate);
    }
    const bool accepted = accept(log_ratio, rng);
    record(info, log_ratio, accepted);
    if (!accepted) return false;
    if constexpr (is_local<Data>) log_density_[i] = log_density;
    if constexpr (is_global<Data>) data_.channel.replace(y_[i], candidate);
    y_[i] = candidate;
    return true;
  }

 private:
  Data data_;
  std::vector<Datum> y_;
  std::vector<double> log_density_;  ///< log q(z_i | y_i), local channels only
};

}  // namespace sotto::mixture
