#include "sotto/accountant/pld/loss_model.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

enum class Direction { remove, add };

constexpr double kRound = 1e-14;

// Groups neighbouring atoms; steers only.
LossSketch sketch_of(const DiscretePld& grid) {
  LossSketch sketch;
  const std::size_t group = grid.mass.size() / 1000 + 1;
  for (std::size_t start = 0; start < grid.mass.size(); start += group) {
    double mass = 0;
    double loss = 0;
    for (std::size_t i = start; i < std::min(start + group, grid.mass.size()); ++i) {
      mass += grid.mass[i];
      loss += grid.mass[i] * grid.loss(i);
    }
    if (!(mass > 1e-290)) continue;
    sketch.loss.push_back(loss / mass);
    sketch.mass.push_back(mass);
  }
  return sketch;
}

LossPart lattice_part(DiscretePld grid, std::uint64_t count) {
  LossPart part;
  part.sketch = sketch_of(grid);
  part.lattice = std::move(grid);
  part.lattice.margin = kLatticeMargin;
  part.count = count;
  return part;
}

LossPart pair_part(DominatingPair pair, std::uint64_t count) {
  LossPart part;
  part.pair = std::move(pair);
  part.count = count;
  return part;
}

// Noise e^(-j^2 / 2 s^2) on the integers, shifted by the sensitivity D: losses (D^2 + 2 D j) / (2 s^2).
DiscretePld discrete_gaussian_lattice(const DiscreteGaussianEvent& e) {
  const double d = e.sensitivity;
  const double variance = e.sigma * e.sigma;
  const auto reach = static_cast<std::int64_t>(std::ceil(38.5 * e.sigma + 2));
  DiscretePld grid{d * d / (2 * variance), d / variance, -reach, {}};
  grid.infinite = 1e-300;
  long double total = 0;
  for (std::int64_t j = -reach; j <= reach; ++j) {
    const auto x = static_cast<double>(j);
    grid.mass.push_back(std::exp(-x * x / (2 * variance)));
  }
  // Smallest first, so that the sum is good to a few units in the last place.
  for (std::int64_t j = reach; j > 0; --j) total += 2 * grid.mass[static_cast<std::size_t>(reach - j)];
  total += 1;
  for (double& m : grid.mass) m /= static_cast<double>(total);
  return grid;
}

class Builder {
 public:
  Builder(Adjacency adjacency, Side side, Direction direction)
      : adjacency_(adjacency), side_(side), direction_(direction) {}

  void operator()(const GaussianEvent& e) { add_rho(e.sensitivity / e.sigma); }

  void operator()(const DiscreteGaussianEvent& e) {
    const double ratio = e.sensitivity / e.sigma;
    // No more coordinates than the squared sensitivity can change: each changes by an integer.
    const double dimension =
        side_ == Side::upper ? std::min(static_cast<double>(e.dimension), e.sensitivity * e.sensitivity) : 1;
    if (e.sensitivity == 0) return;
    if (dimension == 1 && e.sigma < 2e4 && ratio < 100) {
      model_.parts.push_back(lattice_part(discrete_gaussian_lattice(e), count_));
      return;
    }
    add_rho(ratio);
    // Noise lies within one grid step of a Gaussian's, in every coordinate (docs/accounting.md).
    const double single = e.sensitivity / (e.sigma * e.sigma) * (1 + kRound);
    model_.most_rounding += single * std::sqrt(dimension) * static_cast<double>(count_);
    model_.rounding_proxy += single * single * static_cast<double>(count_);
  }

  void operator()(const LaplaceEvent& e) {
    if (e.sensitivity == 0) return;
    model_.parts.push_back(
        pair_part(DominatingPair(DominatingPair::Noise::laplace, e.scale / e.sensitivity, 1, 1, 0), count_));
  }

  void operator()(const SubsampledGaussianEvent& e) {
    if (e.clip_norm == 0 || e.rate == 0) return;
    const double scale = e.sigma / e.clip_norm;
    if (e.rate == 1) return add_rho((adjacency_ == Adjacency::substitute ? 2 : 1) / scale);
    subsampled(DominatingPair::Noise::gaussian, scale, e.rate, e.sampling);
  }

  void operator()(const SubsampledLaplaceEvent& e) {
    if (e.clip_norm == 0 || e.rate == 0) return;
    if (e.rate == 1)
      return (*this)(LaplaceEvent{adjacency_ == Adjacency::substitute ? 2.0 : 1.0, e.scale / e.clip_norm});
    subsampled(DominatingPair::Noise::laplace, e.scale / e.clip_norm, e.rate, e.sampling);
  }

  void operator()(const RandomizedResponseEvent& e) {
    if (e.probability == 1) return;
    const auto levels = static_cast<double>(e.levels);
    const double other = e.probability / levels;
    const double loss = std::log1p((1 - e.probability) / other);
    DiscretePld grid{0, loss, -1, {other, (levels - 2) * other, 1 - e.probability + other}};
    model_.parts.push_back(lattice_part(std::move(grid), count_));
  }

  void operator()(const PureEvent& e) {
    if (e.epsilon == 0) return;
    const double high = 1 / (1 + std::exp(-e.epsilon));
    DiscretePld grid{-e.epsilon, 2 * e.epsilon, 0, {std::exp(-e.epsilon) * high, high}};
    model_.parts.push_back(lattice_part(std::move(grid), count_));
  }

  void operator()(const BarkerEvent&) {}
  void operator()(const VarianceCompletedBarkerEvent&) {}
  void operator()(const SubsampledPenaltyEvent&) {}
  void operator()(const CompositionEvent&) {}

  void add(const Event& event) {
    count_ = event.count;
    std::visit(*this, event.mechanism);
  }
  LossModel finish() && { return std::move(model_); }

 private:
  void add_rho(double ratio) {
    const double rho = ratio * ratio / 2 * static_cast<double>(count_);
    model_.rho += rho * (side_ == Side::upper ? 1 + kRound : 1 - kRound);
  }

  void subsampled(DominatingPair::Noise noise, double scale, double rate, Sampling sampling) {
    const bool remove = direction_ == Direction::remove;
    if (sampling == Sampling::poisson && adjacency_ == Adjacency::substitute) {
      model_.parts.push_back(pair_part(DominatingPair(noise, scale, 1, rate, rate), count_));
    } else if (sampling == Sampling::poisson) {
      model_.parts.push_back(
          pair_part(DominatingPair(noise, scale, 1, remove ? rate : 0, remove ? 0 : rate), count_));
    } else if (side_ == Side::upper) {
      // A batch of fixed size, one row exchanged: sensitivity 2, curve of "remove" above loss 0, mirrored
      // below.
      model_.parts.push_back(
          pair_part(DominatingPair::mirrored(DominatingPair(noise, scale, 2, rate, 0)), count_));
    } else {
      // Attained where all other rows contribute the opposite of the exchanged one.
      model_.parts.push_back(
          pair_part(DominatingPair(noise, scale, 2, remove ? rate : 0, remove ? 0 : rate), count_));
    }
  }

  Adjacency adjacency_;
  Side side_;
  Direction direction_;
  std::uint64_t count_ = 1;
  LossModel model_;
};

bool depends_on_direction(const Event& event, Adjacency adjacency, Side side) {
  const auto sampled = [&](const auto& e) {
    if (e.rate == 0 || e.rate == 1) return false;
    return e.sampling == Sampling::poisson ? adjacency == Adjacency::add_remove : side == Side::lower;
  };
  if (const auto* e = std::get_if<SubsampledGaussianEvent>(&event.mechanism)) return sampled(*e);
  if (const auto* e = std::get_if<SubsampledLaplaceEvent>(&event.mechanism)) return sampled(*e);
  return false;
}

// A Gaussian total is split into copies of moderate cost, each a continuous pair.
void add_gaussian_part(LossModel& model, Side side) {
  if (model.parts.empty() || !(model.rho > 0)) return;
  const double copies = std::max(1.0, std::ceil(model.rho / 8));
  const double each = model.rho / copies * (side == Side::upper ? 1 + kRound : 1 - kRound);
  if (!(copies < 1e15))
    throw Error(ErrorCode::configuration, "the Gaussian part's noise is too small: raise sigma");
  model.parts.push_back(
      pair_part(DominatingPair(DominatingPair::Noise::gaussian, 1 / std::sqrt(2 * each), 1, 1, 0),
                static_cast<std::uint64_t>(copies)));
}

}  // namespace

std::vector<LossModel> loss_models(const std::vector<Event>& leaves, Adjacency adjacency, Side side) {
  const bool two = std::any_of(leaves.begin(), leaves.end(),
                               [&](const Event& e) { return depends_on_direction(e, adjacency, side); });
  std::vector<LossModel> models;
  for (const Direction direction : {Direction::remove, Direction::add}) {
    if (direction == Direction::add && !two) break;
    Builder builder(adjacency, side, direction);
    for (const Event& leaf : leaves) builder.add(leaf);
    models.push_back(std::move(builder).finish());
    add_gaussian_part(models.back(), side);
  }
  return models;
}

}  // namespace sotto
